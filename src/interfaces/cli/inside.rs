//! What failing Python processes of a command leave behind: `faultbook run` names a folder, into which the Python
//! package (python/faultbook) writes the facts of each process that ends with an exception.

use std::ffi::OsStr;
#[cfg(feature = "machine")]
use std::path::Path;

#[cfg(feature = "machine")]
use memchr::memmem;
use tempfile::TempDir;

#[cfg(feature = "machine")]
use crate::machine::{self, Outcome};

/// The variable that names the folder. The package starts by itself where it is set.
const VARIABLE: &str = "FAULTBOOK_FACTS_FOLDER";

/// More files than that are not looked at: the first failure is among the first.
#[cfg(feature = "machine")]
const MOST: usize = 64;

/// The folder of one command; it goes with the value.
pub(crate) struct Folder(Option<TempDir>);

impl Folder {
    /// A new folder, readable by this user alone. Without one, nothing is left behind.
    pub(crate) fn create() -> Self {
        Self(tempfile::Builder::new().prefix("faultbook-run-").tempdir().ok())
    }

    /// What the command's environment gets.
    pub(crate) fn variables(&self) -> Vec<(&'static str, &OsStr)> {
        self.0.iter().map(|folder| (VARIABLE, folder.path().as_os_str())).collect()
    }

    /// The facts of the process that failed first, of those whose exception is in the text.
    #[cfg(feature = "machine")]
    pub(crate) fn first(&self, text: &[u8]) -> Option<Outcome> {
        first(self.0.as_ref()?.path(), text)
    }
}

#[cfg(feature = "machine")]
fn first(folder: &Path, text: &[u8]) -> Option<Outcome> {
    let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|end| end == "json")).collect();
    // Names begin with the time of the failure.
    files.sort();
    files.iter().take(MOST).filter_map(|file| machine::load(file).ok()).find(|outcome| {
        let shown = |name| outcome.facts.text(name).is_some_and(|words| memmem::find(text, words.as_bytes()).is_some());
        shown("exception.message") || shown("exception.type")
    })
}

#[cfg(all(test, feature = "machine"))]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_that_the_text_shows() {
        let folder = Folder::create();
        let path = folder.0.as_ref().expect("a folder").path().to_owned();
        assert_eq!(folder.variables(), [(VARIABLE, path.as_os_str())]);
        for (name, message) in [("2-9.json", "second"), ("1-8.json", "handled"), ("3-7.json", "third")] {
            let facts = format!(
                r#"{{"schema":"faultbook/facts/1","faultbook":"0","taken":"","level":"inside","facts":{{"exception.message":"{message}"}}}}"#
            );
            std::fs::write(path.join(name), facts).expect("a file");
        }
        std::fs::write(path.join("0-1.json"), "{").expect("a file");
        let found = folder.first(b"RuntimeError: third\nRuntimeError: second\n").expect("facts");
        assert_eq!(found.facts.text("exception.message"), Some("second"));
        assert!(folder.first(b"Killed").is_none());
    }
}
