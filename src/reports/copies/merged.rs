//! A report with what its copies and its duplicates say.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::reports::draft::moment::Moment;
use crate::reports::occurrences::Occurrence;
use crate::reports::reading::comparable;
use crate::reports::record::Record;

/// The groups of some records that know their copies: the living ones, with what they do not say and a copy does.
pub(crate) fn living<T>(all: Vec<T>, record: impl Fn(&mut T) -> &mut Record) -> Vec<T> {
    let mut all = all;
    let mut copies: HashMap<PathBuf, Vec<Record>> = HashMap::new();
    for one in &mut all {
        let record = record(one);
        if let Some(living) = &record.copy_of {
            copies.entry(living.clone()).or_default().push(record.clone());
        }
    }
    for one in &mut all {
        let record = record(one);
        for copy in copies.remove(&record.path).unwrap_or_default() {
            record.copies.push(copy.path.clone());
            add(record, copy);
        }
    }
    all.retain_mut(|one| record(one).copy_of.is_none());
    duplicates(&mut all, &record);
    all
}

/// Counts reports that say to be duplicates of another one as its occurrences.
fn duplicates<T>(all: &mut [T], record: &impl Fn(&mut T) -> &mut Record) {
    let mut found: HashMap<String, Vec<Record>> = HashMap::new();
    for one in all.iter_mut() {
        let record = record(one);
        if let Some(of) = &record.duplicate_of {
            found.entry(comparable(of)).or_default().push(record.clone());
        }
    }
    if found.is_empty() {
        return;
    }
    let mut met: Vec<PathBuf> = Vec::new();
    for one in all.iter_mut() {
        let record = record(one);
        for duplicate in found.remove(&comparable(&record.id)).unwrap_or_default() {
            met.push(duplicate.path.clone());
            add_duplicate(record, duplicate);
        }
    }
    for one in all.iter_mut() {
        let record = record(one);
        if !met.contains(&record.path) {
            record.duplicate_of = None;
        }
    }
}

/// Adds a report that says to be a duplicate.
fn add_duplicate(record: &mut Record, duplicate: Record) {
    let at = duplicate.moment.as_ref().map(Moment::text).unwrap_or_default();
    let own = Occurrence { at, place: duplicate.place, appended: true };
    *record = std::mem::take(record).with_occurrences(duplicate.occurrences, duplicate.returned);
    // Another report is another occurrence, also of one day.
    record.occurrences.push(own);
    record.occurrences.sort_by(|a, b| a.at.cmp(&b.at));
}

/// Takes from a copy what the living report does not say: renderings lose the front matter.
fn add(record: &mut Record, copy: Record) {
    if record.status_word.is_none() && copy.status_word.is_some() {
        (record.status, record.status_word, record.stage) = (copy.status, copy.status_word, copy.stage);
    }
    record.severity = record.severity.or(copy.severity);
    record.moment = record.moment.take().or(copy.moment);
    if record.place.is_empty() {
        record.place.clone_from(&copy.place);
    }
    *record = std::mem::take(record).with_occurrences(copy.occurrences, copy.returned);
}
