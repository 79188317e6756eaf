//! Asking the index: for free words, and for an incident.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query as TantivyQuery, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Value};
use tantivy::{TantivyDocument, Term};

use super::cache::Opened;
use crate::diagnosis::Query;
use crate::text::words::words as each_word;

/// How many different words of one field a query carries; an error message has fewer, a log has more.
const WORDS: usize = 64;

/// A document that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What it is.
    pub what: What,
    /// tantivy's score: comparable within one query only.
    pub score: f32,
}

/// What a document of the index is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A report, by its path.
    Report(PathBuf),
    /// A page of the book, by its id.
    Page(String),
}

impl Opened {
    /// Documents that match what an incident says, best first.
    ///
    /// # Errors
    /// When the index on disk vanished or broke since it was opened.
    pub fn find(&self, query: &Query, limit: usize) -> Result<Vec<Found>, super::Error> {
        let fields = self.fields;
        let mut clauses = Clauses::default();
        clauses.add(&query.error, &[(fields.error, 2.0), (fields.body, 0.5), (fields.title, 1.0)]);
        clauses.add(&query.codes.join(" "), &[(fields.codes, 3.0)]);
        clauses.add(&query.frames.join(" "), &[(fields.frames, 1.0)]);
        clauses.add(&query.environment.join(" "), &[(fields.environment, 0.3)]);
        self.different(limit, |limit| self.run(&clauses, limit))
    }

    /// Documents that match free words, best first.
    ///
    /// # Errors
    /// When the index on disk vanished or broke since it was opened.
    pub fn search(&self, words: &str, limit: usize) -> Result<Vec<Found>, super::Error> {
        let fields = self.fields;
        let mut clauses = Clauses::default();
        clauses.add(
            words,
            &[
                (fields.title, 3.0),
                (fields.error, 2.0),
                (fields.codes, 2.0),
                (fields.frames, 1.0),
                (fields.environment, 1.0),
                (fields.body, 1.0),
            ],
        );
        self.different(limit, |limit| self.run(&clauses, limit))
    }

    fn run(&self, clauses: &Clauses, limit: usize) -> Result<Vec<Found>, super::Error> {
        if clauses.0.is_empty() {
            return Ok(Vec::new());
        }
        let searcher = self.reader.searcher();
        let query = BooleanQuery::new(clauses.0.iter().map(|(occur, query)| (*occur, query.box_clone())).collect());
        let top = searcher.search(&query, &TopDocs::with_limit(limit.max(1)).order_by_score())?;
        let mut found = Vec::with_capacity(top.len());
        for (score, address) in top {
            let document: TantivyDocument = searcher.doc(address)?;
            let Some(key) = document.get_first(self.fields.key).and_then(|key| key.as_str()) else { continue };
            let what = match key.strip_prefix("page:") {
                Some(id) => What::Page(id.to_owned()),
                None => What::Report(PathBuf::from(key)),
            };
            found.push(Found { what, score });
        }
        Ok(found)
    }
}

/// The clauses of one query: any of them may hold.
#[derive(Default)]
struct Clauses(Vec<(Occur, Box<dyn TantivyQuery>)>);

impl Clauses {
    /// Every word of `text` in each of the fields, weighted.
    fn add(&mut self, text: &str, fields: &[(Field, f32)]) {
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        each_word(text, |position, word| {
            counted.entry(word.to_owned()).or_insert(position);
        });
        let mut words: Vec<(usize, String)> = counted.into_iter().map(|(word, position)| (position, word)).collect();
        words.sort();
        for (_, word) in words.into_iter().take(WORDS) {
            for &(field, boost) in fields {
                let term = TermQuery::new(Term::from_field_text(field, &word), IndexRecordOption::WithFreqs);
                self.0.push((Occur::Should, Box::new(BoostQuery::new(Box::new(term), boost))));
            }
        }
    }
}
