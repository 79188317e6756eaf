//! A probe as evidence for a pasted text: what is measured now was not always true when the run failed.
//!
//! Memory is free again after a run has died; the environment may have been upgraded since; the text may come from
//! another machine. Facts that do not apply are removed with the reason, so that causes stay unverified instead of
//! refuted.

use super::Outcome;
use crate::amounts::size;
use crate::diagnosis::ProbeSummary;
use crate::facts::{self, Fact, Facts, Source, Value};
use crate::packages::{self, Kind};
use crate::vendors;

/// Older events in the kernel log belong to another incident.
const RECENT: f64 = 24.0 * 3600.0;

/// Whether a fact depends on the software environment.
pub(crate) fn is_software(name: &str) -> bool {
    packages::builtin().iter().any(|package| match package.kind {
        Kind::Framework | Kind::Python | Kind::Language | Kind::Library | Kind::Build => {
            name.split('.').next() == Some(package.group())
        }
        Kind::Toolkit => name == package.fact,
        Kind::Driver | Kind::Tool => false,
    })
}

/// The measured facts that apply to the run that wrote the text, and remarks on them.
pub fn relate(outcome: &Outcome, text: &Facts) -> (Facts, ProbeSummary) {
    let mut summary = outcome.summary();
    if outcome.is_inside() {
        // Of the very moment and process that wrote the text: nothing is past, nothing is another machine's.
        let mut facts = outcome.facts.clone();
        if text.get("xid.first").is_none() && facts.number("kernel.xid.age").is_some_and(|age| age <= RECENT) {
            lend_xids(&outcome.facts, &mut facts);
        }
        return (facts, summary);
    }
    if let Some(why) = other_machine(&outcome.facts, text) {
        summary.findings = vec![format!("{why}: measurements from this machine are not used")];
        return (Facts::default(), summary);
    }
    let other_environment = other_environment(&outcome.facts, text);
    let mut related = Facts::default();
    for (name, fact) in outcome.facts.iter() {
        if other_environment.is_some() && is_software(name) {
            continue;
        }
        if contradicts(text.get(of_vendor(name).1), &fact.value) {
            continue;
        }
        if let Some(why) = past(name, &outcome.facts) {
            related.set_unknown(name, why);
            continue;
        }
        related.add(name, fact.value.clone(), fact.source, fact.line);
    }
    for (name, why) in outcome.facts.unknowns() {
        related.set_unknown(name, why);
    }
    if text.get("xid.first").is_none() && outcome.facts.number("kernel.xid.age").is_some_and(|age| age <= RECENT) {
        lend_xids(&outcome.facts, &mut related);
    }
    summary.findings.extend(other_environment);
    (related, summary)
}

/// Why the text must come from another machine.
fn other_machine(here: &Facts, text: &Facts) -> Option<String> {
    let names: Vec<&str> =
        here.iter().filter(|(name, _)| is_device_name(name)).filter_map(|(name, _)| here.text(name)).collect();
    let theirs = text.get("gpu.name").filter(|fact| fact.source == Source::Text).and_then(|_| text.text("gpu.name"));
    if let Some(theirs) = theirs
        && !names.is_empty()
        && !names.iter().any(|name| same_device(name, theirs))
    {
        return Some(format!("the text is from a machine with {theirs}, this one has {}", names.join(", ")));
    }
    let wsl = |facts: &Facts| facts.get("os.wsl").map(|fact| fact.value == Value::Bool(true));
    match (wsl(text), wsl(here)) {
        (Some(true), Some(false)) => Some("the text is from WSL2, this machine is not".to_owned()),
        _ => None,
    }
}

/// The vendor of `amd.gpu.name` with its dot, and the plain name.
fn of_vendor(name: &str) -> (&str, &str) {
    let end = name.find('.').filter(|end| facts::vendors().any(|vendor| vendor == &name[..*end]));
    name.split_at(end.map_or(0, |end| end + 1))
}

/// `gpu.name`, `gpu.0.name` and `amd.gpu.name`.
fn is_device_name(name: &str) -> bool {
    let (_, name) = of_vendor(name);
    name.starts_with("gpu.") && name.ends_with(".name") && name.matches('.').count() <= 2
}

