//! What can be done about a failure: commands of the server, offered as code actions.
//!
//! The server has no clipboard and opens no window of its own: `faultbook.copyCommand` returns the text to the
//! client, `faultbook.openPage` and `faultbook.draftReport` ask it to show what they name or write.

use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Command, Range};
use serde_json::{Value, json};

use super::checks;
use super::session::Document;
use crate::diagnosis::Diagnosis;

/// Shows a fault page: `[id]`.
pub(super) const OPEN_PAGE: &str = "faultbook.openPage";
/// Returns a command for copying: `[words]`.
pub(super) const COPY_COMMAND: &str = "faultbook.copyCommand";
/// Diagnoses a text or an open document: `[{"text": ...}]` or `[{"uri": ...}]`.
pub(super) const DIAGNOSE: &str = "faultbook.diagnose";
/// Writes a bug report from a text or an open document: `[{"text": ...}]` or `[{"uri": ...}]`.
pub(super) const DRAFT: &str = "faultbook.draftReport";

/// Every command of the server.
pub(super) const ALL: [&str; 4] = [OPEN_PAGE, COPY_COMMAND, DIAGNOSE, DRAFT];

/// A command with a title.
pub(super) fn command(title: impl Into<String>, command: &str, argument: Value) -> Command {
    Command { title: title.into(), command: command.to_owned(), arguments: Some(vec![argument]) }
}

/// What is offered in a log on some lines.
pub(super) fn of(document: &Document, range: Range) -> Vec<CodeActionOrCommand> {
    let Some(analysis) = document.log() else { return checks::fixes(document, range) };
    let diagnosis = &analysis.diagnosis;
    let touches = |line: u32| (range.start.line..=range.end.line).contains(&line.saturating_sub(1));
    let primary = diagnosis.fault.as_ref().map(|fault| fault.span).or(diagnosis.error.as_ref().map(|e| e.span));
    let mut out = Vec::new();
    let mut offer = |title: String, name: &str, argument: Value| {
        out.push(CodeActionOrCommand::CodeAction(CodeAction {
            title: title.clone(),
            kind: Some(CodeActionKind::QUICKFIX),
            command: Some(command(title, name, argument)),
            ..CodeAction::default()
        }));
    };
    if primary.is_some_and(|span| touches(span.start.line)) {
        if let Some(fault) = &diagnosis.fault {
            offer(format!("Open the fault page {}", fault.id), OPEN_PAGE, json!(fault.id));
        }
        if let Some(words) = recommended(diagnosis) {
            // A comment above says what the command is for, which is no name for it.
            let first = words.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
            let dots = if words.lines().count() > 1 { " ..." } else { "" };
            offer(format!("Copy the recommended command: {first}{dots}"), COPY_COMMAND, json!(words));
        }
    }
    for echo in diagnosis.cascade.iter().filter(|echo| touches(echo.span.start.line)) {
        offer(format!("Open the fault page {}", echo.id), OPEN_PAGE, json!(echo.id));
    }
    // Wherever the cursor is: a report is about the log, not about one line of it.
    if diagnosis.error.is_some() || diagnosis.fault.is_some() {
        offer("Draft a bug report from this".to_owned(), DRAFT, json!({ "uri": document.uri }));
    }
    out
}

/// The command to run first: of an action against the best cause, else its check, else what a report recommends.
pub(super) fn recommended(diagnosis: &Diagnosis) -> Option<&str> {
    let best = diagnosis.causes.first();
    let fix = best.and_then(|cause| cause.fixes.iter().find_map(|fix| fix.commands.first()));
    let check = best.and_then(|cause| cause.check_command.as_ref());
    let report = diagnosis.reports.iter().find_map(|report| report.command.as_ref());
    fix.or(check).or(report).map(String::as_str)
}
