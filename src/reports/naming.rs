//! How a project names its reports: the patterns of ids and file names in faultbook.toml, parsed, and matched against
//! ids and files that are there.
//!
//! `{yyyymmdd}` and `{id}` are the id's own day; `{date}` and `{time}` in a file's name are when it was written, which
//! need not be the same day.

use regex::Regex;

use crate::render::clean;

/// How ids look by default.
pub(crate) const ID: &str = "{kind}-{yyyymmdd}-{nnn}";
/// The default file name.
pub(crate) const FILE_NAME: &str = "{id}-{slug}.md";

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Literal text.
    Words(String),
    /// `2025-11-10`, when the file is written.
    Date,
    /// `1808`.
    Time,
    /// `2025`.
    Year,
    /// `11`.
    Month,
    /// `10`.
    Day,
    /// `20251110`.
    Compact,
    /// `BUG`, `DIAG`.
    Kind,
    /// The number, with its least width.
    Number(usize),
    /// The whole id, in a file's name.
    Id,
    /// The title's words, in a file's name.
    Slug,
}

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern `{pattern}` {why}")]
pub struct BadPattern {
    /// As written.
    pub pattern: String,
    /// What is wrong with it.
    pub why: String,
}

/// Takes the patterns of ids and of file names apart.
///
/// # Errors
/// When a part is unknown, or without a number two reports would get the same name.
pub(crate) fn patterns(id: &str, file_name: &str) -> Result<(Vec<Part>, Vec<Part>), BadPattern> {
    let (parts_of_id, parts_of_file) = (parts(id)?, parts(file_name)?);
    let wrong = |pattern: &str, why: &str| BadPattern { pattern: pattern.to_owned(), why: why.to_owned() };
    let numbers = |parts: &[Part]| parts.iter().filter(|part| matches!(part, Part::Number(_))).count();
    if numbers(&parts_of_id) != 1 {
        return Err(wrong(id, "needs one number, such as {nnn}"));
    }
    if parts_of_id.iter().any(|part| matches!(part, Part::Id | Part::Slug | Part::Time)) {
        return Err(wrong(id, "is an id, which cannot contain {id}, {slug} or a time"));
    }
    if numbers(&parts_of_file) == 0 && !parts_of_file.contains(&Part::Id) {
        return Err(wrong(file_name, "needs {id} or a number, such as {nnn}"));
    }
    let climbs = file_name.split(['/', '\\']).any(|part| part == "..") || file_name.starts_with(['/', '\\']);
    if climbs || !file_name.ends_with(".md") {
        return Err(wrong(file_name, "must end in .md and stay inside the folder"));
    }
    Ok((parts_of_id, parts_of_file))
}

fn parts(pattern: &str) -> Result<Vec<Part>, BadPattern> {
    let wrong = |why: String| BadPattern { pattern: pattern.to_owned(), why };
    if pattern.chars().any(clean::is_hostile) {
        return Err(wrong("contains an invisible character".to_owned()));
    }
    let mut out = Vec::new();
    let mut rest = pattern;
    while let Some((words, after)) = rest.split_once('{') {
        if !words.is_empty() {
            out.push(Part::Words(words.to_owned()));
        }
        let (name, after) = after.split_once('}').ok_or_else(|| wrong("has a brace that is not closed".to_owned()))?;
        out.push(match name {
            "date" => Part::Date,
            "time" | "hhmm" => Part::Time,
            "yyyy" => Part::Year,
            "mm" => Part::Month,
            "dd" => Part::Day,
            "yyyymmdd" => Part::Compact,
            "kind" => Part::Kind,
            "id" => Part::Id,
            "slug" => Part::Slug,
            n if !n.is_empty() && n.len() <= 9 && n.bytes().all(|b| b == b'n') => Part::Number(n.len()),
            other => return Err(wrong(format!("has an unknown part {{{other}}}"))),
        });
        rest = after;
    }
    if !rest.is_empty() {
        out.push(Part::Words(rest.to_owned()));
    }
    Ok(out)
}

/// The patterns that a project has chosen, for reading ids and file names back.
#[derive(Debug, Clone)]
pub struct Naming {
    /// The pattern of ids, as written.
    pub id: String,
    /// The pattern of file names, as written; `None` where the project chose none.
    pub file_name: Option<String>,
    parts: Vec<Part>,
    shape: Regex,
    file: Option<Regex>,
    /// Folders in the pattern of file names.
    depth: usize,
}

