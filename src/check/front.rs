//! The front matter of a report, line by line with positions, so that single keys can be fixed and every other byte
//! kept.
//!
//! It reads what the format has: one key per line. Deeper YAML is left to the YAML reader, which decides whether the
//! whole can be parsed.

use std::ops::Range;

use super::finding::{Finding, Source};
use super::placeholders::{Left, judge};
use crate::book::matter;
use crate::book::matter_check;

/// Keys that lists and searches need.
const NEEDED: [&str; 3] = ["title", "date", "status"];

/// The format's keys, in its spelling.
const KEYS: [&str; 14] = [
    "title",
    "date",
    "type",
    "category",
    "status",
    "version",
    "tags",
    "bug_id",
    "severity",
    "author",
    "aliases",
    "priority",
    "component",
    "updated",
];

/// One key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    /// As written.
    pub(super) key: &'t str,
    /// Where.
    pub(super) key_range: Range<usize>,
    /// The value without quotes and comment.
    pub(super) value: &'t str,
    /// Where, without quotes.
    pub(super) value_range: Range<usize>,
    /// Whether the value is quoted.
    pub(super) quoted: bool,
    /// The whole line, line break included.
    pub(super) line: Range<usize>,
}

/// The front matter of a document.
#[derive(Debug, Default)]
pub(super) struct Front<'t> {
    /// Its keys in order.
    pub(super) entries: Vec<Entry<'t>>,
    /// Where a key can be added; `None` where there is no front matter.
    pub(super) end: Option<usize>,
}

/// What is known of a document that its front matter may lack: the key and the value to put in.
pub(super) type Known = Vec<(&'static str, String)>;

impl<'t> Front<'t> {
    /// Reads the front matter of a text.
    pub(super) fn read(text: &'t str) -> Self {
        let Some(matter) = matter::split(text).matter else { return Self::default() };
        let mut entries = Vec::new();
        let mut start = matter.range.start;
        for line in text.get(matter.range.clone()).unwrap_or_default().split_inclusive('\n') {
            entries.extend(entry(line, start));
            start += line.len();
        }
        Self { entries, end: matter.closed.then_some(matter.range.end) }
    }

    /// The entry of a key, in whatever spelling.
    pub(super) fn get(&self, key: &str) -> Option<&Entry<'t>> {
        let exact = self.entries.iter().find(|entry| entry.key == key);
        exact.or_else(|| self.entries.iter().find(|entry| canonical(entry.key) == Some(key)))
    }
}

/// The format's spelling of a key, where it is one of the format's.
fn canonical(key: &str) -> Option<&'static str> {
    let plain: String = key.to_lowercase().chars().map(|c| if c == '-' || c == ' ' { '_' } else { c }).collect();
    let plain = if plain == "bugid" { "bug_id" } else { &plain };
    KEYS.iter().find(|known| **known == plain).copied()
}

/// Reads `key: value  # comment`.
fn entry(line: &str, start: usize) -> Option<Entry<'_>> {
    let words = line.trim_end_matches(['\n', '\r']);
    let first = words.chars().next()?;
    if first.is_whitespace() || matches!(first, '#' | '-' | '[' | '{' | '}' | ']') {
        return None;
    }
    let (written, rest) = words.split_once(':')?;
    let key = written.trim().trim_matches(['"', '\'']);
    if key.is_empty() || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let value = rest.trim_start();
    let mut at = start + written.len() + 1 + (rest.len() - value.len());
    let (value, quoted) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            at += 1;
            let inner = value.get(1..).unwrap_or_default();
            (inner.rsplit_once(quote).map_or(inner, |(inner, _)| inner), true)
        }
        _ => (value.split(" #").next().unwrap_or_default().trim_end(), false),
    };
    let key_start = start + written.find(key).unwrap_or(0);
    Some(Entry {
        key,
        key_range: key_start..key_start + key.len(),
        value,
        value_range: at..at + value.len(),
        quoted,
        line: start..start + line.len(),
    })
}

/// A YAML string of one line, without control characters, which YAML does not take.
pub(super) fn quote(value: &str) -> String {
    let shown: String = value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("\"{}\"", shown.trim().replace('\\', "\\\\").replace('"', "\\\""))
}

