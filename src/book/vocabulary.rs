//! The closed list of causes, kb/causes.csv: id, words for people, and phrases that show that a sentence of a bug
//! report is about the cause.

use std::sync::OnceLock;

/// One cause of the closed list.
#[derive(Debug)]
pub struct CauseWord {
    /// `memory-exhausted`.
    pub id: String,
    /// "the workload does not fit in GPU memory".
    pub title: String,
    /// Lower-case phrases.
    phrases: Vec<String>,
}

/// The closed list of causes.
#[derive(Debug, Default)]
pub struct Vocabulary {
    csv: &'static str,
    causes: OnceLock<Vec<CauseWord>>,
}

impl Vocabulary {
    /// Keeps the table's text; rows are read when they are needed.
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
                    phrases: row.get(2)?.split(';').map(str::to_owned).collect(),
                })
            })
            .collect()
        })
    }

    /// Whether a sentence of a report is about the cause.
    pub fn is_about(&self, id: &str, sentence: &str) -> bool {
        let sentence = sentence.to_lowercase();
        let cause = self.causes().iter().find(|cause| cause.id == id);
        cause.is_some_and(|cause| cause.phrases.iter().any(|phrase| begins_a_word(&sentence, phrase)))
    }
}

/// Whether a phrase occurs in a sentence, not in the middle of a word.
fn begins_a_word(sentence: &str, phrase: &str) -> bool {
    sentence.match_indices(phrase).any(|(at, _)| {
        let before = sentence.get(..at).and_then(|head| head.chars().next_back());
        !before.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_speak_of_causes() {
        let words = Vocabulary::new(include_str!("../../kb/causes.csv"));
        assert!(words.is_about("memory-exhausted", "cuDNN Workspace Memory Exhaustion"));
        assert!(words.is_about("bad-values", "either invalid tensors (e.g., NaNs/Infs) or parameters"));
        assert!(!words.is_about("bad-values", "the finance team asked"));
        assert!(words.causes().len() >= 30);
    }
}