/// "NVIDIA GeForce RTX 3060" and "RTX 3060": the longer name contains every word of the shorter one.
fn same_device(one: &str, other: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let name = name.to_ascii_lowercase();
        let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.filter(|word| *word != "gpu" && !vendors::is_brand(word)).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short.iter().all(|word| long.contains(word))
}

/// A remark when this environment's framework is not the version that wrote the text.
fn other_environment(here: &Facts, text: &Facts) -> Option<String> {
    ["torch", "tensorflow", "jax"].into_iter().find_map(|package| {
        let name = format!("{package}.version");
        let theirs = text.get(&name).filter(|fact| fact.source == Source::Text).and_then(|_| text.text(&name))?;
        let ours = here.text(&name)?;
        (!same_version(ours, theirs)).then(|| {
            format!(
                "the text was written by {package} {theirs}, this environment has {ours}: its packages are not used"
            )
        })
    })
}

/// Whether two versions are equal; a local part ("+cu128") counts if both have one.
fn same_version(one: &str, other: &str) -> bool {
    match (one.split_once('+'), other.split_once('+')) {
        (Some(_), Some(_)) => one == other,
        _ => one.split('+').next() == other.split('+').next(),
    }
}

/// Whether the text itself has another value.
fn contradicts(stated: Option<&Fact>, measured: &Value) -> bool {
    stated.is_some_and(|stated| {
        stated.source == Source::Text
            && match (&stated.value, measured) {
                (Value::Text(stated), Value::Text(measured)) => !same_version(stated, measured),
                (stated, measured) => stated != measured,
            }
    })
}

/// Why a plentiful resource says nothing about the past. A scarce one does: whatever uses it is still running.
pub(super) fn past(name: &str, facts: &Facts) -> Option<String> {
    let (vendor, plain) = of_vendor(name);
    let whole = match plain {
        "gpu.memory.free" => facts.number(&format!("{vendor}gpu.memory.total"))?,
        "host.memory.available" => facts.number("host.memory.limit").or(facts.number("host.memory.total"))?,
        "host.shm.free" => facts.number("host.shm.size")?,
        _ => return None,
    };
    let free = facts.number(name)?;
    (free > 0.5 * whole).then(|| {
        format!("{} of {} are free now, which says nothing about the moment when the run died", size(free), size(whole))
    })
}

