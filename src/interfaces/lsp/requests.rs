//! One function per request: parameters in, an answer out. Each only reads the session's state.

use lsp_server::ErrorCode;
use lsp_types::{
    CodeActionParams, CodeLensParams, CompletionParams, CompletionResponse, DocumentSymbolParams,
    DocumentSymbolResponse, FoldingRangeParams, GotoDefinitionParams, GotoDefinitionResponse, HoverParams, Position,
    PrepareRenameResponse, RenameParams, TextDocumentPositionParams, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ids::{Meaning, Mention};
use super::session::{Document, Session};
use super::{actions, completion, hover, ids, lenses, search, symbols};
use crate::reports::mentions::is_report_id;
use crate::reports::reading::comparable;

/// Why a request failed: the protocol's error code and a message.
#[derive(Debug)]
pub(super) struct RequestError {
    pub(super) code: ErrorCode,
    pub(super) message: String,
}

impl RequestError {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// An answer, or why there is none.
pub(super) type Answer = Result<Value, RequestError>;

/// A request that looks only at what is in memory.
pub(super) fn quick(session: &Session, method: &str, params: Value) -> Answer {
    match method {
        "textDocument/hover" => {
            let HoverParams { text_document_position_params: at, .. } = read(params)?;
            with(session, &at, |document, position| hover::at(session, document, position))
        }
        "textDocument/definition" | "textDocument/declaration" => {
            let GotoDefinitionParams { text_document_position_params: at, .. } = read(params)?;
            with(session, &at, |document, position| {
                let mention = ids::at(session, document, position)?;
                let found = ids::definitions(session, &mention);
                (!found.is_empty()).then_some(GotoDefinitionResponse::Array(found))
            })
        }
        "textDocument/completion" => {
            let CompletionParams { text_document_position: at, .. } = read(params)?;
            with(session, &at, |document, position| {
                Some(CompletionResponse::Array(completion::at(session, document, position)))
            })
        }
        "textDocument/codeAction" => {
            let CodeActionParams { text_document, range, .. } = read(params)?;
            on(session, &text_document.uri, |document| actions::of(document, range))
        }
        "textDocument/codeLens" => {
            let CodeLensParams { text_document, .. } = read(params)?;
            on(session, &text_document.uri, lenses::of)
        }
        "textDocument/foldingRange" => {
            let FoldingRangeParams { text_document, .. } = read(params)?;
            on(session, &text_document.uri, |document| {
                document.log().map(|analysis| analysis.folds.clone()).unwrap_or_default()
            })
        }
        "textDocument/documentSymbol" => {
            let DocumentSymbolParams { text_document, .. } = read(params)?;
            on(session, &text_document.uri, |document| DocumentSymbolResponse::Nested(symbols::of(document)))
        }
        "textDocument/prepareRename" => {
            let at: TextDocumentPositionParams = read(params)?;
            with(session, &at, |document, position| {
                let mention = ids::at(session, document, position).filter(|mention| can_rename(mention).is_ok())?;
                let range = document.text.range(&mention.range);
                Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: mention.word })
            })
        }
        _ => Err(RequestError::new(ErrorCode::MethodNotFound, format!("no such request: {method}"))),
    }
}

/// What to search for on a request for references.
pub(super) fn references(session: &Session, params: Value) -> Result<Option<search::Search>, RequestError> {
    let params: lsp_types::ReferenceParams = read(params)?;
    let at = params.text_document_position;
    let Some(document) = session.document(&at.text_document.uri) else { return Err(unknown(&at.text_document.uri)) };
    Ok(ids::at(session, document, at.position).map(|mention| search_for(session, ids::spellings(&mention))))
}

/// A rename: what to search for, the old name, the new one, the files named after it.
pub(super) struct Renaming {
    pub(super) search: search::Search,
    pub(super) old: String,
    pub(super) new: String,
    pub(super) files: Vec<std::path::PathBuf>,
}

/// What a rename asks for.
pub(super) fn rename(session: &Session, params: Value) -> Result<Renaming, RequestError> {
    let params: RenameParams = read(params)?;
    let at = params.text_document_position;
    let Some(document) = session.document(&at.text_document.uri) else { return Err(unknown(&at.text_document.uri)) };
    let reject = |message: String| RequestError::new(ErrorCode::RequestFailed, message);
    let mention =
        ids::at(session, document, at.position).ok_or_else(|| reject("there is no known id here".to_owned()))?;
    let reports = can_rename(&mention).map_err(reject)?;
    let new = params.new_name.trim().to_owned();
    if !is_report_id(&new) {
        return Err(reject(format!("`{new}` is not an id: letters, then groups of digits, such as BUG-20251110-003")));
    }
    if comparable(&new) != comparable(&mention.word) && !ids::reports(session, document, &new).is_empty() {
        return Err(reject(format!("`{new}` is another report's id")));
    }
    let files = reports.iter().map(|report| report.path.clone()).filter(|path| path.is_file()).collect();
    Ok(Renaming { search: search_for(session, vec![mention.word.clone()]), old: mention.word, new, files })
}

/// The reports whose id may be renamed.
fn can_rename<'m>(mention: &'m Mention<'_>) -> Result<&'m [crate::book::report::Report], String> {
    match &mention.meaning {
        Meaning::Reports(reports) if reports.iter().any(|report| report.path.is_file()) => Ok(reports),
        Meaning::Reports(_) => Err("this report comes with Faultbook".to_owned()),
        Meaning::Page(_) => {
            Err("a fault's id does not change: add the new id and list the old one under aliases".to_owned())
        }
        Meaning::Codes(_) => Err("a vendor's code cannot be renamed".to_owned()),
    }
}

fn search_for(session: &Session, ids: Vec<String>) -> search::Search {
    let open = session.documents.values().map(|document| search::Open {
        uri: document.uri.clone(),
        path: document.path.clone(),
        version: document.version,
        text: document.text.clone(),
    });
    search::Search { ids, folders: session.folders.clone(), open: open.collect() }
}

/// Parameters as the protocol has them.
pub(super) fn read<P: DeserializeOwned>(params: Value) -> Result<P, RequestError> {
    serde_json::from_value(params).map_err(|error| RequestError::new(ErrorCode::InvalidParams, error.to_string()))
}

/// An answer as JSON.
pub(super) fn give(answer: impl Serialize) -> Answer {
    serde_json::to_value(answer).map_err(|error| RequestError::new(ErrorCode::InternalError, error.to_string()))
}

fn on<T: Serialize>(session: &Session, uri: &Uri, answer: impl FnOnce(&Document) -> T) -> Answer {
    match session.document(uri) {
        Some(document) => give(answer(document)),
        None => Err(unknown(uri)),
    }
}

fn with<T: Serialize>(
    session: &Session,
    at: &TextDocumentPositionParams,
    answer: impl FnOnce(&Document, Position) -> Option<T>,
) -> Answer {
    on(session, &at.text_document.uri, |document| answer(document, at.position))
}

fn unknown(uri: &Uri) -> RequestError {
    RequestError::new(ErrorCode::InvalidParams, format!("no such document is open: {}", uri.as_str()))
}
