//! The tool that probes this machine's GPUs, driver and Python environment.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::CallToolResult;
use rmcp::{ErrorData, schemars, tool, tool_router};
use serde::Deserialize;

use super::Server;
use super::tools::{answer, failed};
use crate::interfaces::drafts::probe_options;
use crate::machine::view;
use crate::machine::{self, Level};

/// What `probe` takes.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Probe {
    /// How much to test; `quick` by default.
    level: Option<Depth>,
}

/// How much a probe does.
#[derive(Debug, Clone, Copy, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "rmcp::schemars")]
enum Depth {
    /// Only reads, within a second: devices, driver, memory and which processes use it, Python environment.
    Quick,
    /// Also runs small operations on each GPU and checks every result; takes seconds and some GPU memory.
    Functional,
    /// Also runs memory patterns and matmuls for a minute or more; loads every GPU fully.
    Stress,
}

#[tool_router(router = probe_tools, vis = "pub(super)")]
impl Server {
    /// Asks this machine.
    #[tool(
        description = "Examine this machine: GPUs, driver, memory and which processes use it, health, Python environment; with a higher level, whether the GPUs compute correct results. It changes nothing on the machine",
        annotations(title = "Probe this machine", read_only_hint = true, open_world_hint = false)
    )]
    async fn probe(&self, Parameters(params): Parameters<Probe>) -> Result<CallToolResult, ErrorData> {
        self.work(move |workspace| {
            if !workspace.settings().probe {
                return Ok(failed("this server was started with `--no-probe`"));
            }
            let level = match params.level.unwrap_or(Depth::Quick) {
                Depth::Quick => Level::Quick,
                Depth::Functional => Level::Functional,
                Depth::Stress => Level::Stress,
            };
            let outcome = machine::run(level, &probe_options(workspace));
            let data = serde_json::from_str(&machine::to_json(&outcome)).unwrap_or_default();
            Ok(answer(view::probe::markdown(&outcome), data))
        })
        .await
    }
}
