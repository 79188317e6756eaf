//! Whether a failure is reported already: shown before a new report is written.

use super::related::relation;
use crate::diagnosis::{Diagnosis, ReportHit};

/// From this similarity on, the existing report should be read before a second one is written.
pub(crate) const ALIKE: f64 = 0.7;

/// An existing report of this failure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Duplicate {
    pub id: String,
    pub path: String,
    pub status: String,
    /// Similarity, 0 to 1.
    pub score: f64,
    /// "same fault, same frames".
    pub relation: String,
}

impl Duplicate {
    /// "this looks like BUG-20251110-003 (0.91): same fault, same frames".
    pub(crate) fn message(&self) -> String {
        let status = if self.status.is_empty() { String::new() } else { format!("; its status is {}", self.status) };
        format!("this looks like {} ({:.2}): {}{status}", self.id, self.score, self.relation)
    }
}

/// The report that is most alike, if one is similar enough; of equally similar ones the oldest.
pub(crate) fn nearest(diagnosis: &Diagnosis) -> Option<Duplicate> {
    // Rounded as shown: smaller differences are noise.
    let score = |hit: &ReportHit| (hit.score * 100.0).round() as i64;
    let alike = diagnosis.reports.iter().filter(|hit| hit.score >= ALIKE);
    alike.min_by_key(|hit| (-score(hit), &hit.id, &hit.path)).map(of)
}

fn of(hit: &ReportHit) -> Duplicate {
    Duplicate {
        id: hit.id.clone(),
        path: hit.path.clone(),
        status: hit.status.clone(),
        score: hit.score,
        relation: relation(hit),
    }
}
