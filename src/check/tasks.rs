//! Task boxes against the status: a solved bug whose test plan is open, an open bug with nothing left to do.
//!
//! Boxes under prevention, follow-ups and future work may stay open forever and are not counted.

use super::finding::{Finding, Source};
use super::front::Front;
use super::placeholders::LIFE;
use crate::book::blocks::Item;
use crate::book::sections::{Document, items};
use crate::reports::status::{Stage, stage};

/// Headings under which open boxes do not concern this bug.
const LATER: [&str; 14] = [
    "prevent",
    "follow",
    "future",
    "next",
    "recommend",
    "lesson",
    "improve",
    "long term",
    "long-term",
    "optional",
    "nice to have",
    "related",
    "예방",
    "향후",
];

/// Checks the boxes of a report.
pub(super) fn check(source: &Source<'_>, doc: &Document<'_>, front: &Front<'_>) -> Option<Finding> {
    let status = front.get("status")?;
    let stage = stage(status.value)?;
    let (mut done, mut open, mut lived) = (0_usize, Vec::new(), Vec::new());
    for section in &doc.sections {
        if is_later(doc, section.parent) || LATER.iter().any(|word| section.key.contains(word)) {
            continue;
        }
        for item in items(doc.slice(&section.own)) {
            match item.task {
                Some(ticked) if life(item).is_some() => lived.push((ticked, life(item).unwrap_or_default(), item)),
                Some(true) => done += 1,
                Some(false) => open.push(item.range.start),
                None => {}
            }
        }
    }
    if let Some(finding) = against_life(source, status.value, stage, &lived) {
        return Some(finding);
    }
    let all = done + open.len();
    match (stage, open.first()) {
        (Stage::Solved, Some(first)) => {
            let line = source.line_of(*first);
            let message = format!("the status is {}, and {} of {all} boxes are open", status.value, open.len());
            let help = "tick what was done, remove what will not be done, or reopen the report";
            Some(source.finding_on_line(line, "task-status", message).help(help))
        }
        // One ticked box proves little; a plan has several.
        (Stage::Open, None) if done >= 2 => {
            let message = format!("the status is {}, and all {done} boxes are ticked", status.value);
            let help = "if it is resolved, record it with `faultbook status`";
            Some(source.finding(status.value_range.clone(), "task-status", message).help(help))
        }
        _ => None,
    }
}

/// The status word that a box consists of.
fn life(item: &Item) -> Option<&'static str> {
    let words = item.words()?.text.trim().to_lowercase();
    LIFE.iter().find(|word| **word == words).copied()
}

/// Boxes such as "Fixed" against the status: they record the same thing in another place.
fn against_life(source: &Source<'_>, status: &str, stage: Stage, lived: &[(bool, &str, &Item)]) -> Option<Finding> {
    let last = |word: &str| matches!(word, "fixed" | "resolved" | "closed");
    let wrong = match stage {
        Stage::Open => lived.iter().find(|(ticked, word, _)| *ticked && last(word)),
        Stage::Solved if lived.iter().any(|(ticked, ..)| *ticked) => {
            lived.iter().find(|(ticked, word, _)| !*ticked && last(word))
        }
        _ => None,
    };
    let (ticked, word, item) = wrong?;
    let which = if *ticked { "ticked" } else { "open" };
    let message = format!("the status is {status}, and the box \"{word}\" is {which}");
    let line = source.line_of(item.range.start);
    Some(source.finding_on_line(line, "task-status", message).help("change the one that is out of date"))
}

/// Whether the section around, or one around that, is about later work.
fn is_later(doc: &Document<'_>, parent: Option<usize>) -> bool {
    let mut around = parent;
    while let Some(section) = around.and_then(|index| doc.sections.get(index)) {
        if LATER.iter().any(|word| section.key.contains(word)) && section.level > 1 {
            return true;
        }
        around = section.parent;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::sections::Outline;

    fn message(status: &str, body: &str) -> Option<(u32, String)> {
        let text = format!("---\nstatus: {status}\n---\n# t\n{body}");
        let doc = Document::read(&text, Outline::Lenient);
        check(&Source::new("a.md", &text), &doc, &Front::read(&text)).map(|f| (f.line, f.message))
    }

    #[test]
    fn boxes_and_status_agree() {
        let mixed = "## Testing Plan\n### Phase 1\n- [x] a\n- [ ] b\n";
        assert_eq!(message("open", mixed), None);
        assert_eq!(message("wontfix", mixed), None);
        assert_eq!(
            message("resolved", mixed),
            Some((8, "the status is resolved, and 1 of 2 boxes are open".to_owned()))
        );
        assert_eq!(message("Fixed", "## Prevention\n- [ ] a\n### Next\n- [ ] c\n## Testing\n- [x] b\n"), None);
        assert_eq!(message("Fixed", "## Prevention\n### Tests\n- [ ] a\n"), None);
        assert_eq!(
            message("open", "## Testing\n- [x] a\n- [x] b\n"),
            Some((2, "the status is open, and all 2 boxes are ticked".to_owned()))
        );
        assert_eq!(message("open", "## Testing\n- [x] a\n"), None);
        let life = "## Status\n- [x] Confirmed\n- [x] Fixed\n- [ ] Verified\n";
        assert_eq!(message("open", life), Some((7, "the status is open, and the box \"fixed\" is ticked".to_owned())));
        assert_eq!(message("resolved", life), None);
        assert_eq!(message("resolved", &life.replace("[x] Fixed", "[ ] Fixed")).map(|(line, _)| line), Some(7));
        assert_eq!(message("resolved", &life.replace("[x]", "[ ]")), None);
    }
}
