//! Ids of reports: how they are spelled, where a report names itself, and where it names others.
//!
//! `BUG-20251110-003`, `bug_001`, `BUG-2025-002` and "Bug 20251110 003" are all in use. Ids compare by their numbers; a
//! file name such as `2025-12-06_1808_BUG_003_slug.md` carries only a part of one.

use std::ops::Range;

use super::finding::{Finding, Source};
use super::front::Front;
pub(super) use super::id::Id;
use super::id::parse;
use super::lines::strip_label;
use crate::book::sections::{self, Section, clean_title};
use crate::reports::naming::Naming;

/// A report that is known to exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its path.
    pub path: String,
    /// Its id, in its own spelling.
    pub id: String,
    /// Its text; empty where nobody read it. Tells a copy from a number that was given twice.
    pub text: String,
}

impl Known {
    /// The report at `path` with that text, where it has an id.
    pub fn of(path: &str, text: &str, naming: Option<&Naming>) -> Option<Self> {
        let document = super::Document::new(path, text);
        let doc = sections::Document::read(text, sections::Outline::Strict);
        let own = own(&document, &Front::read(text), &doc, naming).into_iter().next()?;
        Some(Self { path: path.to_owned(), id: own.id.spelled(), text: text.to_owned() })
    }
}

/// Where a report names itself.
#[derive(Debug, Clone)]
pub(super) struct Own {
    /// The id.
    pub(super) id: Id,
    /// As written.
    pub(super) words: String,
    /// Where, in the text; `None` for the file name.
    pub(super) range: Option<Range<usize>>,
    /// What names it: "the front matter".
    pub(super) place: &'static str,
}

/// Every place in which a report names itself, the most binding first.
pub(super) fn own(
    document: &super::Document,
    front: &Front<'_>,
    doc: &sections::Document<'_>,
    naming: Option<&Naming>,
) -> Vec<Own> {
    let text = document.text.as_str();
    let mut found = Vec::new();
    let mut add = |words: &str, start: Option<usize>, place: &'static str| {
        if let Some((range, id)) = at_start(words, naming) {
            let whole = start.map(|start| start + range.start..start + range.end);
            found.push(Own { id, words: words.get(range).unwrap_or_default().to_owned(), range: whole, place });
        }
    };
    for key in ["bug_id", "id"] {
        if let Some(entry) = front.get(key) {
            add(entry.value, Some(entry.value_range.start), "the front matter");
        }
    }
    for section in doc.sections.iter().filter(|section| is_id_heading(section)) {
        let body = doc.slice(&section.own).first().map(|block| block.range.clone());
        if let Some(range) = body {
            add(text.get(range.clone()).unwrap_or_default(), Some(range.start), "the section Bug ID");
        }
    }
    let mut start = 0;
    for line in text.split_inclusive('\n').take(60) {
        let at = start;
        start += line.len();
        let content = line.trim().trim_start_matches(['-', '*', ' ']);
        let content = if line.trim().starts_with("**") { line.trim() } else { content };
        let (Some(label), value) = strip_label(content) else { continue };
        if matches!(sections::key(label).as_str(), "bug id" | "report id" | "버그 id")
            && at >= doc.matter.as_ref().map_or(0, |m| m.range.end)
        {
            let value = value.trim_matches('`');
            add(value, Some(at + (value.as_ptr() as usize - line.as_ptr() as usize)), "the line Bug ID");
        }
    }
    if let Some(entry) = front.get("title") {
        add(entry.value, Some(entry.value_range.start), "the title");
    }
    if let Some(section) = doc.sections.iter().find(|section| section.level == 1) {
        let raw = &section.raw_title;
        let after = raw.find("Bug Report:").map_or(raw.as_str(), |at| &raw[at + "Bug Report:".len()..]);
        let words = clean_title(after);
        let line = text.get(section.range.clone()).unwrap_or_default();
        let at = line.find(words.as_str()).map(|at| section.range.start + at);
        if at.is_some() {
            add(&words, at, "the heading");
        }
    }
    let stem = document.stem();
    let scheme = naming.and_then(|naming| Some((naming, naming.read_file(&document.path)??)));
    let of_file = match scheme {
        // A name of the project's own scheme says which of its digits are the id's.
        Some((naming, read)) => Some(Id::of_scheme(naming, read)),
        None => in_file_name(stem).map(|id| with_scheme(id, naming)),
    };
    if let Some(id) = of_file {
        found.push(Own { id, words: stem.to_owned(), range: None, place: "the file name" });
    }
    found
}

