//! The findings of `check` in an open document, and the edits that fix them.

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Diagnostic, DiagnosticSeverity, NumberOrString, Range,
};
use lsp_types::{Position, TextEdit, WorkspaceEdit};

use super::kind::Kind;
use super::session::{Document, Session};
use super::text::{Text, number};
use crate::check::{Finding, Severity};
use crate::interfaces::findings;

/// The findings of `check` for a document.
pub(super) fn findings(session: &Session, document: &Document) -> Vec<Finding> {
    if !matches!(document.kind, Kind::Report | Kind::Page) {
        return Vec::new();
    }
    let own = document.path.as_deref();
    let path = own.map_or_else(|| document.uri.as_str().to_owned(), findings::shown);
    findings::findings(session.workspace(document), path, document.text.as_str(), own)
}

/// Findings as diagnostics.
pub(super) fn diagnostics(document: &Document) -> Vec<Diagnostic> {
    let mark = |finding: &Finding| Diagnostic {
        range: range(&document.text, finding),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(finding.rule.to_owned())),
        source: Some("faultbook".to_owned()),
        message: match finding.help.as_str() {
            "" => finding.message.clone(),
            help => format!("{}\nhelp: {help}", finding.message),
        },
        ..Diagnostic::default()
    };
    document.findings.iter().map(mark).collect()
}

/// Edits that fix the findings on some lines.
pub(super) fn fixes(document: &Document, lines: Range) -> Vec<CodeActionOrCommand> {
    let mut out = Vec::new();
    for finding in &document.findings {
        let place = range(&document.text, finding);
        let Some(fix) = &finding.fix else { continue };
        if place.start.line > lines.end.line || place.end.line < lines.start.line {
            continue;
        }
        let edit = TextEdit { range: document.text.range(&fix.range), new_text: fix.replacement.clone() };
        // The protocol's own type of map; its keys do not change.
        #[expect(clippy::mutable_key_type, reason = "an address has no state that could change")]
        let changes = std::collections::HashMap::from([(document.uri.clone(), vec![edit])]);
        let title = if finding.help.is_empty() { &finding.message } else { &finding.help };
        out.push(CodeActionOrCommand::CodeAction(CodeAction {
            title: format!("Mend: {title}"),
            kind: Some(CodeActionKind::QUICKFIX),
            is_preferred: Some(true),
            edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
            ..CodeAction::default()
        }));
    }
    out
}

/// A finding's place: its columns count characters, the protocol's count UTF-16 units.
fn range(text: &Text, finding: &Finding) -> Range {
    let line = usize::try_from(finding.line.saturating_sub(1)).unwrap_or(usize::MAX);
    let words = text.line(line);
    let units = |column: u32| {
        let column = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
        number(words.chars().take(column).map(char::len_utf16).sum())
    };
    let line = number(line);
    Range { start: Position::new(line, units(finding.column)), end: Position::new(line, units(finding.end)) }
}
