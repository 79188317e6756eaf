//! Rules for pages of the book.

use faultbook::check::{Sample, Setting};

use super::{rules, with};

const PATH: &str = "kb/faults/frob/frob-dry.md";

const PAGE: &str = r#"---
title: The frobnicator ran dry
severity: high
signatures:
  - contains: "frobnicator ran dry"
causes:
  - id: memory-exhausted
    title: There is no room
    prior: common
    evidence:
      - text: '(?i)out of memory'
        weight: strong
        says: an out-of-memory message stands in the same text
      - when: "gpu.memory.free < 1 * GiB"
        weight: strong
        says: "only {{ gpu.memory.free | size }} are free"
affects:
  - { package: torch, versions: ">=1.8,<3" }
reviewed: 2026-11-21
---
# The frobnicator ran dry

## Meaning
It was turning.

## Example
```text
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    frob()
RuntimeError: frobnicator ran dry
```

## Causes

### memory-exhausted
Why.

**Check.** Look at the tank.

**Fix.**
1. [Halve the batch](../../fixes/reduce-batch.md)

## Lookalikes
- `oom`: says so itself.
"#;

fn page(text: &str) -> Vec<(&'static str, u32)> {
    rules(PATH, text, &[], &Setting::default())
}

#[test]
fn a_sound_page_is_clean() {
    assert_eq!(page(PAGE), []);
}

#[test]
fn one_page_shows_its_mistakes() {
    for (from, to, rule, line) in [
        ("severity: high", "severity: awful", "front-matter", 3),
        ("- id: memory-exhausted", "- id: memory-exhasted", "unknown-cause", 7),
        ("gpu.memory.free < 1", "gpu.memory.fre < 1", "unknown-fact", 14),
        ("gpu.memory.free < 1 * GiB", "gpu.memory.free < ", "bad-condition", 14),
        ("{{ gpu.memory.free | size }}", "{{ gpu.memory.fre }}", "unknown-fact", 16),
        ("{{ gpu.memory.free | size }}", "{{ gpu.memory.free | sized }}", "bad-sentence", 16),
        ("'(?i)out of memory'", "'(out of memory'", "bad-pattern", 11),
        ("'(?i)out of memory'", "\"out of memory\\b\"", "bad-pattern", 11),
        ("\"frobnicator ran dry\"", "\"ran\"", "short-literal", 5),
        ("package: torch", "package: left-pad", "unknown-package", 18),
        ("severity: high", "severity: high\nexplains: [no-such-fault]", "unknown-fault", 4),
        ("severity: high", "severity: high\nconflict: gpu.memory.fre < 1", "unknown-fact", 4),
        ("# The frobnicator ran dry\n", "# The frobnicator is dry\n", "heading-title", 21),
        ("## Lookalikes", "## See also", "unknown-section", 44),
        ("`oom`", "`no-such-fault`", "unknown-fault", 45),
        ("fixes/reduce-batch.md", "fixes/no-such-fix.md", "unknown-recipe", 42),
        ("It was turning.", "It was [turning](../turning.md).", "dead-link", 24),
    ] {
        let setting = Setting { exists: &|_| false, ..Setting::default() };
        let text = with(PAGE, from, to);
        let found = rules(PATH, &text, &[], &setting);
        assert!(found.contains(&(rule, line)), "{from} -> {to}: {found:?}");
        if rule != "unknown-cause" && rule != "short-literal" {
            assert_eq!(found.len(), 1, "{from} -> {to}: {found:?}");
        }
    }
    assert_eq!(rules("kb/faults/frob/Frob_Dry.md", PAGE, &[], &Setting::default()), [("bad-name", 1)]);
}

#[test]
fn what_belongs_to_a_fix_is_indented_as_far_as_its_text() {
    let fixes = |indent: &str| {
        let first: String = (1..10).map(|number| format!("{number}. Take step {number}.\n")).collect();
        let part = format!("{indent}```sh\n{indent}run\n{indent}```\n{indent}Trade-off: slow.\n");
        let list = format!("{first}10. Run it.\n{part}11. Take the last step.\n");
        with(PAGE, "1. [Halve the batch](../../fixes/reduce-batch.md)\n", &list)
    };
    assert_eq!(page(&fixes("    ")), []);
    assert_eq!(page(&fixes("   ")), [("fix-indent", 52), ("fix-indent", 55)]);
    // Without a list before them, a fence and a paragraph are the fix itself.
    let prose = with(PAGE, "1. [Halve the batch](../../fixes/reduce-batch.md)\n", "Halve it.\n\n```sh\nrun\n```\n");
    assert_eq!(page(&prose), []);
}

#[test]
fn a_page_must_take_its_own_example() {
    let silent = with(PAGE, "RuntimeError: frobnicator ran dry", "RuntimeError: the tank has no more frob");
    assert_eq!(page(&silent), [("own-example", 26)]);
    let taken = with(
        PAGE,
        "RuntimeError: frobnicator ran dry",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    );
    assert_eq!(page(&taken), [("shadowed-page", 26)]);
}