/// Checks keys and shape; what values mean is checked elsewhere.
pub(super) fn check(source: &Source<'_>, front: &Front<'_>, known: &Known) -> Vec<Finding> {
    let text = source.text;
    let split = matter::split(text);
    let Some(matter) = split.matter else { return vec![absent(source, split.body, known)] };
    let mut findings = Vec::new();
    if !matter.closed {
        let line = matter.first_line.saturating_sub(1).max(1);
        let message = "the front matter has no closing `---`";
        let help = "put `---` on a line of its own after the last key";
        findings.push(source.finding_on_line(line, "front-matter-open", message).help(help));
    }
    findings.extend(spelling(source, front));
    findings.extend(duplicates(source, front));
    let yaml = text.get(matter.range.clone()).unwrap_or_default();
    if let Err(error) = serde_saphyr::from_str::<serde_json::Value>(yaml) {
        let problem = matter_check::yaml_problem(&error, matter.first_line);
        if !(problem.message.contains("duplicate") && findings.iter().any(|f| f.rule == "duplicate-key")) {
            findings.push(unreadable(source, front, source.problem(problem)));
        }
    }
    for key in NEEDED.into_iter().chain(known.iter().map(|(key, _)| *key).filter(|key| *key == "bug_id")) {
        if front.get(key).is_none() {
            findings.push(missing(source, front, &matter, key, known));
        }
    }
    for entry in &front.entries {
        match judge(entry.value, true, false, text) {
            Some(Left::Placeholder) if !entry.value.starts_with('[') || entry.quoted => {
                let message = format!("the template's placeholder text is left in `{}`", entry.key);
                findings.push(source.finding(entry.value_range.clone(), "placeholder", message));
            }
            Some(Left::Todo) => {
                let message = format!("`{}` is still to be written", entry.key);
                findings.push(source.finding(entry.value_range.clone(), "todo", message));
            }
            _ => {}
        }
    }
    findings
}

/// A document without front matter; what is known of it can be put there.
fn absent(source: &Source<'_>, start: usize, known: &Known) -> Finding {
    let message = "the report has no front matter";
    let finding = source.finding_on_line(1, "no-front-matter", message).severity(super::Severity::Warning);
    // Front matter that lacks a key would be a finding of its own.
    let is_toml = source.text.get(start..).is_some_and(|text| text.starts_with("+++"));
    if is_toml || !NEEDED.iter().all(|needed| known.iter().any(|(key, _)| key == needed)) {
        return finding.help("begin with `---`, title, date, status, and `---`");
    }
    let end = source.line_break();
    let keys: String = known.iter().map(|(key, value)| format!("{key}: {}{end}", quote(value))).collect();
    let names = known.iter().map(|(key, _)| *key).collect::<Vec<_>>().join(", ");
    finding
        .help(format!("`faultbook check --fix` adds what the report itself says: {names}"))
        .fix(start..start, format!("---{end}{keys}---{end}{end}"))
}

fn spelling(source: &Source<'_>, front: &Front<'_>) -> Vec<Finding> {
    let wrong = front.entries.iter().filter_map(|entry| {
        let right = canonical(entry.key).filter(|right| *right != entry.key)?;
        let message = format!("the key `{}` is spelled `{right}` in the format", entry.key);
        let finding = source.finding(entry.key_range.clone(), "key-spelling", message);
        // If the right spelling is there too, only the author knows which value is right.
        let both = front.entries.iter().any(|other| other.key == right);
        Some(if both { finding } else { finding.fix(entry.key_range.clone(), right) })
    });
    wrong.collect()
}

fn duplicates(source: &Source<'_>, front: &Front<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, entry) in front.entries.iter().enumerate() {
        let earlier = front.entries.get(..index).unwrap_or_default();
        let Some(first) = earlier.iter().find(|other| other.key == entry.key) else { continue };
        let message = format!("the key `{}` occurs twice", entry.key);
        let finding = source.finding(entry.key_range.clone(), "duplicate-key", message);
        let same = first.value == entry.value && !entry.value.is_empty();
        findings.push(if same { finding.fix(entry.line.clone(), "") } else { finding.help("keep one of the two") });
    }
    findings
}

/// Front matter that YAML cannot read; a value with a colon in it only needs quotes.
fn unreadable(source: &Source<'_>, front: &Front<'_>, finding: Finding) -> Finding {
    let culprit = front.entries.iter().find(|entry| {
        let near = source.line_of(entry.line.start).abs_diff(finding.line) <= 1;
        near && !entry.quoted
            && entry.value.contains(": ")
            && !entry.value.starts_with(['[', '{', '|', '>', '&', '*', '!'])
    });
    match culprit {
        Some(entry) => finding
            .help(format!("put the value of `{}` in quotes", entry.key))
            .fix(entry.value_range.clone(), quote(entry.value)),
        None => finding,
    }
}

