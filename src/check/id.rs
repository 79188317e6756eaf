//! A parsed id: its prefix, its date, its number, in all spellings.

use std::ops::Range;

use crate::reports::naming::{self, Naming};

/// A parsed id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Id {
    /// `BUG`, upper case.
    pub(super) prefix: String,
    /// `20251110` or `2025`; empty where there is none.
    pub(super) date: String,
    /// `003`, as written.
    pub(super) number: String,
    /// Its spelling in the project's own scheme, where it has one and the id is of it.
    pub(super) own_spelling: Option<String>,
}

impl Id {
    /// An id of the project's own scheme.
    pub(super) fn of_scheme(naming: &Naming, read: naming::Read) -> Self {
        let own_spelling = naming.spell(&read);
        Self { prefix: read.prefix, date: read.date, number: read.number, own_spelling }
    }

    /// The project's spelling, else the format's: `BUG-20251110-003`.
    pub(super) fn spelled(&self) -> String {
        self.own_spelling.clone().unwrap_or_else(|| self.key())
    }

    /// One spelling for whatever scheme, to compare by.
    pub(super) fn key(&self) -> String {
        let parts = [&self.prefix, &self.date, &self.number].map(String::as_str);
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
    }

    /// Whether both can be the same report: a part that one of them lacks is not compared.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let number = |id: &Self| id.number.parse::<u32>().ok();
        let dates = self.date.is_empty() || other.date.is_empty() || self.date == other.date;
        self.prefix == other.prefix && dates && number(self) == number(other)
    }

    /// Whether nothing of it is missing: it is of the project's scheme, or has a whole day in it, as the format asks.
    pub(super) fn is_whole(&self) -> bool {
        self.own_spelling.is_some() || self.date.len() == 8
    }
}

/// Prefixes that mark an id even without a date.
const SHORT: [&str; 4] = ["BUG", "ISSUE", "INC", "DIAG"];

/// Reads an id at the beginning of `text`; gives its length.
pub(super) fn parse(text: &str) -> Option<(usize, Id)> {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    if !(2..=8).contains(&letters) {
        return None;
    }
    let prefix = text.get(..letters)?.to_ascii_uppercase();
    let (first_at, first) = group(text, letters)?;
    let first_end = first_at + first.len();
    let second = group(text, first_end);
    let ends_here =
        |end: usize| !text.get(end..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
    match second {
        Some((at, number)) if is_date(first) && (1..=4).contains(&number.len()) && ends_here(at + number.len()) => {
            let known = first.len() == 8 || SHORT.contains(&prefix.as_str());
            known.then(|| {
                (
                    at + number.len(),
                    Id { prefix, date: first.to_owned(), number: number.to_owned(), own_spelling: None },
                )
            })
        }
        _ if (1..=5).contains(&first.len()) && SHORT.contains(&prefix.as_str()) && ends_here(first_end) => {
            // "Bug 3 of the list": without a date the number must be joined to the word.
            let joined = !text.get(letters..first_at)?.contains(' ');
            joined
                .then(|| (first_end, Id { prefix, date: String::new(), number: first.to_owned(), own_spelling: None }))
        }
        _ => None,
    }
}

/// Digits after one `-`, `_` or space.
fn group(text: &str, at: usize) -> Option<(usize, &str)> {
    let rest = text.get(at..)?;
    let after = rest.strip_prefix(['-', '_', ' ', '#'])?;
    let length = after.bytes().take_while(u8::is_ascii_digit).count();
    (length > 0).then(|| (at + 1, &after[..length]))
}

fn is_date(digits: &str) -> bool {
    let year =
        digits.get(..4).and_then(|year| year.parse::<u32>().ok()).is_some_and(|year| (2000..2100).contains(&year));
    let part = |range: Range<usize>, most: u32| {
        digits.get(range).and_then(|d| d.parse::<u32>().ok()).is_some_and(|d| (1..=most).contains(&d))
    };
    match digits.len() {
        4 => year,
        8 => year && part(4..6, 12) && part(6..8, 31),
        _ => false,
    }
}
