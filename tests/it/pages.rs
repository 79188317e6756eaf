//! The strict reader: a good page is read whole, and every mistake is named with its place.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::left_out;
use std::path::{Path, PathBuf};

use faultbook::book::page::{FaultPage, Recipe};
use faultbook::book::page_reader::{PageLocation, read_body, read_fault, read_notice, read_recipe};
use faultbook::book::problem::Problem;
use faultbook::book::schema::{Cost, SignatureRole, Weight};
use faultbook::condition::Condition;
use faultbook::reports::own_pages;

const RECIPE: &str = "---\ntitle: Halve the batch\ncost: setting\nin_force: \"run.batch_size == 1\"\n---\nHalf the rows,\nhalf the memory.\n\n```sh\ntrain --batch 2\n```\n\nTrade-off: twice the steps.\n";

const PAGE: &str = r#"---
title: The frobnicator ran dry
severity: high
codes: ["700"]
signatures:
  - contains: "frobnicator ran dry"
  - contains: [frobnicator, "is empty"]
    standing: symptom
    fatal: false
causes:
  - id: memory-exhausted
    title: There is no room
    prior: common
    evidence:
      - text: '(?i)out of memory'
        weight: strong
        says: an out-of-memory message stands in the same text
  - id: library-bug
    title: The library forgets to refill
    prior: rare
affects:
  - { package: torch, versions: ">=1.8,<3" }
references:
  - https://example.org/a
reviewed: 2026-11-21
---
# The frobnicator ran dry

## Meaning
It was turning.

It stopped.

## Example
```text
RuntimeError: frobnicator ran dry
```

## Causes

### memory-exhausted
Why one.

Why two.

**Check.** Look at the tank.
```sh
tank --level
```

**Fix.**
1. [Halve the batch](../../fixes/reduce-batch.md): here the flag is `--rows`.
   ```sh
   frob --rows 2
   ```
2. Set `frob.dry = False`, so that it idles. It then waits for more.
   ```python
   frob.dry = False
   ```
   Trade-off: slower.

**Dead ends.**
- `frob.shake()`: nothing
  falls out.
- Waiting.

### library-bug
Because.

**Check:** Read the changelog.

**Fix:** Install version 2.

## Lookalikes
- `tank-leak`: prints the same, later.
"#;

fn recipes(id: &str) -> Option<Recipe> {
    (id == "reduce-batch").then(|| read_recipe(id, RECIPE).expect("the recipe is sound"))
}

fn workspace() -> PageLocation<'static> {
    PageLocation { id: "frob-dry", area: "frob", path: "kb/faults/frob/frob-dry.md" }
}

fn check_whole(page: &FaultPage) {
    assert_eq!(
        (page.id.as_str(), page.area.as_str(), page.title.as_str()),
        ("frob-dry", "frob", "The frobnicator ran dry")
    );
    assert_eq!(page.meaning, "It was turning.\n\nIt stopped.");
    assert_eq!(page.example, "RuntimeError: frobnicator ran dry\n");
    assert_eq!(page.signatures[1].standing, SignatureRole::Symptom);
    assert!(page.signatures[0].fatal && !page.signatures[1].fatal);
    let [first, second] = page.causes.as_slice() else { panic!("two causes") };
    assert_eq!(first.why, "Why one.\n\nWhy two.");
    assert_eq!(
        (first.check.says.as_str(), first.check.command.as_deref()),
        ("Look at the tank.", Some("tank --level"))
    );
    assert_eq!(first.evidence[0].weight, Weight::Strong);
    let [batch, dry] = first.fixes.as_slice() else { panic!("two fixes") };
    assert_eq!(
        (batch.recipe.as_deref(), batch.title.as_str(), batch.cost),
        (Some("reduce-batch"), "Halve the batch", Some(Cost::Setting))
    );
    assert_eq!(batch.commands, ["frob --rows 2", "train --batch 2"]);
    assert_eq!(batch.detail, "here the flag is `--rows`.\n\nHalf the rows, half the memory.");
    assert_eq!(batch.trade_offs, ["twice the steps."]);
    assert_eq!(batch.in_force.as_ref().map(Condition::source), Some("run.batch_size == 1"));
    assert_eq!(dry.title, "Set `frob.dry = False`, so that it idles");
    assert_eq!(dry.detail, "It then waits for more.");
    assert_eq!((dry.commands[0].as_str(), dry.trade_offs[0].as_str()), ("frob.dry = False", "slower."));
    assert_eq!(first.dead_ends, ["`frob.shake()`: nothing\nfalls out.", "Waiting."]);
    assert_eq!((second.why.as_str(), second.check.says.as_str()), ("Because.", "Read the changelog."));
    assert_eq!(second.fixes[0].title, "Install version 2");
    assert_eq!(page.lookalikes, ["`tank-leak`: prints the same, later."]);
}

#[test]
fn a_good_page_is_read_whole() {
    check_whole(&read_fault(workspace(), PAGE, &recipes).unwrap());
    check_whole(
        &read_fault(workspace(), &format!("\u{feff}{}", PAGE.replace('\n', "\r\n")), &recipes).map(unix).unwrap(),
    );
}

/// CRLF stays in raw markdown; what is compared here are the words.
fn unix(mut page: FaultPage) -> FaultPage {
    page.example = page.example.replace("\r\n", "\n");
    page
}

