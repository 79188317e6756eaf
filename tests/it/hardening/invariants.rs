//! What must not change an answer: colours, prefixes, line ends, boxes and quotation around a text, what lies above the
//! error, the order in which ranks print. A sample in every run, all texts when asked for.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use faultbook::diagnosis::Diagnosis;
use faultbook::render::json;
use serde_json::Value;

use crate::support::{diagnose, number_of, texts};

/// Longer texts cost a sample too much.
const LONGEST: usize = 12_000;

/// The labelled texts, the open threads, and those of a folder that a variable names, as one text each.
fn all() -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut add = |name: String, bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).ok().filter(|text| (1..LONGEST).contains(&text.len()));
        found.extend(text.map(|text| (name, text)));
    };
    for path in texts() {
        add(path.display().to_string(), fs::read(&path).expect("it reads"));
    }
    let more = env::var_os("FAULTBOOK_CORPUS").map(std::path::PathBuf::from);
    let beside = more.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut files: Vec<_> = beside.map(|entry| entry.path()).collect();
    files.push(Path::new("kb/threads/open.jsonl").to_owned());
    let provoked = more.iter().flat_map(|folder| fs::read_dir(folder.join("provoked")).into_iter().flatten().flatten());
    files.extend(provoked.map(|entry| entry.path()));
    files.sort();
    for path in files.iter().filter(|path| path.is_file()) {
        let text = fs::read(path).expect("it reads");
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            for (number, line) in String::from_utf8_lossy(&text).lines().enumerate() {
                let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
                let input = value["input"].as_str().unwrap_or_default().as_bytes().to_vec();
                add(format!("{}:{}", path.display(), number + 1), input);
            }
        } else {
            add(path.display().to_string(), text);
        }
    }
    found
}

/// What an answer is about: the fault, its first cause, the words of an error without a page.
fn gist(answer: &Diagnosis) -> String {
    let fault = answer.fault.as_ref().map_or("none", |fault| fault.id.as_str());
    let error = answer.error.as_ref().filter(|_| answer.fault.is_none()).map_or("", |error| error.type_name.as_str());
    format!("{:?} {fault} {error}", answer.verdict)
}

/// Each line dressed in another way; `None` where the text could be read as something else by it.
type Dress = fn(&str) -> Option<String>;

/// Dresses of what a program prints: no person's sentences have them.
const PRINTED: [&str; 3] = ["a rank", "a time stamp", "a box"];

fn lines(text: &str, dress: impl Fn(&str) -> String) -> String {
    text.lines().map(dress).collect()
}

/// Whether a text has no marks of its own that a dress would put in other places.
fn is_bare(text: &str) -> bool {
    !text.contains(['\r', '\u{1b}', '│', '╭', '\u{8}']) && !text.lines().any(|line| line.starts_with('>'))
}

const DRESSES: &[(&str, Dress)] = &[
    ("colours", |text| is_bare(text).then(|| lines(text, |line| format!("\u{1b}[1;31m{line}\u{1b}[0m\n")))),
    ("a colour for each word", |text| {
        is_bare(text).then(|| {
            lines(text, |line| {
                let words: Vec<String> = line.split(' ').map(|word| format!("\u{1b}[36m{word}\u{1b}[39m")).collect();
                format!("{}\n", words.join(" "))
            })
        })
    }),
    ("CRLF", |text| is_bare(text).then(|| lines(text, |line| format!("{line}\r\n")))),
    ("a rank", |text| is_bare(text).then(|| lines(text, |line| format!("[rank3]: {line}\n")))),
    ("a time stamp", |text| is_bare(text).then(|| lines(text, |line| format!("2026-01-05T10:00:00.123456Z {line}\n")))),
    ("quotation", |text| is_bare(text).then(|| lines(text, |line| format!("> {line}\n")))),
    ("a box", |text| {
        // A row that ends within a word of the border may have been wrapped there.
        let width = text.lines().map(|line| line.chars().count()).max().unwrap_or_default() + 60;
        (is_bare(text) && text.is_ascii() && width < 260).then(|| {
            let bar = "─".repeat(width + 2);
            format!("╭{bar}╮\n{}╰{bar}╯\n", lines(text, |line| format!("│ {line:width$} │\n")))
        })
    }),
];

