//! The fixes of each cause as proposed to this user.
//!
//! Fixes that are in force, or make no sense on this platform, are left out. Commands are adapted to the command line and
//! to the platform that the text shows; a fix whose commands cannot exist there comes after those that fit. A fix whose
//! title needs a fact that is not known, or names one while its condition does not hold, is left out, and so is a paragraph or a
//! command that needs one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::alternatives::{self, Fitting};
use super::conditions::{Conditions, Provenance};
use super::own_command;
use super::situation::Situation;
use super::weigh::Scene;
use crate::book::page::{Cause, Fix, FixScope, Recipe};
use crate::book::schema::Computed;
use crate::condition::Condition;
use crate::diagnosis::Action;

/// How well an action fits where the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// None of its commands can exist there.
    Impossible,
    /// The writer says that they cannot do it.
    Barred,
    /// The text says that it is so already.
    Moot,
    /// It is for a platform or a circumstance that the text does not show.
    Unproven,
    /// It is for all platforms.
    Anywhere,
    /// It is for the platform that the text shows.
    MadeForPlatform,
    /// It is for a circumstance that the text shows.
    MadeForText,
}

/// The fits of actions, by cause and id: a recipe may be for a circumstance under one cause and for all under another.
pub(super) type Fits = BTreeMap<(String, String), Fit>;

/// The fixes of a cause to propose: in the page's order, which is by cost; those for what the text does not show and those
/// whose commands cannot exist there come last. How well each fits is added to `fits`.
pub(super) fn proposed(
    page: &str,
    cause: &Cause,
    probability: f64,
    scene: &Scene<'_>,
    situation: &Situation,
    fits: &mut Fits,
) -> Vec<Action> {
    let Scene { incident, conditions, .. } = *scene;
    let in_force = |fix: &Fix| fix.in_force.as_ref().is_some_and(|when| conditions.holds(when).is_some());
    let allowed = |fix: &Fix| situation.allows(&fix.scope.only, &fix.scope.not);
    // "Use `/data/train.csv`" is nothing where no such file was found.
    let holds = |fix: &Fix| fix.scope.when.iter().any(|when| conditions.holds(when).is_some());
    let speaks = |fix: &Fix| !fix.title.contains("{{") || fix.scope.when.is_empty() || holds(fix);
    let ids = ids(page, cause);
    let fixes = ids.into_iter().zip(&cause.fixes).filter(|(_, fix)| allowed(fix) && !in_force(fix) && speaks(fix));
    let mut actions: Vec<(Fit, Action)> = fixes
        .filter_map(|(id, fix)| {
            let title = conditions.filled(&fix.title)?;
            let (detail, commands) = computed(fix, conditions).unwrap_or_else(|| as_written(fix, conditions));
            let adapted = fix.recipe.as_deref().and_then(|recipe| own_command::adapted(recipe, &incident.commands));
            let Fitting { blocks, impossible } = match adapted {
                Some(command) => Fitting { blocks: vec![command], impossible: false },
                None => alternatives::fitting(&commands, situation),
            };
            let mut action = Action {
                id,
                title,
                detail,
                commands: blocks,
                trade_offs: fix.trade_offs.clone(),
                cost: fix.cost,
                solved: None,
                causes: vec![cause.id.clone()],
                of_message: false,
            };
            let barred = barred(fix, &action.commands, conditions);
            if let Some(Provenance { line: Some(line), .. }) = barred {
                action.detail = format!("You write that you cannot do this (line {line}). {}", action.detail);
            }
            let fit = match [situation.shows_one_of(&fix.scope.only), shown(&fix.scope, probability, scene)] {
                _ if impossible => Fit::Impossible,
                _ if barred.is_some() => Fit::Barred,
                _ if is_moot(&fix.scope, probability, scene) => Fit::Moot,
                // Of the right circumstance, on a platform that the text does not name.
                [Some(false), Some(true)] => Fit::Anywhere,
                [_, Some(true)] => Fit::MadeForText,
                [Some(false), _] | [_, Some(false)] => Fit::Unproven,
                [Some(true), _] => Fit::MadeForPlatform,
                [None, None] => Fit::Anywhere,
            };
            fits.insert((cause.id.clone(), action.id.clone()), fit);
            Some((fit, action))
        })
        .collect();
    actions.sort_by_key(|(fit, _)| match fit {
        Fit::MadeForText | Fit::MadeForPlatform | Fit::Anywhere => 0,
        Fit::Unproven => 1,
        Fit::Impossible | Fit::Moot | Fit::Barred => 2,
    });
    actions.into_iter().map(|(_, action)| action).collect()
}

