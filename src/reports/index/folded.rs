//! Hits with copies taken for the report that they are copies of.

use std::collections::HashSet;
use std::path::PathBuf;

use super::cache::Opened;
use super::{Error, Found, What};

/// How often as many hits are asked for where copies take the places of other reports.
const GROWTH: usize = 8;

impl Opened {
    /// So many different hits, best first. `ask` gives the best hits, at most as many as it is told.
    pub(super) fn different(
        &self,
        limit: usize,
        mut ask: impl FnMut(usize) -> Result<Vec<Found>, Error>,
    ) -> Result<Vec<Found>, Error> {
        let mut asked = limit;
        loop {
            let found = ask(asked)?;
            let count = found.len();
            let mut folded = self.folded(found);
            if folded.len() >= limit || count < asked {
                folded.truncate(limit);
                return Ok(folded);
            }
            asked = asked.saturating_mul(GROWTH);
        }
    }

    fn folded(&self, found: Vec<Found>) -> Vec<Found> {
        let mut seen: HashSet<PathBuf> = HashSet::new();
        let mut out = Vec::with_capacity(found.len());
        for Found { what, score } in found {
            let what = match what {
                What::Report(path) => {
                    let living = self.entry(&path).map_or(path, |entry| self.living(entry).path.clone());
                    if !seen.insert(living.clone()) {
                        continue;
                    }
                    What::Report(living)
                }
                page @ What::Page(_) => page,
            };
            out.push(Found { what, score });
        }
        out
    }
}
