//! The command line as parsed. The commands decide what it means.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::common::Common;
use super::format::{Format, FormatArg};
use super::{
    check, diagnose, exit, fit, graph, index, index_page, list, new, refs, run, scan, search, shell, show, stats,
    status,
};

/// Which GPU or ML training failure is this, why did it happen here, and what fixes it.
#[derive(Debug, Parser)]
#[command(name = "faultbook", version, max_term_width = 100, after_help = exit::HELP)]
pub(crate) struct Arguments {
    /// The command; without one, Faultbook diagnoses FILEs or standard input.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Logs to diagnose; `-` is standard input. Anything else is an error message, an id, a code or words to search.
    #[arg(value_name = "FILE|WORDS")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// The commands; the options of each are in its own file.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say which failure a traceback or log shows, why it happened, and what fixes it.
    Diagnose(diagnose::Options),
    /// Run a command; if it fails, say why below its output.
    ///
    /// The command keeps its terminal: colors, progress bars, keys, signals and the exit code stay its own.
    Run(run::Options),
    /// Find every fault in logs of any size, compressed or not; with --follow while they are written.
    Scan(scan::Options),
    /// Find pages and reports by words.
    Search(search::Options),
    /// Print a page, a report, a recipe, or what a code means.
    Show(show::Options),
    /// Examine this machine: devices, driver, memory, Python environment; at higher levels also whether they work.
    #[cfg(feature = "machine")]
    #[command(after_help = super::probe::HELP)]
    Probe(super::probe::ProbeOptions),
    /// Estimate the settings for moving a run to another GPU with the same effective batch size.
    Fit(fit::Options),
    /// Write a bug report from a traceback or log into the project's reports folder, and print its path.
    New(Box<new::Options>),
    /// Change a report's status and keep every other byte of its file.
    Status(status::Options),
    /// List the report templates.
    Templates(FormatArg<Format>),
    /// List the project's reports, newest first; with --pages, also list the fault pages.
    List(list::Options),
    /// Draw how the project's reports relate to each other, for Graphviz or Mermaid.
    Graph(graph::Options),
    /// Count the project's reports over time by fault, cause and status.
    Stats(stats::Options),
    /// Find every mention of a report in code, other reports and commit messages.
    Refs(refs::Options),
    /// Write the INDEX.md of a reports folder.
    IndexPage(index_page::Options),
    /// Check the book's pages and bug reports, and say what is wrong and where. Exit code 0: clean, 1: findings.
    Check(check::Options),
    /// Serve an editor over standard input and output (Language Server Protocol).
    #[cfg(feature = "lsp")]
    Lsp(super::servers::LspOptions),
    /// Serve an agent over standard input and output (Model Context Protocol); read-only unless you allow writing.
    #[cfg(feature = "mcp")]
    Mcp(super::servers::McpOptions),
    /// Show diagnoses, the book and the project's reports in a browser on this machine.
    #[cfg(feature = "web")]
    #[command(after_help = super::serve::HELP)]
    Serve(super::serve::ServeOptions),
    /// Write the book and the project's reports as a web site of plain files.
    #[cfg(feature = "web")]
    #[command(after_help = super::site::HELP)]
    Site(super::site::SiteOptions),
    /// Print completions for a shell.
    #[cfg(feature = "shell")]
    Completions(shell::CompletionsOptions),
    /// Write the man pages into a folder.
    #[cfg(feature = "shell")]
    Man(shell::ManOptions),
    /// Print a hook that offers a diagnosis after a failed command; off until you add it to your shell's settings.
    Hook(shell::HookOptions),
    /// Update the index of the project's reports; normally this happens automatically.
    Index(index::Options),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory as _;
        Arguments::command().debug_assert();
    }

    #[test]
    fn options_stand_before_or_after_the_command() {
        for line in ["faultbook --reports a diagnose x", "faultbook diagnose --reports a x", "faultbook x --reports a"]
        {
            let arguments = Arguments::try_parse_from(line.split(' ')).expect(line);
            assert_eq!(arguments.common.reports, [PathBuf::from("a")], "{line}");
            let files = match arguments.command {
                Some(Command::Diagnose(options)) => options.files,
                _ => arguments.files,
            };
            assert_eq!(files, [PathBuf::from("x")], "{line}");
        }
    }

    #[test]
    fn a_format_stands_before_or_after_the_command_and_is_one_of_its_own() {
        let of_check = |line: &str| {
            let arguments = Arguments::try_parse_from(line.split(' ')).map_err(|error| error.to_string())?;
            let Some(Command::Check(options)) = arguments.command else { panic!("{line}") };
            options.format.or(arguments.common.format).map_err(|failure| failure.lines())
        };
        assert_eq!(of_check("faultbook check"), Ok(check::CheckFormat::Terminal));
        assert_eq!(of_check("faultbook check --format sarif"), Ok(check::CheckFormat::Sarif));
        assert_eq!(of_check("faultbook --format junit check"), Ok(check::CheckFormat::Junit));
        assert_eq!(of_check("faultbook --format sarif check --format json"), Ok(check::CheckFormat::Json));
        for line in ["faultbook check --format markdown", "faultbook --format markdown check"] {
            let error = of_check(line).expect_err(line);
            assert!(error.contains("terminal, json, sarif, github, junit"), "{line}: {error}");
        }
    }

    #[test]
    fn a_lone_dash_is_standard_input() {
        let arguments = Arguments::try_parse_from(["faultbook", "-"]).expect("parses");
        assert_eq!(arguments.files, [PathBuf::from("-")]);
    }
}
