//! How often a report's failure happened, when, and on which machines and versions: the report itself, the dated headings,
//! items and rows of its history, what `--append` added.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::book::blocks::{Block, Kind, Words};
use crate::book::report::Report;
use crate::book::sections::{Document, Outline, key, visit};
use crate::facts::{self, Facts, ReportRow};
use crate::incident;
use crate::packages;
use crate::reports::dates;
use crate::reports::draft::moment::Moment;
use crate::wording;

/// What Faultbook writes of an occurrence after the report was solved.
const CAME_BACK: &str = "**Came back:**";
/// What Faultbook writes of every occurrence.
const APPENDED: &str = "**Commit:**";
/// How it writes a value that differs from the report's, or that the report does not have.
const DIFFERS: [&str; 2] = [" instead of ", "; the report does not say"];
/// How it says that nothing differs, and that the following differs.
const SAME: [&str; 2] = ["as in this report", "Different environment"];
/// Values of one occurrence.
const VALUES: usize = 12;

/// What a machine and its software are called, each with its label: `GPU`, `RTX 3060`.
pub(crate) type Place = Vec<(String, String)>;

/// One time that a failure happened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// `2026-01-02`, `2026-01-02 18:08`.
    pub at: String,
    /// Where, as far as the text tells.
    pub place: Vec<(String, String)>,
    /// Whether Faultbook added it: then it is another one, even on the day of the report.
    pub appended: bool,
}

impl Occurrence {
    /// Its day.
    pub(crate) fn day(&self) -> &str {
        self.at.get(..10).unwrap_or(&self.at)
    }
}

/// The occurrences that a report's text tells of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Occurrences {
    /// Where the failure happened that the report was written about.
    pub place: Place,
    /// The others, in the order of the text.
    pub later: Vec<Occurrence>,
    /// Whether one of them was after the report had been solved.
    pub returned: bool,
}

/// Reads them.
pub(crate) fn read(report: &Report) -> Occurrences {
    let text = report.text.as_str();
    let mut found = Occurrences { place: place(&report.environment, host(text)), ..Occurrences::default() };
    // Headings under which each day is an occurrence.
    let headings = &wording::headings().occurrences;
    let lower = text.to_lowercase();
    if !headings.iter().any(|heading| lower.contains(heading)) {
        return found;
    }
    let doc = Document::read(text, Outline::Strict);
    for (index, section) in doc.sections.iter().enumerate().filter(|(_, s)| headings.contains(&s.key.as_str())) {
        for (_, child) in doc.children(index) {
            let Some(at) = moment(&child.title) else { continue };
            let body = text.get(child.range.clone()).unwrap_or_default();
            found.later.push(occurrence(at, body, &found.place));
        }
        for line in lines(doc.slice(&section.own)) {
            if let Some((at, rest)) = dated(&line) {
                found.later.push(occurrence(at, rest, &found.place));
            }
        }
        found.returned |= text.get(section.range.clone()).is_some_and(|text| text.contains(CAME_BACK));
    }
    found
}

/// What two texts tell of together, by time: what both tell of happened once.
pub(crate) fn merged(one: Vec<Occurrence>, other: Vec<Occurrence>) -> Vec<Occurrence> {
    let mut all = by_time(one);
    for (at, told) in by_time(other) {
        let known = all.entry(at).or_default();
        for (number, told) in told.into_iter().enumerate() {
            match known.get_mut(number) {
                Some(known) if known.place.len() >= told.place.len() => {}
                Some(known) => *known = told,
                None => known.push(told),
            }
        }
    }
    all.into_values().flatten().collect()
}

/// What one text tells of, by time. Each paragraph that Faultbook appended is another occurrence, also within one minute; what
/// people write of the same time is one.
fn by_time(all: Vec<Occurrence>) -> BTreeMap<String, Vec<Occurrence>> {
    let mut times: BTreeMap<String, Vec<Occurrence>> = BTreeMap::new();
    for one in all {
        times.entry(one.at.clone()).or_default().push(one);
    }
    for same in times.values_mut() {
        same.sort_by_key(|one| (!one.appended, Reverse(one.place.len())));
        let appended = same.iter().filter(|one| one.appended).count();
        same.truncate(appended.max(1));
    }
    times
}

/// The items of lists and the rows of tables.
fn lines(blocks: &[Block]) -> Vec<String> {
    let mut out = Vec::new();
    visit(blocks, &mut |block| match &block.kind {
        Kind::List(list) => out.extend(list.items.iter().filter_map(|item| item.words()).map(Words::line)),
        Kind::Table(rows) => {
            let head = rows.first().cloned().unwrap_or_default();
            let labelled = |row: &Vec<String>| {
                let cells = head.iter().zip(row).skip(1).map(|(label, cell)| format!("\n{label}: {cell}"));
                row.first().cloned().unwrap_or_default() + &cells.collect::<String>()
            };
            out.extend(rows.iter().skip(1).map(labelled));
        }
        _ => {}
    });
    out
}

