//! The tools. Each takes a few typed parameters and returns text, most of them with the same as data.
//!
//! "Nothing found" is an answer; wrong parameters are the protocol's error; a file that cannot be read is an error of
//! the tool, which the agent sees and can correct.

use std::fs::File;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::{ErrorData, schemars, tool, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use crate::check::{self, KnownReport, Setting};
use crate::interfaces::workspace::Workspace;
use crate::render;
use crate::reports::lookup::{self, Found};
use crate::reports::occurrences::Met;
use crate::reports::search::{self, HitKind};
use crate::unpack::{self, Source};

/// Longest log read from a file; of a longer one the agent should pass the part that matters.
const LARGEST: u64 = 128 << 20;

/// Default number of hits.
const HITS: usize = 10;

/// What `diagnose` takes.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Diagnose {
    /// The whole log or traceback, without shortening it.
    text: Option<String>,
    /// Instead of the text: the path of a log file, absolute or from the project's folder; it may be compressed, or the
    /// path of a log in an archive, such as `logs.zip/node3/rank0.log`.
    path: Option<String>,
    /// How much detail to return.
    #[serde(default)]
    detail: Detail,
}

/// How much `diagnose` answers.
#[derive(Debug, Default, Clone, Copy, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "lowercase")]
enum Detail {
    /// Under 2 KB: what is certain, the likely causes, what to do.
    #[default]
    Brief,
    /// Everything, as markdown and as data of `faultbook/diagnosis/2`.
    Full,
}

/// What `search` takes.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Search {
    /// Any words, for example from an error, a function name, a code or a title.
    words: String,
    /// The maximum number of hits.
    limit: Option<usize>,
}

/// What `show` takes.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Show {
    /// An id (`cudnn-no-engine`, `BUG-20251110-003`, `reduce-batch`) or a code (`700`, `CUDNN_STATUS_EXECUTION_FAILED`,
    /// `Xid 79`).
    id: String,
}

/// What `check` takes.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Check {
    /// The path of a bug report or fault page, absolute or from the project's folder.
    path: String,
    /// The text to check instead of the file's current content.
    text: Option<String>,
}

