//! How memory use changed over a run, from the lines above the failure. Facts `run.memory.*` and `run.host_memory.*`.
//!
//! Only readings with the same label are compared, and the first quarter is skipped as warm-up. A peak ("max mem")
//! never falls, so it counts as growth only if most of its rise continues to the end.

use std::collections::BTreeMap;

use super::around::Scene;
use super::words::{find_folded, is_word, number, unit_bytes};
use crate::facts::{Facts, Value};

/// Lines above the failure in which readings are looked for.
const REACH: usize = 3000;

/// Labels of readings in lower case, the longer before the shorter that it contains.
const LABELS: &[&str] = &["memory", "mem", "alloc", "vram", "reserved", "显存", "rss", "ram", "内存"];

/// One series of readings: bytes, and the line of the last one.
#[derive(Debug, Default)]
struct Series {
    readings: Vec<f64>,
    line: u32,
}

/// Records whether memory rose, stayed, and from where to where.
pub(super) fn facts(scene: &Scene<'_>, facts: &mut Facts) {
    let mut all: BTreeMap<(bool, String), Series> = BTreeMap::new();
    for line in scene.lines_above(None, REACH) {
        if let Some((label, bytes)) = reading(line.text) {
            let series = all.entry((is_host(&label), label)).or_default();
            series.readings.push(bytes);
            series.line = line.number;
        }
    }
    for (host, name) in [(false, "run.memory"), (true, "run.host_memory")] {
        let longest = all.iter().filter(|((of, _), _)| *of == host).max_by_key(|(_, series)| series.readings.len());
        let Some(((_, _), series)) = longest else { continue };
        let (Some(first), Some(last), Some(rising)) =
            (series.readings.first(), series.readings.last(), rising(&series.readings))
        else {
            continue;
        };
        facts.replace_in_text(&format!("{name}.rising"), Value::Bool(rising), series.line);
        facts.replace_in_text(&format!("{name}.first"), Value::Number(*first), series.line);
        facts.replace_in_text(&format!("{name}.last"), Value::Number(*last), series.line);
    }
}

/// Whether the readings rise to the end (`true`), stay (`false`), or neither (`None`).
fn rising(readings: &[f64]) -> Option<bool> {
    const FEWEST: usize = 4;
    const MOVES: f64 = 0.12;
    const STAYS: f64 = 0.05;
    if readings.len() < FEWEST {
        return None;
    }
    let warm = readings.get(readings.len() / 4..)?;
    let (first, last) = (*warm.first()?, *warm.last()?);
    let middle = *warm.get(warm.len() / 2)?;
    let highest = warm.iter().copied().fold(f64::MIN, f64::max);
    let lowest = warm.iter().copied().fold(f64::MAX, f64::min);
    let steps = warm.len() - 1;
    let ups = warm.windows(2).filter(|pair| pair[1] >= pair[0] * 0.995).count();
    let grown = last - first;
    if grown > MOVES * last && last - middle > 0.2 * grown && ups * 5 >= steps * 4 {
        Some(true)
    } else {
        (highest - lowest <= STAYS * highest).then_some(false)
    }
}

/// Whether readings rise to the end, by the rule of the fact `run.memory.rising`.
pub(crate) fn rises(readings: &[f64]) -> bool {
    rising(readings) == Some(true)
}

/// Whether a label means the host's memory.
fn is_host(label: &str) -> bool {
    let vram = label.contains("vram");
    !vram && ["rss", "ram", "host", "cpu", "内存"].iter().any(|word| label.contains(word))
}

/// The reading of a line: its label in lower case, and bytes.
fn reading(text: &str) -> Option<(String, f64)> {
    if text.len() > 1000 {
        return None;
    }
    labelled(text).or_else(|| column(text))
}

/// `memory 1.57 GiB`, `max mem: 7804`, `gpu_mem=3.2/23.7GB`, `显存占用 4.1G`.
fn labelled(text: &str) -> Option<(String, f64)> {
    for label in LABELS {
        let Some(at) = find_folded(text, label) else { continue };
        let (head, tail) = (text.get(..at)?, text.get(at + label.len()..)?);
        let starts = head.chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric());
        // "vram" and "ram", "program": a short label must not end another word.
        if !starts || (label.len() == 3 && tail.starts_with(|c: char| c.is_ascii_alphanumeric())) {
            continue;
        }
        let Some(digit) = tail.find(|c: char| c.is_ascii_digit()) else { continue };
        let between = tail.get(..digit)?;
        let plain = |c: char| is_word(c) || " :=(~≈[<\t：".contains(c);
        if between.len() > 24 || !between.chars().all(plain) || head.ends_with("shared ") {
            continue;
        }
        let Some(bytes) = tail.get(digit..).and_then(amount) else { continue };
        // The words before the label belong to it: "host", "cpu", "max".
        let before = head.rsplit([',', '|', ';', '[', ']']).next().unwrap_or(head);
        let name: String = before
            .rsplit(' ')
            .filter(|word| !word.is_empty())
            .take(2)
            .filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
            .chain([*label, between])
            .collect();
        return Some((name.to_lowercase(), bytes));
    }
    None
}

