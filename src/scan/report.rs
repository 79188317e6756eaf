//! The result for programs: schema `faultbook/scan/1`, described in `schemas/scan-1.json`.

use std::cmp::Reverse;

use serde::Serialize;

use super::log::Scanned;
use super::tally::{Group, Kind, Occurrence, Place, Tally, Totals};
use crate::book::Book;
use crate::book::schema::SignatureRole;

/// The name and version of the format.
pub(crate) const SCHEMA: &str = "faultbook/scan/1";

/// What `faultbook scan --format json` found in all logs together. With `--format jsonl` each line is one fault of one
/// log, an item of `faults` with the field `schema` before it. Readers ignore fields that they do not know.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Report {
    /// The name and version of the format.
    pub(crate) schema: &'static str,
    /// How many logs were read, members of archives each for itself.
    pub(crate) logs: u64,
    /// Their unpacked bytes.
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    /// Those that are the primary failure of a log come first.
    pub(crate) faults: Vec<FaultReport>,
    /// The logs in which something was found, in the order in which they were read; the first 10,000.
    pub(crate) found_in: Vec<FileReport>,
    /// Occurrences of errors without a page that are not listed, because there are too many different ones.
    pub(crate) unlisted_occurrences: u64,
    /// Lines that were only counted, as what lines like them had turned out to be: a log with very many different lines
    /// that may report something is not read closely around all of them.
    pub(crate) lines_only_counted: u64,
    /// Lines of such a log that may report an error and were not read; any fault not found before is looked for in all
    /// lines.
    pub(crate) lines_not_read: u64,
}

/// One log with faults.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct FileReport {
    /// The file, or the member of an archive; `-` for standard input.
    pub(crate) file: String,
    /// Of the unpacked text.
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    /// The page of its primary failure; `null` where that has no page or the run went on after all of them.
    pub(crate) primary: Option<String>,
    /// The pages of all its faults, sorted.
    pub(crate) faults: Vec<String>,
}

/// One fault, or one error without a page.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct FaultReport {
    /// The id of its page; `null` for an error without one.
    pub(crate) fault: Option<String>,
    /// The title of the page; type and message of an error without one.
    pub(crate) title: String,
    /// Whether the lines report a failure itself (`cause`), one that another caused (`symptom`), or a death (`echo`).
    pub(crate) role: SignatureRole,
    /// Whether an occurrence ends a process or a step.
    pub(crate) fatal: bool,
    /// Whether the run went on after every occurrence that was looked at closely.
    pub(crate) survived: bool,
    /// How many lines report it.
    pub(crate) count: u64,
    /// In how many logs it is.
    pub(crate) logs: u64,
    /// In how many logs it is the primary failure.
    pub(crate) primary_in: u64,
    pub(crate) first: Place,
    pub(crate) last: Place,
    /// Of the processes that reported it, sorted; at most 1,024.
    pub(crate) ranks: Vec<u32>,
    /// The machines, pods, containers, workers or processes that reported it, sorted; at most 1,024.
    pub(crate) nodes: Vec<String>,
    /// The first line that reports it, cleaned and cut at 400 bytes.
    pub(crate) text: String,
}

/// So many logs are listed.
const MOST_FILES: usize = 10_000;

impl Report {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self {
            schema: SCHEMA,
            logs: 0,
            bytes: 0,
            lines: 0,
            faults: Vec::new(),
            found_in: Vec::new(),
            unlisted_occurrences: 0,
            lines_only_counted: 0,
            lines_not_read: 0,
        }
    }

    /// Lists a log in which something was found.
    pub(crate) fn add(&mut self, scanned: &Scanned, book: &Book) {
        if !scanned.tally.is_empty() && self.found_in.len() < MOST_FILES {
            self.found_in.push(FileReport::of(scanned, book));
        }
    }

    /// Fills in what was found in all of them.
    pub(crate) fn conclude(&mut self, totals: Totals, tally: &Tally, book: &Book) {
        let Totals { logs, bytes, lines } = totals;
        (self.logs, self.bytes, self.lines) = (logs, bytes, lines);
        self.faults = FaultReport::all(tally, book);
        self.unlisted_occurrences = tally.crowded;
        (self.lines_only_counted, self.lines_not_read) = (tally.guessed, tally.unread);
    }
}

impl FileReport {
    fn of(scanned: &Scanned, book: &Book) -> Self {
        let id = |kind: &Kind| match kind {
            Kind::Fault(fault) => Some(book.faults[*fault].id.clone()),
            Kind::Unlisted(_) => None,
        };
        let mut faults: Vec<String> = scanned.tally.groups.keys().filter_map(id).collect();
        faults.sort_unstable();
        let Scanned { file, bytes, lines, primary, .. } = scanned;
        Self { file: file.clone(), bytes: *bytes, lines: *lines, primary: primary.as_ref().and_then(id), faults }
    }
}

impl FaultReport {
    /// Everything that was found, what matters most first.
    pub(crate) fn all(tally: &Tally, book: &Book) -> Vec<Self> {
        let mut groups: Vec<(&Kind, &Group)> = tally.groups.iter().collect();
        groups.sort_by_key(|(kind, group)| {
            let importance = (group.primary_in, !group.is_survived, group.role, group.is_fatal, group.count);
            (Reverse(importance), **kind)
        });
        groups.into_iter().map(|(kind, group)| Self::of(*kind, group, book)).collect()
    }

    /// One occurrence, with the number of all so far.
    pub(super) fn of_one(one: &Occurrence, tally: &Tally, book: &Book) -> Option<Self> {
        let report = Self::of(one.kind, tally.groups.get(&one.kind)?, book);
        Some(Self { last: one.place.clone(), text: one.text.clone(), ..report })
    }

    fn of(kind: Kind, group: &Group, book: &Book) -> Self {
        let page = match kind {
            Kind::Fault(fault) => Some(&book.faults[fault]),
            Kind::Unlisted(_) => None,
        };
        let title = page.map(|page| page.matter().title.clone()).or_else(|| group.error.clone());
        Self {
            fault: page.map(|page| page.id.clone()),
            title: title.unwrap_or_else(|| group.text.clone()),
            role: group.role,
            fatal: group.is_fatal,
            survived: group.is_survived,
            count: group.count,
            logs: group.files,
            primary_in: group.primary_in,
            first: group.first.clone(),
            last: group.last.clone(),
            ranks: group.ranks.iter().copied().collect(),
            nodes: group.nodes.iter().cloned().collect(),
            text: group.text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::generate::SchemaSettings;

    /// `UPDATE_EXPECT=1` rewrites the file.
    #[test]
    fn the_published_schema_is_that_of_the_types() {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut schema = settings.into_generator().into_root_schema_for::<Report>().to_value();
        schema["$id"] = SCHEMA.into();
        schema["properties"]["schema"]["const"] = SCHEMA.into();
        let text = format!("{schema:#}\n");
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/scan-1.json");
        expect_test::expect_file![file].assert_eq(&text);
    }
}
