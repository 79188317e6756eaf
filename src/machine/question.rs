//! Which of the machine's devices the plain names `gpu.*` mean, and the facts that follow from several others.
//!
//! A page's condition asks for `gpu.memory.free`, not for that of device 3. The device in question is the one asked
//! for, else the visible one with trouble, else the first that a program sees.

use super::note::Notes;
use super::numbering::{by_ordinal, index_of, installed, vendor, visible};
use super::{Check, Options, Word};
use crate::facts::{Facts, Source, Value};

/// Adds `gpu.*`, `gpu.count`, `gpu.visible` and `ladder.*`.
pub(super) fn settle(options: &Options, checks: &[Check], notes: &mut Notes) {
    let installed = installed(&notes.facts);
    let visible = visible(options, &notes.facts);
    let from_runtime = notes.facts.number(&format!("{}.device_count", vendor(&notes.facts).runtime.facts));
    if installed > 0 || from_runtime.is_some() {
        #[expect(clippy::cast_precision_loss, reason = "a count of devices")]
        notes.number("gpu.count", from_runtime.unwrap_or(visible.len() as f64));
        notes.list("gpu.visible", visible.iter().map(ToString::to_string).collect());
    }
    let asked = options.device.filter(|device| *device < installed);
    let troubled = || {
        visible.iter().copied().max_by_key(|index| (trouble(&notes.facts, checks, *index), std::cmp::Reverse(*index)))
    };
    if let Some(index) = asked.or_else(troubled) {
        copy(index, &mut notes.facts);
        notes.count("gpu.index", u64::from(index));
    }
    write_checks(checks, notes);
}

/// Whether processes compute on any device.
pub(super) fn is_shared(facts: &Facts) -> bool {
    (0..installed(facts)).any(|index| {
        facts.number(&format!("gpu.{index}.process_count")).is_some_and(|count| count > 0.0)
            || facts.number(&format!("gpu.{index}.utilization")).is_some_and(|percent| percent > 5.0)
    })
}

/// How bad it stands with a device; 0 is well.
fn trouble(facts: &Facts, checks: &[Check], index: u32) -> u8 {
    let name = |name: &str| format!("gpu.{index}.{name}");
    let positive = |one: &str| facts.number(&name(one)).is_some_and(|number| number > 0.0);
    let yes = |one: &str| facts.get(&name(one)).is_some_and(|fact| fact.value == Value::Bool(true));
    if facts.get(&name("error")).is_some() {
        return 4;
    }
    if positive("ecc.uncorrected") || yes("remapped.failed") || yes("remapped.pending") || yes("retired.pending") {
        return 3;
    }
    if checks.iter().any(|check| check.word.is_broken() && index_of(facts, check.device) == Some(index)) {
        return 3;
    }
    let part = |free: f64, total: f64| total > 0.0 && free / total < 0.1;
    match (facts.number(&name("memory.free")), facts.number(&name("memory.total"))) {
        (Some(free), Some(total)) if part(free, total) => 2,
        _ => u8::from(facts.text(&name("recovery_action")).is_some_and(|action| action != "none")),
    }
}

/// Gives the plain names to one device.
fn copy(index: u32, facts: &mut Facts) {
    let prefix = format!("gpu.{index}.");
    let known: Vec<(String, Value)> = facts
        .iter()
        .filter_map(|(name, fact)| Some((format!("gpu.{}", name.strip_prefix(&prefix)?), fact.value.clone())))
        .collect();
    let unknown: Vec<(String, String)> = facts
        .unknowns()
        .filter_map(|(name, why)| Some((format!("gpu.{}", name.strip_prefix(&prefix)?), why.to_owned())))
        .collect();
    for (name, value) in known {
        facts.add(name, value, Source::Probe, None);
    }
    for (name, why) in unknown {
        facts.set_unknown(name, why);
    }
}

