//! What a diagnosis consults besides the text: the book, its signatures, and whatever finds a team's own reports.
//!
//! The search engine lives in a tier above; the core knows it as a trait.

use std::path::{Path, PathBuf};

use super::evidence::Evidence;
use crate::book::Book;
use crate::book::report::Report;
use crate::diagnosis::NearPage;
use crate::matching::SignatureSet;

/// The sources of one diagnosis.
#[derive(Clone, Copy)]
pub struct Library<'k> {
    /// Fault pages, codes, tables.
    pub book: &'k Book,
    /// The scanner made of them.
    pub signatures: &'k SignatureSet,
    /// Reports and pages by likeness.
    pub search: &'k dyn Search,
}

/// Finds a project's reports, and pages, by likeness.
pub trait Search {
    /// Whether the project has any report.
    fn has_reports(&self) -> bool;

    /// Reports that share words or names with an incident, copies of one report once, best first.
    fn reports(&self, query: &Query, limit: usize) -> Vec<Candidate>;

    /// Reads a report that was found; `None` when it is gone.
    fn report(&self, path: &Path) -> Option<Report>;

    /// How much a word of a line tells: the fewer reports and pages have it, the more.
    fn rarity(&self, word: &str) -> f64;

    /// Pages whose words come near, best first, with their likeness relative to the best.
    fn pages(&self, words: &str) -> Vec<NearPage>;
}

/// A report that a search found.
#[derive(Debug)]
pub struct Candidate {
    /// Where it is.
    pub path: PathBuf,
    /// Fault pages that its own error texts match, the primary one first.
    pub faults: Vec<String>,
    /// Where copies of it lie.
    pub copies: Vec<PathBuf>,
    /// What it says.
    pub evidence: Evidence,
}

/// What an incident is looked up by.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Words of its lines.
    pub words: Vec<String>,
    /// Functions and files of its own frames.
    pub names: Vec<String>,
}

/// A search over nothing, for a diagnosis from the book alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoReports;

impl Search for NoReports {
    fn has_reports(&self) -> bool {
        false
    }

    fn reports(&self, _: &Query, _: usize) -> Vec<Candidate> {
        Vec::new()
    }

    fn report(&self, _: &Path) -> Option<Report> {
        None
    }

    fn rarity(&self, _: &str) -> f64 {
        1.0
    }

    fn pages(&self, _: &str) -> Vec<NearPage> {
        Vec::new()
    }
}
