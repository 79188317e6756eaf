//! The status and severity of a report: closed lists of words, and the spellings that mean one of them.

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

/// Spellings that mean one of the words.
const SAME: &[(&str, &str)] = &[
    ("wip", "in_progress"),
    ("inprogress", "in_progress"),
    ("ongoing", "in_progress"),
    ("under_investigation", "investigating"),
    ("won't_fix", "wontfix"),
    ("wont_fix", "wontfix"),
    ("complete", "completed"),
    ("solved", "resolved"),
    ("offen", "open"),
    ("in_bearbeitung", "in_progress"),
    ("behoben", "fixed"),
    ("gelöst", "resolved"),
    ("geschlossen", "closed"),
    ("열림", "open"),
    ("진행_중", "in_progress"),
    ("진행중", "in_progress"),
    ("해결", "resolved"),
    ("해결됨", "resolved"),
    ("완료", "completed"),
    ("종료", "closed"),
    ("未解决", "open"),
    ("进行中", "in_progress"),
    ("已解决", "resolved"),
    ("已修复", "fixed"),
    ("已关闭", "closed"),
];

/// Words for a severity and what they come to; `check` accepts those of [`SEVERITIES`] only.
const SEVERITY_WORDS: &[(&str, &[&str])] = &[
    ("critical", &["critical", "blocker", "crit", "p0", "kritisch", "심각", "严重"]),
    ("high", &["high", "major", "p1", "hoch", "높음", "高"]),
    ("medium", &["medium", "moderate", "normal", "med", "p2", "mittel", "보통", "중간", "中"]),
    ("low", &["low", "minor", "trivial", "p3", "niedrig", "낮음", "低"]),
    ("info", &["info"]),
];

/// The status that free words begin with: "✅ Resolved (2025-11-12)" is `resolved`.
pub(crate) fn reading(words: &str) -> Option<&'static str> {
    beginning(words, canonical)
}

/// The severity that free words begin with, in one of five words: critical, high, medium, low, info.
pub(crate) fn severity(words: &str) -> Option<&'static str> {
    beginning(words, |words| {
        let plain = plain(words);
        SEVERITY_WORDS.iter().find(|(_, same)| same.contains(&plain.as_str())).map(|(word, _)| *word)
    })
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
    let plain = plain(value);
    let word = SAME.iter().find(|(spelling, _)| *spelling == plain).map_or(plain.as_str(), |(_, word)| word);
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
        for (spelling, word) in SAME {
            assert_eq!(canonical(spelling), Some(*word));
        }
    }

    #[test]
    fn free_words_begin_with_a_status() {
        for (words, status) in [
            ("✅ Resolved (2025-11-12)", Some("resolved")),
            ("🔴 Open", Some("open")),
            ("in progress, waiting for a GPU", Some("in_progress")),
            ("해결됨", Some("resolved")),
            ("not resolved", None),
            ("", None),
        ] {
            assert_eq!(reading(words), status, "{words}");
        }
        for (words, word) in [
            ("High (blocks training)", Some("high")),
            ("🔥 BLOCKER", Some("critical")),
            ("P2", Some("medium")),
            ("높음", Some("high")),
            ("awful", None),
        ] {
            assert_eq!(severity(words), word, "{words}");
        }
    }
}
