//! Output formats: each command has an enum of the formats that it supports, and `--format` works before or after its
//! name. A new format is a variant of one enum; the compiler then reports every place that has to write it.

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::common::Common;
use super::diagnose::DiagnoseFormat;
use super::failure::{Failure, Result};
use crate::render::safe::Encoding;

/// The formats of a command.
pub(crate) trait Formats: ValueEnum + Copy + Eq + Send + Sync + 'static {
    /// For reading on a screen; the default.
    const TERMINAL: Self;

    /// What may be in an answer of this format.
    fn encoding(self) -> Encoding {
        let value = self.to_possible_value();
        match value.as_ref().map_or("", PossibleValue::get_name) {
            "terminal" => Encoding::Screen,
            "json" | "sarif" => Encoding::Json,
            _ => Encoding::Plain,
        }
    }
}

/// The formats of most commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For reading on a screen.
    Terminal,
    /// For programs.
    #[value(alias = "jsonl")]
    Json,
    /// For an issue tracker.
    Markdown,
}

impl Formats for Format {
    const TERMINAL: Self = Self::Terminal;
}

/// The formats of one diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerFormat {
    /// For reading on a screen.
    Terminal,
    /// For programs.
    #[value(alias = "jsonl")]
    Json,
    /// For an issue tracker.
    Markdown,
    /// For a language model: under 2 KB.
    Brief,
}

impl Formats for AnswerFormat {
    const TERMINAL: Self = Self::Terminal;
}

/// The `--format` of a command.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FormatArg<F: Formats> {
    /// The output format [default: terminal]; `--json` is `--format json`.
    #[arg(long, short, value_enum, value_name = "FORMAT")]
    format: Option<F>,
}

impl<F: Formats> Default for FormatArg<F> {
    fn default() -> Self {
        Self { format: None }
    }
}

impl<F: Formats> FormatArg<F> {
    /// The format of a command; `--json` is short for one of them.
    pub(crate) fn of(self, common: &Common) -> Result<F> {
        let given = self.or(common.format)?;
        if !common.json {
            return Ok(given);
        }
        let json = F::from_str("json", false).map_err(|_| Failure::new("this command cannot write JSON"))?;
        if given != F::TERMINAL && given != json {
            return Err(Failure::new("`--json` and `--format` name different formats").hint("use only one of them"));
        }
        Ok(json)
    }

    /// The format given after the command, otherwise the one before it, which is a format of `diagnose`.
    pub(crate) fn or(self, before: FormatArg<DiagnoseFormat>) -> Result<F> {
        let typed = before.format.as_ref().and_then(ValueEnum::to_possible_value);
        match (self.format, typed) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(F::TERMINAL),
            (None, Some(typed)) => F::from_str(typed.get_name(), false).map_err(|_| {
                let known: Vec<PossibleValue> =
                    F::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
                let known: Vec<&str> = known.iter().map(PossibleValue::get_name).collect();
                Failure::new(format!("this command cannot write the format `{}`", typed.get_name()))
                    .hint(format!("it writes {}", known.join(", ")))
            }),
        }
    }
}
