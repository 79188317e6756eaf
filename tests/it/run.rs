//! `faultbook run` around real commands, on pipes and on a real pty.
#![cfg(unix)]

mod jobs;
mod keys;
mod pipes;
mod reports;
mod terminal;
