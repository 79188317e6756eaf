//! Which reports are copies of one report: moved, archived, renamed, rendered again; and which of them is the living one.
//!
//! Equal texts are copies whatever they are called. Nearly equal ones are, unless they carry different ids of one form:
//! those are two reports that one template wrote. Two texts with one id need less likeness, because a report grows.

mod merged;
mod sketch;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use jiff::civil::Date;

use super::reading::{self, comparable};
use super::record::{ParsedReport, Record};
use crate::book::report::Report;
use crate::reports::draft::moment::Moment;
use crate::wording;

pub(crate) use merged::living;
use sketch::{Likeness, PROBES};
pub(crate) use sketch::{Sketch, is_of_a_phrase};

/// From this share of common shingles on, two texts are copies.
///
/// Measured on the generated project of tests/it/reports/project.rs, 96 reports in 214 files: texts of one report, rendered
/// again or cut off before they were solved, have 0.41 of their shingles in common and 0.89 of the shorter text's; reports of
/// one failure and one template have at most 0.36 and 0.70.
const NEAR: f64 = 0.7;
/// A text that is so much inside another one is an earlier state of it, where its length says enough.
const INSIDE: f64 = 0.9;
const LONG_ENOUGH: u32 = 60;
/// The same for two texts with one id.
const NEAR_WITH_ONE_ID: f64 = 0.5;
const INSIDE_WITH_ONE_ID: f64 = 0.75;

/// Texts that are kept under one hash: phrases of templates are in all of them.
const UNDER_ONE_HASH: usize = 8;
/// Texts with one id that are compared with each other.
const WITH_ONE_ID: usize = 32;

/// Copies of one report, by their places in what was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// The one that people work with.
    pub living: usize,
    /// The others, in the order given.
    pub copies: Vec<usize>,
}

/// What a report is grouped by.
pub(crate) struct Member<'a> {
    path: PathBuf,
    sketch: &'a Sketch,
    ids: Ids,
    /// The day when it was written.
    day: Option<Date>,
    /// How many of status, date, severity and id it says.
    known: usize,
}

impl<'a> Member<'a> {
    /// That of a report's record and sketch.
    pub(crate) fn of(record: &Record, sketch: &'a Sketch) -> Self {
        let ids = Ids::of(record);
        let known =
            [record.status_word.is_some(), record.moment.is_some(), record.severity.is_some(), !ids.own.is_empty()];
        let known = known.iter().filter(|known| **known).count();
        Self { path: record.path.clone(), sketch, ids, day: record.moment.as_ref().map(Moment::date), known }
    }

    /// How much it is the one that people work with.
    fn life(&self) -> impl Ord {
        let depth = self.path.components().count();
        (
            !is_archived(&self.path),
            !is_named_a_copy(&self.path),
            self.day,
            self.known,
            self.sketch.words(),
            Reverse(depth),
            Reverse(self.path.as_path()),
        )
    }
}

/// Groups reports; one without copies is a group of its own. In the order of the living ones.
pub(crate) fn group(reports: Vec<Member<'_>>) -> Vec<Group> {
    let mut joined = Joined::new(reports);
    joined.equal();
    joined.with_one_id();
    joined.alike();
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for at in 0..joined.members.len() {
        members.entry(joined.head(at)).or_default().push(at);
    }
    let mut groups: Vec<Group> = members
        .into_values()
        .filter_map(|mut members| {
            let living = members.iter().copied().max_by_key(|at| joined.members[*at].life())?;
            members.retain(|at| *at != living);
            Some(Group { living, copies: members })
        })
        .collect();
    groups.sort_unstable_by_key(|group| group.living);
    groups
}

/// The sketch of a report, which also says whose id it has.
pub(crate) fn sketch(report: &Report) -> Sketch {
    Sketch::of(&report.text).with_id(own_id(&report.path, &report.id).as_deref())
}

/// Reports of one folder, each with its copies: for what asks no index.
pub(crate) fn grouped(all: Vec<ParsedReport>) -> Vec<ParsedReport> {
    let mut all = all;
    let sketches: Vec<Sketch> = all.iter().map(|one| Sketch::of(&one.report.text)).collect();
    let members = all.iter().zip(&sketches).map(|(one, sketch)| Member::of(&one.record, sketch)).collect();
    for Group { living, copies } in group(members) {
        let Some(path) = all.get(living).map(|one| one.record.path.clone()) else { continue };
        for copy in copies {
            if let Some(one) = all.get_mut(copy) {
                one.record.copy_of = Some(path.clone());
            }
        }
    }
    living(all, |one| &mut one.record)
}

/// Groups texts, each with the path that it lies at; their records come along.
pub(crate) fn of_texts(texts: &[(&str, &str)]) -> (Vec<Record>, Vec<Group>) {
    let record = |(path, text): &(&str, &str)| Record::of_report(&reading::read(Path::new(path), text), Vec::new());
    let records: Vec<Record> = texts.iter().map(record).collect();
    let sketches: Vec<Sketch> = texts.iter().map(|(_, text)| Sketch::of(text)).collect();
    let groups = group(records.iter().zip(&sketches).map(|(record, sketch)| Member::of(record, sketch)).collect());
    (records, groups)
}

