//! Why a command could not do what was asked: what failed, on what, and what to do about it.

use std::fmt;
use std::io;
use std::path::Path;

/// A mistake of the command line or of an input, with advice.
#[derive(Debug)]
pub(crate) struct Failure {
    says: String,
    hint: Option<String>,
}

impl Failure {
    /// What failed, on what: lower case, no full stop.
    pub(crate) fn new(says: impl Into<String>) -> Self {
        Self { says: says.into(), hint: None }
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
            crate::render::words::mid_sentence(words)
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.says)
    }
}

impl std::error::Error for Failure {}

/// Any error as the lines shown to the user.
pub(crate) fn lines(error: &anyhow::Error) -> String {
    use crate::render::clean;
    let chain: Vec<String> = error.chain().map(|link| clean::line(&link.to_string())).collect();
    let mut text = format!("error: {}\n", chain.join(": "));
    let hint = error.chain().find_map(|link| match link.downcast_ref::<Failure>() {
        Some(failure) => failure.hint.clone(),
        None => match link.downcast_ref::<crate::reports::draft::Error>() {
            Some(error) => error.hint(),
            None => match link.downcast_ref::<crate::reports::Error>() {
                Some(error) => error.hint(),
                None => of_probe(link),
            },
        },
    });
    if let Some(hint) = hint {
        text.push_str(&format!("\nhint: {}\n", clean::line(&hint)));
    }
    text
}

#[cfg(feature = "machine")]
fn of_probe(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    error.downcast_ref::<crate::machine::Error>()?.hint()
}

#[cfg(not(feature = "machine"))]
fn of_probe(_error: &(dyn std::error::Error + 'static)) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_read_as_one_sentence_with_a_hint() {
        let inner = Failure::reading(Path::new("logs"), &io::ErrorKind::IsADirectory.into());
        let error = anyhow::Error::new(inner).context("nothing was diagnosed");
        let expected = "error: nothing was diagnosed: could not read `logs`: it is a folder\n\n\
                        hint: name a log inside it, or pass it with `--reports`\n";
        assert_eq!(lines(&error), expected);
    }

    #[test]
    fn names_of_files_cannot_steer_the_terminal() {
        let error = anyhow::Error::new(Failure::new("could not read `\u{1b}[2Jx`"));
        assert_eq!(lines(&error), "error: could not read `x`\n");
    }
}
