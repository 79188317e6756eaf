//! Why a command could not do what was asked: what failed, on what, and what to do about it.

use std::fmt;
use std::io;
use std::path::Path;

use crate::hint::Hint;
use crate::render::{clean, words};

/// What commands give.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// A mistake of the command line or of an input, with advice: made here, or out of any error that can give a hint.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// What failed, on what: lower case, no full stop.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// What to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A file that could not be read.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Self {
        let failure = Self::new(format!("could not read `{}`: {}", path.display(), reason(error)));
        match error.kind() {
            io::ErrorKind::IsADirectory => failure.hint("name a log inside it, or pass it with `--reports`"),
            _ => failure,
        }
    }

    /// The lines shown to the user.
    pub(crate) fn lines(&self) -> String {
        let hint = self.hint.iter().map(|hint| format!("\nhint: {}\n", clean::line(hint)));
        format!("error: {}\n{}", clean::line(&self.message), hint.collect::<String>())
    }
}

impl<E: Hint> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            message.push_str(&format!(": {error}"));
            source = error.source();
        }
        Self { message, hint: error.hint() }
    }
}

/// What the system said, in our spelling.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => {
            let words = error.to_string();
            let words = words.split(" (os error").next().unwrap_or_default();
            words::mid_sentence(words)
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_read_as_one_sentence_with_a_hint() {
        let failure = Failure::reading(Path::new("logs"), &io::ErrorKind::IsADirectory.into());
        let expected = "error: could not read `logs`: it is a folder\n\n\
                        hint: name a log inside it, or pass it with `--reports`\n";
        assert_eq!(failure.lines(), expected);
    }

    #[test]
    fn an_error_brings_its_cause_and_its_hint() {
        let missing = crate::reports::Error::read(Path::new("/none"), io::ErrorKind::NotFound.into());
        let lines = Failure::from(missing).lines();
        assert!(lines.starts_with("error: ") && lines.contains("/none"), "{lines}");
        assert!(lines.ends_with("\n\nhint: check the path\n"), "{lines}");
    }

    #[test]
    fn names_of_files_cannot_steer_the_terminal() {
        assert_eq!(Failure::new("could not read `\u{1b}[2Jx`").lines(), "error: could not read `x`\n");
    }
}
