//! Findings for a terminal: position, rule, message, then the line with the marked words underlined.
//!
//! Readable without colour, which only repeats what the text says. Escape sequences are always written; the caller
//! strips them if they cannot be shown.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;

use super::counts;
use crate::check::finding::Source;
use crate::check::{Document, Finding, Severity};
use crate::render::clean;

/// What is shown, and how wide.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// In columns.
    pub width: usize,
    /// Whether informational findings are shown.
    pub infos: bool,
    /// Whether each finding is shown under its line, with what to do; else on one line.
    pub long: bool,
    /// Whether only the number of findings of each rule is shown.
    pub statistics: bool,
}

impl Default for Shown {
    fn default() -> Self {
        Self { width: 80, infos: false, long: true, statistics: false }
    }
}

const PLACE: Style = Style::new().bold();
const MARGIN: Style = AnsiColor::Blue.on_default();
const HELP: Style = AnsiColor::Cyan.on_default();

/// All findings and a summary line.
pub fn terminal(findings: &[Finding], documents: &[Document], shown: Shown) -> String {
    let mut out = String::new();
    let mut source: Option<Source<'_>> = None;
    let visible = || findings.iter().filter(|finding| shown.infos || finding.severity > Severity::Info);
    if shown.statistics {
        statistics(&mut out, visible());
        summary(&mut out, findings, documents, shown);
        return out;
    }
    for finding in visible() {
        if !shown.long {
            short(&mut out, finding);
            continue;
        }
        if source.as_ref().is_none_or(|source| source.path != finding.path) {
            let document = documents.iter().find(|document| document.path == finding.path);
            source = document.map(|document| Source::new(&document.path, &document.text));
        }
        let line = source.as_ref().map(|source| source.line(finding.line as usize - 1)).unwrap_or_default();
        one(&mut out, finding, line, shown.width);
    }
    summary(&mut out, findings, documents, shown);
    out
}

/// A finding on one line.
fn short(out: &mut String, finding: &Finding) {
    let color = color(finding.severity);
    let Finding { path, line, column, rule, message, .. } = finding;
    let fixable = match finding.rule {
        _ if finding.fix.is_some() => " [--fix]",
        // Its fix changes several files.
        "duplicate-id" => " [--renumber]",
        _ => "",
    };
    let (path, message) = (clean::line(path), clean::line(message));
    let _ = writeln!(out, "{PLACE}{path}:{line}:{column}{PLACE:#}  {color}{rule}{color:#}: {message}{fixable}");
}

/// How many findings each rule has, the most frequent first.
fn statistics<'f>(out: &mut String, findings: impl Iterator<Item = &'f Finding>) {
    let mut rules: Vec<(&str, Severity, usize, usize)> = Vec::new();
    for finding in findings {
        let fixable = usize::from(finding.fix.is_some());
        match rules.iter_mut().find(|(rule, ..)| *rule == finding.rule) {
            Some((_, severity, count, fixes)) => {
                *severity = (*severity).max(finding.severity);
                *count += 1;
                *fixes += fixable;
            }
            None => rules.push((finding.rule, finding.severity, 1, fixable)),
        }
    }
    rules.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(b.0)));
    for (rule, severity, count, fixes) in rules {
        let color = color(severity);
        let fixes = if fixes > 0 { format!("  ({fixes} with --fix)") } else { String::new() };
        let _ = writeln!(out, "{count:>5}  {color}{rule}{color:#}{fixes}");
    }
}

fn one(out: &mut String, finding: &Finding, line: &str, width: usize) {
    let color = color(finding.severity);
    let Finding { path, line: number, column, rule, message, help, .. } = finding;
    let (path, message) = (clean::line(path), clean::line(message));
    let _ = writeln!(out, "{PLACE}{path}:{number}:{column}{PLACE:#}  {color}{rule}{color:#}: {message}");
    if !line.trim().is_empty() {
        let digits = number.to_string().len().max(4);
        let (words, before, marked) = window(line, finding, width.saturating_sub(digits + 4).max(20));
        let _ = writeln!(out, "{MARGIN}{number:>digits$} |{MARGIN:#} {words}");
        let carets = "^".repeat(marked.max(1));
        let _ = writeln!(out, "{MARGIN}{:>digits$} |{MARGIN:#} {}{color}{carets}{color:#}", "", " ".repeat(before));
    }
    let fixable = finding.fix.is_some() && !help.contains("--fix");
    let help = match (help.as_str(), fixable) {
        ("", false) => return,
        ("", true) => "`faultbook check --fix` adds it".to_owned(),
        (help, true) => format!("{help}; `faultbook check --fix` adds it"),
        (help, false) => help.to_owned(),
    };
    let _ = writeln!(out, "   {HELP}help{HELP:#}: {}", clean::line(&help));
}

