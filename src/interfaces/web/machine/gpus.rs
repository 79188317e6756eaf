//! The GPUs of a machine: memory as a bar of processes, load, temperature, power and clock, and how they went.

use askama::Template;

use super::page::{cleaned, list};
use crate::amounts::size;
use crate::facts::{self, Facts, Value};
use crate::machine::view::device::{devices, errors_of, setup_of};
use crate::machine::{Watch, memory_of};
use crate::render::clean;

/// Bars are drawn in thousandths.
const WHOLE: f64 = 1000.0;

/// Processes with a colour of their own.
const COLOURS: usize = 6;

/// The height of a course.
const TALL: f64 = 40.0;

#[derive(Template)]
#[template(path = "machine/gpus.html")]
struct Gpus {
    at: String,
    gpus: Vec<Gpu>,
    /// Why there are none.
    none: String,
}

struct Gpu {
    index: u32,
    name: String,
    arch: String,
    memory: Option<Memory>,
    /// Why its processes are unknown.
    processes_unknown: String,
    meters: Vec<Meter>,
    limited: String,
    errors: Vec<String>,
    setup: Vec<(String, Vec<String>)>,
    /// Memory and load over the last samples, as SVG paths; empty before the second one.
    courses: Vec<(&'static str, String)>,
}

struct Memory {
    says: String,
    parts: Vec<Part>,
}

/// A part of a bar, with its place in thousandths.
struct Part {
    class: String,
    says: String,
    from: f64,
    width: f64,
}

struct Meter {
    label: &'static str,
    says: String,
    width: Option<f64>,
}

/// The newest sample, with the courses of all.
pub(super) fn sampled(watch: &Watch) -> String {
    let Some(sample) = watch.samples.back() else { return String::new() };
    shown(&sample.facts, Some(watch))
}

pub(super) fn shown(facts: &Facts, watch: Option<&Watch>) -> String {
    let at = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
    let listed: Vec<Gpu> = devices(facts).map(|index| gpu(facts, index, watch)).collect();
    let none = facts.why_unknown("gpu.name").map_or("the driver lists no GPU".to_owned(), clean::line);
    Gpus { at, gpus: listed, none }.render().unwrap_or_default()
}

fn gpu(facts: &Facts, index: u32, watch: Option<&Watch>) -> Gpu {
    let name = |name: &str| format!("gpu.{index}.{name}");
    let text = |fact: &str| facts.text(&name(fact)).map(clean::line);
    let courses =
        [("memory used", "memory.used", facts.number(&name("memory.total"))), ("load", "utilization", Some(100.0))];
    let courses = courses
        .into_iter()
        .filter_map(|(label, fact, most)| Some((label, course(&watch?.history(&name(fact)), most?)?)));
    Gpu {
        index,
        name: text("name").or(text("error")).unwrap_or_else(|| "unknown device".to_owned()),
        arch: text("arch").unwrap_or_default(),
        memory: memory(facts, index),
        processes_unknown: facts.why_unknown(&name("processes")).map(clean::line).unwrap_or_default(),
        meters: meters(facts, index),
        limited: list(facts, &name("clock_events")).join(", "),
        errors: errors_of(facts, index).iter().map(|words| clean::line(words)).collect(),
        setup: cleaned(setup_of(facts, index)),
        courses: courses.collect(),
    }
}

/// A device's memory: a part for each process that says how much it uses, and one for what nobody says.
fn memory(facts: &Facts, index: u32) -> Option<Memory> {
    let number = |name: &str| facts.number(&format!("gpu.{index}.{name}"));
    let total = number("memory.total").filter(|total| *total > 0.0)?;
    let free = number("memory.free")?.clamp(0.0, total);
    let used = total - free;
    let processes = list(facts, &format!("gpu.{index}.processes"));
    let known: f64 = processes.iter().filter_map(|process| memory_of(process)).sum();
    // Drivers count what processes share once for each of them.
    let scale = if known > used { used / known } else { 1.0 };
    let (mut parts, mut from) = (Vec::new(), 0.0);
    let mut add = |class: String, says: String, bytes: f64| {
        let width = thousandths(bytes / total).min(WHOLE - from);
        parts.push(Part { class, says, from, width });
        from += width;
    };
    for (place, process) in processes.iter().enumerate() {
        let bytes = memory_of(process).unwrap_or(0.0) * scale;
        add(format!("of-{}", place.min(COLOURS - 1)), process.clone(), bytes);
    }
    let rest = used - known * scale;
    if rest > total / WHOLE {
        let says = if processes.is_empty() {
            format!("used: {}", size(rest))
        } else {
            format!("driver and others: {}", size(rest))
        };
        add("of-others".to_owned(), says, rest);
    }
    add("of-none".to_owned(), format!("free: {}", size(free)), total);
    Some(Memory { says: format!("{} of {} used, {} free", size(used), size(total), size(free)), parts })
}

fn meters(facts: &Facts, index: u32) -> Vec<Meter> {
    let number = |name: &str| facts.number(&format!("gpu.{index}.{name}"));
    let meter = |label, name: &str, most: Option<f64>, of: &str| {
        let value = number(name)?;
        let words = |value| facts::words(&format!("gpu.{name}"), &Value::Number(value));
        let limit = most.filter(|_| !of.is_empty()).map(|most| format!("{of} {}", words(most))).unwrap_or_default();
        let width = most.filter(|most| *most > 0.0).map(|most| thousandths(value / most));
        Some(Meter { label, says: format!("{}{limit}", words(value)), width })
    };
    [
        meter("Load", "utilization", Some(100.0), ""),
        meter("Temperature", "temperature", number("temperature_slowdown"), ", slows down at"),
        meter("Power", "power", number("power_limit"), " of"),
        meter("Clock", "clock", number("clock_max"), " of"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A part of one, in thousandths.
fn thousandths(part: f64) -> f64 {
    (part.clamp(0.0, 1.0) * WHOLE).round()
}

/// Values over time as the path of a line; interrupted where one is unknown.
fn course(values: &[Option<f64>], most: f64) -> Option<String> {
    let steps = values.len().checked_sub(1).filter(|steps| *steps > 0)?;
    let mut path = String::new();
    let mut goes_on = false;
    for (place, value) in values.iter().enumerate() {
        let Some(value) = value else {
            goes_on = false;
            continue;
        };
        #[expect(clippy::cast_precision_loss, reason = "a few samples")]
        let x = (place as f64 / steps as f64 * WHOLE).round();
        let y = TALL - 1.0 - (value / most.max(1.0)).clamp(0.0, 1.0) * (TALL - 2.0);
        path.push_str(&format!("{}{x} {y:.1}", if goes_on { 'L' } else { 'M' }));
        goes_on = true;
    }
    (!path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Source;

    const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

    fn device(processes: &[&str]) -> Facts {
        let mut facts = Facts::default();
        let mut add = |name: &str, value| facts.add(format!("gpu.0.{name}"), value, Source::Probe, None);
        add("name", Value::Text("<img src=x onerror=alert(1)>".into()));
        add("memory.total", Value::Number(12.0 * GIB));
        add("memory.free", Value::Number(3.0 * GIB));
        add("processes", Value::List(processes.iter().map(ToString::to_string).collect()));
        facts.add("gpu.installed", Value::Number(1.0), Source::Probe, None);
        facts
    }

    #[test]
    fn a_bar_has_a_part_for_each_process_and_fills_its_width() {
        let memory = memory(&device(&["pid 7 python train.py uses 6.0 GiB", "pid 8 uses 1.5 GiB"]), 0).expect("known");
        let parts: Vec<(&str, f64, f64)> =
            memory.parts.iter().map(|part| (part.class.as_str(), part.from, part.width)).collect();
        assert_eq!(
            parts,
            [("of-0", 0.0, 500.0), ("of-1", 500.0, 125.0), ("of-others", 625.0, 125.0), ("of-none", 750.0, 250.0)]
        );
        assert_eq!(memory.says, "9.0 GiB of 12.0 GiB used, 3.0 GiB free");
        // What two processes share is counted twice.
        let memory = super::memory(&device(&["pid 7 uses 9.0 GiB", "pid 8 uses 9.0 GiB"]), 0).expect("known");
        assert_eq!(memory.parts.iter().map(|part| part.width).collect::<Vec<_>>(), [375.0, 375.0, 250.0]);
    }

    #[test]
    fn what_a_driver_says_stays_text() {
        let shown = shown(&device(&["pid 7 <script>alert(1)</script> uses 6.0 GiB"]), None);
        assert!(!shown.contains("<script") && !shown.contains("<img"), "{shown}");
        assert!(!shown.contains("style="), "{shown}");
    }

    #[test]
    fn courses_are_interrupted_where_nothing_is_known() {
        assert_eq!(
            course(&[Some(0.0), Some(50.0), None, Some(100.0)], 100.0).as_deref(),
            Some("M0 39.0L333 20.0M1000 1.0")
        );
        assert_eq!(course(&[Some(1.0)], 1.0), None);
        assert_eq!(course(&[None, None], 1.0), None);
    }
}