/// The id with its spelling in the project's scheme, where it is of it.
fn with_scheme(id: Id, naming: Option<&Naming>) -> Id {
    let Some(naming) = naming else { return id };
    naming.read(&id.key()).map_or(id, |read| Id::of_scheme(naming, read))
}

fn is_id_heading(section: &Section) -> bool {
    matches!(section.key.as_str(), "bug id" | "id" | "report id" | "bug number")
}

/// The id at the beginning of some words.
pub(super) fn at_start(words: &str, naming: Option<&Naming>) -> Option<(Range<usize>, Id)> {
    let trimmed = words.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '[' | '#' | '('));
    let skipped = words.len() - trimmed.len();
    let of_scheme =
        naming.and_then(|naming| naming.read(trimmed).map(|read| (read.length, Id::of_scheme(naming, read))));
    let (length, id) = of_scheme.or_else(|| parse(trimmed))?;
    Some((skipped..skipped + length, id))
}

/// The id that a file's stem carries.
pub(super) fn in_file_name(stem: &str) -> Option<Id> {
    let mut start = true;
    for (at, c) in stem.char_indices() {
        if start && c.is_ascii_alphabetic() {
            let rest = stem.get(at..).unwrap_or_default();
            if let Some((_, id)) = parse(rest) {
                return Some(id);
            }
        }
        start = !c.is_ascii_alphanumeric();
    }
    None
}

/// Whole ids that a text refers to, with their places. Code fences are the program's words and are left out by the
/// caller.
pub(super) fn references(line: &str, naming: Option<&Naming>) -> Vec<(Range<usize>, Id)> {
    if let Some(naming) = naming {
        return references_of(line, naming);
    }
    let mut found = Vec::new();
    let mut end = 0;
    for (dash, _) in line.match_indices('-') {
        let before = line.get(end..dash).unwrap_or_default();
        let letters = before.bytes().rev().take_while(u8::is_ascii_uppercase).count();
        let start = dash - letters;
        let preceded = line
            .get(..start)
            .and_then(|b| b.chars().next_back())
            .is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
        if letters < 2 || preceded {
            continue;
        }
        if let Some((length, id)) = line.get(start..).and_then(parse)
            && id.is_whole()
            && line.get(start..start + length).is_some_and(|words| words.matches('-').count() == 2)
        {
            end = start + length;
            found.push((start..end, id));
        }
    }
    found
}

/// Ids of the project's scheme, in its own spelling, as words of their own.
fn references_of(line: &str, naming: &Naming) -> Vec<(Range<usize>, Id)> {
    let mut found: Vec<(Range<usize>, Id)> = Vec::new();
    let mut before = ' ';
    for (start, c) in line.char_indices() {
        let begins = c.is_ascii_alphanumeric() && !(before.is_alphanumeric() || matches!(before, '-' | '_'));
        before = c;
        if !begins || found.last().is_some_and(|(range, _)| start < range.end) {
            continue;
        }
        let words = line.get(start..).unwrap_or_default();
        let Some(read) = naming.read(words) else { continue };
        let range = start..start + read.length;
        let id = Id::of_scheme(naming, read);
        if line.get(range.clone()) == id.own_spelling.as_deref() {
            found.push((range, id));
        }
    }
    found
}

