//! The machine around its devices: driver, software, limits and kernel log, as labels with their values.

use crate::amounts::size;
use crate::facts::{self, Facts, Value};
use crate::machine::Outcome;
#[cfg(feature = "web")]
use crate::machine::other_gpus;
use crate::machine::view::device::{lead, row};
use crate::packages;
use crate::render::layout::{Paragraph, Sheet};
use crate::render::style::PLAIN;

/// What takes labels with their values: a sheet for a terminal, a list for a page.
pub(super) trait Rows {
    /// A label and its value; nothing if the value is empty.
    fn row(&mut self, label: &str, words: &str);

    /// A further value of the last label.
    fn further(&mut self, words: &str);
}

impl Rows for Sheet {
    fn row(&mut self, label: &str, words: &str) {
        row(self, label, words);
    }

    fn further(&mut self, words: &str) {
        self.paragraph(&Paragraph::new(words).lead(PLAIN, lead("")).indent(2));
    }
}

impl Rows for Vec<(String, Vec<String>)> {
    fn row(&mut self, label: &str, words: &str) {
        match label {
            _ if words.is_empty() => {}
            "" => self.further(words),
            _ => self.push((label.to_owned(), vec![words.to_owned()])),
        }
    }

    fn further(&mut self, words: &str) {
        if let Some((_, values)) = self.last_mut() {
            values.push(words.to_owned());
        }
    }
}

/// Everything about the machine besides its devices, checks and findings, as labels with their values.
#[cfg(feature = "web")]
pub(crate) fn surroundings(outcome: &Outcome) -> Vec<(String, Vec<String>)> {
    let (facts, mut rows) = (&outcome.facts, Vec::new());
    if outcome.has_driver() {
        driver_parts(&mut rows, facts);
    }
    for (maker, gpus) in other_gpus(facts) {
        rows.row("also here", &format!("{maker}: {gpus}"));
    }
    software(&mut rows, outcome);
    machine(&mut rows, facts);
    limits(&mut rows, facts);
    variables(&mut rows, facts);
    rows
}

/// The driver's parts on this machine: kernel module, library, device nodes.
pub(super) fn driver_parts(sheet: &mut impl Rows, facts: &Facts) {
    let mut words = Vec::new();
    if let Some(version) = facts.text("driver.kernel_version") {
        let open = facts.get("driver.open_kernel_module").is_some_and(|fact| fact.value == Value::Bool(true));
        words.push(format!("kernel module {version}{}", if open { " (open)" } else { "" }));
    }
    if let (Some(path), Some(by)) = (facts.text("driver.library"), facts.text("driver.library_by")) {
        words.push(format!("{path} by {by}"));
    }
    sheet.row("driver", &words.join(" · "));
    sheet.row("nodes", &list(facts, "device_nodes.present").join(" "));
}

pub(super) fn software(sheet: &mut impl Rows, outcome: &Outcome) {
    let facts = &outcome.facts;
    let mut words = Vec::new();
    for package in packages::builtin().iter().filter(|row| row.is_python()).map(|row| row.group()) {
        let Some(version) = facts.text(&format!("{package}.version")) else { continue };
        let archs: Vec<&str> =
            list(facts, &format!("{package}.arch_list")).iter().map(|arch| arch.trim_start_matches("sm_")).collect();
        let built = if archs.is_empty() { String::new() } else { format!(" (built for {})", archs.join(" ")) };
        words.push(format!("{package} {version}{built}"));
    }
    if words.is_empty() {
        words.extend(facts.why_unknown("torch.version").map(|why| format!("no framework: {why}")));
    }
    sheet.row("software", &words.join(" · "));
    libraries(sheet, outcome);
    if let (Some(version), Some(prefix)) = (facts.text("python.version"), facts.text("python.prefix")) {
        let by = facts.text("python.chosen_by").unwrap_or("default");
        sheet.row("python", &format!("{version} in {prefix} ({by})"));
    }
}