fn occurrence(at: Moment, body: &str, report: &Place) -> Occurrence {
    let appended = body.contains(APPENDED);
    let body = body.split(',').collect::<Vec<_>>().join("\n");
    let pairs = body.lines().filter_map(|line| {
        let line = line.trim_start_matches(['-', '*', '|', ' ']);
        let (label, value) = line.split_once([':', '：']).unwrap_or(("", line));
        let value = DIFFERS.iter().fold(value, |value, mark| value.split(mark).next().unwrap_or(value));
        (!label.starts_with("Error") && !label.starts_with("Command")).then(|| (key(label), value.trim().to_owned()))
    });
    let pairs: Vec<(String, String)> = pairs.collect();
    let host = host(&body).or_else(|| body.lines().find_map(named_host));
    let mut place = place(&incident::described(&pairs, packages::builtin()), host);
    if SAME.iter().any(|words| body.contains(words)) {
        let own: Vec<String> = place.iter().map(|(label, _)| label.clone()).collect();
        place.extend(report.iter().filter(|(label, _)| !own.contains(label)).cloned());
    }
    Occurrence { at: at.text(), place, appended }
}

/// Host, GPU, driver and versions.
fn place(facts: &Facts, host: Option<String>) -> Place {
    const MACHINE: [&str; 2] = ["gpu.name", "driver.version"];
    let of = |name: &str| {
        let fact = facts.get(name)?;
        Some((facts::label(name), facts::words(name, &fact.value)))
    };
    let versions = facts::definitions().filter(|definition| definition.report == Some(ReportRow::Always));
    let names = MACHINE.into_iter().map(str::to_owned).chain(versions.map(|definition| definition.name.to_string()));
    let known = names.filter_map(|name| of(&name));
    host.map(|host| (HOST.to_owned(), host)).into_iter().chain(known).take(VALUES).collect()
}

/// The label of a host.
pub(crate) const HOST: &str = "Host";

/// The name of a host that a line of its own gives: `Host: node07`.
fn host(text: &str) -> Option<String> {
    let labels = &wording::states().labels.host;
    text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches(['-', '*', '|', ' ']);
        let at = line.find([':', '：', '|'])?;
        let (label, value) = line.split_at(at);
        if label.len() > 40 || !labels.contains(&key(label).as_str()) {
            return None;
        }
        let value = value.trim_matches([':', '：', '|', '*', '`', ' ']);
        let name: &str = value.split([' ', ',', '(', '|']).next()?.trim_matches('`');
        let is_name = (2..=40).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'))
            && name.bytes().any(|b| b.is_ascii_alphabetic())
            && name != "localhost";
        let alone = value
            .get(name.len()..)
            .is_some_and(|rest| rest.trim_start_matches(['`', ' ']).is_empty() || rest.contains(['(', '|']));
        (is_name && alone).then(|| name.to_owned())
    })
}

/// A host without a label, by the word that its name begins with: `node07`, `dgx-3`.
fn named_host(part: &str) -> Option<String> {
    let name = part.trim_matches([':', '：', '|', '*', '`', '-', ' ']);
    let word = name.split(|c: char| !c.is_alphabetic()).next()?;
    let number = name.get(word.len()..)?.trim_start_matches(['-', '_']);
    let is_number = !number.is_empty() && number.len() <= 4 && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_host = wording::states().labels.hosts.contains(&word.to_lowercase().as_str());
    (is_host && is_number).then(|| name.to_owned())
}

/// The day and time that a heading begins with.
fn moment(title: &str) -> Option<Moment> {
    dated(title).map(|(moment, _)| moment)
}

/// The day and time that words begin with, and the rest.
fn dated(words: &str) -> Option<(Moment, &str)> {
    let words = words.trim_start_matches(|c: char| !c.is_alphanumeric());
    let ends = words.char_indices().filter(|(_, c)| c.is_whitespace() || matches!(c, ':' | '：' | '–' | '—' | '|'));
    let ends: Vec<usize> = ends.map(|(at, _)| at).chain([words.len()]).take(6).collect();
    // The longest beginning that is a date: "2026-01-02 18:08", "Nov 12, 2026".
    ends.into_iter().rev().find_map(|end| {
        let date = dates::reading(words.get(..end)?.trim_end_matches([',', '-', ' ']))?;
        Some((Moment::parse(&date)?, words.get(end..)?))
    })
}

/// How often each machine, GPU, driver and version was met: labels in order, values by their number.
pub(crate) fn tally<'p>(places: impl Iterator<Item = &'p Place>) -> Vec<Met> {
    let mut met: Vec<Met> = Vec::new();
    for (label, value) in places.flatten() {
        let at = met.iter().position(|one| one.what == *label).unwrap_or_else(|| {
            met.push(Met { what: label.clone(), values: Vec::new() });
            met.len() - 1
        });
        let values = &mut met[at].values;
        match values.iter_mut().find(|known| alike(&known.value, value)) {
            Some(known) => known.times += 1,
            None => values.push(Value { value: value.clone(), times: 1 }),
        }
    }
    met.iter_mut().for_each(|one| one.values.sort_by_key(|value| Reverse(value.times)));
    // The host first, whichever occurrence names it.
    met.sort_by_key(|one| one.what != HOST);
    met
}

