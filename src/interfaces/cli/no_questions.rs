//! Without the feature `prompts` nobody is asked anything.

use crate::reports::draft::context::Context;
use crate::reports::draft::duplicates::Duplicate;

use crate::interfaces::cli::answers::Answers;
use crate::interfaces::cli::failure::Result;

/// Asks nothing.
#[expect(clippy::unnecessary_wraps, reason = "asking can fail")]
pub(crate) fn about(_: Option<&Duplicate>, _: &Context, _: bool) -> Result<Answers> {
    Ok(Answers::New { title: None, severity: None, command: None, rows: Vec::new() })
}
