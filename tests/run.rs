//! `faultbook run` around real commands, on pipes and on a real pty.
#![cfg(unix)]

#[path = "run/jobs.rs"]
mod jobs;
#[path = "run/keys.rs"]
mod keys;
#[path = "run/pipes.rs"]
mod pipes;
#[path = "run/reports.rs"]
mod reports;
#[path = "run/terminal.rs"]
mod terminal;