/// The visible part of a line, the columns before the marked words, and the columns of those words.
///
/// Wide characters use two columns and tabs one; a line longer than the terminal is cut around the marked words.
fn window(line: &str, finding: &Finding, width: usize) -> (String, usize, usize) {
    let letters: Vec<(char, usize)> =
        line.chars().map(|c| if c.is_control() { (' ', 1) } else { (c, c.width().unwrap_or(0)) }).collect();
    let total: usize = letters.iter().map(|(_, columns)| columns).sum();
    let start = (finding.column as usize - 1).min(letters.len());
    let end = (finding.end as usize - 1).clamp(start, letters.len());
    let columns =
        |range: std::ops::Range<usize>| letters.get(range).unwrap_or_default().iter().map(|(_, c)| c).sum::<usize>();
    let (mut first, mut cut) = (0, "");
    if total > width && columns(0..end) > width {
        // Some text before the mark shows where it is.
        const BEFORE: usize = 20;
        first = start.saturating_sub(BEFORE);
        cut = if first > 0 { "... " } else { "" };
    }
    let mut words = String::from(cut);
    let mut used = cut.len();
    let mut last = first;
    for (c, wide) in letters.get(first..).unwrap_or_default() {
        if used + wide > width {
            break;
        }
        words.push(*c);
        used += wide;
        last += 1;
    }
    let before = cut.len() + columns(first..start);
    (words.trim_end().to_owned(), before, columns(start..end.min(last)))
}

fn summary(out: &mut String, findings: &[Finding], documents: &[Document], shown: Shown) {
    let [infos, warnings, errors] = counts(findings);
    let plural = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let reports = documents.iter().filter(|document| document.kind == crate::check::Kind::Report).count();
    let checked = documents.iter().filter(|document| document.kind != crate::check::Kind::Other).count();
    let pages = checked - reports;
    let what = match (pages, reports) {
        (0, reports) => plural(reports, "report"),
        (pages, 0) => plural(pages, "page"),
        (pages, reports) => format!("{}, {}", plural(pages, "page"), plural(reports, "report")),
    };
    let found = match (errors, warnings) {
        (0, 0) => "nothing to fix".to_owned(),
        (errors, warnings) => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
    };
    let hidden = if infos > 0 && !shown.infos { format!(" ({infos} more with --verbose)") } else { String::new() };
    let _ = writeln!(out, "{what}: {found}{hidden}");
}

fn color(severity: Severity) -> Style {
    match severity {
        Severity::Error => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Info => AnsiColor::Blue.on_default(),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use expect_test::expect;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_finding_is_shown_under_its_line() {
        let text = format!("# t\n한국어 words BAD\n{}BAD{}\n", "x".repeat(90), "y".repeat(90));
        let document = Document { path: "docs/a.md".into(), text, kind: crate::check::Kind::Report, replaced: None };
        let source = Source::new(&document.path, &document.text);
        let bad = document.text.find("BAD").unwrap();
        let far = document.text.rfind("BAD").unwrap();
        let findings = [
            source.finding(bad..bad + 3, "placeholder", "the words are left").help("say it"),
            source.finding(far..far + 3, "secret", "a token").fix(0..0, ""),
            source.finding(0..0, "dead-signature", "not shown"),
        ];
        let shown = plain(&terminal(&findings, std::slice::from_ref(&document), Shown::default()));
        expect![[r#"
            docs/a.md:2:11  placeholder: the words are left
               2 | 한국어 words BAD
                 |              ^^^
               help: say it
            docs/a.md:3:91  secret: a token
               3 | ... xxxxxxxxxxxxxxxxxxxxBADyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
                 |                         ^^^
               help: `faultbook check --fix` adds it
            1 report: 1 error, 1 warning (1 more with --verbose)
        "#]]
        .assert_eq(&shown);
        let clean = plain(&terminal(&[], std::slice::from_ref(&document), Shown::default()));
        assert_eq!(clean, "1 report: nothing to fix\n");
    }
}
