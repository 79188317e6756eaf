//! One function per request: parameters in, an answer out. Each looks at the world and changes nothing.

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
use super::world::{Document, World};
use super::{actions, completion, hover, ids, lenses, search, symbols};
use crate::reports::mentions::is_report_id;
use crate::reports::reading::comparable;

/// Why a request has no answer: the protocol's code and words.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) code: ErrorCode,
    pub(super) says: String,
}

impl Refusal {
    pub(super) fn new(code: ErrorCode, says: impl Into<String>) -> Self {
        Self { code, says: says.into() }
    }
}

/// An answer, or why there is none.
pub(super) type Answer = Result<Value, Refusal>;

/// A request that looks only at what is in memory.
pub(super) fn quick(world: &World, method: &str, params: Value) -> Answer {
    match method {
        "textDocument/hover" => {
            let HoverParams { text_document_position_params: at, .. } = read(params)?;
            with(world, &at, |document, position| hover::at(world, document, position))
        }
        "textDocument/definition" | "textDocument/declaration" => {
            let GotoDefinitionParams { text_document_position_params: at, .. } = read(params)?;
            with(world, &at, |document, position| {
                let mention = ids::at(world, document, position)?;
                let found = ids::definitions(world, &mention);
                (!found.is_empty()).then_some(GotoDefinitionResponse::Array(found))
            })
        }
        "textDocument/completion" => {
            let CompletionParams { text_document_position: at, .. } = read(params)?;
            with(world, &at, |document, position| {
                Some(CompletionResponse::Array(completion::at(world, document, position)))
            })
        }
        "textDocument/codeAction" => {
            let CodeActionParams { text_document, range, .. } = read(params)?;
            on(world, &text_document.uri, |document| actions::of(document, range))
        }
        "textDocument/codeLens" => {
            let CodeLensParams { text_document, .. } = read(params)?;
            on(world, &text_document.uri, lenses::of)
        }
        "textDocument/foldingRange" => {
            let FoldingRangeParams { text_document, .. } = read(params)?;
            on(world, &text_document.uri, |document| {
                document.log().map(|reading| reading.folds.clone()).unwrap_or_default()
            })
        }
        "textDocument/documentSymbol" => {
            let DocumentSymbolParams { text_document, .. } = read(params)?;
            on(world, &text_document.uri, |document| DocumentSymbolResponse::Nested(symbols::of(document)))
        }
        "textDocument/prepareRename" => {
            let at: TextDocumentPositionParams = read(params)?;
            with(world, &at, |document, position| {
                let mention = ids::at(world, document, position).filter(|mention| can_rename(mention).is_ok())?;
                let range = document.text.range(&mention.range);
                Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: mention.word })
            })
        }
        _ => Err(Refusal::new(ErrorCode::MethodNotFound, format!("no such request: {method}"))),
    }
}

/// What to search for when somebody asks for references.
pub(super) fn references(world: &World, params: Value) -> Result<Option<search::Search>, Refusal> {
    let params: lsp_types::ReferenceParams = read(params)?;
    let at = params.text_document_position;
    let Some(document) = world.document(&at.text_document.uri) else { return Err(unknown(&at.text_document.uri)) };
    Ok(ids::at(world, document, at.position).map(|mention| search_for(world, ids::spellings(&mention))))
}

/// A rename: what to search for, the old name, the new one, the files named after it.
pub(super) struct Renaming {
    pub(super) search: search::Search,
    pub(super) old: String,
    pub(super) new: String,
    pub(super) files: Vec<std::path::PathBuf>,
}

/// What a rename asks for.
pub(super) fn rename(world: &World, params: Value) -> Result<Renaming, Refusal> {
    let params: RenameParams = read(params)?;
    let at = params.text_document_position;
    let Some(document) = world.document(&at.text_document.uri) else { return Err(unknown(&at.text_document.uri)) };
    let refuse = |says: String| Refusal::new(ErrorCode::RequestFailed, says);
    let mention = ids::at(world, document, at.position).ok_or_else(|| refuse("no known id stands here".to_owned()))?;
    let reports = can_rename(&mention).map_err(refuse)?;
    let new = params.new_name.trim().to_owned();
    if !is_report_id(&new) {
        return Err(refuse(format!("`{new}` is no id: letters, then groups of digits, such as BUG-20251110-003")));
    }
    if comparable(&new) != comparable(&mention.word) && !ids::reports(world, document, &new).is_empty() {
        return Err(refuse(format!("`{new}` is another report's id")));
    }
    let files = reports.iter().map(|report| report.path.clone()).filter(|path| path.is_file()).collect();
    Ok(Renaming { search: search_for(world, vec![mention.word.clone()]), old: mention.word, new, files })
}

/// The reports whose id may be renamed.
fn can_rename<'m>(mention: &'m Mention<'_>) -> Result<&'m [crate::book::report::Report], String> {
    match &mention.meaning {
        Meaning::Reports(reports) if reports.iter().any(|report| report.path.is_file()) => Ok(reports),
        Meaning::Reports(_) => Err("this report comes with Faultbook".to_owned()),
        Meaning::Page(_) => Err("a fault's id stays: add the new one and list the old under aliases".to_owned()),
        Meaning::Codes(_) => Err("a vendor's code has its name".to_owned()),
    }
}

fn search_for(world: &World, ids: Vec<String>) -> search::Search {
    let open = world.documents.values().map(|document| search::Open {
        uri: document.uri.clone(),
        path: document.path.clone(),
        version: document.version,
        text: document.text.clone(),
    });
    search::Search { ids, folders: world.folders.clone(), open: open.collect() }
}

/// Parameters as the protocol has them.
pub(super) fn read<P: DeserializeOwned>(params: Value) -> Result<P, Refusal> {
    serde_json::from_value(params).map_err(|error| Refusal::new(ErrorCode::InvalidParams, error.to_string()))
}

/// An answer as JSON.
pub(super) fn give(answer: impl Serialize) -> Answer {
    serde_json::to_value(answer).map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))
}

fn on<T: Serialize>(world: &World, uri: &Uri, answer: impl FnOnce(&Document) -> T) -> Answer {
    match world.document(uri) {
        Some(document) => give(answer(document)),
        None => Err(unknown(uri)),
    }
}

fn with<T: Serialize>(
    world: &World,
    at: &TextDocumentPositionParams,
    answer: impl FnOnce(&Document, Position) -> Option<T>,
) -> Answer {
    on(world, &at.text_document.uri, |document| answer(document, at.position))
}

fn unknown(uri: &Uri) -> Refusal {
    Refusal::new(ErrorCode::InvalidParams, format!("no such document is open: {}", uri.as_str()))
}
