//! What helped where a problem was told in similar words: advice of other pages and entries, beside the general advice for an
//! error that no page explains.
//!
//! The answer stays "not in the book". Of 172 unseen posts, most of which have a page and get none of it, the first three actions
//! solve 73.8 % without this advice and 78.5 % with it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::alternatives;
use super::answer::Action;
use super::fixes;
use super::page::Explaining;
use super::primary::Candidate;
use super::unlisted::{self, Failing};
use crate::book::Book;
use crate::book::builtin::Builtin;
use crate::book::page::{Cause, FaultPage, Fix};
use crate::descriptions::{self, Compared, Place};
use crate::text::Transcript;

/// Advice that is less near is mostly a coincidence of words. Of 270 pieces that were nearest to unseen posts, one in six helped
/// below this, one in five up to 0.24, and over half above that.
const LEAST: f32 = 0.15;

/// So many are added, and so many looked at, because some do not apply where the run is.
const MOST: usize = 2;
const MOST_TRIED: usize = 8;

/// Bytes of a long text that are compared: above the failing line, and below.
const ABOVE: usize = 2500;
const BELOW: usize = 1500;

/// Adds what helped with similar words, behind at most `own` actions for this very message.
pub(super) fn add(actions: &mut Vec<Action>, own: usize, explaining: &Explaining<'_>, failure: &Candidate) {
    let failing = Failing::of(explaining.transcript, explaining.incident, failure);
    let nearest = explaining.compared(failure).nearest().into_iter();
    let mut found: Vec<Action> = Vec::new();
    // The nearest fixes are often of one page.
    let mut pages: BTreeMap<usize, Vec<Action>> = BTreeMap::new();
    for (place, _) in nearest.take_while(|(_, near)| *near > LEAST).take(MOST_TRIED) {
        let action = match place {
            Place::Fix { page, cause, number } => {
                let actions =
                    |index| pages.entry(index).or_insert_with(|| explaining.page(failure, index).actions).clone();
                of_page(explaining.library.book, (page, cause, number), actions)
            }
            // It is for many faults, and without a page nothing says for which.
            Place::Recipe { .. } => None,
            Place::Entry { entry, action } => of_entry(explaining, failing, (entry, action)),
        };
        // The page has what cannot exist here too, as its last actions; and similar words show no scheduler.
        let is_possible = |one: &Action| {
            let (commands, situation) = (&one.commands, explaining.situation);
            !alternatives::fitting(commands, situation).impossible
                && !alternatives::are_for_open_system(commands, situation)
        };
        let is_new = |one: &Action| actions.iter().chain(&found).all(|other| other.title != one.title);
        found.extend(action.filter(|one| is_possible(one) && is_new(one)));
        if found.len() == MOST {
            break;
        }
    }
    let general = |action: &Action| unlisted::is_general(action) && failing.described.is_none();
    let own = actions.iter().take(own).take_while(|action| !general(action)).count();
    actions.splice(own..own, found);
}

/// How near the fixes of a page are to what a person tells.
#[derive(Default)]
pub(super) struct Near(BTreeMap<(String, String), f32>);

impl Near {
    /// Of the page's own fixes and its recipes.
    pub(super) fn of_page(page: &FaultPage, compared: &Compared) -> Self {
        let near = |cause: &Cause| {
            let ids = fixes::ids(&page.id, cause).into_iter().zip(&cause.fixes).enumerate();
            let of_fix = |(number, (id, fix)): (usize, (String, &Fix))| {
                let place = match &fix.recipe {
                    Some(recipe) => Place::Recipe { id: recipe.as_str() },
                    None => Place::Fix { page: page.id.as_str(), cause: cause.id.as_str(), number },
                };
                ((cause.id.clone(), id), compared.nearness(place))
            };
            ids.map(of_fix).collect::<Vec<_>>()
        };
        Self(page.causes.iter().flat_map(near).collect())
    }

    /// That of a fix of a cause; 0 where nobody tells anything.
    pub(super) fn of(&self, cause: &str, fix: &str) -> f32 {
        self.0.get(&(cause.to_owned(), fix.to_owned())).copied().unwrap_or_default()
    }
}

/// A fix of a page, if it is among the page's `actions` for this text.
fn of_page(
    book: &Book,
    (page, cause, number): (&str, &str, usize),
    actions: impl FnOnce(usize) -> Vec<Action>,
) -> Option<Action> {
    let index = book.find(page)?;
    let cause = book.fault(index).causes.iter().find(|known| known.id == cause)?;
    let id = fixes::ids(page, cause).into_iter().nth(number)?;
    let action = actions(index).into_iter().find(|action| action.id == id)?;
    Some(Action { detail: because(&action.detail, Some(page)), causes: Vec::new(), ..action })
}

