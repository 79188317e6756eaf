//! Broken, large and random documents are read as far as possible.

use std::fmt::Write as _;
use std::path::Path;

use faultbook::reports::reading::read;
use proptest::prelude::*;

use super::{report, titles};

#[test]
fn broken_documents_are_read_as_far_as_possible() {
    let broken = report("---\ntitle: \"A: b\nstatus: [open\ntags: ['x', y]\n: :\n---\n## Summary\nWords.\n");
    assert_eq!((broken.title.as_str(), broken.status.as_str(), broken.summary.as_str()), ("A: b", "open", "Words."));
    let unclosed = report("---\ntitle: A\nstatus: open\n\n# B\n\n## Summary\nWords.\n");
    assert_eq!((unclosed.title.as_str(), unclosed.summary.as_str()), ("A", "Words."));
    let fence = report("## Logs\n```\nRuntimeError: CUDA error: x\n\n## Resolution\n- Fix it\n");
    assert_eq!((fence.errors.len(), titles(&fence)), (1, vec!["Fix it"]));
    let windows = report(
        &"\u{feff}---\ntitle: A\n---\n\n\n\n\n## Summary\n\n\n\nWords.\n\n\n## Resolution\n\n- x y\n"
            .replace('\n', "\r\n"),
    );
    assert_eq!((windows.title.as_str(), windows.summary.as_str(), titles(&windows)), ("A", "Words.", vec!["x y"]));
    let bare = report("Just a note that the GPU died.");
    assert_eq!(
        (bare.summary.as_str(), bare.text.as_str()),
        ("Just a note that the GPU died.", "Just a note that the GPU died.")
    );
    assert_eq!(report("itâ€™s broken, said the five of them").summary, "it’s broken, said the five of them");
}

#[test]
fn large_documents_take_no_time() {
    let mut text = String::from("---\ntitle: x\n---\n");
    for i in 0..20_000 {
        writeln!(text, "## Solution {i}: **a** `b` (60%)\n- [x] **c**: BUG-20251110-{:03} x.py:3\n\n**d**\n", i % 1000)
            .unwrap();
    }
    let long = format!("{}\n{}\n{}", "**a** b\n".repeat(50_000), "x.py ".repeat(100_000), "(\"`".repeat(50_000));
    for text in [
        text,
        long,
        "# a\n".repeat(100_000),
        "- ".repeat(50_000),
        "> ".repeat(50_000),
        "---\n".repeat(50_000),
        "|a|b|\n|-|-|\n".repeat(20_000),
        "âœ".repeat(100_000),
    ] {
        let start = crate::support::processor_time();
        let report = report(&text);
        assert_eq!(report.text.len(), text.len());
        let took = crate::support::processor_time() - start;
        assert!(took.as_secs() < 20, "{took:?}: {text:.40}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_text_panics(text in "\\PC{0,400}", path in "\\PC{0,20}") {
        read(Path::new(&path), &text);
    }

    #[test]
    fn no_cut_of_a_report_panics(pieces in proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..40)) {
        let text = pieces.concat();
        let report = report(&text);
        prop_assert_eq!(report.text, text);
    }
}

const PIECES: [&str; 44] = [
    "---\n",
    "\n",
    "\r\n",
    "title: ",
    "bug_id: ",
    "BUG-20251110-003",
    "bug_",
    "001",
    "# ",
    "## ",
    "### ",
    "Solution 1: ",
    "Hypothesis 2",
    "(60%",
    ")",
    "**",
    "`",
    "```",
    "```python\n",
    "- ",
    "- [x] ",
    "1. ",
    "> ",
    "| a | b |\n|---|---|\n",
    "✅",
    "❌",
    "âœ",
    "…",
    "Environment",
    "GPU: ",
    "RTX 3060 12GB (",
    "cuDNN: 91002",
    "driver 13.0",
    "Benefits:",
    "요약",
    "오류",
    ": ",
    "：",
    "File \"x.py\", line 3, in f",
    "RuntimeError: x",
    "<pre>",
    "](",
    "[",
    "Root Cause: ",
];