/// The worst word of each check over all devices.
fn write_checks(checks: &[Check], notes: &mut Notes) {
    let rank = |word: Word| match word {
        Word::Skipped => 0,
        Word::Ok => 1,
        Word::NotReached => 2,
        _ => 3,
    };
    let mut names: Vec<&str> = Vec::new();
    for check in checks {
        if !names.contains(&check.name.as_str()) {
            names.push(&check.name);
        }
    }
    let mut broken = Vec::new();
    for name in names {
        let worst = checks.iter().filter(|check| check.name == name).max_by_key(|check| rank(check.word));
        let Some(worst) = worst else { continue };
        if worst.word == Word::Skipped {
            notes.set_unknown(format!("ladder.{name}"), worst.says.clone());
            continue;
        }
        notes.text(format!("ladder.{name}"), worst.word.word());
        if let Some(code) = worst.code {
            notes.number(format!("ladder.code.{name}"), f64::from(code));
        }
        if rank(worst.word) == 3 {
            broken.push(name.to_owned());
        }
    }
    if !checks.is_empty() {
        notes.flag("ladder.holds", broken.is_empty());
        notes.list("ladder.broken", broken);
        notes.count("ladder.wrong", checks.iter().filter(|check| check.word == Word::Wrong).count() as u64);
        notes.flag("ladder.workspace_missing", workspace_missing(checks));
    }
    let runtime = &vendor(&notes.facts).runtime.facts;
    let is_workspace = |name: &str| name.starts_with(runtime.as_str()) && name.contains(".workspace.");
    let wanted =
        notes.facts.iter().filter(|(name, _)| is_workspace(name)).filter_map(|(name, _)| notes.facts.number(name));
    if let Some(most) = wanted.max_by(f64::total_cmp) {
        notes.number("ladder.workspace", most);
    }
    let smallest = checks
        .iter()
        .filter_map(|check| notes.facts.number(&by_ordinal(&notes.facts, check.device, "largest_block")))
        .min_by(f64::total_cmp);
    if let Some(smallest) = smallest {
        notes.number("gpu.largest_block", smallest);
    }
    let untold = |check: &Check| notes.facts.why_unknown(&by_ordinal(&notes.facts, check.device, "largest_block"));
    if let Some(why) = checks.iter().find_map(untold).map(str::to_owned) {
        notes.set_unknown("gpu.largest_block", why);
    }
}

/// Whether a convolution runs without workspace and does not get the memory for the workspace it wants.
fn workspace_missing(checks: &[Check]) -> bool {
    /// In CUDA and in HIP.
    const OUT_OF_MEMORY: i32 = 2;
    let wanting = checks.iter().filter(|check| check.word == Word::Failed && check.code == Some(OUT_OF_MEMORY));
    wanting.into_iter().any(|wanting| {
        let bare = format!("{}_no_workspace", wanting.name);
        checks.iter().any(|check| check.device == wanting.device && check.name == bare && check.word == Word::Ok)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::ffi::OsString;

    fn options(visible: Option<&str>) -> Options {
        let environment = visible.map(|value| (OsString::from("CUDA_VISIBLE_DEVICES"), OsString::from(value)));
        Options { environment: environment.into_iter().collect::<BTreeMap<_, _>>(), ..Options::default() }
    }

    fn two_devices() -> Notes {
        let mut notes = Notes::default();
        notes.count("gpu.installed", 2);
        for (index, free) in [(0, 9.0), (1, 0.5)] {
            notes.text(format!("gpu.{index}.uuid"), format!("GPU-{index}abc"));
            notes.number(format!("gpu.{index}.memory.total"), 10.0);
            notes.number(format!("gpu.{index}.memory.free"), free);
        }
        notes.set_unknown("gpu.1.ecc.uncorrected", "this board has no ECC");
        notes
    }

    #[test]
    fn the_device_with_trouble_is_meant() {
        let mut notes = two_devices();
        settle(&options(None), &[], &mut notes);
        assert_eq!(notes.facts.number("gpu.memory.free"), Some(0.5));
        assert_eq!(notes.facts.number("gpu.count"), Some(2.0));
        assert_eq!(notes.facts.why_unknown("gpu.ecc.uncorrected"), Some("this board has no ECC"));
    }

    #[test]
    fn only_visible_devices_are_meant() {
        for (value, index) in [("0", Some(0.0)), ("GPU-1abc", Some(1.0)), ("1,0", Some(1.0)), ("-1", None), ("", None)]
        {
            let mut notes = two_devices();
            settle(&options(Some(value)), &[], &mut notes);
            assert_eq!(notes.facts.number("gpu.index"), index, "{value}");
        }
    }

    #[test]
    fn a_slice_means_its_device() {
        let mut notes = two_devices();
        notes.list("gpu.1.mig_devices", vec!["MIG-77aa".into()]);
        settle(&options(Some("MIG-77aa")), &[], &mut notes);
        assert_eq!(notes.facts.number("gpu.index"), Some(1.0));
    }

    #[test]
    fn the_worst_device_speaks_for_a_rung() {
        let check = |device, word| Check {
            name: "copy".into(),
            device,
            word,
            says: String::new(),
            code: None,
            milliseconds: 0,
        };
        let mut notes = Notes::default();
        settle(&options(None), &[check(0, Word::Ok), check(1, Word::Wrong)], &mut notes);
        assert_eq!(notes.facts.text("ladder.copy"), Some("wrong"));
        assert_eq!(notes.facts.get("ladder.holds").map(|fact| &fact.value), Some(&Value::Bool(false)));
    }
}
