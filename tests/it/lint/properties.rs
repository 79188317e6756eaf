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
        (sarif::render(&shown), github::render(&shown), junit::render(&shown));
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
