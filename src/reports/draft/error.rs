//! Why a report could not be written, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use crate::hint::Hint;

/// What can go wrong while reports are made and changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// A file or folder cannot be read.
    #[error(transparent)]
    Outside(#[from] crate::reports::Error),
    /// A file cannot be written.
    #[error("could not write `{}`", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A scheme of ids or file names is wrong.
    #[error("the pattern `{pattern}` {why}")]
    Pattern {
        /// The pattern as written.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// A template cannot be used.
    #[error("the template {name}: {why}")]
    Template {
        /// Its file and line, or its name.
        name: String,
        /// What is wrong.
        why: String,
        /// What to do.
        hint: Option<String>,
    },
    /// A report cannot be changed as asked.
    #[error("{message}")]
    Report {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// git could not be run, or failed.
    #[error("git: {message}")]
    Git {
        /// Its message, or why it could not be run.
        message: String,
        /// What to do.
        hint: String,
    },
}

impl Error {
    pub(super) fn read(path: &Path, source: io::Error) -> Self {
        crate::reports::Error::read(path, source).into()
    }

    pub(super) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write { path: path.to_owned(), source }
    }

    pub(super) fn report(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Report { message: message.into(), hint: hint.into() }
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Outside(error) => error.hint(),
            Self::Write { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("the folder is not there; name another one with `--reports`".to_owned())
            }
            Self::Write { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some("print it with `--stdout`, or name a folder that can be written with `--reports`".to_owned())
            }
            Self::Write { .. } => None,
            Self::Report { hint, .. } | Self::Git { hint, .. } => Some(hint.clone()),
            Self::Pattern { .. } => Some(
                "known parts: {date} {time} {yyyy} {mm} {dd} {yyyymmdd} {hhmm} {kind} {nnn}, and in file names {id} {slug}"
                    .to_owned(),
            ),
            Self::Template { hint, .. } => hint.clone(),
        }
    }
}
