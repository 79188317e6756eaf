//! Environment variables: values are kept for names that matter to a failure and reveal nothing else; all others are
//! removed.
//!
//! A number, a yes or a no is kept under any name, unless the name is a secret's.

use std::sync::LazyLock;

use regex::Regex;

use super::{Cut, Kind, Word, is_placeholder, lines};
use crate::{vendors, wording};

/// Parts of names whose value is a secret, whatever the list says.
const SECRET: [&str; 9] =
    ["TOKEN", "SECRET", "PASSW", "CREDENTIAL", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE", "_AUTH"];

/// Whether the value of a variable may be shared.
pub(crate) fn is_allowed(name: &str) -> bool {
    let harmless = matches!(name, "TOKENIZERS_PARALLELISM" | "HF_HUB_DISABLE_IMPLICIT_TOKEN");
    let secret = SECRET.iter().any(|part| name.contains(part)) && !harmless;
    let mut known = vendors::variables().chain(wording::variables().shared.iter().copied());
    let listed = known.any(|known| name == known || (known.ends_with('_') && name.starts_with(known)));
    listed && !secret
}

/// Adds the values of variables in a dump of the environment or before a command.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    for (start, line) in lines::all(text) {
        if line.contains("environ") {
            printed(line, start, cuts);
        }
        if memchr::memchr(b'=', line.as_bytes()).is_none() {
            continue;
        }
        let mut at = line.len() - line.trim_start_matches([' ', '\t', '+', '$', '>', '-', '`', '*', '#']).len();
        for lead in ["export ", "declare -x ", "set ", "env ", "sudo ", "ENV "] {
            if line.get(at..).is_some_and(|rest| rest.starts_with(lead)) {
                at += lead.len();
            }
        }
        // `A=1 B=2 python train.py`: all assignments before the command.
        while let Some((name, from, length)) = assignment(line, at) {
            let value = line.get(from..from + length).unwrap_or_default();
            let plain = value.trim_matches(['"', '\'']);
            if !is_allowed(name) && !is_harmless(plain) && !is_placeholder(plain) {
                let offset = from + value.find(plain).unwrap_or(0);
                cuts.push(variable(start + offset..start + offset + plain.len()));
            }
            let rest = line.get(from + length..).unwrap_or_default();
            at = from + length + (rest.len() - rest.trim_start_matches(' ').len());
            if rest.is_empty() {
                break;
            }
        }
        docker(line, start, cuts);
    }
}

fn variable(range: std::ops::Range<usize>) -> Cut {
    Cut {
        range,
        kind: Kind::Variable,
        what: "the value of an environment variable",
        word: Word::Fixed("REDACTED_VALUE"),
        exact: false,
    }
}

/// `environ({'NAME': 'value', ...})`, as Python prints it.
fn printed(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    static PAIR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"['"]([A-Z_][A-Z0-9_]+)['"]: (?:'([^']*)'|"([^"]*)")"#).expect("a valid pattern")
    });
    for found in PAIR.captures_iter(line) {
        let (Some(name), Some(value)) = (found.get(1), found.get(2).or(found.get(3))) else { continue };
        if !is_allowed(name.as_str()) && !is_harmless(value.as_str()) && !is_placeholder(value.as_str()) {
            cuts.push(variable(start + value.start()..start + value.end()));
        }
    }
}

/// `-e NAME=value`, `--env NAME=value`.
fn docker(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    for lead in [" -e ", " --env ", " --env="] {
        for (at, _) in line.match_indices(lead) {
            let Some((name, from, length)) = assignment(line, at + lead.len()) else { continue };
            let value = line.get(from..from + length).unwrap_or_default().trim_matches(['"', '\'']);
            if !is_allowed(name) && !is_harmless(value) && !is_placeholder(value) {
                cuts.push(variable(start + from..start + from + length));
            }
        }
    }
}

/// `NAME=value` at `at`: the name, where the value begins, how long it is.
fn assignment(line: &str, at: usize) -> Option<(&str, usize, usize)> {
    let rest = line.get(at..)?;
    let length = rest.bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_').count();
    let name = rest.get(..length)?;
    let value = rest.get(length..)?.strip_prefix('=')?;
    if length < 2 || !name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') || value.starts_with('=') {
        return None;
    }
    let end = match value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        Some(quote) => value.get(1..)?.find(quote).map_or(value.len(), |end| end + 2),
        None => value.find(char::is_whitespace).unwrap_or(value.len()),
    };
    (end > 0).then_some((name, at + length + 1, end))
}

/// Numbers, yes and no.
fn is_harmless(value: &str) -> bool {
    let number = value.len() <= 6 && value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    number
        || matches!(
            value.to_ascii_lowercase().as_str(),
            "" | "true" | "false" | "yes" | "no" | "on" | "off" | "auto" | "none"
        )
}