/// Checks that the report names itself with one id, in the format's spelling, and that its file does too.
pub(super) fn check(source: &Source<'_>, own: &[Own], is_bug: bool, naming: Option<&Naming>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(first) = own.first() else {
        if is_bug {
            let format = naming.map_or("BUG-YYYYMMDD-NNN", |naming| naming.id.as_str());
            let help = format!("the format is {format}; `faultbook new` gives the next free one");
            findings.push(source.finding_on_line(1, "missing-id", "the report has no id").help(help));
        }
        findings.extend(file_name(source, is_bug, naming));
        return findings;
    };
    findings.extend(file_name(source, is_bug, naming));
    if let Some(naming) = naming.filter(|_| is_bug && first.id.own_spelling.is_none() && first.range.is_some()) {
        let message = format!("the id {} does not follow the project's scheme", first.words);
        let help = format!("the scheme in faultbook.toml is {}", naming.id);
        findings.push(source.finding(first.range.clone().unwrap_or(0..0), "id-scheme", message).help(help));
    }
    for other in own.iter().skip(1).filter(|other| !other.id.agrees(&first.id)) {
        let (rule, range) = match &other.range {
            Some(range) => ("id-mismatch", range.clone()),
            None => ("id-file-name", first.range.clone().unwrap_or(0..0)),
        };
        let message = match other.range {
            Some(_) => {
                format!("{} says {}, {} says {}", other.place, other.id.spelled(), first.place, first.id.spelled())
            }
            None => format!("{} says {}, the file is named {}", first.place, first.id.spelled(), other.words),
        };
        findings.push(source.finding(range, rule, message).help("one report, one id: change the one that is wrong"));
    }
    let spelled = first.id.spelled();
    let in_front = first.place == "the front matter" && first.id.is_whole();
    if let Some(range) = first.range.clone().filter(|_| in_front && first.words != spelled) {
        let message = format!("the id {} is spelled {spelled} in the format", first.words);
        findings.push(source.finding(range.clone(), "id-spelling", message).fix(range, spelled));
    }
    findings
}

