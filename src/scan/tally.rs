//! What was found, counted: each fault once, with how often, where first and last, on which ranks and machines.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use crate::book::schema::SignatureRole;

/// What occurrences are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A fault page, by its index in the book.
    Fault(usize),
    /// An error without a page, by what its type and message have in common with its repetitions.
    Unlisted(u64),
}

/// Where something was reported.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Place {
    /// The file, or the member of an archive; `-` for standard input.
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: u64,
    /// Where the line begins, in bytes of the unpacked text; of a text in UTF-16, of the same text in UTF-8.
    pub(crate) byte: u64,
    /// The line's time stamp where it has a date, as it is written there, without a zone.
    pub(crate) time: Option<String>,
    /// Of the process that wrote the line.
    pub(crate) rank: Option<u32>,
    /// The machine, pod, container, worker or process that wrote it.
    pub(crate) node: Option<String>,
}

/// One occurrence.
#[derive(Debug, Clone)]
pub(super) struct Occurrence {
    pub(super) kind: Kind,
    pub(super) place: Place,
    /// Behind the last byte of the line.
    pub(super) end: u64,
    /// The cleaned line.
    pub(super) text: String,
    /// Type and message of an error without a page.
    pub(super) error: Option<String>,
    pub(super) role: SignatureRole,
    pub(super) is_fatal: bool,
    pub(super) is_survived: bool,
    pub(super) is_primary: bool,
}

/// All occurrences of one kind.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(super) count: u64,
    pub(super) files: u64,
    pub(super) primary_in: u64,
    pub(super) first: Place,
    pub(super) last: Place,
    pub(super) ranks: BTreeSet<u32>,
    pub(super) nodes: BTreeSet<String>,
    pub(super) text: String,
    pub(super) error: Option<String>,
    pub(super) role: SignatureRole,
    pub(super) is_fatal: bool,
    pub(super) is_survived: bool,
}

/// Groups by kind; bounded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    pub(super) groups: HashMap<Kind, Group>,
    /// Occurrences of errors without a page for which there was no room.
    pub(super) crowded: u64,
    /// Beyond what is read closely of one log: marked lines that were counted as what lines like them were, and those of
    /// which nothing more is known.
    pub(super) guessed: u64,
    pub(super) unread: u64,
}

/// What was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) logs: u64,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
}

/// So many different errors without a page are kept.
const MOST_UNLISTED: usize = 1000;
/// So many ranks, and machines, of one fault are kept.
const MOST_NAMES: usize = 1024;

impl Tally {
    /// Counts an occurrence that was read; whether it is the first on its rank.
    pub(super) fn add(&mut self, one: &Occurrence) -> bool {
        if let Some(group) = self.groups.get_mut(&one.kind) {
            group.is_fatal |= one.is_fatal;
            group.is_survived &= one.is_survived;
            group.role = group.role.max(one.role);
            return group.repeat(&one.place);
        }
        if self.groups.len() >= MOST_UNLISTED && matches!(one.kind, Kind::Unlisted(_)) {
            self.crowded += 1;
            return false;
        }
        let group = Group {
            count: 1,
            files: 1,
            primary_in: 0,
            first: one.place.clone(),
            last: one.place.clone(),
            ranks: one.place.rank.into_iter().collect(),
            nodes: one.place.node.clone().into_iter().collect(),
            text: one.text.clone(),
            error: one.error.clone(),
            role: one.role,
            is_fatal: one.is_fatal,
            is_survived: one.is_survived,
        };
        self.groups.insert(one.kind, group);
        true
    }

    /// Counts a repetition of something known; whether it is the first on its rank.
    pub(super) fn repeat(&mut self, kind: Kind, place: &Place) -> bool {
        self.groups.get_mut(&kind).is_some_and(|group| group.repeat(place))
    }

    /// A repetition as an occurrence.
    pub(super) fn again(&self, kind: Kind, place: Place, line: &str) -> Option<Occurrence> {
        let group = self.groups.get(&kind)?;
        let end = place.byte + line.len() as u64;
        let (role, error) = (group.role, group.error.clone());
        let (is_fatal, is_survived) = (group.is_fatal, group.is_survived);
        Some(Occurrence {
            kind,
            place,
            end,
            text: group.text.clone(),
            error,
            role,
            is_fatal,
            is_survived,
            is_primary: false,
        })
    }

