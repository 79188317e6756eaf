//! The former GPU beside this one, for a run that has moved.

use super::context::Comparison;
use super::environment;
use super::fill::{Material, ReportOptions};
use crate::diagnosis::capacity::{self, Load};
use crate::facts::{Facts, Value};
use crate::text::Transcript;

/// The former GPU beside this one, if the user or the text names it.
pub(super) fn comparison(options: &ReportOptions, material: &Material<'_>, own: &Facts) -> Option<Comparison> {
    let hardware = &material.knowledge.book.hardware;
    let now = own.text("gpu.name").and_then(|name| {
        let memory = environment::gpu_in_words(own);
        hardware.gpu(memory.as_deref().unwrap_or(name)).or_else(|| hardware.gpu(name))
    })?;
    let former = options.former_gpu.clone().or_else(|| former_gpu(material.transcript));
    let former = hardware.gpu(&former?).filter(|former| former.name != now.name)?;
    let batch = match own.get("run.batch_size").map(|fact| &fact.value) {
        Some(Value::Number(batch)) if *batch >= 1.0 && *batch < 1e6 => Some(*batch as u32),
        _ => None,
    };
    let load = Load { batch: batch.unwrap_or(1), overhead: capacity::OVERHEAD, used: None };
    let fit = capacity::fit(former, now, load).ok()?;
    let mut rows = fit.comparison.clone();
    if let Some(batch) = batch {
        rows.push([
            "Batch size".to_owned(),
            "TODO: the batch that ran".to_owned(),
            format!("{batch} fails"),
            format!("estimate: {} at a time, {} times before a step", fit.proposal.batch, fit.proposal.accumulation),
        ]);
    }
    Some(Comparison { from: former.name.clone(), to: now.name.clone(), rows, checklist: fit.checklist.to_vec() })
}

/// A GPU that the text describes as the former one.
fn former_gpu(transcript: &Transcript) -> Option<String> {
    const WORDS: [&str; 7] = [
        "migrated from ",
        "moved from ",
        "previously on ",
        "formerly on ",
        "worked on ",
        "works on ",
        "used to run on ",
    ];
    transcript.lines().find_map(|line| {
        if line.text.len() > 2000 {
            return None;
        }
        let lower = line.text.to_ascii_lowercase();
        let word = WORDS.iter().find(|word| lower.contains(**word))?;
        let at = lower.find(word)? + word.len();
        let said: String = line.text.get(at..)?.chars().take(60).collect();
        Some(said.split([';', ')']).next().unwrap_or_default().to_owned())
    })
}
