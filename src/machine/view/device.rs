//! One device in a few lines, for a probe and for a watch: name, memory bar, processes, health; links and modes.

use crate::amounts::size;
use crate::facts::{self, Facts, Value};
use crate::machine::numbering::{by_ordinal, ordinal_of};
use crate::machine::view::rows::Rows;
use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::{FAINT, STRONG};

/// The column where values start.
pub(super) const COLUMN: usize = 14;

/// Processes shown per device.
const PROCESSES: usize = 4;

/// The label of a row.
pub(super) fn lead(label: &str) -> String {
    format!("  {label:<width$}", width = COLUMN - 2)
}

/// A label and its value; nothing if the value is empty.
pub(super) fn row(sheet: &mut Sheet, label: &str, words: &str) {
    if !words.is_empty() {
        sheet.paragraph(&Paragraph::new(words).lead(FAINT, lead(label)));
    }
}

pub(crate) fn devices(facts: &Facts) -> std::ops::Range<u32> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let count = facts.number("gpu.installed").map_or(0, |count| count.clamp(0.0, 256.0) as u32);
    0..count
}

/// Shorthands for the facts of one device.
struct Of<'a> {
    facts: &'a Facts,
    index: u32,
}

impl<'a> Of<'a> {
    fn value(&self, name: &str) -> Option<&'a Value> {
        self.facts.get(&format!("gpu.{}.{name}", self.index)).map(|fact| &fact.value)
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.facts.text(&format!("gpu.{}.{name}", self.index))
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.facts.number(&format!("gpu.{}.{name}", self.index))
    }

    fn flag(&self, name: &str) -> Option<bool> {
        match self.value(name)? {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    fn list(&self, name: &str) -> &'a [String] {
        match self.value(name) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }

    fn why_unknown(&self, name: &str) -> Option<&'a str> {
        self.facts.why_unknown(&format!("gpu.{}.{name}", self.index))
    }
}

/// Name, memory, processes and health of a device.
pub(super) fn device(sheet: &mut Sheet, facts: &Facts, index: u32) {
    let of = Of { facts, index };
    sheet.blank();
    let name = of.text("name").or(of.text("error")).unwrap_or("unknown device");
    let arch = of.text("arch").unwrap_or_default();
    sheet.paragraph(&Paragraph::new(name).lead(STRONG, format!("GPU {index}  ")).style(STRONG).right(FAINT, arch));
    if let (Some(total), Some(free)) = (of.number("memory.total"), of.number("memory.free")) {
        let used = total - free;
        let largest =
            ordinal_of(facts, index).and_then(|ordinal| facts.number(&by_ordinal(facts, ordinal, "largest_block")));
        let largest = largest.map(|bytes| format!(", largest block {}", size(bytes))).unwrap_or_default();
        let words =
            format!("{} {} of {} used, {} free{largest}", bar(used / total), size(used), size(total), size(free));
        row(sheet, "memory", &words);
    }
    processes(sheet, &of);
    row(sheet, "health", &[errors(&of), activity(&of)].concat().join(" · "));
}

/// What the device counts as errors, or that it counts none.
#[cfg(feature = "web")]
pub(crate) fn errors_of(facts: &Facts, index: u32) -> Vec<String> {
    errors(&Of { facts, index })
}

fn processes(sheet: &mut Sheet, of: &Of<'_>) {
    if of.value("processes").is_none() {
        if let Some(why) = of.why_unknown("processes") {
            row(sheet, "", &format!("processes: {why}"));
        }
        return;
    }
    let list = of.list("processes");
    for process in list.iter().take(PROCESSES) {
        row(sheet, "", process);
    }
    if list.len() > PROCESSES {
        row(sheet, "", &format!("{} more processes", list.len() - PROCESSES));
    }
}

fn errors(of: &Of<'_>) -> Vec<String> {
    let mut words = Vec::new();
    match of.number("ecc.uncorrected") {
        Some(0.0) => words.push("no memory errors".to_owned()),
        Some(count) => words.push(format!("{count} uncorrectable memory errors")),
        None => words.extend(of.why_unknown("ecc.uncorrected").map(str::to_owned)),
    }
    for (name, says) in [
        ("ecc.uncorrected_ever", "uncorrectable errors over its lifetime"),
        ("retired.double_bit", "pages retired after double-bit errors"),
        ("remapped.uncorrectable", "rows remapped after uncorrectable errors"),
    ] {
        words.extend(of.number(name).filter(|count| *count > 0.0).map(|count| format!("{count} {says}")));
    }
    if of.flag("remapped.pending") == Some(true) {
        words.push("a row will be remapped at the next reset".to_owned());
    }
    if of.flag("retired.pending") == Some(true) {
        words.push("a page will be retired at the next reboot".to_owned());
    }
    words
}