/// The table that YOLO trainers print: `  12/299   4.35G   0.0432`.
fn column(text: &str) -> Option<(String, f64)> {
    let mut words = text.split_whitespace();
    let (done, all) = words.next()?.split_once('/')?;
    let counts = [done, all].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    let cell = words.next().filter(|cell| counts && cell.ends_with(['G', 'M', 'B']))?;
    Some(("column".to_owned(), amount(cell)?))
}

/// A size with its unit; `3.2/23.7 GB` counts by its first number, three digits without a unit are MiB.
fn amount(text: &str) -> Option<f64> {
    let unit = |rest: &str| {
        let word: String = rest.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
        unit_bytes(&word)
    };
    let (value, rest) = number(text)?;
    if let Some(bytes) = unit(rest) {
        return Some(value * bytes);
    }
    if let Some((_, behind)) = rest.trim_start().strip_prefix('/').and_then(number) {
        return unit(behind).map(|bytes| value * bytes);
    }
    let ends = !rest.starts_with(|c: char| is_word(c) || c == '%' || c == '.');
    (ends && value >= 100.0 && value.fract() == 0.0).then_some(value * 1_048_576.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::{Failure, around};

    #[test]
    fn readings_of_lines() {
        const GIB: f64 = 1_073_741_824.0;
        let of = |text| reading(text).map(|(_, bytes)| (bytes / GIB * 100.0).round() / 100.0);
        for (text, expected) in [
            ("step 0 loss 0.0000 memory 1.57 GiB", Some(1.57)),
            ("iter 200 loss 2.1 cuda alloc 3.17 GB", Some(3.17)),
            ("[Epoch 1][Batch 40/3612] mem 4.1G", Some(4.1)),
            ("Epoch: [0]  [ 10/500]  loss: 1.2  time: 0.3  max mem: 7168", Some(7.0)),
            ("Epoch [1][50/1000] lr: 1e-3, time: 0.4, memory: 7168, loss: 0.9", Some(7.0)),
            ("train 12 | gpu_mem=3.2/23.7GB | loss 0.3", Some(3.2)),
            ("     12/299      4.35G    0.0432     0.031", Some(4.35)),
            ("第 12 步 显存占用：4.1 GB", Some(4.1)),
            ("worker RSS 12.1 GiB", Some(12.1)),
            ("step 4 memory 4.5 gib", Some(4.5)),
            ("memory efficient attention with 8 heads", None),
            ("Remember 4 GB", None),
            ("pin_memory=True, workers=4", None),
            ("mem 92%", None),
            ("the program 12 GB", None),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
        assert!(is_host(&reading("step 4 host mem 45.2 GB").map(|(label, _)| label).unwrap_or_default()));
        assert!(!is_host(&reading("step 4 vram 4.2 GB").map(|(label, _)| label).unwrap_or_default()));
    }

    #[test]
    fn trends() {
        assert_eq!(rising(&[1.0, 2.0, 3.0]), None);
        assert_eq!(rising(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Some(true));
        assert_eq!(rising(&[1.0, 8.0, 8.0, 8.1, 8.1, 8.1]), Some(false));
        assert_eq!(rising(&[1.0, 4.0, 8.0, 8.1, 8.1, 8.1, 8.1, 8.1]), Some(false));
        assert_eq!(rising(&[5.0, 2.0, 7.0, 3.0, 6.0, 4.0]), None);
    }

    #[test]
    fn a_run_that_leaks_and_one_that_does_not() {
        let text = |grows: bool| {
            let lines: String = (0..12)
                .map(|step| {
                    format!("step {step} loss 0.5 memory {:.2} GiB\n", 4.0 + if grows { f64::from(step) } else { 0.0 })
                })
                .collect();
            format!(
                "{lines}Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\nRuntimeError: CUDA out of memory.\n"
            )
        };
        for grows in [true, false] {
            let transcript = crate::text::read(text(grows).as_bytes());
            let incident = crate::incident::read(&transcript);
            let failure = Failure { line: incident.errors[0].headline, error: Some(0), rank: None };
            let facts = around(&transcript, &incident, failure);
            assert_eq!(facts.get("run.memory.rising").map(|f| &f.value), Some(&Value::Bool(grows)));
            assert_eq!(facts.number("run.memory.first"), Some(4.0 * 1_073_741_824.0));
            assert_eq!(facts.get("run.host_memory.rising"), None);
        }
    }
}
