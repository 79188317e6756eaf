//! The status and severity of a report: closed lists of words, and the spellings that mean one of them
//! (`kb/wording/states.toml`).

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::wording::{self, Spellings};

/// What a status says of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Somebody has to do something.
    Open,
    /// It is solved.
    Solved,
    /// Neither: put away, turned down, only diagnosed.
    Other,
}

/// The words in use.
const STATUSES: &[(&str, Stage)] = &[
    ("open", Stage::Open),
    ("new", Stage::Open),
    ("active", Stage::Open),
    ("reported", Stage::Open),
    ("confirmed", Stage::Open),
    ("triaged", Stage::Open),
    ("reproduced", Stage::Open),
    ("in_progress", Stage::Open),
    ("investigating", Stage::Open),
    ("blocked", Stage::Open),
    ("reopened", Stage::Open),
    ("resolved", Stage::Solved),
    ("fixed", Stage::Solved),
    ("completed", Stage::Solved),
    ("closed", Stage::Solved),
    ("verified", Stage::Solved),
    ("done", Stage::Solved),
    ("draft", Stage::Other),
    ("pending", Stage::Other),
    ("in_review", Stage::Other),
    ("testing", Stage::Other),
    ("monitoring", Stage::Other),
    ("mitigated", Stage::Other),
    ("workaround", Stage::Other),
    ("partially_resolved", Stage::Other),
    ("diagnosed", Stage::Other),
    ("diagnosis_complete", Stage::Other),
    ("archived", Stage::Other),
    ("wontfix", Stage::Other),
    ("duplicate", Stage::Other),
    ("invalid", Stage::Other),
    ("not_a_bug", Stage::Other),
    ("cannot_reproduce", Stage::Other),
    ("deferred", Stage::Other),
    ("obsolete", Stage::Other),
    ("superseded", Stage::Other),
    ("published", Stage::Other),
    ("final", Stage::Other),
];

/// The severities that a report may have.
pub(crate) const SEVERITIES: [&str; 8] = ["critical", "high", "medium", "low", "blocker", "major", "minor", "info"];

/// The status that free words begin with: "✅ Resolved (2025-11-12)" is `resolved`.
pub(crate) fn reading(words: &str) -> Option<&'static str> {
    beginning(words, canonical)
}

/// The severity that free words begin with, in one of five words: critical, high, medium, low, info.
pub(crate) fn severity(words: &str) -> Option<&'static str> {
    beginning(words, severity_word)
}

/// The severity that words are as a whole.
pub(crate) fn severity_word(words: &str) -> Option<&'static str> {
    static WORDS: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    let plain = plain(words);
    // "Sev-2", "P 1": a letter or two and a number are one word.
    let joined = || plain.replace('_', "");
    let known = WORDS.get_or_init(|| by_spelling(&wording::states().severity));
    known.get(plain.as_str()).or_else(|| known.get(joined().as_str())).copied()
}

fn by_spelling(all: &'static [Spellings<&'static str>]) -> HashMap<&'static str, &'static str> {
    all.iter().flat_map(|one| one.same.iter().map(|same| (*same, one.word))).collect()
}

/// The status that words end at which say how it changed: "Open → Fixed".
pub(crate) fn latest(words: &str) -> &str {
    const ARROWS: [&str; 6] = ["→", "⇒", "➡\u{fe0f}", "➡", "->", "=>"];
    let last = ARROWS.iter().filter_map(|arrow| words.rfind(arrow).map(|at| at + arrow.len())).max();
    let last = last.and_then(|at| words.get(at..)).map(str::trim);
    last.filter(|last| reading(last).is_some()).unwrap_or(words)
}

/// What the longest beginning of some words means.
fn beginning(words: &str, means: impl Fn(&str) -> Option<&'static str>) -> Option<&'static str> {
    /// "under investigation", with an emoji before it and a mark behind it.
    const MOST_WORDS: usize = 4;
    let all: Vec<&str> = words.split_whitespace().collect();
    means(words).or_else(|| (1..=all.len().min(MOST_WORDS)).rev().find_map(|count| means(&all[..count].join(" "))))
}

/// What the status says, in whatever spelling.
pub(crate) fn stage(value: &str) -> Option<Stage> {
    let word = canonical(value)?;
    STATUSES.iter().find(|(known, _)| *known == word).map(|(_, stage)| *stage)
}

/// The format's spelling of a status.
pub(crate) fn canonical(value: &str) -> Option<&'static str> {
    static SAME: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    let same = SAME.get_or_init(|| by_spelling(&wording::states().status));
    let plain = plain(value);
    let word = same.get(plain.as_str()).copied().unwrap_or(plain.as_str());
    STATUSES.iter().find(|(known, _)| *known == word).map(|(known, _)| *known)
}

/// Lower case, words joined by `_`, marks and emoji away.
pub(crate) fn plain(value: &str) -> String {
    let trimmed = value.trim_matches(|c: char| !c.is_alphanumeric());
    let mut out = String::new();
    for c in trimmed.to_lowercase().chars() {
        let c = if c.is_alphanumeric() || c == '\'' { c } else { '_' };
        if c != '_' || !out.ends_with('_') {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_brought_together() {
        for (value, word) in [
            ("open", Some("open")),
            ("In Progress", Some("in_progress")),
            ("✅ RESOLVED", Some("resolved")),
            ("Won't Fix", Some("wontfix")),
            ("diagnosis-complete", Some("diagnosis_complete")),
            ("sleeping", None),
            ("", None),
        ] {
            assert_eq!(canonical(value), word, "{value}");
        }
        assert_eq!(stage("Closed"), Some(Stage::Solved));
        for (i, (word, _)) in STATUSES.iter().enumerate() {
            assert_eq!(plain(word), *word);
            assert!(STATUSES[..i].iter().all(|(other, _)| other != word));
        }
        for one in &wording::states().status {
            for spelling in &one.same {
                assert_eq!((plain(spelling).as_str(), canonical(spelling)), (*spelling, Some(one.word)));
            }
        }
        for one in &wording::states().severity {
            assert!(one.same.iter().all(|spelling| severity(spelling) == Some(one.word)), "{}", one.word);
        }
    }

    #[test]
    fn free_words_begin_with_a_status() {
        for (words, status) in [
            ("✅ Resolved (2025-11-12)", Some("resolved")),
            ("🔴 Open", Some("open")),
            ("in progress, waiting for a GPU", Some("in_progress")),
            ("해결됨", Some("resolved")),
            ("not resolved", Some("open")),
            ("Waiting for the vendor", Some("blocked")),
            ("Closed as duplicate of BUG-20251110-001", Some("duplicate")),
            ("Résolue", Some("resolved")),
            ("", None),
        ] {
            assert_eq!(reading(words), status, "{words}");
        }
        for (words, word) in [
            ("High (blocks training)", Some("high")),
            ("🔥 BLOCKER", Some("critical")),
            ("P2", Some("medium")),
            ("높음", Some("high")),
            ("SEV-1", Some("critical")),
            ("Sev 2", Some("high")),
            ("awful", None),
        ] {
            assert_eq!(severity(words), word, "{words}");
        }
        assert_eq!((latest("Open → Fixed"), latest("Fixed -> see below")), ("Fixed", "Fixed -> see below"));
    }
}
