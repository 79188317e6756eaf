//! The answer for an issue tracker: headings, tables, fenced text. Shows everything that a diagnosis holds.
//!
//! Words from logs and reports are escaped, so that they neither break a table nor notify somebody called
//! `@property`; sentences of the book are markdown already and only lose links that lead nowhere outside of it.

use std::fmt::Write as _;

use super::{clean, inline, words};
use crate::diagnosis::{Diagnosis, Fault, PrimaryError, ProposedFix, RankedCause, ReportHit, Verdict};
use crate::facts;
use crate::span::Span;

/// The answer as markdown.
pub fn render(diagnosis: &Diagnosis) -> String {
    let mut page = Page::default();
    match (diagnosis.verdict, &diagnosis.fault) {
        (Verdict::NoError, _) => page.heading(1, "No failure found"),
        (_, Some(fault)) => known(&mut page, fault),
        (_, None) => page.heading(1, "Not a failure in the book"),
    }
    if diagnosis.verdict == Verdict::NoError {
        page.paragraph(&format!("{} read.", words::counted(diagnosis.lines_read.into(), "line", "lines")));
    }
    if let Some(error) = &diagnosis.error {
        primary_error(&mut page, error, diagnosis.fault.as_ref());
    }
    causes(&mut page, diagnosis);
    reports(&mut page, &diagnosis.reports);
    nearest(&mut page, diagnosis);
    silent(&mut page, diagnosis);
    cascade(&mut page, diagnosis);
    notices(&mut page, diagnosis);
    environment(&mut page, diagnosis);
    probe(&mut page, diagnosis);
    page.list("Notes", &diagnosis.notes.iter().map(|note| escape(note)).collect::<Vec<_>>());
    page.finish()
}

fn known(page: &mut Page, fault: &Fault) {
    page.heading(1, &sentence(&fault.title));
    let mut parts = vec![format!("`{}`", fault.id), format!("confidence {}", share(fault.confidence))];
    parts.extend(fault.rank.map(|rank| format!("rank {rank}")));
    parts.extend(fault.circumstances.iter().map(|part| escape(part)));
    page.paragraph(&parts.join(" · "));
    page.paragraph(&format!("{}:", capital(&place(fault.span))));
    page.fence("text", &fault.text);
}

fn primary_error(page: &mut Page, error: &PrimaryError, fault: Option<&Fault>) {
    let text = match (error.type_name.as_str(), error.message.as_str()) {
        ("", message) => message.to_owned(),
        (name, "") => name.to_owned(),
        (name, message) if message.starts_with(name) => message.to_owned(),
        (name, message) => format!("{name}: {message}"),
    };
    if fault.is_none_or(|fault| fault.span != error.span || fault.text.trim() != text.trim()) {
        let rank = error.rank.map(|rank| format!(", rank {rank}")).unwrap_or_default();
        page.paragraph(&format!("The error as the text has it ({}{rank}):", place(error.span)));
        page.fence("text", &text);
    }
    if let Some(frame) = &error.frame {
        let line = if frame.line > 0 { format!(":{}", frame.line) } else { String::new() };
        let function = if frame.function.is_empty() { String::new() } else { format!(" in {}", code(&frame.function)) };
        page.paragraph(&format!("Raised through {}{function}", code(&format!("{}{line}", frame.file))));
    }
}

fn causes(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.causes.is_empty() {
        return;
    }
    page.heading(2, "Causes");
    page.table(
        &["", "Cause", "Status"],
        diagnosis.causes.iter().map(|cause| {
            vec![share(cause.probability), format!("{} ({})", sentence(&cause.title), code(&cause.id)), status(cause)]
        }),
    );
    if let Some(next) = &diagnosis.next_check {
        page.paragraph(&format!("**Next best check.** {}", sentence(&next.says)));
        page.fences(next.command.as_slice());
    }
    for cause in &diagnosis.causes {
        one_cause(page, cause);
    }
}

