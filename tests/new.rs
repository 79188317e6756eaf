//! `faultbook new`, `status` and `templates` as processes: what is written, under which id, and what is left out.

#[path = "new/again.rs"]
mod again;
#[path = "new/crowd.rs"]
mod crowd;
#[path = "cli/place.rs"]
mod place;
#[cfg(unix)]
#[path = "new/questions.rs"]
mod questions;
#[path = "new/redaction.rs"]
mod redaction;
#[path = "new/report.rs"]
mod report;
#[path = "new/templates.rs"]
mod templates;
#[path = "new/wording.rs"]
mod wording;
