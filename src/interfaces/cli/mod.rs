//! The command line: reads arguments and inputs, asks the library, prints the answer. One file per command.
//!
//! Only here is anything printed: the answer on standard output, everything else on standard error. A reader that
//! closes the pipe is content, not an error.

mod answers;
mod args;
mod check;
mod clipboard;
mod common;
mod diagnose;
mod editor;
mod exit;
mod failure;
mod filter;
mod fit;
mod graph;
mod here;
mod index;
mod index_page;
mod input;
mod list;
mod new;
mod open;
mod output;
#[cfg(feature = "machine")]
mod probe;
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
mod search;
#[cfg(any(feature = "lsp", feature = "mcp"))]
mod servers;
mod shell;
mod show;
mod stats;
mod status;
mod tail;
mod templates;

use std::io::{self, IsTerminal as _, Write as _};
use std::panic;
use std::process::ExitCode;

use clap::Parser as _;

use crate::diagnosis::capacity::Load;
use args::{Arguments, Command};
use exit::Exit;
use output::Output;

/// Runs the command of this process.
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
            // Help that nobody reads to its end is no failure.
            let _ = error.print();
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

fn dispatch(arguments: Arguments) -> anyhow::Result<Exit> {
    let Arguments { command, files, common } = arguments;
    let output = Output::new(&common);
    if common.format.usual().is_none() && !matches!(command, None | Some(Command::Check(_) | Command::Diagnose { .. }))
    {
        return Err(failure::Failure::new("only `diagnose` and `check` write this format")
            .hint("terminal, json or markdown")
            .into());
    }
    match command {
        Some(Command::Diagnose { clipboard: true, .. }) => diagnose::clipboard(&common, &output),
        Some(Command::Diagnose { files, .. }) => diagnose::run(&files, &common, &output),
        Some(Command::Run { log, new, on_failure, command }) => {
            run::run(&command, &run::Wishes { log, new, on_failure }, &common, &output)
        }
        Some(Command::Search { words, limit }) => search::run(&words.join(" "), limit, &common, &output),
        Some(Command::Show { id }) => show::run(&id.join(" "), &common, &output),
        #[cfg(feature = "machine")]
        Some(Command::Probe { level, save, watch, every, count, seconds, time_limit }) => {
            let asked = probe::Asked { level, save, seconds, time_limit };
            if watch { probe::watch(every, count, &common, &output) } else { probe::run(&asked, &common, &output) }
        }
        Some(Command::Fit { from, to, batch, overhead, used }) => {
            fit::run(&from, &to, Load { batch, overhead, used }, &common, &output)
        }
        Some(Command::Check(asked)) => check::run(&asked, &common, &output),
        #[cfg(feature = "lsp")]
        Some(Command::Lsp { .. }) => servers::lsp(&common),
        #[cfg(feature = "mcp")]
        Some(Command::Mcp { allow_write }) => servers::mcp(allow_write, &common),
        #[cfg(feature = "shell")]
        Some(Command::Completions { shell }) => shell::completions(shell, &output),
        #[cfg(feature = "shell")]
        Some(Command::Man { folder }) => shell::man(&folder),
        Some(Command::Hook { shell }) => shell::hook(shell, &output),
        Some(Command::New(asked)) => new::run(&asked, &common, &output),
        Some(Command::Status { id, word, commit }) => status::run(&id, &word, commit.as_deref(), &common, &output),
        Some(Command::Templates) => templates::run(&common, &output),
        Some(Command::List(filters)) => list::run(&filters, &common, &output),
        Some(Command::Stats(asked)) => stats::run(&asked, &common, &output),
        Some(Command::Graph(asked)) => graph::run(&asked, &common, &output),
        Some(Command::Refs { id }) => refs::run(&id, &common, &output),
        Some(Command::IndexPage(asked)) => index_page::run(&asked, &common, &output),
        Some(Command::Index { rebuild }) => index::run(rebuild, &common, &output),
        None if files.is_empty() && io::stdin().is_terminal() => {
            output.write(HOW_TO_PASTE)?;
            Ok(Exit::Usage)
        }
        None => diagnose::run(&files, &common, &output),
    }
}

/// For somebody who types `faultbook` to see what happens.
const HOW_TO_PASTE: &str = "\
Faultbook says which GPU or ML training failure a log shows, why, and what fixes it.

  faultbook run -- python train.py     watch a run
  faultbook train.log                  read a log
  faultbook -                          paste a traceback, then press Ctrl-D

  faultbook show cudnn-no-engine       read a page, a report, a code: 700, \"Xid 79\"
  faultbook search illegal memory      find pages and reports by words
  faultbook --help                     all commands and options
";

/// Says on standard error what went wrong. Nobody is left to tell when that fails too.
fn complain(error: &anyhow::Error) {
    let _ = io::stderr().lock().write_all(failure::lines(error).as_bytes());
}

/// What is printed for a panic, instead of a backtrace that only its author can read.
fn say_bug(info: &panic::PanicHookInfo<'_>) {
    let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
    let words = info.payload_as_str().unwrap_or("no words");
    let text = format!(
        "error: this is a bug in Faultbook{place}: {words}\n\nhint: please report it with the command and, if you can, the input\n"
    );
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
