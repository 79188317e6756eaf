//! Package listings of pip and conda: they name versions and are no evidence of anything else.
//!
//! Rows of `pip list` and `conda list` look like prose, so they are read only below their title. Command lines and the
//! resolver's messages are no listings.

use super::super::words::version;

/// The title of a listing.
pub(super) fn is_title(words: &str) -> bool {
    let mut columns = words.trim_start_matches(['#', ' ']).split_whitespace();
    matches!((columns.next(), columns.next()), (Some("Package" | "Name"), Some("Version")))
}

/// A row of a listing: name and version.
pub(super) fn row(words: &str) -> Option<(&str, &str)> {
    let mut columns = words.split_whitespace();
    let (name, found) = (columns.next()?, columns.next()?);
    (is_name(name) && found.starts_with(|c: char| c.is_ascii_digit())).then_some((name, found))
}

/// `torch==2.8.0`, `[pip3] torch==2.8.0`, `[conda] torch 2.8.0 pypi_0 pypi`, `torch @ file:///x/torch-2.8.0`.
pub(super) fn pinned(words: &str) -> Option<(&str, &str)> {
    let words = words.trim_start_matches(['-', '*', ' ']);
    let (words, marked) = match words
        .strip_prefix("[pip3] ")
        .or_else(|| words.strip_prefix("[pip] "))
        .or_else(|| words.strip_prefix("[conda] "))
    {
        Some(rest) => (rest, true),
        None => (words, false),
    };
    if marked && !words.contains("==") {
        return row(words);
    }
    let (name, found) = words.split_once("==")?;
    let found = version(found)?;
    (is_name(name.trim()) && !found.is_empty()).then_some((name.trim(), found))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 60
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}