/// Recent events from the kernel log, used when the text shows none.
fn lend_xids(here: &Facts, related: &mut Facts) {
    for part in ["first", "codes", "count"] {
        if let Some(fact) = here.get(&format!("kernel.xid.{part}")) {
            related.add(format!("xid.{part}"), fact.value.clone(), fact.source, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

    fn outcome(facts: &[(&str, Value)]) -> Outcome {
        let mut all = Facts::default();
        for (name, value) in facts {
            all.add(*name, value.clone(), Source::Probe, None);
        }
        Outcome {
            vendor: &vendors::all()[0],
            level: "quick".into(),
            facts: all,
            findings: vec!["a finding".into()],
            checks: Vec::new(),
            looked_in: Vec::new(),
            taken: UNIX_EPOCH,
        }
    }

    fn words(text: &str) -> Value {
        Value::Text(text.into())
    }

    fn stated(facts: &[(&str, &str)]) -> Facts {
        let mut all = Facts::default();
        for (name, value) in facts {
            all.words_in_text(name, *value, 1);
        }
        all
    }

    #[test]
    fn free_memory_after_the_run_says_nothing_and_scarce_memory_does() {
        let memory = |free| {
            outcome(&[("gpu.memory.free", Value::Number(free * GIB)), ("gpu.memory.total", Value::Number(12.0 * GIB))])
        };
        let (facts, _) = relate(&memory(11.0), &Facts::default());
        assert!(facts.get("gpu.memory.free").is_none());
        assert!(facts.why_unknown("gpu.memory.free").is_some_and(|why| why.contains("11.0 GiB of 12.0 GiB")));
        let (facts, _) = relate(&memory(0.4), &Facts::default());
        assert_eq!(facts.number("gpu.memory.free"), Some(0.4 * GIB));
    }

    #[test]
    fn what_the_failing_process_recorded_is_of_that_moment() {
        let mut inside =
            outcome(&[("gpu.memory.free", Value::Number(11.0 * GIB)), ("gpu.memory.total", Value::Number(12.0 * GIB))]);
        inside.level = "inside".into();
        let probe = outcome(&[("gpu.memory.free", Value::Number(1.0)), ("os.wsl", Value::Bool(false))]);
        inside.complete(&probe);
        let (facts, _) = relate(&inside, &stated(&[("gpu.name", "NVIDIA A100-SXM4-80GB")]));
        assert_eq!(facts.number("gpu.memory.free"), Some(11.0 * GIB));
        assert!(facts.get("os.wsl").is_some());
    }

    #[test]
    fn another_machine_is_no_evidence() {
        let here =
            outcome(&[("gpu.0.name", words("NVIDIA GeForce RTX 3060")), ("torch.version", words("2.8.0+cu128"))]);
        let (facts, summary) = relate(&here, &stated(&[("gpu.name", "NVIDIA A100-SXM4-80GB")]));
        assert!(facts.is_empty());
        assert!(summary.findings[0].contains("A100"), "{:?}", summary.findings);
        let (facts, _) = relate(&here, &stated(&[("gpu.name", "RTX 3060")]));
        assert!(!facts.is_empty());
    }

    #[test]
    fn a_gpu_of_another_vendor_is_of_this_machine() {
        let here = outcome(&[
            ("gpu.0.name", words("NVIDIA GeForce RTX 3060")),
            ("amd.gpu.0.name", words("AMD Radeon RX 7900 XTX")),
            ("amd.gpu.memory.free", Value::Number(20.0 * GIB)),
            ("amd.gpu.memory.total", Value::Number(24.0 * GIB)),
        ]);
        let (facts, _) = relate(&here, &stated(&[("gpu.name", "AMD Radeon RX 7900 XTX")]));
        assert!(facts.get("amd.gpu.0.name").is_some());
        assert!(facts.why_unknown("amd.gpu.memory.free").is_some_and(|why| why.contains("20.0 GiB of 24.0 GiB")));
    }

    #[test]
    fn another_environment_keeps_the_hardware() {
        let here = outcome(&[
            ("torch.version", words("2.8.0+cu128")),
            ("torch.arch_list", Value::List(vec!["sm_70".into()])),
            ("gpu.compute_capability", words("8.6")),
        ]);
        let (facts, summary) = relate(&here, &stated(&[("torch.version", "2.1.2")]));
        assert!(facts.get("torch.arch_list").is_none());
        assert_eq!(facts.text("gpu.compute_capability"), Some("8.6"));
        assert!(summary.findings.iter().any(|says| says.contains("2.1.2")));
        let (facts, _) = relate(&here, &stated(&[("torch.version", "2.8.0")]));
        assert!(facts.get("torch.arch_list").is_some());
    }

    #[test]
    fn what_the_text_states_stands() {
        let here = outcome(&[("env.NCCL_P2P_DISABLE", words("0")), ("driver.version", words("580.95.05"))]);
        let (facts, _) = relate(&here, &stated(&[("env.NCCL_P2P_DISABLE", "1"), ("driver.version", "580.95.05")]));
        assert!(facts.get("env.NCCL_P2P_DISABLE").is_none());
        assert_eq!(facts.text("driver.version"), Some("580.95.05"));
    }

    #[test]
    fn recent_events_are_lent_and_old_ones_are_not() {
        let with_age = |age| {
            outcome(&[
                ("kernel.xid.first", Value::Number(79.0)),
                ("kernel.xid.count", Value::Number(1.0)),
                ("kernel.xid.age", Value::Number(age)),
            ])
        };
        assert_eq!(relate(&with_age(60.0), &Facts::default()).0.number("xid.first"), Some(79.0));
        assert_eq!(relate(&with_age(1e6), &Facts::default()).0.number("xid.first"), None);
    }
}