/// An id read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// How many bytes it takes.
    pub length: usize,
    /// `BUG`, upper case.
    pub prefix: String,
    /// `20251110`, `2025`; empty where the pattern has none.
    pub date: String,
    /// `003`, as written.
    pub number: String,
}

impl Naming {
    /// The patterns of a project that chose any; `None` for one that did not.
    ///
    /// # Errors
    /// When one cannot be used.
    pub fn new(id: Option<&str>, file_name: Option<&str>) -> Result<Option<Self>, BadPattern> {
        if id.is_none() && file_name.is_none() {
            return Ok(None);
        }
        let (parts, file) = patterns(id.unwrap_or(ID), file_name.unwrap_or(FILE_NAME))?;
        let build = |pattern: &str, shape: String| {
            Regex::new(&shape).map_err(|error| BadPattern { pattern: pattern.to_owned(), why: error.to_string() })
        };
        let shape = shape(&parts);
        let name = file_shape(&file, &shape);
        Ok(Some(Self {
            shape: build(id.unwrap_or(ID), format!("(?i)^{shape}"))?,
            file: file_name.map(|pattern| build(pattern, format!("(?i)^{name}$"))).transpose()?,
            depth: file_name.map_or(0, |pattern| pattern.matches('/').count()),
            id: id.unwrap_or(ID).to_owned(),
            file_name: file_name.map(str::to_owned),
            parts,
        }))
    }

    /// The id at the beginning of some words, in any spelling of its joints and letters.
    pub fn read(&self, words: &str) -> Option<Read> {
        let found = self.shape.captures(words)?;
        let length = found.get(0)?.len();
        let goes_on = words.get(length..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
        let number = found.name("n")?.as_str().to_owned();
        (!goes_on).then(|| Read { length, prefix: self.prefix(&found), date: date(&found), number })
    }

    /// What a file's name says of the id: `None` where the project chose no names, `Some(None)` where the file is not
    /// named so.
    pub fn read_file(&self, path: &str) -> Option<Option<Read>> {
        let shape = self.file.as_ref()?;
        let name: Vec<&str> = path.rsplitn(self.depth + 2, '/').take(self.depth + 1).collect();
        let name = name.into_iter().rev().collect::<Vec<_>>().join("/");
        let Some(found) = shape.captures(&name) else { return Some(None) };
        let number = found.name("n").map(|number| number.as_str().to_owned()).unwrap_or_default();
        Some(Some(Read { length: name.len(), prefix: self.prefix(&found), date: date(&found), number }))
    }

    /// The id in the project's spelling; `None` where its day is not known.
    pub fn spell(&self, id: &Read) -> Option<String> {
        let day = |range: std::ops::Range<usize>| id.date.get(range).map(str::to_owned);
        let part = |part: &Part| match part {
            Part::Words(words) => Some(words.clone()),
            Part::Kind => Some(id.prefix.clone()),
            Part::Number(width) => Some(format!("{:0>width$}", id.number.trim_start_matches('0'))),
            Part::Compact => day(0..8),
            Part::Year => day(0..4),
            Part::Month => day(4..6),
            Part::Day => day(6..8),
            Part::Date => Some(format!("{}-{}-{}", day(0..4)?, day(4..6)?, day(6..8)?)),
            Part::Time | Part::Id | Part::Slug => None,
        };
        self.parts.iter().map(part).collect()
    }

    /// The word an id begins with, where the pattern says it.
    fn prefix(&self, found: &regex::Captures<'_>) -> String {
        let written = match (found.name("kind"), self.parts.first()) {
            (Some(kind), _) => kind.as_str(),
            (None, Some(Part::Words(words))) => words.trim_end_matches(|c: char| !c.is_alphanumeric()),
            _ => "",
        };
        written.to_ascii_uppercase()
    }
}

/// A regex for ids of any day: `BUG-20251110-003` is also written `bug_20251110_003` and `Bug 20251110 003`.
fn shape(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Words(words) => words
            .chars()
            .map(|c| if "-_ #".contains(c) { "[-_ #]".to_owned() } else { regex::escape(&c.to_string()) })
            .collect(),
        Part::Kind => "(?P<kind>[a-z]{2,12})".to_owned(),
        Part::Number(_) => "(?P<n>[0-9]{1,9})".to_owned(),
        Part::Compact => "(?P<compact>20[0-9]{6})".to_owned(),
        Part::Year => "(?P<year>20[0-9]{2})".to_owned(),
        Part::Month => "(?P<month>[01][0-9])".to_owned(),
        Part::Day => "(?P<day>[0-3][0-9])".to_owned(),
        Part::Date => "(?P<date>20[0-9]{2}-[01][0-9]-[0-3][0-9])".to_owned(),
        Part::Time | Part::Id | Part::Slug => String::new(),
    };
    parts.iter().map(part).collect()
}

