//! The command line: parses arguments and inputs, calls the library, prints the answer. One file per command.
//!
//! Only this module prints: the answer on standard output, everything else on standard error. A reader that closes the
//! pipe is not an error.

mod answers;
mod args;
mod check;
mod clipboard;
mod common;
mod diagnose;
mod diff;
mod editor;
mod exit;
mod failure;
mod filter;
mod fit;
mod format;
mod graph;
mod here;
mod index;
mod index_page;
mod input;
mod inside;
mod list;
mod listed;
mod new;
mod open;
mod output;
mod pager;
#[cfg(feature = "machine")]
mod probe;
mod programs;
mod progress;
#[cfg(feature = "prompts")]
mod questions;
#[cfg(not(feature = "prompts"))]
#[path = "no_questions.rs"]
mod questions;
mod redactions;
mod reduce;
mod refs;
mod run;
mod scan;
mod search;
#[cfg(feature = "web")]
mod serve;
#[cfg(any(feature = "lsp", feature = "mcp", feature = "web"))]
mod servers;
mod shell;
#[cfg(feature = "shell")]
mod shell_ids;
mod show;
#[cfg(feature = "web")]
mod site;
mod stats;
mod status;
mod svg;
mod tail;
mod templates;
mod why;
mod words;

use std::io::{self, IsTerminal as _};
use std::panic;
use std::process::ExitCode;

use clap::Parser as _;

use args::{Arguments, Command};
use exit::Exit;
use failure::{Failure, Result};
use output::Output;

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    #[cfg(feature = "machine")]
    probe::step();
    #[cfg(unix)]
    if let Some(code) = crate::runner::lead(std::env::args_os().skip(1)) {
        return ExitCode::from(code);
    }
    panic::set_hook(Box::new(say_bug));
    panic::catch_unwind(answer).unwrap_or(Exit::Internal).into()
}

fn answer() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            output::usage(&error);
            return if error.use_stderr() { Exit::Usage } else { Exit::Found };
        }
    };
    match dispatch(arguments) {
        Ok(exit) => exit,
        Err(error) => {
            complain(&error);
            Exit::Usage
        }
    }
}

fn dispatch(arguments: Arguments) -> Result<Exit> {
    let Arguments { command, files, common } = arguments;
    match command {
        Some(Command::Diagnose(options)) => diagnose::run(&options, &common),
        Some(Command::Run(options)) => run::run(&options, &common),
        Some(Command::Scan(options)) => scan::run(&options, &common),
        Some(Command::Search(options)) => search::run(&options, &common),
        Some(Command::Show(options)) => show::run(&options, &common),
        #[cfg(feature = "machine")]
        Some(Command::Probe(options)) => probe::run(&options, &common),
        Some(Command::Fit(options)) => fit::run(&options, &common),
        Some(Command::Check(options)) => check::run(&options, &common),
        #[cfg(feature = "lsp")]
        Some(Command::Lsp(options)) => servers::lsp(&options, &common),
        #[cfg(feature = "mcp")]
        Some(Command::Mcp(options)) => servers::mcp(&options, &common),
        #[cfg(feature = "web")]
        Some(Command::Serve(options)) => serve::run(&options, &common),
        #[cfg(feature = "web")]
        Some(Command::Site(options)) => site::run(&options, &common),
        #[cfg(feature = "shell")]
        Some(Command::Completions(options)) => shell::completions(&options, &common),
        #[cfg(feature = "shell")]
        Some(Command::Man(options)) => shell::man(&options),
        Some(Command::Hook(options)) => shell::hook(&options, &common),
        Some(Command::New(options)) => new::run(&options, &common),
        Some(Command::Status(options)) => status::run(&options, &common),
        Some(Command::Templates(format)) => templates::run(format, &common),
        Some(Command::List(options)) => list::run(&options, &common),
        Some(Command::Stats(options)) => stats::run(&options, &common),
        Some(Command::Graph(options)) => graph::run(&options, &common),
        Some(Command::Refs(options)) => refs::run(&options, &common),
        Some(Command::IndexPage(options)) => index_page::run(&options, &common),
        Some(Command::Index(options)) => index::run(&options, &common),
        None if files.is_empty() && io::stdin().is_terminal() => {
            Output::new(&common, common.format)?.write(HOW_TO_PASTE)?;
            Ok(Exit::Usage)
        }
        None if let Some(words) = words::of(&files) => words::run(&words, &common),
        None => diagnose::run(&diagnose::Options { files, ..diagnose::Options::default() }, &common),
    }
}

/// Shown to a user who types only `faultbook`.
const HOW_TO_PASTE: &str = "\
Faultbook says which GPU or ML failure a log shows, why, and what fixes it.

  faultbook run -- python train.py     watch a run
  faultbook train.log                  read a log, compressed or not
  faultbook -                          paste a traceback, then press Ctrl-D

  faultbook show cudnn-no-engine       read a page, a report or a code: show 700
  faultbook search illegal memory      find pages and reports by words
  faultbook --help                     all commands and options
";

/// Prints an error to standard error; if that fails too, there is nothing left to do.
fn complain(failure: &Failure) {
    output::aside(&failure.lines());
}

/// Printed for a panic, instead of a backtrace that helps only developers.
fn say_bug(info: &panic::PanicHookInfo<'_>) {
    if crate::reports::index::engine::is_caught() {
        return;
    }
    let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
    let words = info.payload_as_str().unwrap_or("no words");
    let text = format!(
        "error: this is a bug in Faultbook{place}: {words}\n\nhint: please report it with the command and, if you can, the input\n"
    );
    output::aside(&text);
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_welcome_fits_a_terminal() {
        assert!(super::HOW_TO_PASTE.lines().all(|line| line.len() <= 80));
    }
}