/// A file that is not named as the project names its reports.
fn file_name(source: &Source<'_>, is_bug: bool, naming: Option<&Naming>) -> Option<Finding> {
    let naming = naming.filter(|naming| is_bug && naming.read_file(source.path) == Some(None))?;
    let name = source.path.rsplit('/').next().unwrap_or_default();
    let message = format!("the file name {name} does not follow the project's pattern");
    let help = format!("the pattern in faultbook.toml is {}", naming.file_name.as_deref().unwrap_or_default());
    Some(source.finding_on_line(1, "file-name", message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_in_all_spellings() {
        for (words, spelled) in [
            ("BUG-20251110-003", Some("BUG-20251110-003")),
            ("Bug 20251110 002 Cudnn Status", Some("BUG-20251110-002")),
            ("bug_20251110_3_x", Some("BUG-20251110-3")),
            ("BUG-2025-002", Some("BUG-2025-002")),
            ("bug_001", Some("BUG-001")),
            ("DIAG-20251110-001", Some("DIAG-20251110-001")),
            ("Bug 3 of the list", None),
            ("CVE-2025-1234", None),
            ("RTX 3060", None),
            ("sha-20259999-001", None),
            ("BUG-20251110-003a", None),
            ("bugs", None),
            ("", None),
        ] {
            assert_eq!(at_start(words, None).map(|(_, id)| id.spelled()).as_deref(), spelled, "{words}");
        }
        for (stem, spelled) in [
            ("2025-12-06_1808_BUG_003_slug", Some("BUG-003")),
            ("BUG-20251110-003-slug", Some("BUG-20251110-003")),
            ("20251110_1200_BUG_20251110_003", Some("BUG-20251110-003")),
            ("cudnn-failed", None),
        ] {
            assert_eq!(in_file_name(stem).map(|id| id.spelled()).as_deref(), spelled, "{stem}");
        }
    }

    #[test]
    fn references_are_whole_ids() {
        let spelled = |line: &str| {
            references(line, None).into_iter().map(|(range, _)| line[range].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            spelled("see BUG-20251110-002, [x](BUG-20251110-003-slug.md)."),
            ["BUG-20251110-002", "BUG-20251110-003"]
        );
        assert_eq!(spelled("CVE-2025-1234, GPU-0, X-BUG-20251110-002, BUG-YYYYMMDD-NNN, sm-86"), [""; 0]);
    }

    fn rules(stem: &str, text: &str) -> Vec<(&'static str, u32)> {
        let source = Source::new("a.md", text);
        let doc = sections::Document::read(text, sections::Outline::Strict);
        let document = super::super::Document::new(format!("{stem}.md"), text);
        let own = own(&document, &Front::read(text), &doc, None);
        check(&source, &own, true, None).into_iter().map(|f| (f.rule, f.line)).collect()
    }

    #[test]
    fn a_project_may_have_a_scheme_of_its_own() {
        let rules = |id: &str, file: &str, path: &str, text: &str| -> Vec<(&'static str, u32, Option<String>)> {
            let naming = Naming::new(Some(id), Some(file)).expect("sound patterns");
            let document = super::super::Document::new(path, text);
            let source = Source::new(path, text);
            let doc = sections::Document::read(text, sections::Outline::Strict);
            let own = own(&document, &Front::read(text), &doc, naming.as_ref());
            let found = check(&source, &own, true, naming.as_ref());
            found.into_iter().map(|f| (f.rule, f.line, f.fix.map(|fix| fix.replacement))).collect()
        };
        let infra = |path: &str, text: &str| rules("INFRA_{nnnn}", "{id}-{slug}.md", path, text);
        assert_eq!(infra("d/INFRA_0042-x.md", "---\nbug_id: INFRA_0042\n---\n"), []);
        assert_eq!(infra("d/INFRA_0042.md", "# t\n"), []);
        let spelling = ("id-spelling", 2, Some("INFRA_0042".to_owned()));
        assert_eq!(infra("d/INFRA_0042-x.md", "---\nbug_id: infra-42\n---\n"), [spelling]);
        assert_eq!(infra("d/INFRA_0043-x.md", "---\nbug_id: INFRA_0042\n---\n"), [("id-file-name", 2, None)]);
        assert_eq!(infra("d/crash.md", "---\nbug_id: INFRA_0042\n---\n"), [("file-name", 1, None)]);
        let foreign = "---\nbug_id: BUG-20251110-003\n---\n";
        assert_eq!(infra("d/INFRA_0042-x.md", foreign), [("id-scheme", 2, None), ("id-file-name", 2, None)]);
        let dated =
            |path: &str, text: &str| rules("BUG-{yyyymmdd}-{nnn}", "{date}_{time}_BUG_{nnn}_{slug}.md", path, text);
        // The day of writing need not be the id's.
        assert_eq!(dated("d/2025-12-06_1808_BUG_003_x.md", foreign), []);
        assert_eq!(dated("d/2025-12-06_1808_BUG_004_x.md", foreign), [("id-file-name", 2, None)]);
        let naming = Naming::new(Some("INFRA_{nnnn}"), None).expect("a sound pattern");
        let seen: Vec<String> = references("see INFRA_0007, infra_7, XINFRA_0008 and INFRA_0090-x", naming.as_ref())
            .into_iter()
            .map(|(_, id)| id.spelled())
            .collect();
        assert_eq!(seen, ["INFRA_0007", "INFRA_0090"]);
    }

    #[test]
    fn a_report_names_itself_once() {
        let sound = "---\ntitle: \"Bug 20251110 003 x\"\nbug_id: BUG-20251110-003\n---\n# Bug Report: x\n## Bug ID\nBUG-20251110-003\n";
        assert_eq!(rules("BUG-20251110-003-x", sound), []);
        assert_eq!(rules("2025-11-10_1808_BUG_003_x", sound), []);
        assert_eq!(rules("cudnn", sound), []);
        assert_eq!(rules("BUG-20251110-004-x", sound), [("id-file-name", 3)]);
        assert_eq!(rules("x", &sound.replace("\nBUG-20251110-003\n", "\nBUG-20251110-007\n")), [("id-mismatch", 7)]);
        assert_eq!(
            rules("x", "# x\n**Bug ID:** BUG-20251110-003\n\n## Bug ID\nBUG-20251110-004\n"),
            [("id-mismatch", 2)]
        );
        assert_eq!(rules("x", "# x\n"), [("missing-id", 1)]);
        assert_eq!(rules("x", "---\nbug_id: bug_20251110_003\n---\n"), [("id-spelling", 2)]);
        assert_eq!(rules("x", "# Follow-up of BUG-20251110-003\n## Bug ID\nBUG-20251111-001\n"), []);
    }
}
