//! Asking the index: for free words, and for an incident.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, ConstScoreQuery, Occur, Query as TantivyQuery, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Value};
use tantivy::{Searcher, TantivyDocument, Term};

use super::cache::Opened;
use super::fields::REPORT;
use super::question::Question;
use crate::diagnosis::{Evidence, Query};
use crate::text::words::words as each_word;

/// How many different words of one field a query carries; an error message has fewer, a log has more.
const WORDS: usize = 64;

/// A document that matches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// What it is.
    pub(crate) what: What,
    /// tantivy's score: comparable within one query only.
    pub(crate) score: f32,
}

/// What a document of the index is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// A report, by its path.
    Report(PathBuf),
    /// A page of the book, by its id.
    Page(String),
}

/// A report that shares words with an incident.
pub(crate) struct Near {
    pub(crate) path: PathBuf,
    pub(crate) evidence: Evidence,
}

impl Opened {
    /// Reports that share words or names with an incident, best first.
    ///
    /// # Errors
    /// When the index on disk vanished or broke since it was opened.
    pub(crate) fn near(&self, query: &Query, limit: usize) -> Result<Vec<Near>, super::Error> {
        self.asked(|| self.near_to(query, limit))
    }

    fn near_to(&self, query: &Query, limit: usize) -> Result<Vec<Near>, super::Error> {
        let fields = self.fields;
        let searcher = self.reader.searcher();
        let mut clauses: Vec<(Occur, Box<dyn TantivyQuery>)> = Vec::new();
        let mut words: Vec<(u64, &String)> = query
            .words
            .iter()
            .map(|word| (searcher.doc_freq(&Term::from_field_text(fields.statements, word)).unwrap_or(0), word))
            .filter(|(having, _)| *having > 0)
            .collect();
        words.sort();
        let words = words.into_iter().take(WORDS).map(|(_, word)| (fields.statements, word, 1.0));
        for (field, word, boost) in words.chain(query.names.iter().map(|name| (fields.names, name, 1.0))) {
            let term = TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs);
            clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(term), boost))));
        }
        if clauses.is_empty() {
            return Ok(Vec::new());
        }
        let kind = TermQuery::new(Term::from_field_text(fields.kind, REPORT), IndexRecordOption::Basic);
        let query = BooleanQuery::new(vec![
            (Occur::Must, Box::new(ConstScoreQuery::new(Box::new(kind), 0.0))),
            (Occur::Must, Box::new(BooleanQuery::new(clauses))),
        ]);
        let limit = all_at_most(&searcher, limit);
        let top = searcher.search(&query, &TopDocs::with_limit(limit).order_by_score())?;
        let mut found = Vec::with_capacity(top.len());
        for (_, address) in top {
            let document: TantivyDocument = searcher.doc(address)?;
            let path = document.get_first(fields.key).and_then(|key| key.as_str()).map(|key| self.path_of(key));
            let bytes = document.get_first(fields.evidence).and_then(|bytes| bytes.as_bytes());
            let evidence = bytes.and_then(|bytes| postcard::from_bytes(bytes).ok());
            if let (Some(path), Some(evidence)) = (path, evidence) {
                found.push(Near { path, evidence });
            }
        }
        Ok(found)
    }

    /// How much a word of a line tells: the fewer reports and pages have it, the more.
    pub(crate) fn rarity(&self, word: &str) -> f64 {
        let searcher = self.reader.searcher();
        let term = Term::from_field_text(self.fields.statements, word);
        let having = self.asked(|| Ok(searcher.doc_freq(&term)?)).unwrap_or(0);
        (1.0 + (searcher.num_docs() + 1) as f64 / (having + 1) as f64).ln()
    }

    /// Reports, or pages, that answer a question, best first.
    ///
    /// # Errors
    /// When the index on disk vanished or broke since it was opened.
    pub(crate) fn ask(&self, question: &Question, reports: bool, limit: usize) -> Result<Vec<Found>, super::Error> {
        self.asked(|| match question.query(self, reports) {
            Some(query) => self.different(limit, |limit| self.run(&*query, limit)),
            None => Ok(Vec::new()),
        })
    }

    /// Pages that have the words of an error, best first.
    ///
    /// # Errors
    /// When the index on disk vanished or broke since it was opened.
    pub(crate) fn pages(&self, words: &str, limit: usize) -> Result<Vec<Found>, super::Error> {
        let fields = self.fields;
        let mut clauses = Clauses::default();
        clauses.add(words, &[(fields.title, 3.0), (fields.error, 2.0), (fields.codes, 2.0), (fields.body, 1.0)]);
        match clauses.0.is_empty() {
            true => Ok(Vec::new()),
            false => self.asked(|| self.run(&BooleanQuery::new(clauses.0), limit)),
        }
    }

    fn run(&self, query: &dyn TantivyQuery, limit: usize) -> Result<Vec<Found>, super::Error> {
        let searcher = self.reader.searcher();
        let limit = all_at_most(&searcher, limit);
        let top = searcher.search(query, &TopDocs::with_limit(limit).order_by_score())?;
        let mut found = Vec::with_capacity(top.len());
        for (score, address) in top {
            let document: TantivyDocument = searcher.doc(address)?;
            let Some(key) = document.get_first(self.fields.key).and_then(|key| key.as_str()) else { continue };
            let what = match key.strip_prefix("page:") {
                Some(id) => What::Page(id.to_owned()),
                None => What::Report(self.path_of(key)),
            };
            found.push(Found { what, score });
        }
        Ok(found)
    }
}

/// How many documents to ask for: the engine reserves room for as many as it is asked for, so never more than there are.
fn all_at_most(searcher: &Searcher, limit: usize) -> usize {
    limit.min(usize::try_from(searcher.num_docs()).unwrap_or(usize::MAX)).max(1)
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