fn missing(
    source: &Source<'_>,
    front: &Front<'_>,
    matter: &matter::Matter,
    key: &'static str,
    known: &Known,
) -> Finding {
    let line = matter.first_line.saturating_sub(1).max(1);
    let finding = source.finding_on_line(line, "missing-key", format!("the front matter has no `{key}`"));
    match (front.end, known.iter().find(|(name, _)| *name == key)) {
        (Some(end), Some((_, value))) => finding
            .help(format!("the report itself says {value}"))
            .fix(end..end, format!("{key}: {}{}", quote(value), source.line_break())),
        _ => finding.help(format!("add `{key}:`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fix::apply;

    fn checked(text: &str, known: &Known) -> (Vec<&'static str>, String) {
        let source = Source::new("a.md", text);
        let findings = check(&source, &Front::read(text), known);
        let rules = findings.iter().map(|finding| finding.rule).collect();
        (rules, apply(text, &findings))
    }

    #[test]
    fn keys_are_read_with_their_places() {
        let text = "---\ntitle: \"A: b\" # c\ntags:\n  - x\nBug-ID: 'y'\nurl: a#b # c\n---\n";
        let front = Front::read(text);
        let seen: Vec<_> = front.entries.iter().map(|e| (e.key, e.value, &text[e.value_range.clone()])).collect();
        assert_eq!(seen, [("title", "A: b", "A: b"), ("tags", "", ""), ("Bug-ID", "y", "y"), ("url", "a#b", "a#b")]);
        assert_eq!(front.get("bug_id").map(|e| e.value), Some("y"));
    }

    #[test]
    fn spelling_duplicates_and_missing_keys_are_mended() {
        let known: Known = vec![("bug_id", "BUG-20251110-003".to_owned()), ("status", "open".to_owned())];
        let text = "---\nTitle: x\ndate: 2025-11-10\ndate: 2025-11-10\n---\nbody\n";
        let (rules, fixed) = checked(text, &known);
        assert_eq!(rules, ["key-spelling", "duplicate-key", "missing-key", "missing-key"]);
        assert_eq!(
            fixed,
            "---\ntitle: x\ndate: 2025-11-10\nstatus: \"open\"\nbug_id: \"BUG-20251110-003\"\n---\nbody\n"
        );
        assert_eq!(checked(&fixed, &known).0, [""; 0]);
    }

    #[test]
    fn a_colon_in_a_value_is_quoted() {
        let text = "---\r\ntitle: Bug: it \"fails\"\r\ndate: 2025-11-10\r\nstatus: open\r\n---\r\n";
        let (rules, fixed) = checked(text, &Known::new());
        assert_eq!(rules, ["front-matter"]);
        assert_eq!(fixed, "---\r\ntitle: \"Bug: it \\\"fails\\\"\"\r\ndate: 2025-11-10\r\nstatus: open\r\n---\r\n");
        assert_eq!(checked(&fixed, &Known::new()).0, [""; 0]);
    }

    #[test]
    fn front_matter_is_made_of_what_the_report_says() {
        let known: Known = vec![
            ("title", "It \"broke\"".to_owned()),
            ("date", "2025-11-10".to_owned()),
            ("status", "open".to_owned()),
            ("bug_id", "BUG-20251110-003".to_owned()),
        ];
        let (rules, fixed) = checked("\u{feff}# It \"broke\"\n", &known);
        assert_eq!(rules, ["no-front-matter"]);
        assert_eq!(
            fixed,
            "\u{feff}---\ntitle: \"It \\\"broke\\\"\"\ndate: \"2025-11-10\"\nstatus: \"open\"\nbug_id: \"BUG-20251110-003\"\n---\n\n# It \"broke\"\n"
        );
        assert_eq!(checked(&fixed, &known).0, [""; 0], "what was added is no finding");
        let part = known.into_iter().filter(|(key, _)| *key != "date").collect();
        assert_eq!(
            checked("# It \"broke\"\n", &part).1,
            "# It \"broke\"\n",
            "front matter without a date would be one"
        );
        assert_eq!(checked("no heading\n", &Known::new()), (vec!["no-front-matter"], "no heading\n".to_owned()));
    }

    #[test]
    fn templates_in_values_are_found() {
        let text = "---\ntitle: \"[Bug Title]\"\ndate: YYYY-MM-DD\nstatus: TODO\ntags: [a, b]\n---\n";
        assert_eq!(checked(text, &Known::new()).0, ["placeholder", "placeholder", "todo"]);
    }
}
