//! The command line as written. What it means is decided by the commands.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::common::Common;
use super::exit;

/// Which GPU or ML training failure is this, why did it happen here, and what fixes it.
#[derive(Debug, Parser)]
#[command(name = "faultbook", version, max_term_width = 100, after_help = exit::HELP)]
pub(crate) struct Arguments {
    /// What to do; without a command, FILEs or standard input are diagnosed.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Logs to diagnose; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say which failure a traceback or log shows, why it happened, and what fixes it.
    Diagnose {
        /// Logs; `-` is standard input, which is also read when no file is given.
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Diagnose what the clipboard holds.
        #[arg(long, conflicts_with = "files")]
        clipboard: bool,
    },
    /// Run a command; when it fails, say why below its output.
    ///
    /// The command keeps its terminal: colours, progress bars, keys, signals and the exit code are its own.
    Run {
        /// Keep the whole output in this file.
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
        /// After a failure, draft a bug report into the project's folder of reports and name its file.
        #[arg(long)]
        new: bool,
        /// After a failure, run this shell command with the answer as JSON on its standard input.
        #[arg(long, value_name = "CMD")]
        on_failure: Option<String>,
        /// The command and its arguments; options of ours stand before it.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
        command: Vec<OsString>,
    },
    /// Find pages and reports by words.
    Search {
        /// Any words: of an error, a function, a code, a title.
        #[arg(required = true, value_name = "WORDS")]
        words: Vec<String>,
        /// Most hits to show.
        #[arg(long, default_value_t = 10, value_name = "N")]
        limit: usize,
    },
    /// Print a page, a report, a recipe, or what a code means.
    Show {
        /// An id (`cudnn-no-engine`, `BUG-20251110-003`) or a code (`700`, `CUDNN_STATUS_EXECUTION_FAILED`, `Xid 79`).
        #[arg(required = true, value_name = "ID|CODE")]
        id: Vec<String>,
    },
    /// Look at this machine: devices, driver, memory, Python environment; with more levels, whether they work.
    #[cfg(feature = "machine")]
    #[command(after_help = super::probe::HELP)]
    Probe {
        /// How much is done: `quick` only reads.
        #[arg(long, value_enum, default_value_t = super::probe::Depth::Quick)]
        level: super::probe::Depth,
        /// Write the facts to a file, to be used elsewhere with `--facts`.
        #[arg(long, value_name = "FILE")]
        save: Option<PathBuf>,
        /// Look again and again until stopped; with `--format json` one line per look.
        #[arg(long, conflicts_with_all = ["level", "save"])]
        watch: bool,
        /// Seconds between two looks.
        #[arg(long, requires = "watch", default_value_t = 1.0, value_name = "SECONDS")]
        every: f64,
        /// Stop after so many looks.
        #[arg(long, requires = "watch", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        count: Option<u64>,
        /// Seconds for each check that the stress level adds.
        #[arg(long, default_value_t = 20, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86400))]
        seconds: u64,
        /// Longest time for the functional level of one device, waking it not counted; what is cut off says so.
        #[arg(long, default_value_t = 10, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
        time_limit: u64,
    },
    /// Estimate how a run moves from one GPU to another with its effective batch kept.
    Fit {
        /// The GPU it runs on, as people or drivers write it.
        #[arg(long, value_name = "GPU")]
        from: String,
        /// The GPU it shall run on.
        #[arg(long, value_name = "GPU")]
        to: String,
        /// Samples per step on the old GPU.
        #[arg(long, value_name = "N")]
        batch: u32,
        /// The share of memory that does not depend on the batch.
        #[arg(long, value_name = "PERCENT", default_value = "20%", value_parser = super::fit::percent)]
        overhead: f64,
        /// The most memory that the run held on the old GPU, where you know it: `9.5GiB`.
        #[arg(long, value_name = "SIZE", value_parser = super::fit::size)]
        used: Option<f64>,
    },
    /// Write a bug report from a traceback or log into the project's folder of reports, and print its path.
    New(Box<super::new::Asked>),
    /// Give a report another status; every other byte of its file stays.
    Status {
        /// The report.
        id: String,
        /// The status: open, in_progress, resolved, closed, wontfix, duplicate, ...
        #[arg(value_parser = super::status::word)]
        word: String,
        /// The commit that did it, noted in the front matter.
        #[arg(long, value_name = "REV")]
        commit: Option<String>,
    },
    /// List the templates of reports.
    Templates,
    /// List all pages and reports; with a filter, the project's reports that fit it.
    List(super::filter::Filters),
    /// Draw how the project's reports stand to each other, for Graphviz or Mermaid.
    Graph(super::graph::Options),
    /// Count the project's reports over time by fault, cause and status.
    Stats(super::stats::Options),
    /// Find every mention of a report in code, other reports and commit messages.
    Refs {
        /// The report's id, in any spelling.
        id: String,
    },
    /// Write the INDEX.md of a folder of reports.
    IndexPage(super::index_page::Options),
    /// Check pages of the book and bug reports, and say what is wrong where; 0 clean, 1 findings.
    Check(super::check::Options),
    /// Serve an editor over standard input and output (Language Server Protocol).
    #[cfg(feature = "lsp")]
    Lsp {
        /// Taken for granted; editors pass it.
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Serve an agent over standard input and output (Model Context Protocol); only reads unless told otherwise.
    #[cfg(feature = "mcp")]
    Mcp {
        /// Let the agent write new bug reports into the project's folder of reports.
        #[arg(long)]
        allow_write: bool,
    },
    /// Print completions for a shell.
    #[cfg(feature = "shell")]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a folder.
    #[cfg(feature = "shell")]
    Man {
        /// The folder; made where it is not there.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print a hook that offers a diagnosis after a failed command; off until you put it into your shell's settings.
    Hook {
        /// Which shell.
        #[arg(value_enum)]
        shell: HookShell,
    },
    /// Bring the index of the project's reports up to date; happens by itself when needed.
    Index {
        /// Throw the index away and build it again.
        #[arg(long)]
        rebuild: bool,
    },
}

/// A shell that there is a hook for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookShell {
    /// zsh.
    Zsh,
    /// bash.
    Bash,
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
                Some(Command::Diagnose { files, .. }) => files,
                _ => arguments.files,
            };
            assert_eq!(files, [PathBuf::from("x")], "{line}");
        }
    }

    #[test]
    fn a_lone_dash_is_standard_input() {
        let arguments = Arguments::try_parse_from(["faultbook", "-"]).expect("parses");
        assert_eq!(arguments.files, [PathBuf::from("-")]);
    }
}