/// Texts whose answer is another one in each dress, of so many that can be dressed.
fn changed(texts: &[(String, String)]) -> BTreeMap<&'static str, (usize, Vec<String>)> {
    let mut found: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    for (path, text) in texts {
        let answer = diagnose(text.as_bytes());
        let plain = gist(&answer);
        for (name, dress) in DRESSES {
            let is_printed = answer.error.as_ref().is_some_and(|error| !error.type_name.is_empty());
            if PRINTED.contains(name) && !is_printed {
                continue;
            }
            let Some(dressed) = dress(text) else { continue };
            let (count, wrong) = found.entry(name).or_default();
            *count += 1;
            let now = gist(&diagnose(dressed.as_bytes()));
            if now != plain {
                wrong.push(format!("{path}: {plain} -> {now}"));
            }
        }
    }
    found
}

/// The text from the line on which the traceback of its primary failure begins; `None` where a person reports it in their own
/// words, which belong to it wherever they stand.
fn cut_above(text: &str, answer: &Diagnosis) -> Option<String> {
    let fault = answer.fault.as_ref()?;
    let is_raised = |name: &str| name.contains("Error") || name.contains("Exception");
    let error = answer.error.as_ref().filter(|error| is_raised(&error.type_name))?;
    let all: Vec<&str> = text.lines().collect();
    // The words of a page may stand some lines below those that the error begins with.
    let first = fault.span.start.line.min(error.span.start.line);
    let at = (first as usize).saturating_sub(1).min(all.len());
    // A traceback belongs to its error: back to where it begins, over other tracebacks of the same chain.
    let mut start = at;
    for (number, line) in all.iter().enumerate().take(at).rev() {
        if line.contains("Traceback (most recent call last)") {
            start = number;
        } else if line.trim().is_empty() && start < at {
            break;
        }
    }
    (start > 0).then(|| all[start..].join("\n") + "\n")
}

/// The same lines with the ranks in another order; `None` where no ranks are named.
fn shuffled(text: &str) -> Option<String> {
    let mut ranks: BTreeMap<&str, String> = BTreeMap::new();
    let (mut before, mut after) = (String::new(), String::new());
    for line in text.lines() {
        let rank = line.strip_prefix("[rank").and_then(|rest| rest.split_once("]:")).map(|(rank, _)| rank);
        let to = match rank {
            Some(rank) if rank.bytes().all(|byte| byte.is_ascii_digit()) => ranks.entry(rank).or_default(),
            _ if ranks.is_empty() => &mut before,
            _ => &mut after,
        };
        let _ = writeln!(to, "{line}");
    }
    let backward: String = ranks.values().rev().map(String::as_str).collect();
    (ranks.len() > 1).then(|| before + &backward + &after)
}