/// A regex for file names; what is the id's own is captured. A title's words may be missing, with the mark before them.
fn file_shape(parts: &[Part], id: &str) -> String {
    let has_number = parts.iter().any(|part| matches!(part, Part::Number(_)));
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        let next = parts.get(index + 1);
        out.push_str(&match part {
            Part::Words(words) if next == Some(&Part::Slug) => {
                let joint = words.trim_end_matches(['-', '_', ' ', '.']);
                let mark = words.get(joint.len()..).unwrap_or_default();
                format!("{}(?:{}[^/]*)?", regex::escape(joint), regex::escape(mark))
            }
            Part::Slug if index == 0 || !matches!(parts.get(index - 1), Some(Part::Words(_))) => "[^/]*".to_owned(),
            Part::Slug => String::new(),
            Part::Words(words) => regex::escape(words),
            Part::Id if has_number => "[^/]*".to_owned(),
            Part::Id => id.to_owned(),
            Part::Kind => "(?P<kind>[a-z]{2,12})".to_owned(),
            Part::Number(_) => "(?P<n>[0-9]{1,9})".to_owned(),
            Part::Compact => "(?P<compact>20[0-9]{6})".to_owned(),
            Part::Date => "20[0-9]{2}-[01][0-9]-[0-3][0-9]".to_owned(),
            Part::Time => "[0-2][0-9][0-5][0-9]".to_owned(),
            Part::Year => "20[0-9]{2}".to_owned(),
            Part::Month | Part::Day => "[0-3][0-9]".to_owned(),
        });
    }
    out
}

/// The day that was read, without dashes, as far as the pattern has it.
fn date(found: &regex::Captures<'_>) -> String {
    let named = |name: &str| found.name(name).map(|part| part.as_str().replace('-', "")).unwrap_or_default();
    match named("compact") + &named("date") {
        whole if !whole.is_empty() => whole,
        _ => named("year") + &named("month") + &named("day"),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn naming(id: Option<&str>, file: Option<&str>) -> Naming {
        Naming::new(id, file).unwrap().unwrap()
    }

    #[test]
    fn ids_are_read_and_spelled() {
        for (pattern, words, spelled) in [
            ("BUG-{yyyymmdd}-{nnn}", "bug_20251110_3 x", Some("BUG-20251110-003")),
            ("INFRA_{nnnn}", "infra-42", Some("INFRA_0042")),
            ("{kind}-{yyyy}-{nnn}", "Bug 2025 7", Some("BUG-2025-007")),
            ("bug_{yyyy}{mm}{dd}_{nn}", "BUG-20251110-1234", Some("bug_20251110_1234")),
            ("INFRA_{nnnn}", "BUG-20251110-003", None),
            ("BUG-{nnn}", "BUG-12x", None),
        ] {
            let naming = naming(Some(pattern), None);
            let read = naming.read(words);
            assert_eq!(read.and_then(|read| naming.spell(&read)).as_deref(), spelled, "{pattern} {words}");
        }
        assert!(Naming::new(None, None).unwrap().is_none());
        assert!(Naming::new(Some("BUG"), None).is_err());
    }

    #[test]
    fn files_say_what_is_the_ids_own() {
        for (pattern, path, date, number) in [
            ("{date}_{time}_BUG_{nnn}_{slug}.md", "docs/2025-12-06_1808_BUG_003_x-y.md", "", "003"),
            ("{date}_{time}_BUG_{nnn}_{slug}.md", "2025-12-06_1808_BUG_003.md", "", "003"),
            ("BUG-{yyyymmdd}-{nnn}-{slug}.md", "a/BUG-20251110-003-x.md", "20251110", "003"),
            ("{yyyy}/{mm}/{id}.md", "docs/2025/11/BUG-20251110-003.md", "20251110", "003"),
        ] {
            let read = naming(None, Some(pattern)).read_file(path).unwrap().unwrap();
            assert_eq!((read.date.as_str(), read.number.as_str()), (date, number), "{pattern}");
        }
        assert_eq!(naming(None, Some("{id}-{slug}.md")).read_file("docs/crash.md"), Some(None));
        assert_eq!(naming(None, Some("{yyyy}/{id}.md")).read_file("BUG-20251110-003.md"), Some(None));
        assert_eq!(naming(Some("BUG-{nnn}"), None).read_file("docs/crash.md"), None);
    }
}
