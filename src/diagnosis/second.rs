//! The second reading of a text in which the book found nothing: lines that were wrapped are joined, and what the book
//! knows in another spelling or language gets its own.

use std::borrow::Cow;

use super::Located;
use crate::incident;
use crate::matching;
use crate::text::Edit;

/// Longer texts are files and not copies.
const MOST_BYTES: usize = 1 << 18;

/// The text read again, if that finds a fault of the book, the words of an error across wrapped lines, or a failure in
/// another language.
pub(super) fn reading<'a>(first: &Located<'a>) -> Option<Located<'a>> {
    let (transcript, library) = (first.transcript.as_ref(), first.library);
    if transcript.text().len() > MOST_BYTES {
        return None;
    }
    let is_apart = incident::lines_without_evidence(transcript);
    let mut joins = vec![Vec::new()];
    joins.extend(transcript.unwrapping(|line| is_apart[line]));
    joins.dedup();
    joins.into_iter().find_map(|joins| {
        let changed = !joins.is_empty();
        let text = transcript.edited(&joins);
        let is_apart = incident::lines_without_evidence(&text);
        let is_evidence =
            |edit: &Edit| !(text.line_at(edit.range.start)..=text.line_at(edit.range.end)).any(|line| is_apart[line]);
        let mut repairs = matching::translations(text.text());
        repairs.retain(is_evidence);
        let is_translated = !repairs.is_empty();
        let respelled = matching::repairs(library.book, text.text());
        matching::add(&mut repairs, respelled.into_iter().filter(is_evidence).collect());
        if repairs.is_empty() && !changed {
            return None;
        }
        let mended = text.edited(&repairs);
        let incident = incident::read(&mended);
        let located = Located::read(Cow::Owned(mended), Cow::Owned(incident), library);
        match located.fault() {
            Some(_) => Some(located),
            None => {
                let is_unwrapped = || changed && located.has_entry() && !first.has_entry_on_a_line();
                let counts = is_translated && !changed || is_unwrapped();
                counts.then(|| located.or_last_resort()).filter(|it| it.ordered.primary.is_some())
            }
        }
    })
}
