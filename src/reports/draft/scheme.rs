//! How a project names its reports: patterns for ids and for files.

use super::error::Error;
use super::moment::Moment;
use crate::reports::naming::{self, Part};

pub(crate) use crate::reports::naming::{FILE_NAME, ID};

/// How the ids and files of a project's reports are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scheme {
    id: Vec<Part>,
    file_name: Vec<Part>,
}

/// A new report's circumstances.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Naming<'a> {
    /// `BUG`, `DIAG`.
    pub kind: &'a str,
    /// When.
    pub moment: &'a Moment,
    /// The title's words in a file name.
    pub slug: &'a str,
}

impl Scheme {
    /// Reads both patterns.
    ///
    /// # Errors
    /// When a part is unknown, or without a number two reports would get the same name.
    pub(crate) fn new(id: &str, file_name: &str) -> Result<Self, Error> {
        let (id, file_name) = naming::patterns(id, file_name)
            .map_err(|error| Error::Pattern { pattern: error.pattern, why: error.why })?;
        Ok(Self { id, file_name })
    }

    /// The id with that number.
    pub(crate) fn id(&self, naming: &Naming<'_>, number: u32) -> String {
        self.id.iter().map(|part| spelled(part, naming, number, "")).collect()
    }

    /// The file name of the report with that number, folders included.
    pub(crate) fn file_name(&self, naming: &Naming<'_>, number: u32) -> String {
        let id = self.id(naming, number);
        self.file_name.iter().map(|part| spelled(part, naming, number, &id)).collect()
    }

    /// What ids of that day look like; the number is the first group.
    pub(super) fn id_shape(&self, naming: &Naming<'_>) -> String {
        // `BUG-20251110-003` is also written `bug_20251110_003` and `Bug 20251110 003`.
        let joint = |part: &Part| match part {
            Part::Words(words) => words
                .chars()
                .map(|c| if "-_ #".contains(c) { "[-_ #]".to_owned() } else { regex::escape(&c.to_string()) })
                .collect(),
            other => shape(other, naming),
        };
        self.id.iter().map(joint).collect()
    }

    /// What file names of that day look like; the number is the first group.
    pub(super) fn file_shape(&self, naming: &Naming<'_>) -> String {
        let of = |part: &Part| if *part == Part::Id { self.id_shape(naming) } else { shape(part, naming) };
        self.file_name.iter().map(of).collect()
    }
}

impl Default for Scheme {
    fn default() -> Self {
        Self {
            id: vec![
                Part::Kind,
                Part::Words("-".to_owned()),
                Part::Compact,
                Part::Words("-".to_owned()),
                Part::Number(3),
            ],
            file_name: vec![Part::Id, Part::Words("-".to_owned()), Part::Slug, Part::Words(".md".to_owned())],
        }
    }
}

/// A part of a pattern for one report.
fn spelled(part: &Part, naming: &Naming<'_>, number: u32, id: &str) -> String {
    let moment = naming.moment;
    match part {
        Part::Words(words) => words.clone(),
        Part::Date => moment.day(),
        Part::Time => moment.clock(),
        Part::Year => moment.day().chars().take(4).collect(),
        Part::Month => moment.day().chars().skip(5).take(2).collect(),
        Part::Day => moment.day().chars().skip(8).collect(),
        Part::Compact => moment.compact(),
        Part::Kind => naming.kind.to_owned(),
        Part::Number(width) => format!("{number:0width$}"),
        Part::Id => id.to_owned(),
        Part::Slug => naming.slug.to_owned(),
    }
}

/// A pattern for what a part can be on that day.
fn shape(part: &Part, naming: &Naming<'_>) -> String {
    match part {
        Part::Number(_) => "([0-9]+)".to_owned(),
        Part::Time => "[0-9]{4}".to_owned(),
        Part::Slug => "[^/]*".to_owned(),
        other => regex::escape(&spelled(other, naming, 0, "")),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::hint::Hint as _;

    #[test]
    fn patterns_of_both_kinds() {
        let moment = Moment::parse("2025-11-10 18:08").unwrap();
        let naming = Naming { kind: "BUG", moment: &moment, slug: "cudnn-dies" };
        for (id, file, wanted_id, wanted_file) in [
            (ID, FILE_NAME, "BUG-20251110-007", "BUG-20251110-007-cudnn-dies.md"),
            (
                "BUG-{yyyymmdd}-{nnn}",
                "{date}_{time}_BUG_{nnn}_{slug}.md",
                "BUG-20251110-007",
                "2025-11-10_1808_BUG_007_cudnn-dies.md",
            ),
            ("BUG-{yyyy}-{nnnn}", "{yyyy}/{mm}/{id}.md", "BUG-2025-0007", "2025/11/BUG-2025-0007.md"),
            ("bug_{nnn}", "bug_{nnn}.md", "bug_007", "bug_007.md"),
        ] {
            let scheme = Scheme::new(id, file).unwrap();
            assert_eq!(scheme.id(&naming, 7), wanted_id);
            assert_eq!(scheme.file_name(&naming, 7), wanted_file);
        }
        assert_eq!(Scheme::new(ID, FILE_NAME).unwrap(), Scheme::default());
        for (id, file) in [
            ("BUG-{yyyymmdd}", FILE_NAME),
            ("BUG-{nnn}-{nnn}", FILE_NAME),
            ("BUG-{slug}-{nnn}", FILE_NAME),
            (ID, "{slug}.md"),
            (ID, "../{id}.md"),
            (ID, "{id}.txt"),
            ("BUG-{nope}-{nnn}", FILE_NAME),
            ("BUG-{nnn", FILE_NAME),
        ] {
            let error = Scheme::new(id, file).unwrap_err();
            assert!(error.hint().is_some(), "{id} {file}");
        }
    }
}
