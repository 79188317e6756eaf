//! The MCP server for agents: the Model Context Protocol over standard input and output.
//!
//! Tools for diagnosing, searching, showing, checking, probing and drafting reports; pages and reports as resources; a
//! prompt. Nothing is written unless the server was started for that, and then only new reports. Requests run on
//! other threads, so that a long log does not delay the next request and a panic fails only one.

mod draft;
#[cfg(feature = "machine")]
mod probe;
mod prompts;
mod resources;
mod tools;
mod wire;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _, prompt_handler, tool_handler};

use super::live::Live;
use super::workspace::{Settings, Workspace};

/// The instructions that an agent gets about the server.
const INSTRUCTIONS: &str = "Faultbook says which GPU or ML training failure a log shows, why it happened and what fixes \
it. Pass the whole log or traceback to `diagnose`, without shortening it: the first failure counts, not the last line. The \
causes in an answer are ranked, not certain; run the check that it names before a costly fix. The project's own bug \
reports come first: `show` them by id. `probe` describes this machine; use it if the run died on it. `draft_report` \
makes a bug report from a log.";

/// The server of one client.
#[derive(Clone)]
struct Server {
    live: Arc<Live>,
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
}

/// Serves one client until it leaves; one message per line.
///
/// # Errors
/// When the runtime cannot start or the client leaves before the handshake is done.
pub(super) fn serve(
    from: impl BufRead + Send + 'static,
    to: impl Write + Send + 'static,
    root: PathBuf,
    settings: &Settings,
) -> io::Result<()> {
    // More threads would only need more memory; a few more than processors, because a probe mostly waits.
    let threads = std::thread::available_parallelism().map_or(4, |processors| processors.get().max(4));
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().max_blocking_threads(threads).build()?;
    let server = Server::new(root, settings);
    runtime.block_on(async {
        let running = server.serve(wire::Lines::new(from, to)).await.map_err(io::Error::other)?;
        running.waiting().await.map_err(io::Error::other)?;
        Ok(())
    })
}

impl Server {
    fn new(root: PathBuf, settings: &Settings) -> Self {
        Self {
            live: Arc::new(Live::open(&root, settings)),
            tool_router: Self::all_tools(settings.allow_write),
            prompt_router: Self::prompts(),
        }
    }

    fn all_tools(allow_write: bool) -> ToolRouter<Self> {
        let mut router = Self::tools() + Self::draft_tools();
        #[cfg(feature = "machine")]
        {
            router += Self::probe_tools();
        }
        if let Some(route) = router.map.get_mut("draft_report").filter(|_| allow_write) {
            draft::may_write(&mut route.attr);
        }
        router
    }

    /// Does some work beside the loop.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Workspace) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let server = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&server.live.workspace())).await;
        done.unwrap_or_else(|_| Err(ErrorData::internal_error("this is a bug in Faultbook", None)))
    }
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        "faultbook".clone_into(&mut info.server_info.name);
        env!("CARGO_PKG_VERSION").clone_into(&mut info.server_info.version);
        info
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.work(|workspace| Ok(ListResourcesResult::with_all_items(resources::all(workspace)))).await
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.work(move |workspace| resources::read(workspace, &params.uri).map(Into::into)).await
    }
}