#[tool_router(router = tools, vis = "pub(super)")]
impl Server {
    /// Diagnoses a log.
    #[tool(
        description = "Which GPU or ML training failure a log or traceback shows: the primary fault, what only follows from it, ranked causes with reasons, checks, fixes, and the project's own matching bug reports",
        annotations(title = "Diagnose a log", read_only_hint = true, open_world_hint = false)
    )]
    async fn diagnose(&self, Parameters(params): Parameters<Diagnose>) -> Result<CallToolResult, ErrorData> {
        self.work(move |workspace| {
            let Given { bytes, note } = match log(workspace, params.text, params.path)? {
                Ok(given) => given,
                Err(message) => return Ok(failed(message)),
            };
            let diagnosis = workspace.diagnose(&bytes, note);
            Ok(match params.detail {
                Detail::Brief => CallToolResult::success(vec![ContentBlock::text(render::brief::render(&diagnosis))]),
                Detail::Full => answer(render::markdown::render(&diagnosis), render::json::value(&diagnosis)),
            })
        })
        .await
    }

    /// Finds pages and reports by words.
    #[tool(
        description = "Find fault pages and the project's bug reports by any words, for example from an error, a function name, a code or a title",
        annotations(title = "Search pages and reports", read_only_hint = true, open_world_hint = false)
    )]
    async fn search(&self, Parameters(params): Parameters<Search>) -> Result<CallToolResult, ErrorData> {
        self.work(move |workspace| {
            let limit = params.limit.unwrap_or(HITS).clamp(1, 100);
            let found = match search::search(&workspace.knowledge, &params.words, limit) {
                Ok(found) => found,
                Err(error) => return Ok(failed(error.to_string())),
            };
            let hits: Vec<Value> = found
                .into_iter()
                .map(|hit| match hit.kind {
                    HitKind::Page => json!({ "kind": "page", "id": hit.id, "title": hit.title, "status": null }),
                    HitKind::Report { status, date, occurrences, sentence } => json!({
                        "kind": "report", "id": hit.id, "title": hit.title, "status": status, "date": date,
                        "path": hit.path, "copies": hit.copies, "occurrences": occurrences, "sentence": sentence,
                    }),
                })
                .collect();
            let line = |hit: &Value| {
                let word = |name: &str| hit.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                let copies = hit.get("copies").and_then(Value::as_array).map_or(0, Vec::len);
                let place = match copies {
                    0 => String::new(),
                    count => format!(" ({}, {})", word("path"), render::words::copies(count)),
                };
                format!("- {} {}: {}{place}", word("kind"), word("id"), word("title"))
            };
            let mut text = match hits.as_slice() {
                [] => "Nothing found.".to_owned(),
                hits => hits.iter().map(line).collect::<Vec<_>>().join("\n"),
            };
            for (path, why) in workspace.knowledge.index().iter().flat_map(|index| index.left_out()) {
                text.push_str(&format!("\n{}: {why}", path.display()));
            }
            Ok(answer(text, json!({ "hits": hits })))
        })
        .await
    }

    /// Gives a page, a report, a recipe or a code.
    #[tool(
        description = "The whole text of a fault page, a bug report, a fix recipe, or what a vendor's error code means",
        annotations(title = "Show a page, report or code", read_only_hint = true, open_world_hint = false)
    )]
    async fn show(&self, Parameters(params): Parameters<Show>) -> Result<CallToolResult, ErrorData> {
        self.work(move |workspace| {
            let found = match lookup::find(&workspace.knowledge, &params.id, !workspace.settings().no_builtin) {
                Ok(found) => found,
                Err(error) => return Ok(failed(error.to_string())),
            };
            let texts = found.iter().map(|found| {
                let text = lookup::markdown(&workspace.knowledge, found);
                ContentBlock::text(
                    about(workspace, found).map_or_else(|| text.clone(), |about| format!("{about}\n\n{text}")),
                )
            });
            Ok(match found.is_empty() {
                true => failed(format!("nothing is called `{}`; `search` finds ids by words", params.id)),
                false => CallToolResult::success(texts.collect()),
            })
        })
        .await
    }

    /// Checks a report or a page.
    #[tool(
        description = "Check a bug report or fault page: missing or misspelled front matter, unfilled placeholders, dead links, secrets",
        annotations(title = "Check a report or page", read_only_hint = true, open_world_hint = false)
    )]
    async fn check(&self, Parameters(params): Parameters<Check>) -> Result<CallToolResult, ErrorData> {
        self.work(move |workspace| {
            let path = workspace.root.join(&params.path);
            let text = match params.text {
                Some(text) => text,
                None => match read(workspace, &params.path) {
                    Ok(given) => String::from_utf8_lossy(&given.bytes).into_owned(),
                    Err(message) => return Ok(failed(message)),
                },
            };
            let shown = |path: &Path| path.to_string_lossy().replace('\\', "/");
            let others = lookup::others(&workspace.knowledge, Some(&path));
            let reports: Vec<KnownReport> = others
                .map(|entry| KnownReport { path: shown(&entry.path), id: entry.id.clone(), text: String::new() })
                .collect();
            let exists = |path: &str| Path::new(path).exists();
            let naming = workspace.naming.as_ref();
            let setting = Setting { exists: &exists, reports: &reports, naming, ..Setting::default() };
            let document = check::Document::new(shown(&path), text);
            if document.kind == check::Kind::Other {
                return Ok(failed(format!("`{}` is neither a bug report nor a page of the book", params.path)));
            }
            let documents = [document];
            let findings = check::capped(check::check(&documents, &setting));
            let data = serde_json::from_str(&check::output::json(&findings, &documents)).unwrap_or_default();
            let lines: Vec<String> = findings
                .iter()
                .map(|finding| {
                    let help = if finding.help.is_empty() { String::new() } else { format!(" ({})", finding.help) };
                    let place = format!("{}:{} {}", finding.line, finding.column, finding.severity.word());
                    format!("- {place} {}: {}{help}", finding.rule, finding.message)
                })
                .collect();
            let text = if lines.is_empty() { "Nothing is wrong.".to_owned() } else { lines.join("\n") };
            Ok(answer(text, data))
        })
        .await
    }
}