/// The vendor's libraries: on one line if each has one copy, otherwise every copy with its path.
fn libraries(sheet: &mut impl Rows, outcome: &Outcome) {
    let facts = &outcome.facts;
    let known = outcome.vendor.libraries.iter().filter(|library| !library.package.is_empty());
    let known: Vec<(&str, &str)> = known.map(|library| (library.stem.as_str(), library.name.as_str())).collect();
    let mut once = Vec::new();
    for &(library, shown) in &known {
        if let (Some(1.0), Some(version)) =
            (facts.number(&format!("{library}.copies")), list(facts, &format!("{library}.versions")).first())
        {
            once.push(format!("{shown} {version}"));
        }
    }
    sheet.row("libraries", &once.join(" · "));
    for (library, shown) in known {
        let copies = list(facts, &format!("{library}.found"));
        if copies.len() > 1 {
            sheet.row("", &format!("{} copies of {shown}:", copies.len()));
            for copy in copies {
                sheet.further(copy);
            }
        }
    }
}

fn list<'a>(facts: &'a Facts, name: &str) -> &'a [String] {
    match facts.get(name).map(|fact| &fact.value) {
        Some(Value::List(list)) => list,
        _ => &[],
    }
}

/// What limits a process: locked memory, open files, processes, stack.
pub(super) fn limits(sheet: &mut impl Rows, facts: &Facts) {
    let mut words = Vec::new();
    for (name, shown) in [
        ("ulimit.memlock", "locked memory"),
        ("ulimit.stack", "stack"),
        ("ulimit.nofile", "open files"),
        ("ulimit.nproc", "processes"),
    ] {
        words.extend(facts.get(name).map(|fact| format!("{shown} {}", facts::words(name, &fact.value))));
    }
    words.extend(facts.number("host.pids.limit").map(|limit| format!("{limit} processes in this control group")));
    sheet.row("limits", &words.join(" · "));
}

/// The variables that change how GPU programs behave; an empty search path is the normal case and not shown.
pub(super) fn variables(sheet: &mut impl Rows, facts: &Facts) {
    let set = facts.iter().filter_map(|(name, fact)| match (name.strip_prefix("env."), &fact.value) {
        (Some("LD_LIBRARY_PATH"), Value::Text(value)) if value.is_empty() => None,
        (Some(name), Value::Text(value)) => Some(format!("{name}={value}")),
        _ => None,
    });
    let set: Vec<String> = set.collect();
    sheet.row("variables", &set.join(" · "));
}

/// What the kernel logged about GPUs, and the log's name.
pub(super) fn kernel_log(sheet: &mut impl Rows, outcome: &Outcome) {
    let facts = &outcome.facts;
    let (Some(log), Some(count)) = (facts.text("kernel.log"), facts.number("kernel.xid.count")) else { return };
    if count == 0.0 {
        return sheet.row("kernel log", &format!("no {} in {log}", outcome.vendor.kernel_log.event));
    }
    for line in list(facts, "kernel.xid.lines") {
        sheet.row("kernel log", line);
    }
}

pub(super) fn machine(sheet: &mut impl Rows, facts: &Facts) {
    let mut words = Vec::new();
    let yes = |name: &str| facts.get(name).is_some_and(|fact| fact.value == Value::Bool(true));
    words.extend(facts.text("os.name").map(str::to_owned));
    if yes("os.wsl") {
        words.push("WSL2".to_owned());
    }
    if yes("os.container") {
        words.push(format!("in a container ({})", facts.text("os.container_kind").unwrap_or("unknown kind")));
    }
    words.extend(facts.text("os.virtual_machine").map(|kind| format!("virtual machine ({kind})")));
    if let Some(available) = facts.number("host.memory.available") {
        let whole = facts.number("host.memory.limit").or(facts.number("host.memory.total"));
        let whole = whole.map(|bytes| format!(" of {}", size(bytes))).unwrap_or_default();
        words.push(format!("{}{whole} of memory available", size(available)));
    }
    if let Some(count) = facts.number("host.cpu.count") {
        let limit = facts.number("host.cpu.limit").map(|limit| format!(", {limit} of them usable")).unwrap_or_default();
        words.push(format!("{count} processors{limit}"));
    }
    if let Some(bytes) = facts.number("host.shm.size") {
        let free = facts.number("host.shm.free").map(|free| format!(", {} free", size(free))).unwrap_or_default();
        words.push(format!("/dev/shm {}{free}", size(bytes)));
    }
    sheet.row("machine", &words.join(" · "));
}
