//! What resolved public cases say about this failure: how often each cause was the one, and what solved it.
//!
//! A case of the same framework or on the same platform counts more. Counts never replace what the page's author knows:
//! they are added to a few pseudo-cases of the author's word, and however many there are, they weigh at most
//! [`MOST`] cases, because threads are not a fair sample (people confirm some solutions more often than others).

use serde::Serialize;

use super::resemblance::TextWords;
use crate::book::Book;
use crate::book::cases::Case;
use crate::book::page::Cause;
use crate::facts::Facts;
fn like() -> f64 {
    std::env::var("FB_L").ok().and_then(|x| x.parse().ok()).unwrap_or(0.0)
}

/// Pseudo-cases that the author's word on the causes is worth.
const AUTHORS_WORD: f64 = 10.0;

/// Most cases that the counts of causes are worth.
const MOST: f64 = 8.0;

/// Pseudo-cases that the order of fixes on the page is worth.
const AUTHORS_ORDER: f64 = 3.0;

/// How likely a fix is to help if its cause is the one, by its place on the page, with no cases known.
const BY_PLACE: [f64; 5] = [0.5, 0.25, 0.15, 0.1, 0.08];

/// Fewest cases that say anything about the shares of causes.
const FEWEST: usize = 5;

/// Fewest cases on this platform for which a count is given of them alone.
const ENOUGH: usize = 5;

/// Addresses that are named with an action.
const NAMED: usize = 2;

/// How often an action solved known cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Solved {
    /// Cases that it solved.
    pub cases: usize,
    /// Cases that were looked at: all of this failure, or those on the platform.
    pub of: usize,
    /// The platform that these cases have in common; `null` for all.
    pub platform: Option<String>,
    /// Addresses of the cases most like this one, the most alike first.
    pub nearest: Vec<String>,
}

/// The known cases of one fault, with how much each resembles this run.
pub(super) struct Precedents {
    cases: Vec<(Case<'static>, f64)>,
    platform: Option<String>,
}

impl Precedents {
    /// The cases of a fault, seen from a run with these facts.
    pub(super) fn of(fault: &str, facts: &Facts, book: &Book, text: &TextWords) -> Self {
        let same = |fact: &str, word: &str| f64::from(u8::from(facts.text(fact).is_some_and(|here| here == word)));
        let generation = |gpu: &str| book.hardware.gpu(gpu).map(|gpu| gpu.architecture.clone());
        let here = facts.text("gpu.name").and_then(generation);
        let known = book.cases(fault);
        let alike = text.resemblances(&known);
        let weighed = known.into_iter().zip(alike).map(|(case, alike)| {
            let same_gpu = here.is_some() && !case.gpu.is_empty() && generation(&case.gpu) == here;
            let weight = 1.0
                + same("run.framework", &case.framework)
                + same("run.platform", &case.platform)
                + 0.5 * f64::from(u8::from(same_gpu))
                + like() * alike;
            (case, weight)
        });
        let mut cases: Vec<_> = weighed.collect();
        cases.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        Self { cases, platform: facts.text("run.platform").map(str::to_owned) }
    }

    /// The probability of each cause before any evidence: the author's shares, moved by the counts.
    pub(super) fn shares(&self, causes: &[&str], author: &[f64]) -> Vec<f64> {
        let counted = |cause: &str| self.cases.iter().filter(|(case, _)| case.cause == cause).map(|(_, w)| w).sum();
        let counts: Vec<f64> = causes.iter().map(|cause| counted(cause)).collect();
        let total: f64 = counts.iter().sum();
        if self.cases.len() < FEWEST || total == 0.0 {
            return author.to_vec();
        }
        let worth = total.min(MOST);
        let share =
            |(count, author): (&f64, &f64)| (AUTHORS_WORD * author + worth * count / total) / (AUTHORS_WORD + worth);
        counts.iter().zip(author).map(share).collect()
    }

    /// How many cases there are.
    pub(super) fn len(&self) -> usize {
        self.cases.len()
    }

    /// How many of the cases had one of these causes.
    pub(super) fn with_one_of(&self, causes: &[Cause]) -> usize {
        causes.iter().map(|cause| self.with_cause(&cause.id)).sum()
    }

    /// How many of the cases had this cause.
    pub(super) fn with_cause(&self, cause: &str) -> usize {
        self.cases.iter().filter(|(case, _)| case.cause == cause).count()
    }

    /// How likely an action is to help if this cause is the one; `place` is its place among the fixes of the cause.
    pub(super) fn helps(&self, cause: &str, action: &str, place: usize) -> f64 {
        let by_place = BY_PLACE.get(place).or(BY_PLACE.last()).copied().unwrap_or_default();
        let of_cause = self.cases.iter().filter(|(case, _)| case.cause == cause && !case.solved.is_empty());
        let (mut solved, mut all) = (0.0, 0.0);
        for (case, weight) in of_cause {
            all += weight;
            solved += if case.solved.iter().any(|id| id == action) { *weight } else { 0.0 };
        }
        (solved + AUTHORS_ORDER * by_place) / (all + AUTHORS_ORDER)
    }

    /// What to say about an action: `None` if it solved no known case.
    pub(super) fn solved(&self, action: &str) -> Option<Solved> {
        let by = |case: &Case<'_>| case.solved.iter().any(|id| id == action);
        let nearest: Vec<String> =
            self.cases.iter().filter(|(case, _)| by(case)).take(NAMED).map(|(case, _)| case.at.to_string()).collect();
        if nearest.is_empty() {
            return None;
        }
        let platform = self.platform.as_deref().filter(|platform| {
            let here = || self.cases.iter().filter(|(case, _)| case.platform == *platform);
            here().count() >= ENOUGH && here().any(|(case, _)| by(case))
        });
        let counted = || self.cases.iter().filter(|(case, _)| platform.is_none_or(|here| case.platform == here));
        let cases = counted().filter(|(case, _)| by(case)).count();
        Some(Solved { cases, of: counted().count(), platform: platform.map(str::to_owned), nearest })
    }
}
