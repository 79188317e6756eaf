//! The tantivy schema: what is searchable, what is stored.

use tantivy::schema::{Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, WhitespaceTokenizer};
use tantivy::{Index, TantivyDocument};

use super::terms;
use super::tokenizer::WordTokenizer;
use crate::book::contents::Entry;
use crate::book::report::Report;
use crate::diagnosis::evidence;
use crate::reports::copies::Sketch;

/// Raise it when fields, tokenizer, what is read of a report, `kb/wording/recall.toml` or `concepts.toml` change: older
/// caches are then rebuilt.
pub(super) const VERSION: u32 = 10;

const TOKENIZER: &str = "words";
const READY: &str = "ready";

/// What a document is.
pub(super) const REPORT: &str = "report";
pub(super) const PAGE: &str = "page";

/// The fields of the index.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    /// A report's path or `page:<id>`; identifies the document.
    pub key: Field,
    /// [`REPORT`] or [`PAGE`].
    pub kind: Field,
    /// Of pages: title, literals of signatures, codes, text.
    pub title: Field,
    pub error: Field,
    pub codes: Field,
    pub body: Field,
    /// Words of lines in comparing form.
    pub statements: Field,
    /// Files and functions that a report names.
    pub names: Field,
    /// A report's lines in comparing form.
    pub evidence: Field,
    /// Terms of title, id and summary; of the whole text; of the pages that a report's errors match.
    pub topic: Field,
    pub terms: Field,
    pub hints: Field,
    /// Pieces of a report's words.
    pub pieces: Field,
    /// What finds a report's copies: a sketch of its text, and what it may have in common with those of others.
    pub sketch: Field,
    pub marks: Field,
}

impl Fields {
    /// The schema with its fields.
    pub(super) fn schema() -> (Schema, Self) {
        let mut builder = Schema::builder();
        let text = |tokenizer: &str| {
            let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer);
            TextOptions::default().set_indexing_options(indexing.set_index_option(IndexRecordOption::WithFreqs))
        };
        let fields = Self {
            key: builder.add_text_field("key", STRING | STORED),
            kind: builder.add_text_field("kind", STRING),
            title: builder.add_text_field("title", text(TOKENIZER)),
            error: builder.add_text_field("error", text(TOKENIZER)),
            codes: builder.add_text_field("codes", text(TOKENIZER)),
            body: builder.add_text_field("body", text(TOKENIZER)),
            statements: builder.add_text_field("statements", text(READY)),
            names: builder.add_text_field("names", text(READY)),
            evidence: builder.add_bytes_field("evidence", STORED),
            topic: builder.add_text_field("topic", text(READY)),
            terms: builder.add_text_field("terms", text(READY)),
            hints: builder.add_text_field("hints", text(READY)),
            pieces: builder.add_text_field("pieces", text(READY)),
            sketch: builder.add_bytes_field("sketch", STORED),
            marks: builder.add_text_field("marks", STRING),
        };
        (builder.build(), fields)
    }

    /// Tells the index how words are split.
    pub(super) fn register(index: &Index) {
        index.tokenizers().register(TOKENIZER, TextAnalyzer::builder(WordTokenizer::default()).build());
        index.tokenizers().register(READY, TextAnalyzer::builder(WhitespaceTokenizer::default()).build());
    }

    /// A report as a document; `hints` are the terms of the pages that its error texts match.
    pub(super) fn report<'h>(
        &self,
        key: &str,
        report: &Report,
        sketch: &Sketch,
        hints: impl Iterator<Item = &'h str>,
    ) -> TantivyDocument {
        let read = evidence::of_report(report);
        let mut document = TantivyDocument::default();
        document.add_text(self.key, key);
        document.add_text(self.kind, REPORT);
        document.add_text(self.statements, read.words.join(" "));
        document.add_text(self.names, read.names.into_iter().collect::<Vec<_>>().join(" "));
        document.add_bytes(self.evidence, &postcard::to_stdvec(&read.evidence).unwrap_or_default());
        let ids = std::iter::once(&report.id).chain(&report.aliases).chain(&report.tags);
        let topic = ids.chain([&report.title, &report.summary]).map(String::as_str).collect::<Vec<_>>().join("\n");
        let file = report.path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
        let mut known = terms::Known::default();
        let (terms, pieces) = known.with_pieces(&report.text);
        document.add_text(self.topic, known.spaced(&format!("{topic}\n{file}")));
        document.add_text(self.terms, terms);
        document.add_text(self.pieces, pieces);
        document.add_text(self.hints, hints.collect::<String>());
        document.add_bytes(self.sketch, &postcard::to_stdvec(sketch).unwrap_or_default());
        sketch.marks().for_each(|mark| document.add_text(self.marks, mark));
        document
    }

    /// A page of the book as a document.
    pub(super) fn page(&self, entry: &Entry) -> TantivyDocument {
        let matter = entry.matter();
        let signatures: Vec<&str> =
            matter.signatures.iter().flat_map(|signature| &signature.contains.0).map(String::as_str).collect();
        let causes: Vec<&str> = matter.causes.iter().map(|cause| cause.title.as_str()).collect();
        let (signatures, causes) = (signatures.join("\n"), causes.join("\n"));
        let mut document = TantivyDocument::default();
        document.add_text(self.key, format!("page:{}", entry.id));
        document.add_text(self.kind, PAGE);
        document.add_text(self.title, format!("{} {}", entry.id, matter.title));
        document.add_text(self.error, &signatures);
        document.add_text(self.codes, matter.codes.join(" "));
        document.add_text(self.body, &causes);
        document.add_text(self.body, entry.body());
        let all = format!("{}\n{signatures}\n{causes}\n{}", matter.codes.join(" "), entry.body());
        let statements: Vec<String> = all.lines().flat_map(evidence::statement).collect();
        document.add_text(self.statements, statements.join(" "));
        document.add_text(self.topic, terms::spaced(&format!("{} {}", entry.id, matter.title)));
        document.add_text(self.terms, terms::spaced(&all));
        document
    }
}

/// The terms of what a page is about, with a space after each.
pub(super) fn hints(page: &Entry) -> String {
    let causes: Vec<&str> = page.matter().causes.iter().map(|cause| cause.title.as_str()).collect();
    terms::spaced(&format!("{}\n{}", page.matter().title, causes.join("\n")))
}