/// Words and commands as the page and the recipe have them, without the parts for which a fact is missing.
fn as_written(fix: &Fix, conditions: &Conditions) -> (String, Vec<String>) {
    let detail: Vec<String> = fix.detail.split("\n\n").filter_map(|part| conditions.filled(part)).collect();
    (detail.join("\n\n"), fix.commands.iter().filter_map(|block| conditions.filled(block)).collect())
}

/// Words and commands that are computed from facts; `None` where there are none or a fact is missing.
fn computed(fix: &Fix, conditions: &Conditions) -> Option<(String, Vec<String>)> {
    let Computed { first, commands, none } = fix.computed.as_ref()?;
    if fix.scope.version.is_some() {
        // A release within the bound, or none.
        let command = conditions.filled("{{ wheel.bounded }}");
        return Some((fix.own_words.clone(), command.into_iter().collect()));
    }
    if let Some(why) = conditions.filled(none).filter(|why| !why.is_empty()) {
        return Some((why, Vec::new()));
    }
    let (first, commands) = (conditions.filled(first)?, conditions.filled(commands)?);
    let (detail, blocks) = as_written(fix, conditions);
    let words = if first.is_empty() || commands.is_empty() { detail } else { conditions.filled(&fix.own_words)? };
    // A page's own words may continue the title: "if a ROCm build is installed".
    let mut letters = words.chars();
    let capital = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let words = if first.is_empty() { words } else { capital + letters.as_str() };
    let words: Vec<&str> = [first.as_str(), words.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
    Some((words.join("\n\n"), if commands.is_empty() { blocks } else { vec![commands] }))
}

/// Where the writer says that they cannot do it: by the recipe's own condition, or because all of its commands need the
/// rights of an administrator.
fn barred(fix: &Fix, commands: &[String], conditions: &Conditions) -> Option<Provenance> {
    let needs_root = !commands.is_empty() && commands.iter().all(|block| block.contains("sudo "));
    let no_root = || conditions.holds(&NO_ROOT).filter(|_| needs_root);
    fix.scope.barred.as_ref().and_then(|when| conditions.holds(when)).or_else(no_root)
}

/// The writer has no rights of an administrator.
static NO_ROOT: LazyLock<Condition> = LazyLock::new(|| Condition::new("writer.no_root"));

/// The fixes of a less likely cause come late in any case, so that the text is not searched for them.
const UNLIKELY: f64 = 0.03;

/// Whether the text says that a fix is in effect, or cannot be.
fn is_moot(scope: &FixScope, probability: f64, scene: &Scene<'_>) -> bool {
    probability >= UNLIKELY && scope.moot.iter().any(|pattern| scene.shows(pattern))
}

/// Whether the text or the facts show what a fix is for; `None` where it is for all.
fn shown(scope: &FixScope, probability: f64, scene: &Scene<'_>) -> Option<bool> {
    if scope.when.is_empty() && scope.text.is_empty() {
        return None;
    }
    if probability < UNLIKELY {
        return Some(false);
    }
    let holds = scope.when.iter().any(|when| scene.conditions.holds(when).is_some());
    Some(holds || scope.text.iter().any(|pattern| scene.shows(pattern)))
}

/// A recipe as an action against a cause, for a platform where nothing else helps before it.
pub(super) fn first(recipe: Recipe, cause: &str, situation: &Situation) -> Action {
    Action {
        id: recipe.id,
        title: recipe.title,
        detail: recipe.detail,
        commands: alternatives::fitting(&recipe.commands, situation).blocks,
        trade_offs: recipe.trade_offs,
        cost: Some(recipe.cost),
        solved: None,
        causes: vec![cause.to_owned()],
        of_message: false,
    }
}

/// The ids of a cause's fixes: the recipe's, or page, cause and the first words of the title, so that a fix keeps its id
/// when others are added before it.
pub(super) fn ids(page: &str, cause: &Cause) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for fix in &cause.fixes {
        let id = match &fix.recipe {
            Some(recipe) => recipe.clone(),
            None => {
                let id = format!("{page}#{}#{}", cause.id, slug(&fix.title));
                let same = ids.iter().filter(|other| other.trim_end_matches(|c| c == '-' || char::is_numeric(c)) == id);
                match same.count() {
                    0 => id,
                    count => format!("{id}-{}", count + 1),
                }
            }
        };
        ids.push(id);
    }
    ids
}

