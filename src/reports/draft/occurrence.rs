//! The same failure once more: a dated paragraph in the existing report. Every other byte stays.

use std::path::Path;

use super::context::Context;
use super::error::Error;
use super::filters::code;
use super::moment::Moment;
use super::write;
use crate::book::report::Report;
use crate::book::sections::{Document, Outline};
use crate::facts::{self, Described, Fact, Facts, ReportRow};
use crate::render::words;
use crate::reports::occurrences::alike;
use crate::reports::status::{self, Stage};

/// The heading above the occurrences.
pub(crate) const HEADING: &str = "Occurrences";

/// Adds an occurrence to the report at `path`.
///
/// # Errors
/// When the file cannot be read, is not UTF-8, or cannot be written.
pub(crate) fn append(path: &Path, paragraph: &str) -> Result<(), Error> {
    write::change(path, |text| Ok(inserted(text, paragraph))).map(|_| ())
}

/// What is written about an occurrence: when, at which commit, with which command, and how the environment differs from
/// that of the report.
pub(crate) fn paragraph(report: &Report, context: &Context, own: &Facts, moment: &Moment) -> String {
    let mut out = format!("### {}\n\n", moment.stamp());
    match &context.git {
        Some(git) => {
            let changed = words::counted(git.changes as u64, "uncommitted file", "uncommitted files");
            let dirty = match (git.dirty, git.changes) {
                (false, _) => String::new(),
                (true, 0) => ", with uncommitted changes".to_owned(),
                (true, _) => format!(", with {changed}"),
            };
            out.push_str(&format!("- **Commit:** {}{dirty}\n", code(&git.short)));
        }
        None => out.push_str("- **Commit:** TODO: the commit of the code\n"),
    }
    if let Some(command) = &context.command {
        out.push_str(&format!("- **Command:** {}\n", code(command)));
    }
    if let Some(error) = &context.error {
        let place = error.place.as_ref().map(|place| format!(" in {}", code(place))).unwrap_or_default();
        out.push_str(&format!("- **Error:** {}{place}\n", code(&error.short)));
    }
    let different = differences(&report.environment, own);
    match different.is_empty() {
        true => out.push_str("- **Environment:** as in this report, as far as the log shows\n"),
        false => {
            out.push_str("- **Different environment:**\n");
            different.iter().for_each(|line| out.push_str(&format!("  - {line}\n")));
        }
    }
    if status::reading(&report.status).and_then(status::stage) == Some(Stage::Solved) {
        out.push_str(&format!("- **Came back:** the status of this report was {} when it happened\n", report.status));
    }
    out
}

/// "PyTorch: 2.9.0 instead of 2.8.0".
fn differences(then: &Facts, now: &Facts) -> Vec<String> {
    const OTHERS: [&str; 8] = [
        "driver.version",
        "driver.cuda",
        "gpu.name",
        "gpu.memory.total",
        "gpu.count",
        "torch.cuda",
        "os.name",
        "os.wsl",
    ];
    let shown = |name: &str| {
        let always = |about: Described<'_>| about.definition.report == Some(ReportRow::Always);
        OTHERS.contains(&name) || facts::describe(name).is_some_and(always)
    };
    let known = now.iter().filter(|(name, _)| shown(name));
    let line = |(name, fact): (&str, &Fact)| {
        let (label, value) = (facts::label(name), facts::words(name, &fact.value));
        match then.get(name).map(|fact| facts::words(name, &fact.value)) {
            Some(before) if alike(&before, &value) => None,
            Some(before) => Some(format!("{label}: {value} instead of {before}")),
            None => Some(format!("{label}: {value}; the report does not say")),
        }
    };
    known.filter_map(line).collect()
}

/// The text with the paragraph at the end of its occurrences.
fn inserted(text: &str, paragraph: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let paragraph = paragraph.trim().replace('\n', end);
    let doc = Document::read(text, Outline::Strict);
    let section = doc.sections.iter().find(|section| section.level == 2 && section.title == HEADING);
    let (at, heading) = match section {
        Some(section) => (section.range.end, String::new()),
        None => (footer(text), format!("## {HEADING}{end}{end}")),
    };
    let (before, after) = text.split_at(at);
    // The section's own end, without the rule and the footer, which markdown counts as part of it.
    let cut = match section {
        Some(_) => footer(before),
        None => before.len(),
    };
    let (before, between) = before.split_at(cut);
    let after = format!("{between}{after}");
    let gap = match before {
        "" => String::new(),
        before if before.ends_with(&format!("{end}{end}")) => String::new(),
        before if before.ends_with('\n') => end.to_owned(),
        _ => format!("{end}{end}"),
    };
    let rest = if after.trim().is_empty() { after } else { format!("{end}{after}") };
    format!("{before}{gap}{heading}{paragraph}{end}{rest}")
}

/// Where a closing rule with a line in italics begins, else the end.
fn footer(text: &str) -> usize {
    let mut at = text.len();
    let mut found = text.len();
    let mut italics = false;
    for line in text.split_inclusive('\n').rev() {
        at -= line.len();
        let words = line.trim();
        if words.is_empty() {
            continue;
        }
        if words.len() >= 3 && words.bytes().all(|b| b == b'-') {
            return if italics { at } else { found };
        }
        let is_italics = words.starts_with('*') && words.ends_with('*') && !words.starts_with("**");
        if !is_italics {
            return found;
        }
        italics = true;
        found = text.len();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_byte_stays() {
        let paragraph = "### 2026-01-02\n\n- **Commit:** `abc`\n";
        for (text, wanted) in [
            ("# T\n\nwords\n", "# T\n\nwords\n\n## Occurrences\n\n### 2026-01-02\n\n- **Commit:** `abc`\n"),
            (
                "# T\r\n\r\nwords",
                "# T\r\n\r\nwords\r\n\r\n## Occurrences\r\n\r\n### 2026-01-02\r\n\r\n- **Commit:** `abc`\r\n",
            ),
            (
                "# T\n\nwords\n\n---\n\n*Drafted.*\n",
                "# T\n\nwords\n\n## Occurrences\n\n### 2026-01-02\n\n- **Commit:** `abc`\n\n---\n\n*Drafted.*\n",
            ),
            (
                "# T\n\n## Occurrences\n\n### 2026-01-01\n\n- x\n\n## Notes\n\ny\n",
                "# T\n\n## Occurrences\n\n### 2026-01-01\n\n- x\n\n### 2026-01-02\n\n- **Commit:** `abc`\n\n## Notes\n\ny\n",
            ),
            (
                "# T\n\n## Occurrences\n\n### 2026-01-01\n\n- x\n\n---\n\n*Drafted.*\n",
                "# T\n\n## Occurrences\n\n### 2026-01-01\n\n- x\n\n### 2026-01-02\n\n- **Commit:** `abc`\n\n---\n\n*Drafted.*\n",
            ),
        ] {
            assert_eq!(inserted(text, paragraph), wanted);
        }
    }
}
