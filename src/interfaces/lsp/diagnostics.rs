//! Diagnostics of a document: a log's failure with its consequences, a page's mistakes.

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range,
};

use super::analysis::{self, Analysis};
use super::checks;
use super::kind::Kind;
use super::session::Document;
use crate::diagnosis::Verdict;
use crate::render::inline;
use crate::render::words::percent;

/// Consequences named beside the failure; a thousand ranks print the same.
const MOST_RELATED: usize = 20;

/// All diagnostics of a document.
pub(super) fn of(document: &Document) -> Vec<Diagnostic> {
    match document.kind {
        Kind::Log => document.log().map(|analysis| log(document, analysis)).unwrap_or_default(),
        Kind::Report | Kind::Page => checks::diagnostics(document),
        Kind::Source => Vec::new(),
    }
}

fn log(document: &Document, analysis: &Analysis) -> Vec<Diagnostic> {
    let diagnosis = &analysis.diagnosis;
    let text = &document.text;
    let mut out = Vec::new();
    let mark = |range: Range, severity, code: &str, message: String| Diagnostic {
        range,
        severity: Some(severity),
        code: Some(NumberOrString::String(code.to_owned())),
        source: Some("faultbook".to_owned()),
        message,
        ..Diagnostic::default()
    };
    let mut related = Vec::new();
    let mut relate = |range: Range, message: String| {
        if related.len() < MOST_RELATED {
            related.push(DiagnosticRelatedInformation {
                location: Location { uri: document.uri.clone(), range },
                message,
            });
        }
    };
    let mut primary = match (diagnosis.verdict, &diagnosis.fault, &diagnosis.error) {
        (Verdict::KnownFault | Verdict::OrdinaryError, Some(fault), _) => {
            let range = analysis::place(text, fault.span.start.line, &fault.text);
            mark(range, DiagnosticSeverity::ERROR, &fault.id, known(analysis))
        }
        (Verdict::UnlistedError, _, Some(error)) => {
            let first = error.message.lines().next().unwrap_or_default();
            let range = analysis::place(text, error.span.start.line, first);
            let name = if error.type_name.is_empty() { first } else { &error.type_name };
            mark(range, DiagnosticSeverity::WARNING, "unlisted-error", format!("Not a failure in the book: {name}"))
        }
        _ => {
            out.extend(notes(analysis));
            return out;
        }
    };
    for echo in &diagnosis.cascade {
        relate(
            analysis::place(text, echo.span.start.line, &echo.text),
            format!("follows from it ({}): {}", echo.why, inline::plain(&echo.title)),
        );
    }
    for reason in diagnosis.causes.iter().take(1).flat_map(|cause| &cause.reasons) {
        if let Some(span) = reason.span {
            let sign = if reason.supports { "for" } else { "against" };
            relate(analysis::place(text, span.start.line, ""), format!("{sign} this cause: {}", reason.says));
        }
    }
    primary.related_information = (!related.is_empty()).then_some(related);
    out.push(primary);
    for notice in &diagnosis.notices {
        let range = analysis::place(text, notice.line, "");
        out.push(mark(range, DiagnosticSeverity::HINT, "harmless", format!("Harmless: {}", notice.title)));
    }
    out.extend(notes(analysis));
    out
}

/// The failure in a few lines.
fn known(analysis: &Analysis) -> String {
    let diagnosis = &analysis.diagnosis;
    let mut lines: Vec<String> = diagnosis.fault.iter().map(|fault| inline::plain(&fault.title)).collect();
    if let Some(cause) = diagnosis.causes.first() {
        let figure = percent(cause.probability).map(|figure| format!(" ({figure})")).unwrap_or_default();
        lines.push(format!("Most likely: {}{figure}", inline::plain(&cause.title)));
    }
    lines.extend(diagnosis.actions.first().map(|action| format!("Do this: {}", inline::plain(&action.title))));
    if let Some(report) = diagnosis.reports.first() {
        lines.push(format!("Seen before: {} {}", report.id, report.title));
    }
    lines.join("\n")
}

/// Notes about how the text was read, where they affect how far the answer can be trusted.
fn notes(analysis: &Analysis) -> Vec<Diagnostic> {
    let notes = analysis.diagnosis.notes.iter().filter(|note| note.contains("not read") || note.contains("left out"));
    let top = Range { start: Position::new(0, 0), end: Position::new(0, 0) };
    notes
        .map(|note| Diagnostic {
            range: top,
            severity: Some(DiagnosticSeverity::INFORMATION),
            source: Some("faultbook".to_owned()),
            message: note.clone(),
            ..Diagnostic::default()
        })
        .collect()
}
