//! What a hover shows: the failure of a log, a report, a page, a code.

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position, Range};

use super::analysis;
use super::ids::{self, Meaning};
use super::kind::Kind;
use super::session::{Document, Session};
use crate::book::codes::Code;
use crate::book::report::Report;
use crate::diagnosis::{Consequence, Diagnosis, RankedCause};
use crate::facts;
use crate::interfaces::workspace::Workspace;
use crate::render::inline;
use crate::render::markdown;
use crate::render::words::{copies, percent};
use crate::reports::lookup;

/// Longest section that a hover shows, in bytes.
const SOME: usize = 900;

/// The hover at a position.
pub(super) fn at(session: &Session, document: &Document, position: Position) -> Option<Hover> {
    if let Some(mention) = ids::at(session, document, position) {
        let text = match &mention.meaning {
            Meaning::Page(page) => page_text(mention.workspace, *page),
            Meaning::Reports(reports) => reports
                .iter()
                .map(|report| report_text(mention.workspace, report))
                .collect::<Vec<_>>()
                .join("\n\n---\n\n"),
            Meaning::Codes(codes) => {
                let said = in_log(document, position).map(|(text, _)| format!("\n\n---\n\n{text}")).unwrap_or_default();
                codes.iter().map(|code| code_text(code)).collect::<Vec<_>>().join("\n\n") + &said
            }
        };
        return Some(hover(text, Some(document.text.range(&mention.range))));
    }
    let (text, range) = fact_at(document, position).or_else(|| in_log(document, position))?;
    Some(hover(text, Some(range)))
}

/// What the registry says of the fact that a page names at a place.
fn fact_at(document: &Document, position: Position) -> Option<(String, Range)> {
    let (line, byte) = document.at(position);
    let words = document.text.line(line);
    let outside = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    let start = words.get(..byte)?.rfind(outside).map_or(0, |at| at + 1);
    let end = words.get(byte..)?.find(outside).map_or(words.len(), |at| byte + at);
    let name = words.get(start..end).filter(|_| document.kind == Kind::Page)?;
    let described = facts::describe(name)?;
    let from = document.text.line_range(line).start;
    let text = format!("**{}** `{name}`\n\n{}\n", described.label(), described.definition.meaning);
    Some((text, document.text.range(&(from + start..from + end))))
}

fn hover(value: String, range: Option<Range>) -> Hover {
    Hover { contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }), range }
}

/// The hover in a log: at the primary failure the whole answer, at a consequence why it counts as one.
fn in_log(document: &Document, position: Position) -> Option<(String, Range)> {
    let analysis = document.log().filter(|_| document.kind == Kind::Log)?;
    let diagnosis = &analysis.diagnosis;
    let line = position.line.saturating_add(1);
    let on = |span: crate::span::Span| (span.start.line..=span.end.line).contains(&line);
    if let Some(fault) = diagnosis.fault.as_ref().filter(|fault| on(fault.span)) {
        return Some((answer(diagnosis), analysis::place(&document.text, line, &fault.text)));
    }
    if let Some(error) = diagnosis.error.as_ref().filter(|error| on(error.span)) {
        return Some((answer(diagnosis), analysis::place(&document.text, line, &error.message)));
    }
    let echo = diagnosis.cascade.iter().find(|echo| on(echo.span))?;
    Some((consequence_text(echo, diagnosis), analysis::place(&document.text, line, &echo.text)))
}

/// The answer, short enough for a hover.
pub(super) fn answer(diagnosis: &Diagnosis) -> String {
    let mut out = String::new();
    match (&diagnosis.fault, &diagnosis.error) {
        (Some(fault), _) => {
            out.push_str(&format!("**{}** `{}`\n", inline::portable(&fault.title), fault.id));
            if !fault.circumstances.is_empty() {
                out.push_str(&format!("\n{}\n", fault.circumstances.join(", ")));
            }
        }
        (None, Some(error)) => {
            let name = if error.type_name.is_empty() { "error" } else { &error.type_name };
            out.push_str(&format!("**Not a failure in the book:** {}\n", markdown::escape(name)));
            if let Some(frame) = &error.frame {
                out.push_str(&format!(
                    "\nRaised through `{}:{}` {}\n",
                    frame.file,
                    frame.line,
                    markdown::escape(&frame.function)
                ));
            }
        }
        (None, None) => out.push_str("No failure found\n"),
    }
    if let Some(best) = diagnosis.causes.first() {
        out.push_str(&cause_text(best));
    }
    if let Some(action) = diagnosis.actions.first() {
        out.push_str(&format!("\n**Do this:** {}\n", inline::portable(&action.title)));
        action.commands.iter().for_each(|command| out.push_str(&fence(command)));
    }
    if let Some(next) = &diagnosis.next_check {
        out.push_str(&format!("\n**Check next:** {}\n", inline::portable(&next.says)));
        out.push_str(&next.command.as_deref().map(fence).unwrap_or_default());
    }
    if diagnosis.causes.len() > 1 {
        out.push_str("\n**Other causes**\n\n");
        for cause in diagnosis.causes.iter().skip(1) {
            let figure = percent(cause.probability).map(|figure| format!(" ({figure})")).unwrap_or_default();
            out.push_str(&format!("- {}{figure}\n", inline::portable(&cause.title)));
        }
    }
    if !diagnosis.reports.is_empty() {
        out.push_str("\n**Your team met this before**\n\n");
        for report in &diagnosis.reports {
            let solution = report.solution.as_deref().map(|s| format!(": {}", markdown::escape(s))).unwrap_or_default();
            let known = [report.status.clone(), copies(report.copies.len())];
            let known: Vec<String> = known.into_iter().filter(|words| !words.is_empty()).collect();
            let title = markdown::escape(&report.title);
            out.push_str(&format!("- `{}` {title} ({}){solution}\n", report.id, known.join(", ")));
        }
    }
    for page in &diagnosis.nearest {
        out.push_str(&format!("\nNear: {} `{}`\n", inline::portable(&page.title), page.id));
    }
    out
}

