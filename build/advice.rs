//! The advice of the book in pieces, each with its words.

use crate::errors::ErrorEntry;
use crate::nearest_advice::Place;

/// A piece of advice with its words.
type Piece = (Place<String>, String);

/// The fixes of a page that are its own. What links to a recipe is for many faults, and no words of the page say which.
pub(crate) fn of_page(page: &str, body: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut cause, mut number, mut is_fix) = ("", 0, false);
    for line in body.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            (cause, number) = (heading.trim(), 0);
        }
        if line.starts_with(['#', '*']) {
            is_fix = line.trim() == "**Fix.**";
        } else if is_fix {
            match after_number(line) {
                Some(words) => {
                    let place = Place::Fix { page: page.to_owned(), cause: cause.to_owned(), number };
                    pieces.push((place, without_remarks(words)));
                    number += 1;
                }
                None => pieces.last_mut().into_iter().for_each(|(_, words)| words.extend(["\n", line.trim()])),
            }
        }
    }
    pieces.retain(|(_, words)| !words.starts_with('['));
    pieces
}

/// The rest of a line that begins with `12. `.
fn after_number(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < line.len()).then(|| rest.strip_prefix(". "))?
}

/// A line without what `<!--` and `-->` enclose.
fn without_remarks(line: &str) -> String {
    let mut parts = line.split("<!--");
    let before = parts.next().unwrap_or_default().to_owned();
    parts.fold(before, |words, part| words + part.split_once("-->").map_or("", |(_, after)| after))
}

/// A recipe, by its title and its text.
pub(crate) fn of_recipe(id: &str, title: &str, body: &str) -> Piece {
    (Place::Recipe { id: id.to_owned() }, format!("{title}\n{body}"))
}

/// The actions of all entries, but for those of a type of exception, which are for whatever message it has.
pub(crate) fn of_entries(entries: &[ErrorEntry<String>]) -> impl Iterator<Item = Piece> {
    let says_more = |(_, entry): &(u16, &ErrorEntry<String>)| !entry.words.is_empty() || entry.described;
    (0..).zip(entries).filter(says_more).flat_map(|(entry, it)| {
        it.action.iter().enumerate().map(move |(action, it)| {
            let words = [&it.title, &it.detail].into_iter().chain(&it.commands).map(String::as_str);
            (Place::Entry { entry, action }, words.collect::<Vec<_>>().join("\n"))
        })
    })
}