/// Text with the same as data.
pub(super) fn answer(text: String, data: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    // The protocol wants an object there.
    result.structured_content = data.is_object().then_some(data);
    result
}

/// An error that the agent can correct.
pub(super) fn failed(message: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message.into())])
}

/// A text that an agent gave.
pub(super) struct Given {
    pub(super) bytes: Vec<u8>,
    /// Why it ended early, if it did.
    pub(super) note: Option<String>,
}

/// A log as an agent gives it: as text or as a file. A file that cannot be read is an error that the agent can correct.
pub(super) fn log(
    workspace: &Workspace,
    text: Option<String>,
    path: Option<String>,
) -> Result<Result<Given, String>, ErrorData> {
    match (text, path) {
        (Some(text), None) => Ok(Ok(Given { bytes: text.into_bytes(), note: None })),
        (None, Some(path)) => Ok(read(workspace, &path)),
        _ => Err(ErrorData::invalid_params("pass either `text` or `path`", None)),
    }
}

/// Where a report of the project lies and where its copies do, and how often it happened.
fn about(workspace: &Workspace, found: &Found<'_>) -> Option<String> {
    let Found::Report(report) = found else { return None };
    let record = lookup::record(&workspace.knowledge, &report.path)?;
    let mut about = format!("`{}`: {}", record.id, record.path.display());
    if !record.copies.is_empty() {
        let paths: Vec<String> = record.copies.iter().map(|path| path.display().to_string()).collect();
        about.push_str(&format!(" ({}: {})", render::words::copies(paths.len()), paths.join(", ")));
    }
    let seen = record.seen().map(|seen| format!("; seen {seen}")).unwrap_or_default();
    let met: Vec<String> = record.met().iter().map(Met::words).collect();
    let on = if seen.is_empty() || met.is_empty() { String::new() } else { format!("; {}", met.join(", ")) };
    Some(about + &seen + &on)
}

/// A file of the project or of the machine.
fn read(workspace: &Workspace, path: &str) -> Result<Given, String> {
    let path: PathBuf = workspace.root.join(path);
    let failed = |error: std::io::Error| format!("cannot read `{}`: {error}", path.display());
    let member = unpack::member_of(&path);
    let file = File::open(member.as_ref().map_or(path.as_path(), |(file, _)| file)).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err(format!("`{}` is not a file", path.display()));
    }
    if about.len() > LARGEST {
        return Err(format!(
            "`{}` is longer than {} MiB: pass the part around the failure",
            path.display(),
            LARGEST >> 20
        ));
    }
    let mut texts = Vec::new();
    let mut names = Vec::new();
    let outcome = unpack::each(Source::File(file), unpack::Limits::default(), &mut |log| {
        if member.as_ref().is_none_or(|(_, member)| member == log.member) {
            names.push(log.member.to_owned());
            if texts.is_empty() {
                let mut bytes = Vec::new();
                let read = log.by_ref().take(LARGEST).read_to_end(&mut bytes);
                texts.push(read.map(|_| (bytes, log.flaw())));
            }
        }
        ControlFlow::Continue(())
    });
    let outcome = outcome.map_err(failed)?;
    if let Some((what, _)) = outcome.refusal {
        return Err(format!("`{}` is {what}, not a text", path.display()));
    }
    match (names.len(), texts.pop()) {
        (0 | 1, Some(text)) => match text.map_err(failed)? {
            (bytes, Some(flaw)) if bytes.is_empty() => {
                Err(format!("nothing could be read from `{}`: {}", path.display(), flaw.reason()))
            }
            (bytes, flaw) => Ok(Given { bytes, note: flaw.map(|flaw| flaw.note()) }),
        },
        (_, None) => Err(format!("`{}` has no readable text", path.display())),
        (_, Some(_)) => {
            Err(format!("`{0}` has several logs: pass `{0}/NAME` with one of: {1}", path.display(), names.join(", ")))
        }
    }
}