/// A title's first clause as part of an id: at most six words in lower case.
fn slug(title: &str) -> String {
    let clause = title.split(['.', ',', ':']).find(|clause| !clause.trim().is_empty()).unwrap_or_default();
    let words = clause.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.take(6).map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::book::page::FaultPage;
    use crate::book::page_reader::{PageLocation, read_fault};
    use crate::diagnosis::searched::Searched;
    use crate::{incident, text};

    #[test]
    fn ids_are_made_of_the_first_words() {
        for (title, expected) in [
            ("Set `max_split_size_mb` where expandable segments are off", "set-max-split-size-mb-where"),
            ("Upgrade, then reboot", "upgrade"),
            ("Run it: now", "run-it"),
            ("PyTorch 2.8 and later", "pytorch-2"),
        ] {
            assert_eq!(slug(title), expected);
        }
    }

    const PAGE: &str = r#"---
title: The frobnicator ran dry
severity: high
signatures:
  - contains: "frobnicator ran dry"
causes:
  - id: library-bug
    title: The library forgets to refill
    prior: common
references:
  - https://example.org/a
reviewed: 2026-11-21
---
# The frobnicator ran dry

## Meaning
It was turning.

## Example
```text
RuntimeError: frobnicator ran dry
```

## Causes

### library-bug
It counts wrongly.

**Check:** Look at the tank.

**Fixes:**
1. Refill it. (code)
2. Hold the lever. (code) <!-- only: windows --> <!-- text: (?i)lever -->
3. Turn the wheel. (code) <!-- only: windows -->
4. Oil it. (code) <!-- text: (?i)squeak -->
5. Use two tanks. (code) <!-- moot: (?i)second tank -->
6. Pump
   ```sh
   sudo pump
   ```
"#;

    /// The fixes of the test page in the order proposed, each with how well it fits.
    fn fitting(text: &str) -> Vec<(String, Fit)> {
        let place = PageLocation { id: "frobnicator-dry", area: "frob", path: "frobnicator-dry.md" };
        let page = read_fault(place, PAGE, &|_| None).expect("a page");
        let transcript = text::read(text.as_bytes());
        let incident = incident::read(&transcript);
        let last = transcript.len() - 1;
        let situation = Situation::of(&transcript, &incident, &(last..last + 1), &incident.facts);
        let scene = Scene {
            transcript: &transcript,
            incident: &incident,
            error: incident.errors.last(),
            line: last,
            searched: Searched::new(&transcript, &incident, last),
            conditions: &Conditions::new(&incident.facts),
            special: None,
            told: None,
        };
        let mut fits = Fits::new();
        let actions = proposed(&page.id, &page.causes[0], 1.0, &scene, &situation, &mut fits);
        let fit = |action: Action| {
            let fit = fits[&("library-bug".to_owned(), action.id)];
            (action.title, fit)
        };
        actions.into_iter().map(fit).collect()
    }

    #[test]
    fn what_the_text_shows_decides_how_well_a_fix_fits() {
        let fits = |text: &str| fitting(&format!("{text}\nRuntimeError: frobnicator ran dry\n"));
        let of =
            |text: &str, title: &str| fits(text).into_iter().find(|(one, _)| one.starts_with(title)).map(|it| it.1);
        let windows = "Microsoft Windows 11 Pro";
        assert_eq!(of("", "Refill"), Some(Fit::Anywhere));
        assert_eq!(of("", "Turn"), Some(Fit::Unproven));
        assert_eq!(of(windows, "Turn"), Some(Fit::MadeForPlatform));
        assert_eq!(of("", "Oil"), Some(Fit::Unproven));
        assert_eq!(of("the pump squeaks", "Oil"), Some(Fit::MadeForText));
        // Of the right circumstance, on a platform that nothing names; or on the right platform.
        assert_eq!(of("I pull the lever", "Hold"), Some(Fit::Anywhere));
        assert_eq!(of(&format!("{windows}, I pull the lever"), "Hold"), Some(Fit::MadeForText));
        assert_eq!(of("Linux 6.8.0-40-generic x86_64, I pull the lever", "Hold"), None);
        assert_eq!(of("there is a second tank already", "Use"), Some(Fit::Moot));
        assert_eq!(fits("there is a second tank already").pop().map(|it| it.1), Some(Fit::Moot), "it comes last");
    }

    #[test]
    fn what_needs_an_administrator_comes_late_for_whoever_is_none() {
        let of = |text: &str| {
            let all = fitting(&format!("{text}\nRuntimeError: frobnicator ran dry\n"));
            all.into_iter().find(|(title, _)| title.starts_with("Pump")).map(|it| it.1)
        };
        assert_eq!(of(""), Some(Fit::Anywhere));
        assert_eq!(of("It is a shared server, I have no sudo rights."), Some(Fit::Barred));
    }

    #[test]
    fn the_line_of_their_own_that_failed_shows_what_they_do() {
        let traceback = |file: &str, code: &str| {
            format!(
                "Traceback (most recent call last):\n  File \"{file}\", line 3, in run\n    {code}\nRuntimeError: frobnicator ran dry\n"
            )
        };
        let oil = |text: &str| fitting(text).into_iter().find(|(one, _)| one.starts_with("Oil")).map(|it| it.1);
        assert_eq!(oil(&traceback("/home/u/train.py", "squeak(model)")), Some(Fit::MadeForText));
        let library = "/usr/lib/python3/dist-packages/site-packages/torch/nn.py";
        assert_eq!(oil(&traceback(library, "squeak(model)")), Some(Fit::Unproven));
    }

    /// A case whose action has another name now counts as one that nothing in the book solved.
    #[test]
    fn what_solved_a_case_is_an_action() {
        let book = crate::book::Book::new(true);
        let pages: BTreeMap<&str, &FaultPage> =
            book.faults.iter().enumerate().map(|(index, entry)| (entry.id.as_str(), book.fault(index))).collect();
        let actions: BTreeSet<String> =
            pages.iter().flat_map(|(id, page)| page.causes.iter().flat_map(|cause| ids(id, cause))).collect();
        let (mut named, mut unknown) = (0, BTreeSet::new());
        for solved in pages.keys().flat_map(|fault| book.cases(fault)).flat_map(|case| case.solved) {
            named += 1;
            if !actions.contains(&*solved) && book.recipe(&solved).is_none() {
                unknown.insert(solved.to_string());
            }
        }
        assert_eq!(unknown, BTreeSet::new());
        assert!(named > 800, "only {named}");
    }
}
