//! Rules for bug reports, and their fixes.

use faultbook::check::{Document, KnownReport, Setting, fix_all};

use super::{rules, with};

const PATH: &str = "docs/bug_reports/BUG-20251110-003-no-engine.md";

const REPORT: &str = "---
title: \"cuDNN finds no engine\"
date: \"2025-12-06 18:08 (KST)\"
type: \"bug_report\"
category: \"troubleshooting\"
status: \"active\"
version: \"1.0\"
tags: ['bug_report', 'troubleshooting']
bug_id: \"BUG-20251110-003\"
severity: \"high\"
---

# Bug Report: cuDNN finds no engine

## Summary
Training stops at its first step.

## Environment
- **GPU:** RTX 3060

## Steps to Reproduce
1. Run `train.py`.

## Expected Behavior
It trains.

## Actual Behavior
```
RuntimeError: FIND was unable to find an engine to execute this computation
```

## Testing Plan
- [x] one step
- [ ] one epoch
";

fn report(text: &str) -> Vec<(&'static str, u32)> {
    rules(PATH, text, &[], &Setting::default())
}

#[test]
fn a_sound_report_is_clean() {
    assert_eq!(report(REPORT), []);
}

#[test]
fn one_report_shows_its_mistakes() {
    for (from, to, found) in [
        ("status: \"active\"", "status: \"sleeping\"", ("unknown-status", 6)),
        ("status: \"active\"", "status: \"Active\"", ("status-spelling", 6)),
        ("status: \"active\"", "state: \"active\"", ("missing-key", 1)),
        ("severity: \"high\"", "severity: \"terrible\"", ("unknown-severity", 10)),
        ("2025-12-06 18:08 (KST)", "2025-13-06", ("bad-date", 3)),
        ("title: \"cuDNN finds no engine\"", "Title: \"x\"", ("key-spelling", 2)),
        ("version: \"1.0\"", "type: \"bug\"", ("duplicate-key", 7)),
        ("version: \"1.0\"", "version: [", ("front-matter", 9)),
        ("bug_id: \"BUG-20251110-003\"", "bug_id: \"bug_20251110_003\"", ("id-spelling", 9)),
        ("bug_id: \"BUG-20251110-003\"", "bug_id: \"BUG-20251110-004\"", ("id-file-name", 9)),
        ("## Summary\n", "## Bug ID\nBUG-20251110-007\n\n## Summary\n", ("id-mismatch", 16)),
        ("## Environment\n- **GPU:** RTX 3060\n\n", "", ("missing-section", 13)),
        ("Training stops at its first step.\n", "", ("empty-section", 15)),
        ("Training stops at its first step.", "Brief description of the bug.", ("placeholder", 16)),
        ("RTX 3060", "TODO", ("todo", 19)),
        ("RTX 3060", "see BUG-20251109-001", ("unknown-report", 19)),
        ("RTX 3060", "see [x](#nothing)", ("dead-anchor", 19)),
        ("status: \"active\"", "status: \"in_progress\"\nresolved: maybe", ("", 0)),
        ("- [ ] one epoch", "- [x] one epoch", ("task-status", 6)),
        ("## Testing Plan", "## Contents\n- [A](#summary)\n\n## Testing Plan", ("contents", 32)),
        ("RTX 3060", "RTX 3060\n<!-- faultbook: allow secret: none -->", ("stale-exemption", 20)),
        ("It trains.", "Clone https://me:hunter42x@host.org/x.git first.", ("secret", 25)),
    ] {
        let expected = if found.0.is_empty() { vec![] } else { vec![found] };
        assert_eq!(report(&with(REPORT, from, to)), expected, "{from} -> {to}");
    }
    let solved = with(REPORT, "status: \"active\"", "status: \"resolved\"");
    assert_eq!(report(&solved), [("missing-section", 13), ("task-status", 34)]);
    assert_eq!(report(&with(REPORT, "---\ntitle", "title"))[0], ("no-front-matter", 1));
    let setting = Setting { exists: &|path| path == "docs/x.md", ..Setting::default() };
    assert_eq!(rules(PATH, &with(REPORT, "It trains.", "[x](../x.md)"), &[], &setting), []);
    assert_eq!(rules(PATH, &with(REPORT, "It trains.", "[x](../y.md)"), &[], &setting), [("dead-link", 25)]);
}

#[test]
fn other_documents_are_not_asked_for_a_bugs_sections() {
    let diagnosis = with(&with(REPORT, "bug_report\"", "diagnosis\""), "## Environment\n- **GPU:** RTX 3060\n\n", "");
    assert_eq!(report(&diagnosis), []);
}

#[test]
fn reports_are_seen_together() {
    let setting = Setting::default();
    let other = "docs/bug_reports/archive/copy.md";
    assert_eq!(rules(PATH, REPORT, &[(other, REPORT)], &setting), [], "a copy is the same report");
    assert_eq!(rules(other, REPORT, &[(PATH, REPORT)], &setting)[0], ("copied-report", 9));
    let nan = "---\ntitle: x\nbug_id: BUG-20251110-003\n---\n# Bug Report: The loss is NaN\n\n## Summary\nFrom step 120 on every value of the loss is NaN.\n";
    assert_eq!(rules(PATH, REPORT, &[(other, nan)], &setting), [("duplicate-id", 9)]);
    let second = with(REPORT, "BUG-20251110-003", "BUG-20251110-004");
    assert_eq!(rules(PATH, REPORT, &[(other, &second)], &setting), []);
    let refers = with(REPORT, "RTX 3060", "as in BUG-20251110-004, not CVE-2025-1234");
    assert_eq!(rules(PATH, &refers, &[], &setting), [("unknown-report", 19)]);
    assert_eq!(rules(PATH, &refers, &[(other, &second)], &setting), []);
    let known = [KnownReport { path: "x.md".into(), id: "BUG-20251110-004".into(), text: String::new() }];
    assert_eq!(rules(PATH, &refers, &[], &Setting { reports: &known, ..Setting::default() }), []);
    let taken = [KnownReport { path: "x.md".into(), id: "BUG-20251110-003".into(), text: String::new() }];
    assert_eq!(rules(PATH, REPORT, &[], &Setting { reports: &taken, ..Setting::default() }), [("duplicate-id", 9)]);
}