fn cause_text(cause: &RankedCause) -> String {
    let figure = percent(cause.probability).map(|figure| format!(" ({figure})")).unwrap_or_default();
    let mut out = format!("\n**Most likely:** {}{figure}\n\n", inline::portable(&cause.title));
    for reason in &cause.reasons {
        let sign = if reason.supports { "for" } else { "against" };
        out.push_str(&format!("- {sign}: {} *({})*\n", markdown::escape(&reason.says), reason.source.word()));
    }
    out
}

fn consequence_text(echo: &Consequence, diagnosis: &Diagnosis) -> String {
    let line = diagnosis.fault.as_ref().map(|fault| fault.span.start.line);
    let line = line.or(diagnosis.error.as_ref().map(|error| error.span.start.line));
    let of = line.map(|line| format!(" of line {line}")).unwrap_or_default();
    format!(
        "**A consequence{of}** ({}): {} `{}`\n",
        markdown::escape(&echo.why),
        inline::portable(&echo.title),
        echo.id
    )
}

fn page_text(workspace: &Workspace, page: usize) -> String {
    let page = workspace.knowledge.book.fault(page);
    let mut out =
        format!("**{}** `{}`\n\n{}\n", inline::portable(&page.title), page.id, some(&inline::portable(&page.meaning)));
    out.push_str("\n**Causes**\n\n");
    page.causes.iter().for_each(|cause| out.push_str(&format!("- {}\n", inline::portable(&cause.title))));
    out
}

fn report_text(workspace: &Workspace, report: &Report) -> String {
    let mut about = vec![format!("`{}`", report.id)];
    about.extend(
        [&report.status, &report.severity, &report.date]
            .into_iter()
            .filter(|w| !w.is_empty())
            .map(|w| markdown::escape(w)),
    );
    let record = lookup::record(&workspace.knowledge, &report.path).unwrap_or_default();
    about.extend(Some(copies(record.copies.len())).filter(|more| !more.is_empty()));
    about.extend(record.seen().map(|seen| format!("seen {seen}")));
    let mut out = format!("**{}**\n\n{}\n", markdown::escape(&report.title), about.join(" · "));
    if !report.summary.is_empty() {
        out.push_str(&format!("\n{}\n", some(&report.summary)));
    }
    let best = report.solutions.iter().find(|solution| solution.recommended).or(report.solutions.first());
    if let Some(solution) = best {
        out.push_str(&format!("\n**Solution:** {}\n", markdown::escape(&solution.title)));
        out.push_str(&solution.commands.first().map(|command| fence(command)).unwrap_or_default());
    }
    out
}

fn code_text(code: &Code) -> String {
    let number = code.number.map(|number| format!("{number}, ")).unwrap_or_default();
    let mut out = format!("**{}** ({number}{})\n", markdown::escape(&code.label()), code.library);
    for words in [code.message(), code.meaning()].into_iter().filter(|words| !words.is_empty()) {
        out.push_str(&format!("\n{}\n", markdown::escape(words)));
    }
    if let Some(fault) = code.fault() {
        out.push_str(&format!("\nFault page: `{fault}`\n"));
    }
    out
}

/// A fenced command.
fn fence(command: &str) -> String {
    let ticks = if command.contains("```") { "````" } else { "```" };
    format!("\n{ticks}sh\n{}\n{ticks}\n", command.trim_end())
}

/// The beginning of a long text, up to a paragraph's or word's end.
fn some(text: &str) -> String {
    if text.chars().count() <= SOME {
        return text.trim().to_owned();
    }
    let head: String = text.chars().take(SOME).collect();
    let end = head.rfind("\n\n").filter(|end| *end > SOME / 2).or_else(|| head.rfind(' ')).unwrap_or(head.len());
    format!("{} …", head.get(..end).unwrap_or_default().trim_end())
}