/// What a failure was met with: a GPU, a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Met {
    /// `GPU`, `PyTorch`, `Host`.
    pub what: String,
    /// The most frequent first.
    pub values: Vec<Value>,
}

/// A name or version, and how many occurrences have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Value {
    pub value: String,
    pub times: usize,
}

impl Met {
    /// "GPU RTX 3060 (2), A100".
    pub(crate) fn words(&self) -> String {
        let value = |one: &Value| match one.times {
            1 => one.value.clone(),
            times => format!("{} ({times})", one.value),
        };
        format!("{} {}", self.what, self.values.iter().map(value).collect::<Vec<_>>().join(", "))
    }
}

/// "RTX 3060" and "NVIDIA GeForce RTX 3060", "3.10" and "3.10.12" do not differ.
pub(crate) fn alike(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    a == b
        || a.ends_with(&format!(" {b}"))
        || b.ends_with(&format!(" {a}"))
        || a.starts_with(&format!("{b}."))
        || b.starts_with(&format!("{a}."))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::reports::reading;

    fn of(text: &str) -> Occurrences {
        read(&reading::read(Path::new("a.md"), text))
    }

    fn days(found: &Occurrences) -> Vec<&str> {
        found.later.iter().map(|one| one.at.as_str()).collect()
    }

    #[test]
    fn dated_headings_items_and_rows_are_occurrences() {
        let found = of(
            "# T\n\n## Occurrences\n\n### 2026-01-02 18:08 (KST)\n\n- x\n\n### Nov 12, 2026\n\n- **Came back:** the status\n\n### Notes\n\n## Other\n\n### 2026-05-05\n",
        );
        assert_eq!((days(&found), found.returned), (vec!["2026-01-02 18:08", "2026-11-12"], true));
        let found = of(
            "# T\n\n## Occurrence history\n\n- 2026-01-02: node07, GPU: A100\n- nothing\n\n| Date | Host | PyTorch |\n|---|---|---|\n| 2026-02-03 | node09 | 2.9.0 |\n",
        );
        assert_eq!(days(&found), ["2026-01-02", "2026-02-03"]);
        let met: Vec<String> = tally(found.later.iter().map(|one| &one.place)).iter().map(Met::words).collect();
        assert_eq!(met, ["Host node07, node09", "GPU A100", "PyTorch 2.9.0"]);
        assert_eq!(named_host("rank0").or_else(|| named_host("node")).or_else(|| named_host("node07 is slow")), None);
        assert_eq!(of("# T\n\n## Summary\n\nNo occurrences yet.\n").later, []);
    }

    #[test]
    fn an_appended_occurrence_differs_from_the_report_or_not() {
        let found = of(
            "# T\n\n## Environment\n\n- Host: node01\n- GPU: RTX 3060\n- PyTorch: 2.8.0\n\n## Occurrences\n\n### 2026-01-02 18:08\n\n- **Commit:** `abc`\n- **Different environment:**\n  - PyTorch: 2.9.0 instead of 2.8.0\n\n### 2026-01-03 18:08\n\n- **Commit:** `abc`\n- **Environment:** as in this report, as far as the log says\n",
        );
        assert!(found.later.iter().all(|one| one.appended));
        let places = std::iter::once(&found.place).chain(found.later.iter().map(|one| &one.place));
        let met: Vec<String> = tally(places).iter().map(Met::words).collect();
        assert_eq!(met, ["Host node01 (3)", "GPU RTX 3060 (3)", "PyTorch 2.8.0 (2), 2.9.0"]);
    }

    #[test]
    fn what_two_texts_tell_of_happened_once() {
        let one = |at: &str, appended: bool| Occurrence { at: at.to_owned(), appended, ..Occurrence::default() };
        let twice = vec![one("2026-01-02 18:08", true), one("2026-01-02 18:08", true)];
        let report = merged(Vec::new(), twice.clone());
        assert_eq!(report.len(), 2, "appended twice within a minute");
        assert_eq!(merged(report, twice), [one("2026-01-02 18:08", true), one("2026-01-02 18:08", true)], "a copy");
        let written = vec![one("2026-01-03", false), one("2026-01-03", false), one("2026-01-02 18:08", false)];
        assert_eq!(merged(Vec::new(), written.clone()).len(), 2, "a heading and a row of one day");
        assert_eq!(merged(vec![one("2026-01-02 18:08", true)], written).len(), 2);
    }

    #[test]
    fn small_differences_are_none() {
        assert!(alike("RTX 3060", "NVIDIA GeForce RTX 3060") && alike("3.10", "3.10.12"));
        assert!(!alike("2.8.0", "2.9.0") && !alike("RTX 3060", "RTX 3060 Ti"));
        for (line, name) in [
            ("- **Host:** `node07`", Some("node07")),
            ("| Hostname | gpu-box.lan |", Some("gpu-box.lan")),
            ("Host: the big one", None),
            ("Node: 2", None),
            ("> Host x", None),
        ] {
            assert_eq!(host(line).as_deref(), name, "{line}");
        }
    }
}
