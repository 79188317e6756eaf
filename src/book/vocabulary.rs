//! The closed list of causes, kb/causes.csv: id, words for people, and a pattern that tells when a sentence of a bug
//! report speaks of the cause.

use std::sync::OnceLock;

use crate::pattern::Pattern;

/// One cause of the closed list.
#[derive(Debug)]
pub struct CauseWord {
    /// `memory-exhausted`.
    pub id: String,
    /// "the work does not fit the device".
    pub title: String,
    about: Pattern,
}

/// The closed list of causes.
#[derive(Debug, Default)]
pub struct Vocabulary {
    csv: &'static str,
    causes: OnceLock<Vec<CauseWord>>,
}

impl Vocabulary {
    /// Keeps the table's text; rows are read when somebody asks.
    pub fn new(csv: &'static str) -> Self {
        Self { csv, causes: OnceLock::new() }
    }

    /// All causes in the order of the table.
    pub fn causes(&self) -> &[CauseWord] {
        self.causes.get_or_init(|| {
            let mut reader = csv::Reader::from_reader(self.csv.as_bytes());
            let rows = reader.records().filter_map(Result::ok);
            rows.filter_map(|row| {
                Some(CauseWord {
                    id: row.get(0)?.to_owned(),
                    title: row.get(1)?.to_owned(),
                    about: Pattern::new(row.get(2)?),
                })
            })
            .collect()
        })
    }

    /// Whether a sentence of a report speaks of the cause.
    pub fn is_about(&self, id: &str, sentence: &str) -> bool {
        self.causes().iter().any(|cause| cause.id == id && cause.about.is_match(sentence))
    }
}
