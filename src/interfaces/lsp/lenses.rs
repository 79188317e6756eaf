//! Lines above a failure: what it is, and what to do with it.

use lsp_types::{CodeLens, Range};
use serde_json::json;

use super::actions::{COPY_COMMAND, DRAFT, OPEN_PAGE, command, recommended};
use super::analysis;
use super::session::Document;
use crate::render::inline;
use crate::render::words::percent;

/// The lenses of a log.
pub(super) fn of(document: &Document) -> Vec<CodeLens> {
    let Some(analysis) = document.log() else { return Vec::new() };
    let diagnosis = &analysis.diagnosis;
    let Some(fault) = &diagnosis.fault else { return Vec::new() };
    let range = analysis::place(&document.text, fault.span.start.line, &fault.text);
    let lens = |command| CodeLens {
        range: Range { start: range.start, end: range.start },
        command: Some(command),
        data: None,
    };
    let mut title = inline::plain(&fault.title);
    if let Some(cause) = diagnosis.causes.first() {
        let figure = percent(cause.probability).map(|figure| format!(" ({figure})")).unwrap_or_default();
        title = format!("{title} · {}{figure}", inline::plain(&cause.title));
    }
    let mut out = vec![lens(command(title, OPEN_PAGE, json!(fault.id)))];
    if let Some(words) = recommended(diagnosis) {
        out.push(lens(command("copy the command", COPY_COMMAND, json!(words))));
    }
    out.push(lens(command("draft a bug report", DRAFT, json!({ "uri": document.uri }))));
    out
}
