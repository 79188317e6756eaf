//! Whatever a document holds: no panic, places inside the text, fixing that ends and changes only what it names.

use faultbook::check::output::{self, Shown};
use faultbook::check::{Document, Kind, Setting, apply, check, fix_all};
use faultbook::render::{github, junit, sarif};
use proptest::prelude::*;

/// Pieces of real and broken reports; any sequence of them is somebody's document.
const PIECES: &[&str] = &[
    "---\n",
    "title: \"a: b\"\n",
    "Title: Bug: it broke\n",
    "date: 2025/12/06\n",
    "date: 2025-12-06 18:08 (KST)\n",
    "status: In Progress\n",
    "status: resolved\n",
    "bug_id: bug_20251110_003\n",
    "tags: ['a', 'b']\n",
    "tags:\n  - a\n",
    "severity: [\n",
    "\u{feff}",
    "\r\n",
    "\n",
    "\n\n",
    "# Bug Report: [Title]\n",
    "# 🐛 It broke\n",
    "## Bug ID\n",
    "BUG-20251110-003\n",
    "## Summary\n",
    "Brief description of the bug.\n",
    "It broke at step 3 of the first epoch.\n",
    "## Environment\n",
    "- **GPU:** [GPU model]\n",
    "- **GPU:** RTX 3060\n",
    "| a | b |\n|---|---|\n| [x] | TBD |\n",
    "## Table of Contents\n",
    "- [Summary](#summary)\n",
    "- [Gone](#gone)\n  - [Deep](#deep)\n",
    "1. [One](#one)\n",
    "```\n",
    "~~~\n",
    "`````\n",
    "RuntimeError: x\n",
    "- [x] done\n",
    "- [ ] open\n",
    "## Testing Plan\n",
    "## Prevention\n",
    "see BUG-20251110-004 and [x](../y.md#z)\n",
    "TODO: write\n",
    "<!-- faultbook: allow secret: x -->\n",
    "<!--\n",
    "-->\n",
    "> quoted\n",
    "Heading\n-------\n",
    "요약: 학습이 멈춤\n",
    "## 요약\n",
    "\u{0}\u{b}",
    "- - - 1. > - deep\n",
    "[a]: b\n",
    "[a]\n",
    "**Status:** Open\n",
    "**Date:** Dec 6, 2025\n",
    "signatures:\n",
    "  - contains: \"abcdefg\"\n",
    "causes: []\n",
];

fn document() -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => proptest::sample::select(PIECES).prop_map(str::to_owned), 1 => ".{0,12}"];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_report_can_be_checked_and_mended(text in document()) {
        let setting = Setting { exists: &|_| false, ..Setting::default() };
        let one = |text: &str| vec![Document { path: "docs/BUG-20251110-003.md".into(), text: text.into(), kind: Kind::Report, replaced: None }];
        let mut documents = one(&text);
        let findings = check(&documents, &setting);
        let lines = text.split('\n').count() as u32;
        for finding in &findings {
            prop_assert!(finding.line >= 1 && finding.line <= lines && finding.column >= 1 && finding.end > finding.column, "{finding:?}");
            if let Some(edit) = &finding.fix {
                prop_assert!(text.get(edit.range.clone()).is_some(), "{finding:?}");
            }
        }
        output::terminal(&findings, &documents, Shown::default());
        let shown = output::findings(&findings, &documents);
        sarif::render(&shown);
        github::render(&shown);
        junit::render(&shown);
        let left = fix_all(&mut documents, &setting);
        prop_assert!(left.iter().all(|finding| finding.fix.is_none()), "fixing ends: {left:?}");
        let once = documents[0].text.clone();
        prop_assert_eq!(apply(&once, &left), once.clone());
        fix_all(&mut documents, &setting);
        prop_assert_eq!(&documents[0].text, &once);
    }

    #[test]
    fn any_page_can_be_checked(text in document(), kind in proptest::sample::select(&[Kind::Fault, Kind::Fix, Kind::Notice][..])) {
        let documents = vec![Document { path: "kb/faults/a/a-b.md".into(), text, kind, replaced: None }];
        check(&documents, &Setting { behaviour: false, ..Setting::default() });
    }
}

/// How a fix may change the words of a report.
fn is_same_said_otherwise(text: &str, finding: &faultbook::check::Finding) -> bool {
    let Some(edit) = &finding.fix else { return true };
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().any(char::is_alphabetic));
        words.map(str::to_lowercase).collect()
    };
    let (out, kept) = (words(&text[edit.range.clone()]), words(&edit.replacement));
    match finding.rule {
        // One word of the format for another spelling of it: of a date, of an id, of a key, of a status.
        "bad-date" | "id-spelling" | "key-spelling" | "status-spelling" => {
            edit.range.len() <= 80 && !edit.replacement.is_empty()
        }
        "duplicate-key" => text.matches(text[edit.range.clone()].trim()).count() > 1,
        _ => out.iter().all(|word| kept.contains(word)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fixing_loses_no_word_and_adds_no_finding(text in document()) {
        let setting = Setting { exists: &|_| true, removals: false, ..Setting::default() };
        let mut documents = vec![Document { path: "docs/BUG-20251110-003.md".into(), text, kind: Kind::Report, replaced: None }];
        for finding in check(&documents, &Setting { removals: true, ..setting }) {
            let removes = !is_same_said_otherwise(&documents[0].text, &finding);
            prop_assert!(!removes || finding.help.contains("--fix-removals"), "{finding:?}");
        }
        for _ in 0..8 {
            let findings = check(&documents, &setting);
            let before = documents[0].text.clone();
            for finding in &findings {
                prop_assert!(is_same_said_otherwise(&before, finding), "{finding:?} in {before:?}");
            }
            let after = apply(&before, &findings);
            if after == before {
                break;
            }
            documents[0].text = after;
            // Front matter that is put there is no finding of its own.
            if findings.iter().any(|finding| finding.rule == "no-front-matter" && finding.fix.is_some()) {
                let about = ["no-front-matter", "missing-key", "bad-date", "unknown-status", "status-spelling", "front-matter", "unknown-key", "id-spelling"];
                let left = check(&documents, &setting);
                let end = documents[0].text[3..].find("---").map_or(0, |at| documents[0].text[..at + 3].lines().count());
                let new = left.iter().find(|finding| about.contains(&finding.rule) && (finding.line as usize) <= end);
                prop_assert!(new.is_none(), "{new:?} in {:?}", documents[0].text);
            }
        }
    }
}
