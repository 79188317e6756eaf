//! The prompt for a run that just crashed.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{PromptMessage, Role};
use rmcp::{prompt, prompt_router, schemars};
use serde::Deserialize;

use super::Server;

/// What the prompt takes.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Crash {
    /// The traceback or log, or the path of a file that contains it.
    log: Option<String>,
}

#[prompt_router(router = "prompts", vis = "pub(super)")]
impl Server {
    /// Finds out why a training run died and what to do about it.
    #[prompt(name = "explain-my-crash", description = "Explain why a GPU or ML training run died, and what fixes it")]
    async fn explain_my_crash(&self, Parameters(Crash { log }): Parameters<Crash>) -> Vec<PromptMessage> {
        let source = match log {
            Some(log) if !log.trim().is_empty() => format!("This is the log, or the path of its file:\n\n{log}"),
            _ => "Ask me for the log, or find the newest one in this project.".to_owned(),
        };
        let text = format!(
            "My training run died. Find out why and what to do.\n\n\
             1. Call `diagnose` with the whole log, or its path; do not shorten it.\n\
             2. Tell me the fault in one sentence, on which line of the log it is, and which later lines only follow from it.\n\
             3. Give the most probable cause with its reasons, each with where it comes from. Say what is not certain, and \
             which one check would settle it.\n\
             4. If reports of this project match, `show` the best one and tell me what worked then.\n\
             5. Propose the cheapest fix first, as a command I can run, with what it costs. Name what does not help.\n\n\
             {source}"
        );
        vec![PromptMessage::new_text(Role::User, text)]
    }
}
