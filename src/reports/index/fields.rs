//! The tantivy schema: what is searchable, what is stored.

use tantivy::schema::{Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, TantivyDocument};

use super::tokenizer::WordTokenizer;
use crate::book::contents::Entry;
use crate::book::report::Report;
use crate::vendors;

/// Raise it when fields, tokenizer or the report reader change: older caches are then rebuilt.
pub(super) const VERSION: u32 = 3;

const TOKENIZER: &str = "words";

/// The fields of the index.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    /// A report's path or `page:<id>`; identifies the document.
    pub key: Field,
    pub title: Field,
    /// Error texts: the signature of a report.
    pub error: Field,
    /// Status codes named anywhere.
    pub codes: Field,
    /// Functions and files of stack frames.
    pub frames: Field,
    /// GPU, versions, operating system.
    pub environment: Field,
    pub body: Field,
}

impl Fields {
    /// The schema with its fields.
    pub(super) fn schema() -> (Schema, Self) {
        let mut builder = Schema::builder();
        let indexing =
            TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(IndexRecordOption::WithFreqs);
        let text = || TextOptions::default().set_indexing_options(indexing.clone());
        let fields = Self {
            key: builder.add_text_field("key", STRING | STORED),
            title: builder.add_text_field("title", text()),
            error: builder.add_text_field("error", text()),
            codes: builder.add_text_field("codes", text()),
            frames: builder.add_text_field("frames", text()),
            environment: builder.add_text_field("environment", text()),
            body: builder.add_text_field("body", text()),
        };
        (builder.build(), fields)
    }

    /// Tells the index how words are split.
    pub(super) fn register(index: &Index) {
        index.tokenizers().register(TOKENIZER, TextAnalyzer::builder(WordTokenizer::default()).build());
    }

    /// A report as a document.
    pub(super) fn report(&self, key: &str, report: &Report) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        document.add_text(self.key, key);
        document.add_text(self.title, format!("{} {} {}", report.id, report.aliases.join(" "), report.title));
        document.add_text(self.error, report.errors.join("\n"));
        document.add_text(self.codes, codes_in(&report.text).join(" "));
        document.add_text(self.frames, report.frames.join("\n"));
        let environment: Vec<String> =
            report.environment.iter().filter_map(|(_, fact)| words_of(&fact.value)).collect();
        document.add_text(self.environment, environment.join("\n"));
        document.add_text(self.body, &report.text);
        document
    }

    /// A page of the book as a document.
    pub(super) fn page(&self, entry: &Entry) -> TantivyDocument {
        let matter = &entry.matter;
        let signatures: Vec<&str> =
            matter.signatures.iter().flat_map(|signature| &signature.contains.0).map(String::as_str).collect();
        let causes: Vec<&str> = matter.causes.iter().map(|cause| cause.title.as_str()).collect();
        let mut document = TantivyDocument::default();
        document.add_text(self.key, format!("page:{}", entry.id));
        document.add_text(self.title, format!("{} {}", entry.id, matter.title));
        document.add_text(self.error, signatures.join("\n"));
        document.add_text(self.codes, matter.codes.join(" "));
        document.add_text(self.body, causes.join("\n"));
        document.add_text(self.body, &entry.body);
        document
    }
}

fn words_of(value: &crate::facts::Value) -> Option<String> {
    match value {
        crate::facts::Value::Text(text) => Some(text.clone()),
        crate::facts::Value::List(list) => Some(list.join(" ")),
        crate::facts::Value::Bool(_) | crate::facts::Value::Number(_) => None,
    }
}

/// Names of status codes in a text: words in capitals with at least one underscore, and `cudaErrorX`, `ncclX`.
pub(super) fn codes_in(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut codes: Vec<&str> = text
        .split(|c: char| !is_part(c))
        .filter(|word| {
            let shouted = word.contains("_ERROR") || word.contains("_STATUS_");
            shouted || vendors::is_code(word)
        })
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}
