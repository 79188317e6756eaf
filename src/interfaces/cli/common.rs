//! Options that every command takes, before or after its name.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::diagnose::DiagnoseFormat;
use super::format::FormatArg;

#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) format: FormatArg<DiagnoseFormat>,

    /// The same as `--format json`.
    #[arg(long, global = true, hide = true)]
    pub(crate) json: bool,

    /// Print more: all causes, actions and consequences; the paths of listed reports; informational findings.
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,

    /// A folder of bug reports (repeatable), instead of those named in faultbook.toml or found in the usual places.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) reports: Vec<PathBuf>,

    /// Leave out the built-in fault pages and reports.
    #[arg(long, global = true)]
    pub(crate) no_builtin: bool,

    /// Do not probe this machine's GPU, driver and Python environment.
    #[arg(long, global = true)]
    pub(crate) no_probe: bool,

    /// Probe this machine to verify causes; the default on a terminal if a driver is present. With `--facts`, probe
    /// only what those facts leave open, and only if the failing process recorded them.
    #[cfg(feature = "machine")]
    #[arg(long, global = true, conflicts_with_all = ["no_probe"])]
    pub(crate) probe: bool,

    /// Facts about the machine where the run died, saved there with `faultbook probe --save FILE`, or recorded by the
    /// failing process.
    #[cfg(feature = "machine")]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) facts: Option<PathBuf>,

    /// The Python interpreter or environment that the run used (default: the active one, then the project's own).
    #[cfg(feature = "machine")]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) python: Option<PathBuf>,

    /// When to use color; `auto` follows the terminal, NO_COLOR and CLICOLOR_FORCE.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,

    /// Do not show long lists and pages in a pager (FAULTBOOK_PAGER, PAGER, otherwise less).
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,

    /// The width of the terminal view in columns (default: the terminal's width up to 120, otherwise 80).
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(20..=1000))]
    pub(crate) width: Option<u16>,
}

/// When to use color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that supports it.
    Auto,
    /// Even into a pipe or file.
    Always,
    /// Not at all.
    Never,
}