#[test]
fn signatures_must_not_hit_healthy_texts() {
    let weak = with(PAGE, "\"frobnicator ran dry\"", "\"frobnicator ran dry\"\n  - contains: \"Epoch 0: 100%\"");
    assert_eq!(page(&weak), [("weak-signature", 6)]);
    let healthy = [Sample { name: "a.healthy.txt".into(), text: "the frobnicator ran dry and was filled\n".into() }];
    let setting = Setting { healthy: &healthy, ..Setting::default() };
    assert_eq!(rules(PATH, PAGE, &[], &setting), [("weak-signature", 5)]);
    let exempt = with(PAGE, "severity: high", "# faultbook: allow weak-signature: our runs say so\nseverity: high");
    assert_eq!(rules(PATH, &exempt, &[], &setting), []);
    let filled = [Sample { name: "b.healthy.txt".into(), text: "all is well\n".into() }];
    let setting = Setting { healthy: &filled, ..Setting::default() };
    assert_eq!(rules(PATH, &exempt, &[], &setting), [("stale-exemption", 3)]);
    // Without the samples it is unknown.
    assert_eq!(page(&exempt), []);
}

#[test]
fn signatures_that_hit_nothing_are_worth_knowing() {
    let two = with(PAGE, "\"frobnicator ran dry\"", "\"frobnicator ran dry\"\n  - contains: \"no more frob\"");
    let text = |text: &str| [Sample { name: "a.txt".into(), text: text.into() }];
    let corpus = text("epoch 1\n");
    assert_eq!(rules(PATH, &two, &[], &Setting { corpus: &corpus, ..Setting::default() }), [("dead-signature", 6)]);
    let corpus = text("RuntimeError: no more frob\n");
    assert_eq!(rules(PATH, &two, &[], &Setting { corpus: &corpus, ..Setting::default() }), []);
    assert_eq!(page(&two), []);
}

#[test]
fn pages_are_seen_together() {
    let other = "kb/faults/frob/frob-wet.md";
    let wet = with(&PAGE.replace("ran dry", "ran wet"), "severity: high", "severity: high\nexplains: [frob-dry]");
    let setting = Setting::default();
    assert_eq!(rules(PATH, PAGE, &[(other, &wet)], &setting), []);
    let both = with(PAGE, "severity: high", "severity: high\nexplains: [frob-wet]");
    assert_eq!(rules(PATH, &both, &[(other, &wet)], &setting), [("explains-each-other", 4)]);
    let same = with(PAGE, "\"frobnicator ran dry\"", "\"frobnicator ran dry\"\n  - contains: \"FROBNICATOR ran wet\"");
    assert_eq!(rules(other, &wet, &[], &setting), [("unknown-fault", 4)]);
    assert!(rules(other, &wet, &[(PATH, &same)], &setting).is_empty());
    assert!(rules(PATH, &same, &[(other, &wet)], &setting).is_empty(), "the later page is the one that is told");
    let documents =
        [(other, wet.as_str()), (PATH, same.as_str())].map(|(path, text)| faultbook::check::Document::new(path, text));
    let found = faultbook::check::check(&documents, &setting);
    assert!(found.iter().any(|finding| finding.rule == "duplicate-literal" && finding.path == PATH), "{found:?}");
    assert_eq!(rules("a/faults/frob/frob-dry.md", PAGE, &[(PATH, PAGE)], &setting), []);
    let twice = rules(PATH, PAGE, &[], &setting);
    assert_eq!(twice, []);
}

#[test]
fn recipes_and_notices_have_rules_too() {
    let setting = Setting::default();
    let recipe = "---\ntitle: Halve the batch\ncost: setting\nin_force: \"run.batch_size == 1\"\n---\nHalf the rows.\n";
    assert_eq!(rules("kb/fixes/a.md", recipe, &[], &setting), []);
    assert_eq!(
        rules("kb/fixes/a.md", &with(recipe, "run.batch_size", "run.batch"), &[], &setting),
        [("unknown-fact", 4)]
    );
    assert_eq!(rules("kb/fixes/a.md", &with(recipe, "Half the rows.\n", ""), &[], &setting), [("empty-body", 5)]);
    let only = |names: &str| with(recipe, "cost: setting", &format!("cost: setting\nonly: [{names}]"));
    assert_eq!(rules("kb/fixes/a.md", &only("wsl1, slurm"), &[], &setting), []);
    assert_eq!(rules("kb/fixes/a.md", &only("wsl1, solaris"), &[], &setting), [("unknown-platform", 4)]);
    let notice = "---\ntitle: It hums\nsignatures:\n  - contains: humming loudly\n---\nAlways.\n";
    assert_eq!(rules("kb/notices/a.md", notice, &[], &setting), []);
    assert_eq!(rules("kb/notices/a.md", &with(notice, "Always.\n", ""), &[], &setting), [("empty-body", 5)]);
    assert_eq!(rules("kb/notices/a.md", &with(notice, "humming loudly", "hum"), &[], &setting), [("short-literal", 4)]);
    let none = with(notice, "signatures:\n  - contains: humming loudly\n", "");
    assert_eq!(rules("kb/notices/a.md", &none, &[], &setting), [("front-matter", 2)]);
    // A page may link to a recipe that lies beside it.
    let page = with(PAGE, "fixes/reduce-batch.md", "fixes/our-fix.md");
    assert_eq!(rules(PATH, &page, &[("kb/fixes/our-fix.md", recipe)], &setting), []);
}
