//! Versions of packages, toolkits and drivers in all the ways people and programs write them.
//!
//! Only installed versions count, not requirements or a resolver's candidates. The names come from the catalogue of
//! packages.

use super::super::vendors::ALL as FORMATS;
use super::super::words::{contains_folded, is_word, size, version};
use crate::facts::Facts;
use crate::packages::Packages;
use crate::wording;

/// Reads the versions on a line.
pub(super) fn read(words: &str, line: u32, packages: &Packages, facts: &mut Facts) {
    // "NCCL error in x.cpp, NCCL version 2.21.5": the first mention need not be the one with the version.
    let mut stating = Vec::new();
    for (package, place) in packages.spelled(words) {
        let before = words.get(..place.start).and_then(|head| head.chars().next_back());
        if before.is_some_and(|c| is_word(c) || matches!(c, '/' | '\\' | '.' | '-' | '+' | '@')) {
            continue;
        }
        if let Some(found) = words.get(place.end..).and_then(stated) {
            stating.push((&package.fact, found));
        }
    }
    let unnamed: Vec<(&str, &str)> = FORMATS.iter().flat_map(|formats| formats.versions(words)).collect();
    if stating.is_empty() && unnamed.is_empty() || is_requirement(words) {
        return;
    }
    for (fact, found) in stating {
        set(fact, found, words, line, facts);
    }
    for (fact, found) in unnamed {
        facts.words_in_text(fact, found, line);
    }
}

/// Whether a line is about versions that something needs. Both versions that the message of a mismatch compares are
/// installed.
fn is_requirement(words: &str) -> bool {
    let writing = wording::writing();
    !words.contains("source was compiled with")
        && (writing.candidates.iter().any(|start| words.starts_with(start))
            || writing.requirements.iter().any(|word| contains_folded(words, word)))
}

/// The version that follows a name: after spaces, `:`, `=`, `==`, "version", bold marks, quotes; not after `>=`.
fn stated(rest: &str) -> Option<&str> {
    let mut rest = rest;
    if !rest.starts_with([' ', ':', '=', '*', '`', '\t', '-']) {
        return None;
    }
    if rest.starts_with('-') && !rest.get(1..2).is_some_and(|next| next.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    for _ in 0..6 {
        rest = rest.trim_start_matches([' ', ':', '=', '*', '`', '\t', '"', '\'', '-', '|']);
        let cut = ["version", "Version", "is", "driver", "gpu", "GPU"]
            .iter()
            .find_map(|word| rest.strip_prefix(word).filter(|tail| !tail.starts_with(is_word)));
        match cut {
            Some(tail) => rest = tail,
            None => break,
        }
    }
    version(rest)
}

/// Records a version under its name, with what follows from it.
fn set(name: &str, found: &str, words: &str, line: u32, facts: &mut Facts) {
    let found = found.trim_end_matches(".whl");
    if !FORMATS.iter().any(|formats| formats.record(name, found, words, line, facts)) && found.contains('.') {
        facts.words_in_text(name, found, line);
    }
}

/// Records the answer to a question typed at a prompt.
pub(super) fn answer(name: &str, found: &str, line: u32, facts: &mut Facts) {
    match name.starts_with("env.") {
        true => facts.words_in_text(name, found, line),
        false => set(name, found, "", line, facts),
    }
}

/// A version under its label: the first word of the value that begins like one. Here it may be a bare "12".
pub(super) fn labelled(fact: &str, value: &str, line: u32, facts: &mut Facts) {
    let words =
        value.split([' ', ',', '(', ')', '/', ';', '=']).map(|word| word.trim_matches([':', '>', '<', '~', '^']));
    let mut versions = words.filter(|word| !word.ends_with('%') && size(word).is_none()).filter_map(version);
    let Some(found) = versions.next() else { return };
    if found.contains('.') || fact == "cudnn.version" {
        set(fact, found, value, line, facts);
    } else if fact != "driver.version" {
        facts.words_in_text(fact, found, line);
    }
}

/// The version of a package under its name in a listing.
pub(super) fn package(name: &str, found: &str, line: u32, packages: &Packages, facts: &mut Facts) {
    if let Some(package) = packages.by_distribution(name) {
        set(&package.fact, found, "", line, facts);
    }
}
