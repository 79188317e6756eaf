//! Environment variables that the text sets: in a shell, by Docker, in Python, in a dump. Facts `env.NAME`.
//!
//! A variable that prose only recommends is ignored. An empty value counts, because `CUDA_VISIBLE_DEVICES=""` hides
//! every GPU.

use std::sync::LazyLock;

use super::is_assignment;
use crate::facts::Facts;
use crate::literals::Literals;
use crate::{vendors, wording};

/// Beginnings of environment variables that matter on a GPU.
fn beginnings() -> impl Iterator<Item = &'static str> {
    vendors::variables().chain(wording::variables().logged.iter().copied())
}

/// Whether a variable matters on a GPU.
pub(in crate::incident) fn matters(name: &str) -> bool {
    beginnings().any(|start| name.starts_with(start))
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Environment variables that are set on the line, by a shell, by Docker, by Python.
pub(super) fn read(words: &str, line: u32, facts: &mut Facts) {
    static BEGINNINGS: LazyLock<Literals<'static>> = LazyLock::new(|| Literals::new(beginnings()));
    let present = BEGINNINGS.present(words);
    if present.is_empty() {
        return;
    }
    let shell = words.starts_with("export ")
        || words.starts_with("set ")
        || words.starts_with("ENV ")
        || words.starts_with("env ");
    for start in beginnings().enumerate().filter_map(|(n, start)| present.binary_search(&n).is_ok().then_some(start)) {
        for (at, _) in words.match_indices(start) {
            let before = words.get(..at).unwrap_or("");
            if before
                .chars()
                .next_back()
                .is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '{' | '`' | '/'))
            {
                continue;
            }
            let rest = words.get(at..).unwrap_or("");
            let end =
                rest.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')).unwrap_or(rest.len());
            let (name, tail) = rest.split_at(end);
            let python = (before.ends_with("environ[\"") || before.ends_with("environ['"))
                && tail.get(1..).is_some_and(|tail| tail.starts_with(']'));
            let value = if python {
                tail.split_once('=').map(|(_, value)| value.trim())
            } else if let Some(value) = tail.strip_prefix('=') {
                Some(value)
            } else {
                let begins = before.trim().is_empty() || before.ends_with('[') || before.ends_with("- ");
                tail.strip_prefix(": ").filter(|_| begins)
            };
            let Some(value) = value else { continue };
            // Advice has "set X=1" in prose; what was set is at the start of the line, after `export`, `-e` or another
            // assignment.
            let set = shell
                || python
                || tail.starts_with(": ")
                || before.trim().is_empty()
                || before.trim_end().ends_with("-e")
                || before.ends_with("--env ")
                || before.split_whitespace().all(is_assignment)
                || before.ends_with("- ")
                || before.ends_with("] ") && before.starts_with('[');
            if !set || value.starts_with('=') {
                continue;
            }
            let value = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => value.get(1..).unwrap_or("").split(quote).next().unwrap_or(""),
                _ => value.split([' ', '\t', '`', ')', ';']).next().unwrap_or(""),
            };
            facts.words_in_text(&format!("env.{name}"), value.trim_end_matches(',').trim_matches(['[', ']']), line);
        }
    }
}
