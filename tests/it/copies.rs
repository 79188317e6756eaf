//! A text that was copied badly finds its fault: every positive of the corpus, changed as terminals, mails, forums,
//! chats and OCR change texts.

use unicode_width::UnicodeWidthChar;

use crate::support::{Case, diagnose, texts};

/// A change to a text; the number is the line of its failure, from 0.
type Change = fn(&str, usize) -> String;

/// Every change with the share of texts that must still find their fault.
const CHANGES: [(&str, f64, Change); 16] = [
    ("wrapped at 80 columns", 0.97, |text, _| wrapped(text, 80)),
    ("wrapped at 100 columns", 0.97, |text, _| wrapped(text, 100)),
    ("wrapped at 120 columns", 0.97, |text, _| wrapped(text, 120)),
    ("wrapped between words", 0.94, |text, _| filled(text, 76).join("\n")),
    ("quoted", 0.97, |text, _| each_line(text, |line| format!("> {line}"))),
    // 0.93 of all texts, 0.91 of the usual quarter of them.
    ("quoted twice and wrapped", 0.90, |text, _| filled(text, 70).iter().map(|line| format!("> > {line}\n")).collect()),
    ("indented", 0.97, |text, _| each_line(text, |line| format!("    {line}"))),
    ("without its head", 0.97, |text, failure| {
        text.lines().skip(failure.saturating_sub(2)).collect::<Vec<_>>().join("\n")
    }),
    ("without its tail", 0.97, |text, failure| text.lines().take(failure + 1).collect::<Vec<_>>().join("\n")),
    ("on one line", 0.85, |text, failure| {
        let near = text.lines().skip(failure.saturating_sub(20)).take(40);
        near.map(str::trim).collect::<Vec<_>>().join(" ")
    }),
    ("codes with a space", 0.97, |text, _| with_spaces(text)),
    ("names without a space", 0.97, |text, _| {
        text.replace("CUDA error", "CUDAerror").replace("CUDA out", "CUDAout").replace("error: ", "error:")
    }),
    ("typographic quotes", 0.97, |text, _| text.replace('\'', "’").replace('"', "”")),
    ("1 for l", 0.97, |text, _| every(text, 3, 'l', "1")),
    ("0 for O", 0.97, |text, _| text.replace('O', "0")),
    ("rn for m", 0.97, |text, _| every(text, 4, 'm', "rn")),
];

fn each_line(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

/// Lines cut at a terminal's width.
fn wrapped(text: &str, width: usize) -> String {
    each_line(text, |line| {
        let (mut out, mut column) = (String::new(), 0);
        for letter in line.chars() {
            let columns = letter.width().unwrap_or(0);
            if column + columns > width {
                out.push('\n');
                column = 0;
            }
            out.push(letter);
            column += columns;
        }
        out
    })
}

/// Lines broken between words, as mails and forums do.
fn filled(text: &str, width: usize) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.lines() {
        let mut open = String::new();
        for word in line.split(' ') {
            if !open.trim().is_empty() && open.chars().count() + 1 + word.chars().count() > width {
                out.push(std::mem::take(&mut open));
            } else if !open.is_empty() || word.is_empty() {
                open.push(' ');
            }
            open.push_str(word);
        }
        out.push(open);
    }
    out
}

/// A space in front of the last underscore of every status code.
fn with_spaces(text: &str) -> String {
    let code = |word: &str| word.matches('_').count() >= 2 && word.chars().filter(char::is_ascii_uppercase).count() > 8;
    each_line(text, |line| {
        let words = line.split(' ').map(|word| match word.rsplit_once('_') {
            Some((head, tail)) if code(word) => format!("{head} _{tail}"),
            _ => word.to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    })
}

/// Every n-th `letter` misread.
fn every(text: &str, n: usize, letter: char, misread: &str) -> String {
    let mut seen = 0;
    text.chars()
        .map(|c| {
            seen += usize::from(c == letter);
            if c == letter && seen % n == 0 { misread.to_owned() } else { c.to_string() }
        })
        .collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "shows the figures of a test that fails")]
fn a_bad_copy_finds_its_fault() {
    let step = std::env::var("FAULTBOOK_COPIES").ok().and_then(|step| step.parse().ok()).unwrap_or(4);
    let mut short = Vec::new();
    let mut cases = Vec::new();
    // Every second text, of which each change takes its share.
    for path in texts().into_iter().step_by((step / 2).max(1)) {
        let Some(fault) = Case::of(&path).fault else { continue };
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a text of the corpus")).into_owned();
        let found = diagnose(text.as_bytes()).fault.filter(|found| found.id == fault);
        // Terminal control and boxes are copied away before anything is wrapped.
        if let Some(found) = found.filter(|_| !text.contains(['\x1b', '│', '\r'])) {
            cases.push((path, fault, text, found.span.start.line as usize - 1));
        }
    }
    for (number, (name, bound, change)) in CHANGES.iter().enumerate() {
        let sample: Vec<_> = cases.iter().skip(number % step).step_by(step).collect();
        let misses: Vec<_> = sample
            .iter()
            .filter(|(_, fault, text, line)| {
                diagnose(change(text, *line).as_bytes()).fault.is_none_or(|found| found.id != *fault)
            })
            .collect();
        let share = 1.0 - misses.len() as f64 / sample.len() as f64;
        println!("{share:.3} of {} {name}", sample.len());
        for (path, ..) in &misses {
            println!("    {}", path.display());
        }
        // The bound is for the whole corpus (`FAULTBOOK_COPIES=1`); a sample scatters around it, here by at most two standard errors.
        let scatter = if step == 1 { 0.0 } else { 2.0 * (bound * (1.0 - bound) / sample.len() as f64).sqrt() };
        if share < *bound - scatter {
            short.push(format!("{name}: {share:.3}, at least {bound} is promised"));
        }
    }
    assert!(short.is_empty(), "{}", short.join("\n"));
}
