//! The tool that drafts a bug report. It writes only where the server was started with `--allow-write`, and then
//! nothing but a new file in the project's folder of reports; otherwise it returns the text and says that no file was
//! written.

use std::sync::Arc;

use rmcp::handler::server::tool::schema_for_output;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, Tool};
use rmcp::{ErrorData, schemars, tool, tool_router};
use serde::{Deserialize, Serialize};

use super::Server;
use super::tools::{failed, log};
use crate::interfaces::drafts;
use crate::reports::draft::fill::ReportOptions;
use crate::reports::draft::noninteractive::Drafted;
use crate::text::Excerpt;

/// What `draft_report` takes.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Draft {
    /// The whole log or traceback, without shortening it.
    text: Option<String>,
    /// Instead of the text: the path of a log file, absolute or from the project's folder.
    path: Option<String>,
    /// The report's title, instead of one made from the failure.
    title: Option<String>,
    /// The report's severity, instead of the one on the fault's page.
    severity: Option<Grade>,
    /// The command that was run, if the log does not show it.
    command: Option<String>,
}

/// How grave a bug is.
#[derive(Debug, Clone, Copy, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "rmcp::schemars")]
enum Grade {
    Critical,
    High,
    Medium,
    Low,
}

/// What `draft_report` gives.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Answer {
    /// The report's id; only provisional if nothing was written.
    id: String,
    /// The report's file; it does not exist yet if nothing was written.
    path: String,
    /// Whether the file was written.
    written: bool,
    /// An existing report of the same failure, to which an occurrence could be added instead.
    looks_like: Option<String>,
    /// The report's text, if it was not written.
    text: Option<String>,
}

#[tool_router(router = draft_tools, vis = "pub(super)")]
impl Server {
    /// Drafts a bug report.
    #[tool(
        description = "Draft a bug report from a log in the project's standard format: environment, stack trace, causes, plan. Secrets are left out. Without `--allow-write` it only returns the text",
        output_schema = schema_of_answer(),
        annotations(title = "Draft a bug report", read_only_hint = true, open_world_hint = false)
    )]
    async fn draft_report(&self, Parameters(params): Parameters<Draft>) -> Result<CallToolResult, ErrorData> {
        self.work(move |workspace| {
            let Draft { text, path, title, severity, command } = params;
            let bytes = match log(workspace, text, path)? {
                Ok(given) => given.bytes,
                Err(summary) => return Ok(failed(summary)),
            };
            let severity = severity.map(|grade| format!("{grade:?}").to_lowercase());
            let options = ReportOptions { title, severity, command, ..ReportOptions::default() };
            let make = if workspace.settings().allow_write { drafts::write } else { drafts::preview };
            Ok(match make(workspace, &bytes, Excerpt::default(), options) {
                Ok(drafted) => answer(drafted),
                Err(error) => failed(drafts::failure(&error)),
            })
        })
        .await
    }
}

/// What the tool is announced as: it only reads unless the server may write.
pub(super) fn may_write(tool: &mut Tool) {
    if let Some(annotations) = &mut tool.annotations {
        annotations.read_only_hint = Some(false);
        annotations.destructive_hint = Some(false);
        annotations.idempotent_hint = Some(false);
    }
    tool.description = Some(
        "Draft a bug report from a log in the project's standard format, and write it as a new file into the project's \
         folder of reports: environment, stack trace, causes, plan. Secrets are left out"
            .into(),
    );
}

fn schema_of_answer() -> Arc<rmcp::model::JsonObject> {
    schema_for_output::<Answer>()
}

fn answer(drafted: Drafted) -> CallToolResult {
    let summary = drafts::summary(&drafted);
    let path = drafted.path.display().to_string();
    let mut blocks = Vec::new();
    match &drafted.text {
        None => blocks.push(ContentBlock::text(format!("Written: {path} ({}){summary}.", drafted.id))),
        Some(text) => {
            blocks.push(ContentBlock::text(format!(
                "NOT WRITTEN: this server only reads (`faultbook mcp --allow-write` would write {path}){summary}. The report \
                 follows as text."
            )));
            blocks.push(ContentBlock::text(text.clone()));
        }
    }
    let data = Answer {
        id: drafted.id,
        path,
        written: drafted.text.is_none(),
        looks_like: drafted.alike.map(|alike| alike.id),
        text: drafted.text,
    };
    let mut result = CallToolResult::success(blocks);
    result.structured_content = serde_json::to_value(data).ok();
    result
}
