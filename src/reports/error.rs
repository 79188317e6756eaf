//! What can go wrong outside of the core: files, folders, configuration.
//!
//! Each error says what failed and on what; [`Error::hint`] says what to do next. Reading a text or a report never
//! fails, so those have no errors here.

use std::io;
use std::path::{Path, PathBuf};

use crate::hint::Hint;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read.
    #[error("could not read `{}`", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// `faultbook.toml` is wrong.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u32,
        /// Column in Unicode scalar values, from 1.
        column: u32,
        /// What is wrong.
        message: String,
    },
    /// A file of which the reading takes too long or fails.
    #[error("{}: {why}", path.display())]
    Exceeded {
        /// The file.
        path: PathBuf,
        /// What happened.
        why: String,
    },
    /// Something would be written where only the project's own files say so.
    #[error("`{}` is outside the project ({}), so nothing is written there", path.display(), bounds.display())]
    Elsewhere {
        /// Where.
        path: PathBuf,
        /// The folder that holds the project.
        bounds: PathBuf,
    },
}

impl Error {
    /// A file or folder that cannot be read.
    pub fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Error::Read { source, path } => match source.kind() {
                io::ErrorKind::NotFound if path.is_relative() => Some(
                    "the path is relative to the current folder, or to faultbook.toml if it is written there"
                        .to_owned(),
                ),
                io::ErrorKind::NotFound => Some("check the path".to_owned()),
                io::ErrorKind::PermissionDenied => Some("give this user permission to read it".to_owned()),
                _ => None,
            },
            Error::Exceeded { .. } => None,
            Error::Elsewhere { .. } => Some(
                "faultbook.toml and links may be somebody else's: name the folder yourself, with `--reports DIR`"
                    .to_owned(),
            ),
            Error::Config { .. } => Some(
                "known keys: paths, folder, id, file_name under [reports]; paths under [book]; paths under [templates]"
                    .to_owned(),
            ),
        }
    }
}
