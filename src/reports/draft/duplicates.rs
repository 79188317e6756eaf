//! Whether a failure is reported already: said before a new report is written.

use super::related::relation;
use crate::diagnosis::{Diagnosis, ReportHit};

/// From this likeness on somebody should look before writing a second report.
pub const ALIKE: f64 = 0.7;

/// A report that tells of this failure already.
#[derive(Debug, Clone, PartialEq)]
pub struct Duplicate {
    /// Its id.
    pub id: String,
    /// Its path.
    pub path: String,
    /// Its status.
    pub status: String,
    /// Likeness, 0 to 1.
    pub score: f64,
    /// "same fault, same frames".
    pub relation: String,
}

impl Duplicate {
    /// "this looks like BUG-20251110-003 (0.91): same fault, same frames".
    pub fn says(&self) -> String {
        let status = if self.status.is_empty() { String::new() } else { format!("; its status is {}", self.status) };
        format!("this looks like {} ({:.2}): {}{status}", self.id, self.score, self.relation)
    }
}

/// The report that is most alike, where one is alike enough; of several that are equally so the first that was written.
pub fn nearest(diagnosis: &Diagnosis) -> Option<Duplicate> {
    // As it is shown: what differs less is chance.
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
