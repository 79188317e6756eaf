//! Which sections a report has: those its kind requires, and no empty ones.
//!
//! Headings vary from team to team and language to language; a label at the beginning of a paragraph ("**Summary:**")
//! counts as well. Documents of other kinds (diagnoses, articles, change logs) do not need a bug's sections.

use super::finding::{Finding, Source};
use super::lines::{Class, Line, strip_label};
use crate::book::sections::{self, Document, Section};
use crate::reports::status::Stage;

/// What a section is for, with the words that say so: a heading that holds one of them counts.
const PARTS: &[(&str, &[&str])] = &[
    (
        "Summary",
        &[
            "summary",
            "overview",
            "description",
            "problem",
            "issue",
            "tl;dr",
            "tldr",
            "abstract",
            "background",
            "introduction",
            "synopsis",
            "what happened",
            "요약",
            "개요",
            "문제",
            "설명",
            "현상",
            "zusammenfassung",
            "beschreibung",
            "problem",
            "überblick",
            "摘要",
            "概述",
            "概要",
            "描述",
            "问题",
            "問題",
        ],
    ),
    (
        "Environment",
        &[
            "environment",
            "system",
            "hardware",
            "configuration",
            "versions",
            "setup",
            "platform",
            "affected",
            "context",
            "specs",
            "환경",
            "시스템",
            "버전",
            "umgebung",
            "konfiguration",
            "环境",
            "環境",
            "配置",
            "版本",
        ],
    ),
    (
        "Steps to Reproduce",
        &[
            "reproduc",
            "reproduction",
            "repro",
            "steps",
            "how to trigger",
            "trigger",
            "minimal example",
            "재현",
            "test case",
            "schritte",
            "nachstell",
            "复现",
            "重现",
            "再現",
            "步骤",
        ],
    ),
    (
        "Expected Behavior",
        &["expected", "should happen", "desired", "예상", "기대", "erwartet", "预期", "期望", "期待"],
    ),
    (
        "Actual Behavior",
        &[
            "actual",
            "observed",
            "symptom",
            "error",
            "log",
            "stack trace",
            "traceback",
            "failure",
            "what happens",
            "current behavior",
            "output",
            "실제",
            "증상",
            "오류",
            "에러",
            "로그",
            "tatsächlich",
            "fehler",
            "beobachtet",
            "实际",
            "実際",
            "现象",
            "错误",
            "日志",
        ],
    ),
    (
        "Root Cause Analysis",
        &[
            "root cause",
            "cause",
            "analysis",
            "investigation",
            "diagnosis",
            "hypothes",
            "why",
            "findings",
            "원인",
            "분석",
            "조사",
            "ursache",
            "analyse",
            "原因",
            "分析",
        ],
    ),
    (
        "Resolution",
        &[
            "resolution",
            "solution",
            "fix",
            "workaround",
            "mitigation",
            "changes",
            "implementation",
            "recommendation",
            "remed",
            "해결",
            "수정",
            "조치",
            "lösung",
            "behebung",
            "解决",
            "解決",
            "修复",
            "修正",
        ],
    ),
];

/// What a bug report needs at once.
const ALWAYS: [&str; 5] = ["Summary", "Environment", "Steps to Reproduce", "Expected Behavior", "Actual Behavior"];
/// What it needs once it is solved.
const WHEN_SOLVED: [&str; 2] = ["Root Cause Analysis", "Resolution"];

/// Sections that a bug report lacks, in one finding.
pub(super) fn missing(
    source: &Source<'_>,
    doc: &Document<'_>,
    lines: &[Line],
    stage: Option<Stage>,
) -> Option<Finding> {
    let mut titles: Vec<String> = doc
        .sections
        .iter()
        .filter(|section| section.level > 1 || section.parent == Some(0))
        .map(|section| section.title.to_lowercase())
        .collect();
    for line in lines.iter().filter(|line| matches!(line.class, Class::Words | Class::Label)) {
        let words = source.text.get(line.range.clone()).unwrap_or_default().trim().trim_start_matches(['-', ' ']);
        if let (Some(label), _) = strip_label(words) {
            titles.push(label.to_lowercase());
        }
    }
    let opening = opens_with_words(doc, lines);
    let has = |part: &str| {
        let words = PARTS.iter().find(|(name, _)| *name == part).map_or(&[][..], |(_, words)| words);
        let named = titles.iter().any(|title| words.iter().any(|word| title.contains(word)));
        named || (part == "Summary" && opening)
    };
    let solved = stage == Some(Stage::Solved);
    let needed = ALWAYS.into_iter().chain(WHEN_SOLVED.into_iter().filter(|_| solved));
    let missing: Vec<&str> = needed.filter(|part| !has(part)).collect();
    if missing.is_empty() {
        return None;
    }
    let line = doc.sections.get(1).map_or(1, |section| source.line_of(section.range.start));
    let what = if missing.len() == 1 { "the section" } else { "sections" };
    let message = format!("{what} {} {} missing", missing.join(", "), if missing.len() == 1 { "is" } else { "are" });
    let help = format!("add `## {}`", missing.join("`, `## "));
    Some(source.finding_on_line(line, "missing-section", message).help(help).severity(super::Severity::Warning))
}

/// Whether there are words before the first section, or between the document's title and the first section.
fn opens_with_words(doc: &Document<'_>, lines: &[Line]) -> bool {
    // "## Bug ID" and its like hold a word above the report, not a part of it.
    let is_head = |section: &Section| {
        matches!(section.key.as_str(), "bug id" | "id" | "report id" | "bug number" | "status" | "date")
    };
    let first = doc.sections.iter().find(|section| section.level >= 2 && !is_head(section));
    let end = first.map_or(doc.text.len(), |section| section.range.start);
    lines.iter().any(|line| line.range.start < end && line.is_written() && line.range.len() > 40)
}