/// An action of an entry.
fn of_entry(explaining: &Explaining<'_>, failing: Failing<'_>, (entry, action): (u16, usize)) -> Option<Action> {
    let entry = Builtin::errors().entry(entry);
    let id = unlisted::id(entry.id, action);
    let &Explaining { transcript, incident, situation, .. } = explaining;
    let action =
        unlisted::of_entry(entry, failing, transcript, incident, situation).into_iter().find(|it| it.id == id)?;
    Some(Action { detail: because(&action.detail, entry.fault), of_message: false, ..action })
}

/// Words of an action, with why it is here.
fn because(detail: &str, page: Option<&str>) -> String {
    let of_page = page.map(|page| format!(", on the page `{page}`")).unwrap_or_default();
    format!("Helped where others used similar words{of_page}. {detail}").trim_end().to_owned()
}

/// The text, or a long one around its failure, compared with posts.
pub(super) fn compared(transcript: &Transcript, failing: usize) -> Compared {
    descriptions::compared(&around(transcript, failing))
}

/// The text, or the lines of a long one around its failure.
fn around(transcript: &Transcript, failing: usize) -> Cow<'_, str> {
    if transcript.text().len() <= ABOVE + BELOW {
        return transcript.text().into();
    }
    let line = |index: usize| {
        let text = transcript.line(index).text;
        &text[..text.floor_char_boundary(BELOW)]
    };
    let above = taken((0..failing).rev().map(line), ABOVE);
    let below = taken((failing..transcript.len()).map(line), BELOW);
    above.into_iter().rev().chain(below).flat_map(|line| [line, "\n"]).collect()
}

/// The first lines that are so long together.
fn taken<'t>(lines: impl Iterator<Item = &'t str>, most: usize) -> Vec<&'t str> {
    let mut length = 0;
    let within = |line: &&str| {
        length += line.len();
        length <= most
    };
    lines.take_while(within).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{incident, text};

    #[test]
    fn all_advice_is_in_the_book() {
        let book = Book::new(true);
        let in_page = |page: &str, cause: &str, number: usize| {
            let page = book.fault(book.find(page)?);
            let cause = page.causes.iter().find(|known| known.id == cause)?;
            cause.fixes.get(number).filter(|fix| fix.recipe.is_none())
        };
        let is_known = |place: &Place<&str>| match *place {
            Place::Fix { page, cause, number } => in_page(page, cause, number).is_some(),
            Place::Recipe { id } => book.recipe(id).is_some(),
            Place::Entry { entry, action } => Builtin::errors().entry(entry).action.len() > action,
        };
        let nearest = descriptions::compared("CUDA out of memory, batch size 4").nearest();
        let strays: Vec<_> = nearest.iter().map(|(place, _)| place).filter(|place| !is_known(place)).collect();
        assert!(strays.is_empty() && nearest.len() > 1000, "{strays:?} of {}", nearest.len());
    }

    #[test]
    fn own_words_are_nearest() {
        let book = Book::new(true);
        let page = book.fault(book.find("process-died").expect("a page"));
        let cause = page.causes.iter().find(|cause| cause.id == "hardware-fault").expect("a cause");
        let (number, fix) = cause.fixes.iter().enumerate().find(|(_, fix)| fix.recipe.is_none()).expect("a fix");
        let compared = descriptions::compared(&format!("{}. {}", fix.title, fix.detail));
        let place = Place::Fix { page: "process-died", cause: "hardware-fault", number };
        let near = compared.nearness(place);
        assert!(near > 0.3 && compared.nearest().iter().take(3).any(|(one, _)| *one == place), "{near}");
    }

    #[test]
    fn a_long_text_is_compared_around_its_failure() {
        let log: String = (0..2000).map(|step| format!("step {step} loss 0.1\n")).collect();
        let transcript = text::read(format!("{log}RuntimeError: it broke\n{log}").as_bytes());
        let failing = incident::read(&transcript).errors[0].headline;
        let around = around(&transcript, failing);
        assert!(around.contains("it broke") && around.contains("step 1999") && around.contains("step 5 "), "{around}");
        assert!(around.len() < ABOVE + BELOW + 400, "{}", around.len());
    }
}
