//! What helps where somebody tells of a problem and its kind is not certain: the page that such stories are mostly about.
//!
//! The answer stays "not in the book". But whoever tells that a GPU is full, in words that no wording has, is helped more by
//! what helps then than by general advice.

use super::answer::Action;
use super::primary::Candidate;
use super::unlisted;
use crate::book::Book;
use crate::incident::{Incident, Post};
use crate::text::Transcript;

/// Less probable pages are not named. Of 281 unseen posts, a page is named for 14: the right one for the 8 that a page is about;
/// the others were questions, or problems that no page is about.
const LEAST: f32 = 0.018;

/// Actions of the page that come before the general ones.
pub(super) const MOST: usize = 3;

/// The page that a told problem is most likely about, and how probable that is; `None` where a message or an entry says more.
pub(super) fn page(
    transcript: &Transcript,
    incident: &Incident,
    failure: &Candidate,
    book: &Book,
) -> Option<(usize, f64)> {
    if failure.fault.is_some() || failure.error.is_some() || failure.described().is_some() {
        return None;
    }
    let (page, probability) = Post::of(transcript, incident)?.likeliest_page()?;
    let is_known = || unlisted::has_entry(unlisted::Failing::of(transcript, incident, failure));
    let page = book.find(page).filter(|_| probability > LEAST && !is_known())?;
    Some((page, f64::from(probability)))
}

/// The first actions of that page, which say what they are for.
pub(super) fn actions(of_page: Vec<Action>, page: &str) -> impl Iterator<Item = Action> {
    of_page.into_iter().take(MOST).map(move |action| {
        let detail = match action.detail.as_str() {
            "" => format!("For `{page}`, which fits these words best."),
            detail => format!("For `{page}`, which fits these words best: {detail}"),
        };
        Action { detail, causes: Vec::new(), ..action }
    })
}