fn one_cause(page: &mut Page, cause: &RankedCause) {
    page.heading(3, &format!("{}: {}", code(&cause.id), sentence(&cause.title)));
    for reason in &cause.reasons {
        let sign = if reason.supports { "for" } else { "against" };
        let at = reason.span.map(|span| format!(", {}", place(span))).unwrap_or_default();
        page.item(&format!("**{sign}** ({}{at}): {}", reason.source.word(), sentence(&reason.says)));
    }
    page.blank();
    if !cause.check.trim().is_empty() || cause.check_command.is_some() {
        page.paragraph(&format!("**Check.** {}", sentence(&cause.check)));
        page.fences(cause.check_command.as_slice());
    }
    if !cause.fixes.is_empty() {
        page.paragraph("**Fix**, cheapest first.");
        for (number, fix) in (1..).zip(&cause.fixes) {
            one_fix(page, number, fix);
        }
    }
    if !cause.dead_ends.is_empty() {
        page.paragraph("**Does not help.**");
        for end in &cause.dead_ends {
            page.item(&sentence(end));
        }
        page.blank();
    }
}

fn one_fix(page: &mut Page, number: usize, fix: &ProposedFix) {
    page.paragraph(&format!("{number}\\. **{}**", sentence(&fix.title).replace("**", "")));
    if !fix.detail.trim().is_empty() {
        page.paragraph(&sentence(&fix.detail));
    }
    page.fences(&fix.commands);
    for cost in &fix.trade_offs {
        page.item(&format!("trade-off: {}", sentence(cost)));
    }
    page.blank();
}

fn reports(page: &mut Page, reports: &[ReportHit]) {
    if reports.is_empty() {
        return;
    }
    page.heading(2, "Matching reports");
    page.table(
        &["Report", "Title", "Status", "Likeness", "Why"],
        reports.iter().map(|report| {
            let why: Vec<String> = report.why.iter().map(|why| escape(why)).collect();
            let id = format!("{} ({})", escape(&report.id), code(&report.path));
            vec![id, escape(&report.title), escape(&report.status), figure(report.score), why.join(", ")]
        }),
    );
    for report in reports {
        if let Some(solution) = &report.solution {
            page.paragraph(&format!("{}: {}", escape(&report.id), escape(solution)));
        }
        page.fences(report.command.as_slice());
    }
}

fn nearest(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.nearest.is_empty() {
        return;
    }
    page.heading(2, "Nearest pages of the book");
    page.table(
        &["Page", "Title", "Relative likeness"],
        diagnosis.nearest.iter().map(|near| vec![code(&near.id), sentence(&near.title), figure(near.score)]),
    );
}

fn silent(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.silent.is_empty() {
        return;
    }
    page.heading(2, "Known to go wrong silently with these versions and operations");
    page.table(&["Page", "Title"], diagnosis.silent.iter().map(|near| vec![code(&near.id), sentence(&near.title)]));
}

fn cascade(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.cascade.is_empty() {
        return;
    }
    page.heading(2, "Followed from it");
    page.table(
        &["Line", "Fault", "Why", "Text"],
        diagnosis.cascade.iter().map(|echo| {
            vec![
                echo.span.start.line.to_string(),
                format!("{} ({})", sentence(&echo.title), code(&echo.id)),
                escape(&echo.why),
                code(&echo.text),
            ]
        }),
    );
}

fn notices(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.notices.is_empty() {
        return;
    }
    page.heading(2, "Looks alarming, is harmless");
    page.table(
        &["Line", "Times", "What it says"],
        diagnosis
            .notices
            .iter()
            .map(|notice| vec![notice.line.to_string(), notice.count.to_string(), sentence(&notice.title)]),
    );
}

fn environment(page: &mut Page, diagnosis: &Diagnosis) {
    let environment = &diagnosis.environment;
    if environment.is_empty() && environment.unknowns().next().is_none() {
        return;
    }
    page.heading(2, "Environment");
    let row =
        |name: &str, value: &str, from: String| vec![escape(&facts::label(name)), escape(value), from, code(name)];
    let known = environment.iter().map(|(name, fact)| {
        let line = fact.line.map(|line| format!(", line {line}")).unwrap_or_default();
        row(name, &facts::words(name, &fact.value), format!("{}{line}", fact.source.word()))
    });
    let unknown = environment.unknowns().map(|(name, why)| row(name, "unknown", escape(why)));
    page.table(&["Fact", "Value", "From", "Name"], known.chain(unknown));
}

