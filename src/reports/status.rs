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
    ("unresolved", "open"),
    ("not_resolved", "open"),
    ("not_yet_resolved", "open"),
    ("not_fixed", "open"),
    ("unfixed", "open"),
    ("partially_fixed", "partially_resolved"),
    ("fix_applied", "fixed"),
    ("fully_resolved", "resolved"),
    ("offen", "open"),
    ("in_bearbeitung", "in_progress"),
    ("behoben", "fixed"),
    ("gelöst", "resolved"),
    ("geschlossen", "closed"),
    ("abierto", "open"),
    ("en_curso", "in_progress"),
    ("en_progreso", "in_progress"),
    ("resuelto", "resolved"),
    ("corregido", "fixed"),
    ("cerrado", "closed"),
    ("ouvert", "open"),
    ("en_cours", "in_progress"),
    ("résolu", "resolved"),
    ("corrigé", "fixed"),
    ("fermé", "closed"),
    ("aberto", "open"),
    ("em_andamento", "in_progress"),
    ("resolvido", "resolved"),
    ("corrigido", "fixed"),
    ("fechado", "closed"),
    ("aperto", "open"),
    ("in_corso", "in_progress"),
    ("risolto", "resolved"),
    ("corretto", "fixed"),
    ("chiuso", "closed"),
    ("открыто", "open"),
    ("в_работе", "in_progress"),
    ("решено", "resolved"),
    ("исправлено", "fixed"),
    ("закрыто", "closed"),
    ("対応中", "in_progress"),
    ("調査中", "investigating"),
    ("解決済み", "resolved"),
    ("解決済", "resolved"),
    ("修正済み", "fixed"),
    ("完了", "completed"),
    ("未対応", "open"),
    ("处理中", "in_progress"),
    ("待处理", "open"),
    ("進行中", "in_progress"),
    ("已解決", "resolved"),
    ("已修復", "fixed"),
    ("已關閉", "closed"),
    ("미해결", "open"),
    ("조사_중", "investigating"),
    ("조사중", "investigating"),
    ("해결_완료", "resolved"),
    ("수정됨", "fixed"),
    ("수정_완료", "fixed"),
    ("보류", "deferred"),
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
    (
        "critical",
        &[
            "critical",
            "blocker",
            "crit",
            "p0",
            "kritisch",
            "crítica",
            "crítico",
            "critique",
            "critico",
            "치명적",
            "심각",
            "严重",
            "致命",
            "緊急",
        ],
    ),
    ("high", &["high", "major", "p1", "hoch", "alta", "alto", "haute", "élevée", "높음", "高"]),
    (
        "medium",
        &[
            "medium", "moderate", "normal", "med", "p2", "mittel", "media", "medio", "média", "moyenne", "보통",
            "중간", "中",
        ],
    ),
    (
        "low",
        &[
            "low", "minor", "trivial", "p3", "niedrig", "baja", "bajo", "baixa", "bassa", "basse", "faible", "낮음",
            "低",
        ],
    ),
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
            ("not resolved", Some("open")),
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
