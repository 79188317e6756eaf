//! Names learned on the way: a user name from a home folder, a host from an NCCL line. They are removed wherever they
//! occur as whole words, and every host keeps its number.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;

use super::{Cut, begins_word, ends_word, hosts, people};
use crate::wording;

/// What was learned.
#[derive(Debug, Default)]
pub(super) struct Learned {
    users: BTreeSet<String>,
    hosts: BTreeSet<String>,
    numbers: BTreeMap<String, usize>,
    last: usize,
    /// Finds the names; made when it is needed, for as many names as there were then.
    scanner: Option<(usize, AhoCorasick)>,
}

impl Learned {
    /// A login name.
    pub(super) fn user(&mut self, name: &str) {
        if name.len() >= 3 && !people::is_nobody(name) && !is_common(name) {
            self.users.insert(name.to_owned());
        }
    }

    /// A machine's name that is known for sure.
    pub(super) fn known_host(&mut self, name: &str) {
        let names = std::iter::once(name).chain(name.split('.').next());
        for name in names.filter(|name| name.len() >= 4 && hosts::is_somebodys(name)) {
            if !is_common(name) {
                self.hosts.insert(name.to_owned());
            }
        }
    }

    /// A word in the place of a host; whether it is one.
    pub(super) fn host(&mut self, name: &str) -> bool {
        if !hosts::is_somebodys(name) {
            return false;
        }
        // A name without digit, dash or dot could be any word elsewhere.
        let short = name.split('.').next().unwrap_or(name);
        for name in [name, short] {
            let telling = name.bytes().any(|b| b.is_ascii_digit() || b"-.".contains(&b)) && name.len() >= 4;
            if telling && hosts::is_somebodys(name) {
                self.hosts.insert(name.to_owned());
            }
        }
        true
    }

    /// The number that replaces a host.
    pub(super) fn number_of(&mut self, value: &str) -> usize {
        let value = value.to_ascii_lowercase();
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        self.last += 1;
        self.numbers.insert(value, self.last);
        self.last
    }

    /// Numbers that an earlier redaction gave stay free for what they stood for.
    pub(super) fn numbers_in(&mut self, text: &str) {
        for word in ["REDACTED_HOST_", "REDACTED_IP_"] {
            for (at, _) in text.match_indices(word) {
                let rest = text.get(at + word.len()..).unwrap_or_default();
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count().min(6);
                let number = rest.get(..digits).and_then(|digits| digits.parse().ok()).unwrap_or(0);
                // One that this redactor assigned is below the last one already.
                self.last = self.last.max(number);
            }
        }
    }

    /// How many names were learned.
    pub(super) fn names(&self) -> usize {
        self.users.len() + self.hosts.len()
    }

    /// Adds every occurrence of a learned name.
    pub(super) fn find(&mut self, text: &str, cuts: &mut Vec<Cut>) {
        if self.names() == 0 {
            return;
        }
        let names: Vec<&String> = self.users.iter().chain(&self.hosts).collect();
        if self.scanner.as_ref().is_none_or(|(count, _)| *count != names.len()) {
            // With too many for one scanner they are not names.
            self.scanner = AhoCorasick::new(&names).ok().map(|scanner| (names.len(), scanner));
        }
        let Some((_, scanner)) = &self.scanner else { return };
        for found in scanner.find_overlapping_iter(text) {
            let (at, end, place) = (found.start(), found.end(), found.pattern().as_usize());
            if !begins_word(text, at) || !ends_word(text, end) {
                continue;
            }
            if place < self.users.len() {
                let Some(name) = names.get(place) else { continue };
                if is_person(name, text, at, end) {
                    cuts.push(people::person(at..end, "a user name", "user"));
                }
            } else if is_whole(text, at, end) {
                cuts.push(hosts::host(at..end));
            }
        }
    }
}

/// Whether a name is a word of logs as well: taken out only where its place shows what it is.
fn is_common(name: &str) -> bool {
    wording::redaction().common.contains(&name.to_ascii_lowercase().as_str())
}

/// Whether a login name means the person: in prose it may be a word; in a path, before an @ or after "user" it is
/// the person.
fn is_person(name: &str, text: &str, at: usize, end: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let after = text.get(end..).and_then(|after| after.chars().next());
    let in_path = before.ends_with(['/', '\\', '~']) && !after.is_some_and(|c| c.is_alphanumeric());
    let telling = name.bytes().any(|b| b.is_ascii_digit() || b"._-".contains(&b)) || name.len() >= 6;
    in_path || telling || after == Some('@') || is_named_user(before)
}

/// Whether a host's name is not part of a longer one.
fn is_whole(text: &str, at: usize, end: usize) -> bool {
    let glued = text.get(end..).is_some_and(|after| {
        after.starts_with('-')
            || after.strip_prefix('.').is_some_and(|a| a.starts_with(|c: char| c.is_ascii_alphanumeric()))
    });
    !glued && !text.get(..at).is_some_and(|before| before.ends_with(['-', '.']))
}

/// "USER=alice", "user: alice", "login alice".
fn is_named_user(before: &str) -> bool {
    let before = before.trim_end_matches([' ', ':', '=', '"', '\'', '(']);
    let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    matches!(word.as_str(), "user" | "username" | "logname" | "login" | "owner" | "author" | "uid")
}