fn fixed(path: &str, text: &str) -> (String, Vec<&'static str>) {
    let mut documents = vec![Document::new(path, text)];
    let left = fix_all(&mut documents, &Setting::default());
    let once = documents[0].text.clone();
    fix_all(&mut documents, &Setting::default());
    assert_eq!(documents[0].text, once, "fixing a fixed document changes nothing");
    (once, left.iter().map(|finding| finding.rule).collect())
}

#[test]
fn fixing_touches_what_it_names_and_nothing_else() {
    assert_eq!(fixed(PATH, REPORT), (REPORT.to_owned(), vec![]));
    let messy = REPORT
        .replace("title: \"cuDNN finds no engine\"", "Title: cuDNN: it finds no engine")
        .replace("date: \"2025-12-06 18:08 (KST)\"", "date: 2025/12/6 18:08 (KST)")
        .replace("status: \"active\"", "status: \"Active\"")
        .replace("bug_id: \"BUG-20251110-003\"\n", "")
        .replace("It trains.", "It trains.   \t")
        .replace('\n', "\r\n");
    let right = REPORT
        .replace("title: \"cuDNN finds no engine\"", "title: \"cuDNN: it finds no engine\"")
        .replace("date: \"2025-12-06 18:08 (KST)\"", "date: 2025-12-06 18:08 (KST)")
        .replace(
            "bug_id: \"BUG-20251110-003\"\nseverity: \"high\"\n",
            "severity: \"high\"\nbug_id: \"BUG-20251110-003\"\n",
        )
        .replace("It trains.", "It trains.   \t")
        .replace('\n', "\r\n");
    assert_eq!(fixed(PATH, &messy), (right, vec![]));
}

#[test]
fn a_template_above_the_real_text_goes() {
    let left = "# Bug Report: [Title]\n\n## Summary\nBrief description of the bug.\n\n## Environment\n- **GPU:** [GPU model]\n- **OS:**\n\n";
    let text = with(REPORT, "# Bug Report", &format!("{left}# Bug Report"));
    assert_eq!(report(&text), [("template-left", 16)]);
    assert_eq!(fixed(PATH, &text), (REPORT.to_owned(), vec![]));
}

/// A generator filled the severity in and nothing else; the real text was appended below.
#[test]
fn a_filled_value_of_the_template_stays() {
    let left = "## Summary\nBrief description of the bug.\n\n## Steps to Reproduce\n1. Step 1\n2. Step 2\n\n## Error Messages\n```\nError message here\n```\n\n## Impact\n- **Severity**: High\n- **Affected Users**: Who is affected\n\n## Investigation\n\n### Root Cause Analysis\n- **Cause**: What is causing the issue\n\n## Status\n- [ ] Confirmed\n- [ ] Fixed\n\n## Priority\nHigh/Medium/Low\n\n---\n\n*This bug report follows the project's standardized format for issue tracking.*\n\n";
    let text = with(REPORT, "## Summary", &format!("{left}## Summary"));
    assert_eq!(report(&text), [("template-left", 16)]);
    let kept = "## Impact\n- **Severity**: High\n- **Affected Users**: Who is affected\n\n";
    assert_eq!(fixed(PATH, &text), (with(REPORT, "## Summary", &format!("{kept}## Summary")), vec!["placeholder"]));
}

#[test]
fn a_report_without_front_matter_gets_what_it_says_itself() {
    let text = "# It breaks\n\n**Date:** 2025-11-10\n**Status:** Open\n\n## Bug ID\nBUG-20251110-009\n\n## Summary\nIt breaks.\n\n## Environment\nA100\n\n## Steps to Reproduce\nRun it.\n\n## Expected Behavior\nNo.\n\n## Actual Behavior\nYes.\n";
    let (after, left) = fixed("docs/bug_reports/BUG-20251110-009.md", text);
    let head =
        "---\ntitle: \"It breaks\"\ndate: \"2025-11-10\"\nstatus: \"open\"\nbug_id: \"BUG-20251110-009\"\n---\n\n";
    assert_eq!((after, left), (format!("{head}{text}"), vec![]));
}

#[test]
fn a_file_in_another_encoding_is_named_and_never_changed() {
    let mut bytes = b"---\ntitle: T\nStatus: Open\n---\n# T\n\n## Summary\n\ncaf".to_vec();
    bytes.extend([0xe9, b'\n']);
    let mut documents = vec![Document::of_bytes("docs/bug_reports/BUG-20251110-003.md", bytes)];
    let before = documents.clone();
    let findings = faultbook::check::fix_all(&mut documents, &Setting::default());
    assert_eq!(documents, before);
    let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
    assert!(rules.contains(&"key-spelling") && rules.contains(&"encoding"), "{rules:?}");
    let encoding = findings.iter().find(|finding| finding.rule == "encoding").expect("a finding");
    assert_eq!((encoding.line, encoding.column), (9, 4));
    assert!(findings.iter().all(|finding| finding.fix.is_none()));
}
