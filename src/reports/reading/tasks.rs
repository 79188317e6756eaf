//! Test plans with ticked and open boxes, and results of tests that were run.

use super::roles::{Role, Roles};
use super::words::{is_placeholder, labelled, outcome, without_marks};
use crate::book::blocks::{Item, Kind};
use crate::book::report::Task;
use crate::book::sections::{Document, items, key, top_items, visit};

/// Collects boxes from the whole document, and results and steps from the sections about tests.
pub(super) fn read(doc: &Document<'_>, roles: &[Roles]) -> Vec<Task> {
    let mut out = Vec::new();
    let mut seen_marked_lists = Vec::new();
    for (index, (section, roles)) in doc.sections.iter().zip(roles).enumerate() {
        let blocks = doc.slice(&section.own);
        let in_tests = matches!(roles.holds, Some(Role::Tests | Role::NextSteps));
        let around = section.parent.and_then(|p| doc.sections.get(p)).map(|s| s.title.as_str()).unwrap_or_default();
        let numbered = is_numbered_test(&section.title);
        if in_tests && numbered {
            let said = result_label(doc, index).or_else(|| outcome(&section.raw_title));
            out.push(Task {
                phase: around.to_owned(),
                text: without_outcome(&section.title),
                done: said.unwrap_or(false),
            });
        }
        let phase = if section.title.is_empty() { around } else { &section.title };
        // "Works ✅" over a list: the heading speaks for its items.
        let heading_says =
            (!numbered && !in_tests && roles.own.is_none()).then(|| marked(&section.raw_title)).flatten();
        if heading_says.is_some() {
            seen_marked_lists.push(index);
        }
        for item in items(blocks) {
            if let Some(done) = item.task {
                push(&mut out, phase, item, done);
            }
        }
        for item in top_items(blocks).filter(|item| item.task.is_none()) {
            let has_boxes = items(&item.blocks).iter().any(|inner| inner.task.is_some());
            let text = item.words().map(|w| w.line()).unwrap_or_default();
            if let Some(done) = heading_says {
                push(&mut out, phase, item, done);
            } else if in_tests && !has_boxes && !(numbered && marked(&text).is_none()) {
                push(&mut out, phase, item, marked(&text).or_else(|| strict_outcome(&text)).unwrap_or(false));
            }
        }
        if in_tests {
            marked_lines(doc, section.own.clone(), phase, &mut out);
        }
    }
    out
}

fn push(out: &mut Vec<Task>, phase: &str, item: &Item, done: bool) {
    let text = without_marks(&item.words().map(|w| w.line()).unwrap_or_default());
    if !is_placeholder(&text) {
        out.push(Task { phase: phase.to_owned(), text, done });
    }
}

/// Lines of output with a tick or a cross at their end or beginning, and rows of tables.
fn marked_lines(doc: &Document<'_>, blocks: std::ops::Range<usize>, phase: &str, out: &mut Vec<Task>) {
    visit(doc.slice(&blocks), &mut |block| match &block.kind {
        Kind::Fence(fence) if !matches!(fence.language.as_str(), "python" | "py" | "bash" | "sh" | "yaml") => {
            for line in fence.code.lines() {
                if let Some(done) = marked(line) {
                    out.push(Task { phase: phase.to_owned(), text: without_marks(line), done });
                }
            }
        }
        Kind::Table(rows) => {
            for row in rows.iter().skip(1) {
                if let Some((first, rest)) = row.split_first()
                    && let Some(done) = rest.iter().find_map(|cell| outcome(cell))
                {
                    out.push(Task { phase: phase.to_owned(), text: without_marks(first), done });
                }
            }
        }
        _ => {}
    });
}

/// What the marks alone say; words such as "error" in a sentence do not count.
fn marked(text: &str) -> Option<bool> {
    let marks: String =
        text.chars().filter(|c| crate::book::sections::is_decoration(*c) && !c.is_whitespace()).collect();
    (!marks.is_empty()).then(|| outcome(&marks)).flatten()
}

/// "PASSED" and "FAILED" in capitals, or such a word behind a colon at the end.
fn strict_outcome(text: &str) -> Option<bool> {
    let last = text.rsplit([':', '-', '–', '—']).next().unwrap_or_default().trim().to_owned();
    let capitals: String = text
        .split_whitespace()
        .filter(|w| w.len() > 3 && w.chars().all(|c| !c.is_lowercase()))
        .collect::<Vec<_>>()
        .join(" ");
    outcome(&capitals).or_else(|| {
        (last.split_whitespace().count() <= 2 && last.len() < text.trim().len()).then(|| outcome(&last)).flatten()
    })
}

/// "Result: PASSED", "Status: Running now" in a section or those inside it.
fn result_label(doc: &Document<'_>, index: usize) -> Option<bool> {
    let section = doc.sections.get(index)?;
    let mut said = None;
    visit(doc.slice(&section.own), &mut |block| {
        if let Kind::Paragraph(words) = &block.kind {
            for (label, value) in labelled(words) {
                let is_result =
                    matches!(key(&label).as_str(), "result" | "results" | "status" | "outcome" | "결과" | "상태");
                if is_result && said.is_none() {
                    said = outcome(&value);
                }
            }
        }
    });
    said
}

/// "Test 3: ...", "Step 2: ...", "테스트 1".
fn is_numbered_test(title: &str) -> bool {
    let lower = title.to_lowercase();
    ["test", "step", "check", "experiment", "case", "테스트", "단계"].iter().any(|word| {
        lower
            .strip_prefix(word)
            .is_some_and(|rest| rest.trim_start_matches([' ', '#']).starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// A test's title without the result that some people write at its end.
fn without_outcome(title: &str) -> String {
    match title.rsplit_once([':', '-', '–', '—']) {
        Some((before, after))
            if is_numbered_test(before)
                && before.contains(':')
                && outcome(after).is_some()
                && after.split_whitespace().count() <= 6 =>
        {
            before.trim().to_owned()
        }
        _ => title.to_owned(),
    }
}
