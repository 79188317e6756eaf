//! Where ids are mentioned: every place in a text, and the files of a project that are worth looking at.
//!
//! Ignored files, binary files and files over a few megabytes are skipped. An id is a word of its own, in upper or
//! lower case, with `-` and `_` equivalent; one with a full date is also written with spaces ("Bug 20251110 003").

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;
use ignore::WalkBuilder;

use crate::reports::reading::comparable;

/// Larger files are data.
const LARGEST: u64 = 4 << 20;
/// Files looked at.
const MOST_FILES: usize = 50_000;
/// Binary files show it at their beginning.
const HEAD: usize = 1024;

/// Looks for some ids in many texts.
#[derive(Debug)]
pub(crate) struct Finder {
    /// The first words of the ids, in lower case.
    heads: Option<AhoCorasick>,
    ids: Vec<Id>,
    /// Places in `ids` by the first part and the letters and digits that the second one begins with.
    beginnings: HashMap<(String, String), Vec<usize>>,
    /// Those of ids of one part.
    single: HashMap<String, Vec<usize>>,
}

/// An id, parsed.
#[derive(Debug)]
struct Id {
    /// `bug`, `20251110`, `003`.
    parts: Vec<String>,
    /// Whether a file's name may continue after it.
    is_report: bool,
    /// Whether it contains a full date, so that it cannot be mistaken for anything else.
    is_dated: bool,
}

impl Finder {
    /// A finder for these ids, in whatever spelling.
    pub(crate) fn new(ids: &[String]) -> Self {
        let mut ids: Vec<Id> = ids.iter().map(|id| comparable(id)).filter(|id| !id.is_empty()).map(Id::new).collect();
        // The longer one is meant where one begins with another.
        ids.sort_by(|a, b| b.parts.len().cmp(&a.parts.len()).then_with(|| a.parts.cmp(&b.parts)));
        ids.dedup_by(|a, b| a.parts == b.parts);
        let mut heads: Vec<&String> = ids.iter().filter_map(|id| id.parts.first()).collect();
        heads.sort();
        heads.dedup();
        let heads = AhoCorasick::builder().ascii_case_insensitive(true).build(heads).ok();
        let mut beginnings: HashMap<(String, String), Vec<usize>> = HashMap::new();
        let mut single: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, id) in ids.iter().enumerate() {
            match id.parts.as_slice() {
                [first, second, ..] => {
                    let second = word_at(second.as_bytes(), 0).to_ascii_lowercase();
                    beginnings.entry((first.clone(), second)).or_default().push(at);
                }
                [first] => single.entry(first.clone()).or_default().push(at),
                [] => {}
            }
        }
        Self { heads, ids, beginnings, single }
    }

    /// Every occurrence of one of the ids, in the order of the text.
    pub(crate) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut out: Vec<Range<usize>> = Vec::new();
        for head in self.heads.iter().flat_map(|heads| heads.find_overlapping_iter(text)) {
            let bytes = text.as_bytes();
            let first = text.get(head.range()).unwrap_or_default().to_ascii_lowercase();
            let key = (first, word_at(bytes, head.end() + 1).to_ascii_lowercase());
            let longer = self.beginnings.get(&key).into_iter().flatten();
            let candidates = longer.chain(self.single.get(&key.0).into_iter().flatten());
            let found = candidates.filter_map(|at| self.ids.get(*at)).find_map(|id| id.at(bytes, head.start()));
            if let Some(end) = found
                && out.last().is_none_or(|last| last.end <= head.start())
            {
                out.push(head.start()..end);
            }
        }
        out
    }
}

/// The ASCII letters and digits from a place on.
fn word_at(text: &[u8], start: usize) -> String {
    let rest = text.get(start..).unwrap_or_default();
    rest.iter().take_while(|b| b.is_ascii_alphanumeric()).map(|b| char::from(*b)).collect()
}

impl Id {
    fn new(id: String) -> Self {
        let parts: Vec<String> = id.split('-').map(str::to_owned).collect();
        let is_day = |part: &String| part.len() == 8 && part.bytes().all(|b| b.is_ascii_digit());
        let is_report = is_report_id(&id);
        Self { is_dated: is_report && parts.len() == 3 && parts.iter().any(is_day), is_report, parts }
    }

    /// Where the id ends, if it is at `start`.
    fn at(&self, text: &[u8], start: usize) -> Option<usize> {
        let before = start.checked_sub(1).and_then(|at| text.get(at));
        // `2025-11-10_1808_BUG_20251110_003.md`: a day in the id leaves no doubt.
        let joined = |b: &u8| *b == b'-' || (*b == b'_' && !self.is_dated);
        if before.is_some_and(|b| b.is_ascii_alphanumeric() || joined(b)) {
            return None;
        }
        let mut at = start;
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                let separator = text.get(at)?;
                if !(matches!(separator, b'-' | b'_') || (*separator == b' ' && self.is_dated)) {
                    return None;
                }
                at += 1;
            }
            let word = text.get(at..at + part.len())?;
            if !word.eq_ignore_ascii_case(part.as_bytes()) {
                return None;
            }
            at += part.len();
        }
        match text.get(at) {
            Some(b) if b.is_ascii_alphanumeric() => None,
            // A file's name continues after its id: `BUG-20251110-003-out-of-memory.md`.
            Some(b'-' | b'_') if !self.is_report => None,
            _ => Some(at),
        }
    }
}