/// Whether a file lies where finished things are put.
pub(crate) fn is_archived(path: &Path) -> bool {
    let words = &wording::headings().archives;
    let folders = path.parent().into_iter().flat_map(Path::components);
    folders
        .map(|part| part.as_os_str().to_string_lossy().to_lowercase())
        .any(|name| name.split(|c: char| !c.is_alphanumeric()).any(|part| words.contains(&part)))
}

/// `report (1).md`, `report copy.md`, `report.old.md`: the name of a copy.
fn is_named_a_copy(path: &Path) -> bool {
    let Some(stem) = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()) else { return false };
    let last = stem.rsplit(|c: char| !c.is_alphanumeric()).find(|part| !part.is_empty()).unwrap_or_default();
    let is_numbered = stem.ends_with(')') && last.len() < 3 && last.bytes().all(|c| c.is_ascii_digit());
    is_numbered || wording::headings().copies.contains(&last)
}

/// The id that somebody gave a report, in comparing form; a file's name is none.
fn own_id(path: &Path, id: &str) -> Option<String> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let is_given = reading::normal_id(id).is_some() || id != stem;
    (is_given && !id.is_empty()).then(|| comparable(id))
}

/// The ids that a group of reports has.
#[derive(Debug, Clone, Default)]
struct Ids {
    own: Vec<String>,
    also: Vec<String>,
}

impl Ids {
    fn of(record: &Record) -> Self {
        let own = own_id(&record.path, &record.id).into_iter().collect();
        let also =
            record.aliases.iter().filter_map(|alias| reading::normal_id(alias)).map(|id| comparable(&id)).collect();
        Self { own, also }
    }

    fn shares_one_with(&self, other: &Self) -> bool {
        self.own.iter().any(|id| other.own.contains(id))
    }

    /// Whether these are certainly two reports: each has an id of the same form, and no id is the other's.
    fn conflicts_with(&self, other: &Self) -> bool {
        let known = |id: &String, others: &Self| others.own.contains(id) || others.also.contains(id);
        let form = |id: &str| id.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect::<String>();
        let one = self.own.iter().any(|id| known(id, other)) || other.own.iter().any(|id| known(id, self));
        !one && self.own.iter().any(|id| other.own.iter().any(|other| form(id) == form(other)))
    }
}

fn extend(known: &mut Vec<String>, more: Vec<String>) {
    for id in more {
        if !known.contains(&id) {
            known.push(id);
        }
    }
}

/// Reports joined to groups.
struct Joined<'a> {
    members: Vec<Member<'a>>,
    /// The next report towards the head of its group.
    next: Vec<usize>,
}

impl<'a> Joined<'a> {
    fn new(members: Vec<Member<'a>>) -> Self {
        Self { next: (0..members.len()).collect(), members }
    }

