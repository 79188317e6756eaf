//! What several test binaries need: the built-in book opened once, and a text's diagnosis.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::sync::OnceLock;

use faultbook::book::Book;
use faultbook::diagnosis::Diagnosis;
use faultbook::diagnosis::{self, Measured};
use faultbook::incident;
use faultbook::reports::knowledge::{Knowledge, Places};
use faultbook::text;

/// The built-in book, without any reports.
pub(crate) fn knowledge() -> &'static Knowledge {
    static KNOWLEDGE: OnceLock<Knowledge> = OnceLock::new();
    KNOWLEDGE.get_or_init(|| {
        let places = Places { reports: Vec::new(), roots: Vec::new(), cache: None, rebuild: false };
        Knowledge::new(Book::new(true), places, Box::new(|_, _| {}))
    })
}

/// The diagnosis of a text by the built-in book alone.
pub(crate) fn diagnose(text: &[u8]) -> Diagnosis {
    let transcript = text::read(text);
    let incident = incident::read(&transcript);
    diagnosis::diagnose(&transcript, &incident, knowledge().library(), &Measured::default())
}

/// A labelled text of tests/corpus, by its path: the folder is the fault, the word before `.txt` the cause.
pub(crate) struct Case {
    /// The expected fault; `None` in `_negative`.
    pub(crate) fault: Option<String>,
    /// The expected cause, where the text settles one.
    pub(crate) cause: Option<String>,
    /// Whether nothing is wrong in the text.
    pub(crate) healthy: bool,
}

impl Case {
    /// Reads the labels off a path.
    pub(crate) fn of(path: &std::path::Path) -> Self {
        let part = |name: Option<&std::ffi::OsStr>| name.and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let folder = part(path.parent().and_then(|folder| folder.file_name()));
        let stem = part(path.file_stem());
        let label = stem.rsplit_once('.').map(|(_, label)| label.to_owned());
        let negative = folder == "_negative";
        Self {
            fault: (!negative).then_some(folder),
            healthy: label.as_deref() == Some("healthy"),
            cause: label
                .filter(|label| !negative && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')),
        }
    }
}