    /// Adds the groups of another log.
    pub(crate) fn merge(&mut self, other: Tally) {
        self.crowded += other.crowded;
        self.guessed += other.guessed;
        self.unread += other.unread;
        // Where there is no room for all, the first ones stay.
        let mut groups: Vec<(Kind, Group)> = other.groups.into_iter().collect();
        groups.sort_by_key(|(kind, group)| (group.first.byte, *kind));
        for (kind, group) in groups {
            let is_full = self.groups.len() >= MOST_UNLISTED && matches!(kind, Kind::Unlisted(_));
            match self.groups.get_mut(&kind) {
                Some(known) => known.merge(group),
                None if is_full => self.crowded += group.count,
                None => drop(self.groups.insert(kind, group)),
            }
        }
    }

    /// How many lines were only counted, and how many not read, of logs with too many different ones.
    pub(crate) fn beyond_budget(&self) -> (u64, u64) {
        (self.guessed, self.unread)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether any of it has a page.
    pub(crate) fn has_faults(&self) -> bool {
        self.groups.keys().any(|kind| matches!(kind, Kind::Fault(_)))
    }
}

impl Group {
    fn repeat(&mut self, place: &Place) -> bool {
        // A very long line comes in pieces, and one that was read without its end comes again.
        if place.line != self.last.line {
            self.count += 1;
            self.last.clone_from(place);
        }
        let mut is_new = false;
        if let Some(rank) = place.rank
            && self.ranks.len() < MOST_NAMES
        {
            is_new |= self.ranks.insert(rank);
        }
        if let Some(node) = &place.node
            && self.nodes.len() < MOST_NAMES
            && !self.nodes.contains(node)
        {
            is_new |= self.nodes.insert(node.clone());
        }
        is_new
    }

    fn merge(&mut self, other: Group) {
        self.count += other.count;
        self.files += other.files;
        self.primary_in += other.primary_in;
        self.last = other.last;
        fill(&mut self.ranks, other.ranks);
        fill(&mut self.nodes, other.nodes);
        self.is_fatal |= other.is_fatal;
        self.is_survived &= other.is_survived;
        self.role = self.role.max(other.role);
    }
}

/// Adds names as long as there is room.
fn fill<T: Ord>(names: &mut BTreeSet<T>, more: BTreeSet<T>) {
    for name in more {
        if names.len() >= MOST_NAMES {
            return;
        }
        names.insert(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occurrence(kind: Kind, byte: u64) -> Occurrence {
        let place = Place { file: "a.log".to_owned(), line: byte, byte, time: None, rank: None, node: None };
        let (text, role) = (String::new(), SignatureRole::Cause);
        Occurrence {
            kind,
            place,
            end: byte + 1,
            text,
            error: None,
            role,
            is_fatal: true,
            is_survived: false,
            is_primary: false,
        }
    }

    #[test]
    fn what_there_is_room_for_is_the_same_each_time() {
        let of = |from: u64| {
            let mut tally = Tally::default();
            for n in from..from + 700 {
                tally.add(&occurrence(Kind::Unlisted(n.wrapping_mul(0x9E37_79B9)), n));
            }
            tally
        };
        let kinds = || {
            let mut all = Tally::default();
            all.merge(of(0));
            all.merge(of(10_000));
            let kinds: BTreeSet<Kind> = all.groups.keys().copied().collect();
            (kinds, all.crowded)
        };
        let first = kinds();
        assert_eq!((first.0.len(), first.1), (MOST_UNLISTED, 400));
        assert!((0..5).all(|_| kinds() == first));
    }

    #[test]
    fn a_line_counts_once() {
        let mut tally = Tally::default();
        for (byte, line) in [(0, 1), (5, 1), (9, 2), (12, 2)] {
            let mut one = occurrence(Kind::Fault(1), byte);
            one.place.line = line;
            tally.add(&one);
        }
        let group = &tally.groups[&Kind::Fault(1)];
        assert_eq!((group.count, group.last.byte), (2, 9));
    }

    #[test]
    fn known_names_take_no_room() {
        let mut names: BTreeSet<u32> = (0..1000).collect();
        fill(&mut names, (0..2000).collect());
        assert!(names.into_iter().eq(0..1024));
    }
}