fn probe(page: &mut Page, diagnosis: &Diagnosis) {
    let Some(probe) = &diagnosis.probe else { return };
    page.heading(2, &format!("The machine ({})", escape(&probe.level)));
    for finding in &probe.findings {
        page.item(&escape(finding));
    }
    page.blank();
}

fn status(cause: &RankedCause) -> String {
    let word = cause.status.word();
    match &cause.status_says {
        Some(says) => format!("{word}: {}", sentence(says)),
        None => word.to_owned(),
    }
}

fn share(probability: f64) -> String {
    words::percent(probability).unwrap_or_default().replace('<', "&lt;").replace('>', "&gt;")
}

fn figure(score: f64) -> String {
    if score.is_finite() { format!("{score:.2}") } else { String::new() }
}

fn place(span: Span) -> String {
    if span.end.line > span.start.line {
        format!("lines {}-{}", span.start.line, span.end.line)
    } else {
        format!("line {}", span.start.line)
    }
}

/// A path as the target of a link: with slashes, and without what would end the link or mean something in it.
pub fn address(path: &str) -> String {
    let mut out = String::new();
    for c in path.replace('\\', "/").chars() {
        match c {
            '%' | ' ' | '(' | ')' | '<' | '>' | '"' | '|' | '#' | '?' => {
                out.push_str(&format!("%{:02X}", u32::from(c)))
            }
            c => out.push(c),
        }
    }
    out
}

/// Words in one cell of a table.
pub fn cell(words: &str) -> String {
    escape(&clean::line(words)).replace('|', "\\|")
}

/// With a capital at the start.
pub fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A sentence of the book, in one line.
pub fn sentence(text: &str) -> String {
    let text = clean::line(&inline::portable(text));
    let mut out = String::with_capacity(text.len());
    let mut in_code = false;
    for c in text.chars() {
        match c {
            '`' => in_code = !in_code,
            '<' if !in_code => {
                out.push_str("&lt;");
                continue;
            }
            '@' if !in_code => {
                out.push_str("@\u{200b}");
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

/// Words from elsewhere, in one line, none of which is markup.
pub fn escape(text: &str) -> String {
    let text = clean::line(text);
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            // Nobody is to be notified because a decorator stands in a traceback.
            '@' => out.push_str("@\u{200b}"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Words from elsewhere as inline code.
fn code(text: &str) -> String {
    let text = clean::line(text);
    if text.is_empty() {
        return String::new();
    }
    let marks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{marks}{pad}{text}{pad}{marks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Markdown under construction; blocks are kept apart by one blank line.
#[derive(Default)]
struct Page {
    out: String,
}

impl Page {
    fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn heading(&mut self, level: usize, words: &str) {
        self.blank();
        let _ = writeln!(self.out, "{} {words}\n", "#".repeat(level));
    }

    fn paragraph(&mut self, words: &str) {
        self.blank();
        let _ = writeln!(self.out, "{}\n", words.trim());
    }

    fn item(&mut self, words: &str) {
        let _ = writeln!(self.out, "- {words}");
    }

    fn list(&mut self, heading: &str, items: &[String]) {
        if !items.is_empty() {
            self.heading(2, heading);
            items.iter().for_each(|item| self.item(item));
        }
    }

    fn table(&mut self, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        self.blank();
        let _ = writeln!(self.out, "| {} |", head.join(" | "));
        let _ = writeln!(self.out, "|{}", " --- |".repeat(head.len()));
        for row in rows {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            let _ = writeln!(self.out, "| {} |", cells.join(" | "));
        }
        self.out.push('\n');
    }

    fn fences(&mut self, texts: &[String]) {
        texts.iter().for_each(|text| self.fence("", text));
    }

    /// A fence longer than any inside it.
    fn fence(&mut self, language: &str, text: &str) {
        let lines = clean::lines(text);
        if lines.is_empty() {
            return;
        }
        self.blank();
        let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
        let marks = "`".repeat((longest + 1).max(3));
        let _ = writeln!(self.out, "{marks}{language}\n{}\n{marks}\n", lines.join("\n"));
    }

    fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        self.out.push('\n');
        self.out
    }
}
