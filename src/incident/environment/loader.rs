//! Libraries that could not be loaded and symbols that were not found. Facts `lib.*`, `symbol.name`.
//!
//! It refuses NCCL's optional plugins, which healthy runs miss. The surprising thing: the same library may be named by
//! file, by path or inside quotes.

use super::super::words::{after, is_word};
use crate::facts::Facts;

/// Words that announce a library by name behind them.
const BEFORE: &[&str] = &[
    "error while loading shared libraries: ",
    "Could not load dynamic library ",
    "Could not load library ",
    "could not load library ",
    "Unable to load dynamic library ",
    "Unable to load library ",
    "DynamicLibNotFoundError: Failure finding ",
    "Failure finding ",
    "Unable to load any of {",
    "Failed to load library ",
    "Error loading ",
    "Required library version not found: ",
    "cannot load library ",
    "failed to load library ",
];

/// Reads a line or a message.
pub(super) fn read(text: &str, line: u32, facts: &mut Facts) {
    if let Some(rest) = after(text, "undefined symbol: ") {
        let name = rest.split(|c: char| !(is_word(c) || matches!(c, '$' | '.' | '@'))).next().unwrap_or("");
        if !name.is_empty() {
            facts.words_in_text("symbol.name", name.trim_end_matches('.'), line);
        }
    }
    if text.contains("libnccl-net") || text.contains("libnccl-tuner") {
        return;
    }
    let named = text
        .find(": cannot open shared object file")
        .and_then(|at| text.get(..at))
        .map(|head| head.rsplit([' ', '\'', '"', '/']).next().unwrap_or(head))
        .or_else(|| {
            BEFORE.iter().find_map(|before| after(text, before)).map(|rest| {
                rest.trim_start_matches(['\'', '"', '`', '{', ' '])
                    .split(['\'', '"', '`', ',', ';', ' ', '}'])
                    .next()
                    .unwrap_or("")
            })
        });
    let Some(named) = named else { return };
    let file = named.rsplit(['/', '\\']).next().unwrap_or(named).trim_end_matches([':', '.', ',']);
    if !(file.contains(".so") || file.ends_with(".dll") || file.ends_with(".dylib")) {
        return;
    }
    facts.words_in_text("lib.missing", file, line);
    let (stem, tail) = file.split_once(".so").or_else(|| file.split_once(".dll")).unwrap_or((file, ""));
    facts.words_in_text("lib.stem", stem, line);
    let major = tail.trim_start_matches('.').split('.').next().unwrap_or("");
    if let Ok(major) = major.parse::<f64>() {
        facts.number_in_text("lib.major", major, line);
    }
}