/// Every occurrence of one of the ids in a text.
pub(crate) fn places(text: &str, ids: &[String]) -> Vec<Range<usize>> {
    Finder::new(ids).places(text)
}

/// Whether a word has the form of a report's id: letters, then groups of digits.
pub(crate) fn is_report_id(word: &str) -> bool {
    let mut parts = word.split(['-', '_']);
    let head = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    (2..=12).contains(&head.len())
        && head.chars().all(|c| c.is_ascii_alphabetic())
        && !rest.is_empty()
        && rest.iter().all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
}

/// The spellings by which a report is mentioned: the word asked for, and those of its names that are ids. A number
/// without its day (`BUG-003`, out of a file's name) is one of many days and is left out where the day is known.
pub(crate) fn spellings<'n>(word: &str, names: impl Iterator<Item = &'n String>) -> Vec<String> {
    let mut ids: Vec<String> = vec![word.to_owned()];
    ids.extend(names.filter(|name| is_report_id(name)).cloned());
    let groups = |id: &String| id.split(['-', '_']).count();
    let most = ids.iter().map(groups).max().unwrap_or(0);
    let kept = ids.iter().skip(1).filter(|id| groups(id) == most).cloned();
    let mut out: Vec<String> = std::iter::once(word.to_owned()).chain(kept).collect();
    out.sort();
    out.dedup();
    out
}

/// Goes through the text files of some folders in the order of their paths, as long as `go_on` says so; gives whether
/// it came to the end.
pub(crate) fn walk(
    folders: &[PathBuf],
    go_on: &mut dyn FnMut(&Path) -> bool,
    each: &mut dyn FnMut(&Path, Vec<u8>),
) -> bool {
    for folder in outermost(folders) {
        let walk = WalkBuilder::new(folder)
            .hidden(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .sort_by_file_path(Path::cmp)
            .build();
        for entry in walk.flatten().take(MOST_FILES) {
            if !go_on(entry.path()) {
                return false;
            }
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let small = entry.metadata().is_ok_and(|about| about.len() <= LARGEST);
            if !is_file || !small {
                continue;
            }
            if let Ok(bytes) = std::fs::read(entry.path())
                && memchr::memchr(0, bytes.get(..bytes.len().min(HEAD)).unwrap_or_default()).is_none()
            {
                each(entry.path(), bytes);
            }
        }
    }
    true
}

/// A folder inside of another is walked with it.
fn outermost(folders: &[PathBuf]) -> Vec<&Path> {
    let inside = |folder: &PathBuf| folders.iter().any(|other| folder != other && folder.starts_with(other));
    let mut out: Vec<&Path> = folders.iter().filter(|folder| !inside(folder)).map(PathBuf::as_path).collect();
    out.sort();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_ids() {
        for word in ["BUG-20251110-003", "bug_001", "BUG-2025-002", "DIAG-20251110-001"] {
            assert!(is_report_id(word), "{word}");
        }
        for word in ["cudnn-no-engine", "BUG", "3-4", "sm-86x", "a-1", "bug--1"] {
            assert!(!is_report_id(word), "{word}");
        }
    }

    #[test]
    fn places_of_ids() {
        let text = "BUG-1-2 bug_1_2 BUG-1-23 xBUG-1-2 (BUG-1-2) docs/BUG-1-2-words.md é BUG-1-2";
        let starts = |text: &str, id: &str| -> Vec<usize> {
            places(text, &[id.to_owned()]).into_iter().map(|range| range.start).collect()
        };
        assert_eq!(starts(text, "BUG-1-2"), [0, 8, 35, 49, 69]);
        assert_eq!(starts("no-device no-device-x a-no-device no_device", "no-device"), [0, 34]);
        let dated = "Bug 20251110 003 x_BUG_20251110_003.md X-BUG-20251110-003 bug 20251110 0033 BUG-20251110-003은";
        assert_eq!(starts(dated, "bug_20251110_003"), [0, 19, 76]);
        assert_eq!(starts("bug 1 2", "BUG-1-2"), [0; 0]);
    }

    #[test]
    fn a_number_without_its_day_is_no_spelling() {
        let names = ["BUG-20251110-003".to_owned(), "BUG-003".to_owned(), "2025-11-10_BUG_003_x".to_owned()];
        assert_eq!(spellings("bug_20251110_003", names.iter()), ["BUG-20251110-003", "bug_20251110_003"]);
        assert_eq!(spellings("BUG-003", names.iter().skip(1)), ["BUG-003"]);
    }
}