/// Every line and column in an answer that is not in the text.
fn misplaced(text: &str, answer: &Diagnosis) -> Vec<String> {
    fn places(value: &Value, found: &mut Vec<(u64, u64)>) {
        match value {
            Value::Object(map) => {
                if let (Some(line), Some(column)) =
                    (map.get("line").and_then(Value::as_u64), map.get("column").and_then(Value::as_u64))
                {
                    found.push((line, column));
                }
                map.values().for_each(|value| places(value, found));
            }
            Value::Array(all) => all.iter().for_each(|value| places(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    places(&json::value(answer), &mut found);
    let lines: Vec<u64> = text.split('\n').map(|line| line.chars().count() as u64).collect();
    let is_there = |(line, column): &(u64, u64)| {
        let width = line.checked_sub(1).and_then(|line| lines.get(line as usize));
        width.is_some_and(|width| (1..=width + 1).contains(column))
    };
    found.iter().filter(|place| !is_there(place)).map(|place| format!("{place:?}")).collect()
}

/// Checks all invariants over some texts; what does not hold, and of how many checks.
fn broken(texts: &[(String, String)]) -> (Vec<String>, usize) {
    let mut wrong = Vec::new();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (name, (count, changed)) in changed(texts) {
        counts.insert(name, (count, changed.len()));
        wrong.extend(changed.into_iter().map(|text| format!("{name}: {text}")));
    }
    let mut add = |name: &'static str, problem: Option<String>| {
        let (count, failed) = counts.entry(name).or_default();
        *count += 1;
        *failed += usize::from(problem.is_some());
        wrong.extend(problem.map(|problem| format!("{name}: {problem}")));
    };
    for (path, text) in texts {
        let answer = diagnose(text.as_bytes());
        let plain = gist(&answer);
        let misplaced = misplaced(text, &answer);
        add("places", (!misplaced.is_empty()).then(|| format!("{path}: {misplaced:?}")));
        if let Some(cut) = cut_above(text, &answer) {
            let now = gist(&diagnose(cut.as_bytes()));
            add("cut above the error", (now != plain).then(|| format!("{path}: {plain} -> {now}")));
        }
        if let Some(shuffled) = shuffled(text) {
            let now = gist(&diagnose(shuffled.as_bytes()));
            add("ranks in another order", (now != plain).then(|| format!("{path}: {plain} -> {now}")));
        }
    }
    println_counts(&counts);
    (wrong, counts.values().map(|(count, _)| count).sum())
}

#[expect(clippy::print_stdout, reason = "the figures of docs/robustness.md")]
fn println_counts(counts: &BTreeMap<&str, (usize, usize)>) {
    for (name, (count, failed)) in counts {
        println!("{name:24} {count:6} texts, {failed} with another answer");
    }
}

#[test]
fn a_line_that_was_wrapped_is_where_it_begins() {
    let text = "bench: llama_v2_7b_16h backend=torchscript device=cpu bs=1\n  File \"/bench/util/backends/jit.py\", line 96, in \
                torchscript\n    model.set_module(torch.jit.trace(module, example_kwarg_inputs=inputs))\nValueError: Attention \
                using SDPA can not be traced with torch.jit.trace when no \nattention_mask is provided. To solve this issue, \
                please either load your model w\nith the argument attn_implementation=\"eager\" or pass an attention_mask input \
                whe\nn tracing the model.\n";
    assert_eq!(misplaced(text, &diagnose(text.as_bytes())), Vec::<String>::new());
    // Lines that are joined in two steps.
    let text = "Traceback (most recent call last):\n  File \"C:\\work\\thumbs\\make.py\", line 31, in shrink\n   ributeError: \
                module 'PIL.Image' has no attribute 'ANTIALIAS'\n";
    assert_eq!(misplaced(text, &diagnose(text.as_bytes())), Vec::<String>::new());
}

#[test]
fn dress_order_and_what_lies_above_change_no_answer() {
    const STEP: usize = 64;
    let sample: Vec<_> = all().into_iter().filter(|(_, text)| number_of(text).is_multiple_of(STEP)).collect();
    assert!(sample.len() > 20, "{}", sample.len());
    let (wrong, _) = broken(&sample);
    assert!(wrong.is_empty(), "{} invariants are broken: {wrong:#?}", wrong.len());
}

#[test]
#[ignore = "takes minutes"]
fn dress_order_and_what_lies_above_change_no_answer_of_any_text() {
    let all = all();
    let share = all.len().div_ceil(std::thread::available_parallelism().map_or(1, usize::from));
    let parts: Vec<(Vec<String>, usize)> = std::thread::scope(|scope| {
        let parts: Vec<_> = all.chunks(share).map(|part| scope.spawn(|| broken(part))).collect();
        parts.into_iter().map(|part| part.join().expect("it ends")).collect()
    });
    let wrong: Vec<&String> = parts.iter().flat_map(|(wrong, _)| wrong).collect();
    let checks: usize = parts.iter().map(|(_, checks)| checks).sum();
    // docs/robustness.md names those that were found.
    assert!(wrong.len() * 1000 <= checks, "{} of {checks} invariants are broken: {wrong:#?}", wrong.len());
}