/// Sections with a heading and nothing below it; the outermost only.
pub(super) fn empty(source: &Source<'_>, doc: &Document<'_>, lines: &[Line]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut until = 0;
    for (index, section) in doc.sections.iter().enumerate().filter(|(_, section)| section.level >= 2) {
        if index < until || introduces_numbers(doc, index) {
            continue;
        }
        let below = below(doc, section, lines);
        if below.iter().any(|line| matches!(line.class, Class::Words | Class::Code)) {
            continue;
        }
        until = section.end;
        let labels = below.iter().any(|line| line.class == Class::Label);
        let (what, help) = match labels {
            true => ("has labels without values", "fill them in, or remove them"),
            false => ("is empty", "write it, or remove the heading"),
        };
        let message = format!("the section \"{}\" {what}", section.title);
        let line = source.line_of(section.range.start);
        findings
            .push(source.finding_on_line(line, "empty-section", message).help(help).severity(super::Severity::Warning));
    }
    findings
}

/// The lines below a section's heading, those of its sections too.
pub(super) fn below<'l>(doc: &Document<'_>, section: &Section, lines: &'l [Line]) -> &'l [Line] {
    let heading = section.whole.start.checked_sub(1).and_then(|index| doc.blocks.get(index));
    let start = heading.map_or(section.range.start, |block| block.range.end);
    // A heading's block may or may not hold its line break; the next line begins after it either way.
    let from = lines.partition_point(|line| line.range.start < start.max(section.range.start + 1));
    let to = lines.partition_point(|line| line.range.start < section.range.end);
    lines.get(from..to.max(from)).unwrap_or_default()
}

/// People write "## Proposed Solutions" and below it "## 1. Halve the batch" on the same level.
fn introduces_numbers(doc: &Document<'_>, index: usize) -> bool {
    let Some((section, next)) = doc.sections.get(index).zip(doc.sections.get(index + 1)) else { return false };
    let key = sections::clean_title(&next.raw_title).to_lowercase();
    let numbered = key.starts_with(|c: char| c.is_ascii_digit())
        || ["step ", "phase ", "option ", "solution ", "test ", "hypothesis ", "issue ", "bug ", "fix "]
            .iter()
            .any(|word| key.starts_with(word));
    next.level <= section.level && numbered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::sections::Outline;
    use crate::check::lines;

    fn check(text: &str, stage: Option<Stage>) -> Vec<String> {
        let source = Source::new("a.md", text);
        let lines = lines::read(text);
        let strict = Document::read(text, Outline::Strict);
        let lenient = Document::read(text, Outline::Lenient);
        let missing = missing(&source, &lenient, &lines, stage);
        missing
            .into_iter()
            .chain(empty(&source, &strict, &lines))
            .map(|f| format!("{}: {}", f.line, f.message))
            .collect()
    }

    const WHOLE: &str = "# t\n## Summary\na\n## Environment\n- a: b\n## Steps to Reproduce\n1. a\n## Expected Behavior\na\n## Actual Behavior\n```\nx\n```\n";

    #[test]
    fn a_bug_report_has_its_sections() {
        assert_eq!(check(WHOLE, None), [""; 0]);
        assert_eq!(
            check(&WHOLE.replace("## Environment\n- a: b\n", ""), None),
            ["1: the section Environment is missing"]
        );
        assert_eq!(check(WHOLE, Some(Stage::Solved)), ["1: sections Root Cause Analysis, Resolution are missing"]);
        let korean = "# t\n## 요약\na\n## 실행 환경\na\n## 재현 방법\na\n## 예상 동작\na\n## 실제 동작\na\n";
        assert_eq!(check(korean, None), [""; 0]);
        let german = "# t\n## Zusammenfassung\na\n## Umgebung\na\n## Schritte zum Nachstellen\na\n## Erwartetes Verhalten\na\n## Tatsächliches Verhalten\na\n";
        assert_eq!(check(german, None), [""; 0]);
        let chinese = "# t\n## 摘要\na\n## 环境\na\n## 复现步骤\na\n## 预期行为\na\n## 实际行为\na\n## 根本原因\na\n## 解决方案\na\n";
        assert_eq!(check(chinese, Some(Stage::Solved)), [""; 0]);
        let labels = "# t\nThe training stops after a few steps with an error of cuDNN.\n\n**Environment:** a\n\n**Steps to reproduce:** a\n\n**Expected:** a\n\n**Actual:** a\n";
        assert_eq!(check(labels, None), [""; 0]);
        let below_id = labels.replace("# t\n", "# t\n## Bug ID\nBUG-20251110-003\n\n");
        assert_eq!(check(&below_id, None), [""; 0]);
    }

    #[test]
    fn a_heading_has_something_below_it() {
        assert_eq!(
            check(&WHOLE.replace("## Summary\na\n", "## Summary\n\n---\n"), None),
            ["2: the section \"Summary\" is empty"]
        );
        assert_eq!(
            check(&WHOLE.replace("- a: b\n", "- **GPU:**\n- **OS:**\n"), None),
            ["4: the section \"Environment\" has labels without values"]
        );
        assert_eq!(
            check(&WHOLE.replace("```\nx\n```", "```\n```"), None),
            ["10: the section \"Actual Behavior\" is empty"]
        );
        assert_eq!(
            check(&format!("{WHOLE}## Impact\n### On training\n### On users\n"), None),
            ["14: the section \"Impact\" is empty"]
        );
        assert_eq!(check(&format!("{WHOLE}## Solutions\n## 1. Halve the batch\na\n"), None), [""; 0]);
        assert_eq!(check(&format!("{WHOLE}Impact\n------\n\nwords\n"), None), [""; 0]);
    }
}