fn activity(of: &Of<'_>) -> Vec<String> {
    let mut words = Vec::new();
    words.extend(of.value("temperature").map(|heat| facts::words("gpu.temperature", heat)));
    if let (Some(power), Some(limit)) = (of.number("power"), of.number("power_limit")) {
        words.push(format!("{power} of {limit} W"));
    }
    if let (Some(clock), Some(most)) = (of.number("clock"), of.number("clock_max")) {
        let events = of.list("clock_events");
        let why = if events.is_empty() { String::new() } else { format!(" ({})", events.join(", ")) };
        words.push(format!("{clock} of {most} MHz{why}"));
    }
    if let Some(load) = of.number("utilization") {
        words.push(format!("{load} % busy"));
    }
    words
}

/// How a device is connected and configured: shown by a probe, not by every sample of a watch.
pub(super) fn links_and_modes(sheet: &mut impl Rows, facts: &Facts, index: u32) {
    let of = Of { facts, index };
    let mut links = Vec::new();
    if let (Some(generation), Some(width)) = (of.number("pcie.generation"), of.number("pcie.width")) {
        let most = match (of.number("pcie.max_generation"), of.number("pcie.max_width")) {
            (Some(g), Some(w)) if (g, w) != (generation, width) => format!(" of {g} x{w}"),
            _ => String::new(),
        };
        links.push(format!("PCIe {generation} x{width}{most}"));
    }
    links.extend(of.number("pcie.replays").filter(|count| *count > 0.0).map(|count| format!("{count} PCIe replays")));
    if let (Some(active), Some(down)) = (of.number("nvlink.active"), of.number("nvlink.inactive")) {
        links.push(if down > 0.0 { format!("NVLink {active} up, {down} down") } else { format!("NVLink {active} up") });
    }
    links.extend(of.number("nvlink.errors").filter(|count| *count > 0.0).map(|count| format!("{count} NVLink errors")));
    links.extend(of.text("fabric").map(|state| format!("fabric {state}")));
    sheet.row("links", &links.join(" · "));
    let mut modes = Vec::new();
    let on = |value: bool| if value { "on" } else { "off" };
    modes.extend(of.flag("persistence").map(|value| format!("persistence {}", on(value))));
    modes.extend(of.text("compute_mode").map(|mode| format!("compute mode {mode}")));
    match of.flag("mig") {
        Some(true) => modes.push(format!("divided (MIG, {} slices)", of.list("mig_devices").len())),
        Some(false) => modes.push("MIG off".to_owned()),
        None => {}
    }
    modes.extend(of.flag("ecc.enabled").map(|value| format!("ECC {}", on(value))));
    modes.extend(of.flag("gsp").map(|value| format!("GSP {}", on(value))));
    modes.extend(
        of.text("recovery_action").filter(|action| *action != "none").map(|action| format!("recommended: {action}")),
    );
    sheet.row("modes", &modes.join(" · "));
    for slice in of.list("mig_slices") {
        sheet.row("slice", slice);
    }
    let names = [of.text("uuid"), of.text("pci")];
    sheet.row("known as", &names.into_iter().flatten().collect::<Vec<_>>().join(" · "));
}

/// How a device is connected and configured, as labels with their values.
#[cfg(feature = "web")]
pub(crate) fn setup_of(facts: &Facts, index: u32) -> Vec<(String, Vec<String>)> {
    let mut rows = Vec::new();
    links_and_modes(&mut rows, facts, index);
    rows
}

/// A bar of 26 columns.
fn bar(part: f64) -> String {
    const COLUMNS: usize = 26;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "clamped, and small"
    )]
    let full = (part.clamp(0.0, 1.0) * COLUMNS as f64).round() as usize;
    format!("{}{}", "#".repeat(full), "-".repeat(COLUMNS - full))
}