    fn head(&self, of: usize) -> usize {
        let mut at = of;
        while self.next[at] != at {
            at = self.next[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.head(a), self.head(b));
        if a == b {
            return;
        }
        let (head, other) = (a.min(b), a.max(b));
        self.next[other] = head;
        let more = std::mem::take(&mut self.members[other].ids);
        let known = &mut self.members[head].ids;
        extend(&mut known.own, more.own);
        extend(&mut known.also, more.also);
    }

    /// Joins equal texts.
    fn equal(&mut self) {
        let mut first: HashMap<u64, usize> = HashMap::new();
        for at in 0..self.members.len() {
            let Some(whole) = self.members[at].sketch.whole() else { continue };
            let head = *first.entry(whole).or_insert(at);
            self.join(head, at);
        }
    }

    /// Joins texts that are alike and have one id.
    fn with_one_id(&mut self) {
        let mut called: HashMap<String, Vec<usize>> = HashMap::new();
        for head in self.heads() {
            for id in self.members[head].ids.own.clone() {
                let others = called.entry(id).or_default();
                if others.len() < WITH_ONE_ID {
                    others.push(head);
                }
            }
        }
        let mut called: Vec<Vec<usize>> = called.into_values().filter(|same| same.len() > 1).collect();
        called.sort_unstable();
        for same in called {
            for (index, a) in same.iter().enumerate() {
                for b in same.iter().skip(index + 1) {
                    self.join_if_alike(*a, *b);
                }
            }
        }
    }

    /// Joins other texts that are alike.
    fn alike(&mut self) {
        let mut under: HashMap<u32, Vec<usize>> = HashMap::new();
        for at in self.heads() {
            let sketch = self.members[at].sketch;
            let mut compared: Vec<usize> = Vec::new();
            for hash in sketch.least().iter().take(PROBES) {
                for other in under.get(hash).into_iter().flatten() {
                    if !compared.contains(other) {
                        compared.push(*other);
                    }
                }
            }
            for other in compared {
                self.join_if_alike(other, at);
            }
            for hash in sketch.least().iter().take(PROBES) {
                let others = under.entry(*hash).or_default();
                if others.len() < UNDER_ONE_HASH && !others.iter().any(|other| self.head(*other) == self.head(at)) {
                    others.push(at);
                }
            }
        }
    }

    fn heads(&self) -> Vec<usize> {
        (0..self.next.len()).filter(|at| self.next[*at] == *at).collect()
    }

    fn join_if_alike(&mut self, a: usize, b: usize) {
        let (one, other) = (self.head(a), self.head(b));
        if one == other || self.members[one].ids.conflicts_with(&self.members[other].ids) {
            return;
        }
        let (ours, theirs) = (self.members[a].sketch, self.members[b].sketch);
        let Likeness { jaccard, within } = ours.likeness(theirs);
        let shortest = ours.words().min(theirs.words());
        let (near, inside) = match self.members[one].ids.shares_one_with(&self.members[other].ids) {
            true => (NEAR_WITH_ONE_ID, INSIDE_WITH_ONE_ID),
            false => (NEAR, INSIDE),
        };
        let says_enough = ours.whole().is_some() && theirs.whole().is_some();
        if says_enough && (jaccard >= near || (within >= inside && shortest >= LONG_ENOUGH)) {
            self.join(a, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The groups of some reports: paths of the living ones with those of their copies.
    fn groups(reports: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let read = |(path, text): &(&str, &str)| {
            let report = reading::read(Path::new(path), text);
            (Record::of_report(&report, Vec::new()), Sketch::of(text))
        };
        let read: Vec<(Record, Sketch)> = reports.iter().map(read).collect();
        let members = read.iter().map(|(record, sketch)| Member::of(record, sketch)).collect();
        let path = |at: usize| read[at].0.path.to_string_lossy().into_owned();
        let shown = |group: Group| (path(group.living), group.copies.into_iter().map(path).collect());
        group(members).into_iter().map(shown).collect()
    }

    /// A text of its own for each number.
    fn body(seed: u32) -> String {
        let word = |n: u32| xxhash_rust::xxh3::xxh3_64(&[seed.to_le_bytes(), n.to_le_bytes()].concat()) % 5000;
        (0..120).map(|n| format!("word{} ", word(n))).collect()
    }

    #[test]
    fn moved_and_renamed_reports_are_copies() {
        let text = format!("---\nbug_id: BUG-20251110-001\ndate: 2025-11-10\n---\n# Loss is NaN\n\n{}\n", body(1));
        let bare = format!("# \u{1f41b} Loss is NaN\n\n{}\n", body(1));
        let other = text.replace("BUG-20251110-001", "BUG-20251110-002");
        let found = groups(&[
            ("docs/archive/BUG-20251110-001.md", &text),
            ("docs/bugs/2025/nan.md", &bare),
            ("docs/bugs/BUG-20251110-001.md", &text),
            ("docs/bugs/BUG-20251110-002.md", &other),
            ("docs/bugs/BUG-20251110-001 (1).md", &text),
            ("docs/bugs/other.md", &body(2)),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].0.as_str(), found[0].1.len()), ("docs/bugs/BUG-20251110-001.md", 4));
    }

    #[test]
    fn one_template_is_not_one_report() {
        let text = |id: &str, batch: u32| {
            format!("---\nbug_id: {id}\n---\n# Out of memory\n\n{}\n\nThe batch size was {batch}.\n", body(1))
        };
        let found = groups(&[
            ("a/BUG-20251110-001.md", &text("BUG-20251110-001", 64)),
            ("a/BUG-20251110-002.md", &text("BUG-20251110-002", 128)),
            ("b/BUG-20251110-001.md", &text("BUG-20251110-001", 64)),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].1, ["b/BUG-20251110-001.md"]);
    }

    #[test]
    fn a_number_given_twice_is_two_reports() {
        let text = |seed| format!("---\nbug_id: BUG-20251110-001\n---\n# It fails\n\n{}\n", body(seed));
        assert_eq!(groups(&[("a/x.md", &text(1)), ("a/y.md", &text(2))]).len(), 2);
        let grown = format!("{}\n## Resolution\n\n{}\n", text(1), body(3));
        let found = groups(&[("a/old/x.md", &text(1)), ("a/x.md", &grown)]);
        assert_eq!(found, [("a/x.md".to_owned(), vec!["a/old/x.md".to_owned()])]);
    }

    #[test]
    fn many_reports_of_one_template_are_told_apart() {
        let texts: Vec<(String, String)> = (0..2_000)
            .map(|n| (format!("a/BUG-20251110-{n:05}.md"), format!("{}\n{}", body(0), body(n + 1))))
            .collect();
        let pairs: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        assert_eq!(groups(&pairs).len(), 2_000);
    }
}