#[test]
fn the_body_alone_gives_the_same_page() {
    let (matter, body) = PAGE.strip_prefix("---\n").unwrap().split_once("---\n").unwrap();
    check_whole(&read_body(workspace(), serde_saphyr::from_str(matter).unwrap(), body, &recipes));
    // Whatever the body is, there is a page.
    for body in
        ["", "# x", "## Causes\n### memory-exhausted", "## Causes\n\n### memory-exhausted\n**Fix.**\n1. \n2. []()\n"]
    {
        let page = read_body(workspace(), serde_saphyr::from_str(matter).unwrap(), body, &recipes);
        assert_eq!(page.causes.len(), 2);
    }
}

/// Rules and lines of the problems of the page after a replacement.
fn problems(from: &str, to: &str) -> Vec<(u32, &'static str)> {
    assert!(PAGE.contains(from), "{from}");
    rules(read_fault(workspace(), &PAGE.replacen(from, to, 1), &recipes))
}

fn rules<T>(result: Result<T, Vec<Problem>>) -> Vec<(u32, &'static str)> {
    result.err().unwrap_or_default().iter().map(|p| (p.line, p.rule)).collect()
}

#[test]
fn mistakes_are_named_with_their_place() {
    assert_eq!(problems("severity: high", "severity: awful"), [(3, "front-matter")]);
    assert_eq!(problems("severity: high\n", "severity: high\nseverety: high\n"), [(4, "front-matter")]);
    assert_eq!(problems("severity: high\n", "severity: [\n"), [(3, "front-matter")]);
    assert_eq!(problems("severity: high\n", "")[0].1, "front-matter");
    assert_eq!(problems("contains: \"frobnicator ran dry\"", "contains: dry"), [(6, "short-literal")]);
    assert_eq!(problems("'(?i)out of memory'", "'(?<!x)out'"), [(15, "bad-pattern")]);
    assert_eq!(
        problems("      - text: '(?i)out of memory'\n", "      - text: 'a'\n        when: b\n"),
        [(18, "evidence-shape")]
    );
    assert_eq!(problems("prior: rare", "prior: common"), []);
    assert_eq!(problems("prior: common", "prior: plausible"), []);
    assert_eq!(problems("    prior: rare", "    prior: common").len(), 0);
    assert_eq!(problems(">=1.8,<3", "^1.8"), [(22, "bad-range")]);
    assert_eq!(problems("https://example", "http://example"), [(24, "bad-reference")]);
    assert_eq!(problems("2026-11-21", "yesterday"), [(25, "bad-date")]);
    assert_eq!(problems("## Meaning\nIt was turning.\n\nIt stopped.\n\n", ""), [(70, "missing-section")]);
    assert_eq!(problems("RuntimeError: frobnicator ran dry\n", ""), [(34, "empty-example")]);
    assert_eq!(
        problems("### library-bug", "### library-bag"),
        [(39, "cause-without-section"), (67, "cause-not-listed")]
    );
    assert_eq!(problems("fixes/reduce-batch.md", "fixes/reduce.md"), [(52, "unknown-recipe")]);
    assert_eq!(problems("**Fix:** Install version 2.", ""), [(67, "cause-without-fix")]);
    assert_eq!(problems("**Check:** Read the changelog.", ""), [(67, "cause-without-check")]);
    assert_eq!(problems("Because.\n", ""), [(67, "cause-without-why")]);
    assert_eq!(problems("reviewed: 2026-11-21\n---\n", "reviewed: 2026-11-21\n"), [(1, "front-matter-open")]);
    assert_eq!(rules(read_fault(workspace(), "", &recipes)).len(), 4);
}

#[test]
fn recipes_and_notices_are_strict_too() {
    assert_eq!(rules(read_recipe("x", "---\ntitle: a\ncost: free\n---\nwords\n")), [(3, "front-matter")]);
    assert_eq!(rules(read_recipe("x", "---\ntitle: a\ncost: code\n---\n")), [(4, "empty-body")]);
    let notice =
        read_notice("x", "---\ntitle: It hums\nsignatures:\n  - contains: humming loudly\n---\n# It hums\n\nAlways.\n")
            .unwrap();
    assert_eq!((notice.title.as_str(), notice.body.as_str()), ("It hums", "Always."));
    assert_eq!(rules(read_notice("x", "---\ntitle: a\nsignatures: []\n---\n")).len(), 1);
}

#[test]
fn every_page_of_the_book_is_sound() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("kb");
    let kb = std::env::var_os("FAULTBOOK_KB").map_or(here, PathBuf::from);
    if !kb.is_dir() {
        left_out::note("another book", &format!("there is no {}", kb.display()));
        return;
    }
    let pages = own_pages::read(&kb, &|_| None).expect("the folder is there");
    let mut failed = String::new();
    for (path, problems) in &pages.broken {
        for problem in problems {
            failed.push_str(&format!("{}:{problem}\n", path.display()));
        }
    }
    let codes = pages.codes.iter().count();
    eprintln!(
        "{} faults, {} recipes, {} notices, {codes} codes",
        pages.faults.len(),
        pages.recipes.len(),
        pages.notices.len()
    );
    assert!(failed.is_empty(), "\n{failed}");
    let known = |id: &str| pages.faults.iter().any(|f| f.id == id || f.matter.aliases.iter().any(|a| a == id));
    let strays: Vec<_> =
        pages.codes.iter().filter_map(|c| Some((c.label(), c.fault()?))).filter(|(_, f)| !known(f)).collect();
    assert!(strays.is_empty(), "codes that name no page: {strays:?}");
}
