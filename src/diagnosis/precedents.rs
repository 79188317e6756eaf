//! What resolved public cases say about this failure: how often each cause was the one, and what solved it.
//!
//! A case of the same framework or on the same platform counts more. Counts never replace what the page's author knows:
//! they are added to a few pseudo-cases of the author's word, and however many there are, they weigh at most
//! [`MOST`] cases, because threads are not a fair sample (people confirm some solutions more often than others).

use serde::Serialize;

use super::answer::LikeCase;
use super::resemblance::TextWords;
use crate::book::Book;
use crate::book::cases::Case;
use crate::book::page::Cause;
use crate::facts::Facts;

/// Pseudo-cases that the author's word on the causes is worth.
const AUTHORS_WORD: f64 = 10.0;

/// Most cases that the counts, of causes and of what solved them, are worth.
const MOST: f64 = 8.0;

/// Pseudo-cases that the order of fixes on the page is worth.
const AUTHORS_ORDER: f64 = 3.0;

/// How likely a fix is to help if its cause is the one, by its place on the page, with no cases known.
const BY_PLACE: [f64; 5] = [0.5, 0.25, 0.15, 0.1, 0.08];

/// Most cases that the posts are worth: they are a wider sample than the cases, and say what failed and why, not whom it
/// helped. They raised the share of right first causes from 0.776 to 0.784 on the 408 frozen texts.
const POSTS: f64 = 20.0;

/// Fewest cases that say anything about the shares of causes.
const FEWEST: usize = 5;

/// Fewest cases on this platform for which a count is given of them alone.
const ENOUGH: usize = 5;

/// What a case whose clues are all in the text is nearer by, beside the 1 of the same framework.
const NEAR: f64 = 3.0;

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

/// The known cases of one fault, those most like this run first.
pub(super) struct Precedents {
    cases: Vec<Known>,
    /// The causes of labelled posts, and in how many.
    posts: &'static [(&'static str, u16)],
    platform: Option<String>,
}

/// A known case.
struct Known {
    case: Case<'static>,
    /// What it counts: more with the framework, on the platform or with the GPUs of this run.
    weight: f64,
    /// How much its clues resemble the text, from 0 to 1. It decides which cases are named and not what they count: counted
    /// by it, actions were ranked slightly worse on the open threads.
    alike: f64,
}

/// Cases that are described, and how much they must resemble the text.
const DESCRIBED: usize = 3;
const LEAST_ALIKE: f64 = 0.25;

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
                + 0.5 * f64::from(u8::from(same_gpu));
            Known { case, weight, alike }
        });
        let mut cases: Vec<Known> = weighed.collect();
        let nearness = |known: &Known| known.weight + NEAR * known.alike;
        cases.sort_by(|a, b| nearness(b).total_cmp(&nearness(a)));
        Self { cases, posts: book.posts(fault), platform: facts.text("run.platform").map(str::to_owned) }
    }

    /// The probability of each cause before any evidence: the author's shares, moved by the counts.
    pub(super) fn shares(&self, causes: &[&str], author: &[f64]) -> Vec<f64> {
        let of_cases = |cause: &&str| self.of_cause(cause).map(|known| known.weight).sum();
        let of_posts = |cause: &&str| f64::from(self.posts_with(cause));
        let few = self.cases.len() < FEWEST;
        let cases = counted(causes, if few { 0.0 } else { MOST }, of_cases);
        let posts = counted(causes, POSTS, of_posts);
        let votes = author
            .iter()
            .zip(cases.iter().zip(&posts))
            .map(|(author, (cases, posts))| AUTHORS_WORD * author + cases + posts);
        let votes: Vec<f64> = votes.collect();
        let all: f64 = votes.iter().sum();
        votes.iter().map(|votes| votes / all).collect()
    }

    /// In how many labelled posts this cause was the one.
    pub(super) fn posts_with(&self, cause: &str) -> u16 {
        self.posts.iter().find(|(other, _)| *other == cause).map_or(0, |(_, count)| *count)
    }

    fn of_cause(&self, cause: &str) -> impl Iterator<Item = &Known> {
        self.cases.iter().filter(move |known| known.case.cause == cause)
    }

    /// The cases whose clues resemble the text most.
    pub(super) fn like(&self) -> Vec<LikeCase> {
        let mut alike: Vec<&Known> = self.cases.iter().filter(|known| known.alike >= LEAST_ALIKE).collect();
        alike.sort_by(|a, b| b.alike.total_cmp(&a.alike));
        alike.into_iter().take(DESCRIBED).map(|known| LikeCase::from(&known.case)).collect()
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
        self.of_cause(cause).count()
    }

    /// How likely an action is to help if this cause is the one; `place` is its place among the fixes of the cause.
    pub(super) fn helps(&self, cause: &str, action: &str, place: usize) -> f64 {
        let by_place = BY_PLACE.get(place).or(BY_PLACE.last()).copied().unwrap_or_default();
        let (mut solved, mut all) = (0.0, 0.0);
        for Known { case, weight, .. } in self.of_cause(cause).filter(|known| !known.case.solved.is_empty()) {
            all += weight;
            solved += if case.solved.iter().any(|id| id == action) { *weight } else { 0.0 };
        }
        let (worth, share) = (f64::min(all, MOST), if all > 0.0 { solved / all } else { 0.0 });
        (worth * share + AUTHORS_ORDER * by_place) / (worth + AUTHORS_ORDER)
    }

    /// What to say about an action: `None` if it solved no known case.
    pub(super) fn solved(&self, action: &str) -> Option<Solved> {
        let by = |known: &Known| known.case.solved.iter().any(|id| id == action);
        let platform = self.platform.as_deref().filter(|platform| {
            let here = || self.cases.iter().filter(|known| known.case.platform == *platform);
            here().count() >= ENOUGH && here().any(by)
        });
        let counted = || self.cases.iter().filter(|known| platform.is_none_or(|here| known.case.platform == here));
        let solved = || counted().filter(|known| by(known));
        let nearest: Vec<String> = solved().take(NAMED).map(|known| known.case.at.to_string()).collect();
        let (cases, of) = (solved().count(), counted().count());
        (cases > 0).then(|| Solved { cases, of, platform: platform.map(str::to_owned), nearest })
    }
}

/// The counts of the causes, which are together worth `most` at most.
fn counted(causes: &[&str], most: f64, count: impl Fn(&&str) -> f64) -> Vec<f64> {
    let counts: Vec<f64> = causes.iter().map(count).collect();
    let total: f64 = counts.iter().sum();
    let worth = if total > most { most / total } else { 1.0 };
    counts.iter().map(|count| count * worth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases of one cause, of which each weighs 1: who solved it, and how often.
    fn cases(solved: &[(&str, usize)]) -> Precedents {
        let known = |action: &str| Known {
            case: Case {
                at: "".into(),
                date: "".into(),
                framework: "".into(),
                versions: "".into(),
                gpu: "".into(),
                platform: "".into(),
                phase: "".into(),
                clues: Vec::new(),
                cause: "one".into(),
                second: "".into(),
                solved: vec![action.to_owned().into()],
                how: "".into(),
                sure: crate::book::cases::Sure::Author,
                error: "".into(),
            },
            weight: 1.0,
            alike: 0.0,
        };
        let all = solved.iter().flat_map(|(action, count)| std::iter::repeat_n(*action, *count));
        Precedents { cases: all.map(known).collect(), posts: &[], platform: None }
    }

    #[test]
    fn posts_move_a_cause_and_never_decide() {
        let known = Precedents { posts: &[("rare", 900), ("usual", 100)], ..cases(&[]) };
        let shares = known.shares(&["usual", "rare", "other"], &[0.6, 0.3, 0.1]);
        assert!(shares[1] > shares[0], "{shares:?}: a thousand posts outvote a word");
        assert!(shares[0] > 0.2 && shares[2] > 0.03, "{shares:?}: and no more");
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(cases(&[]).shares(&["usual", "rare"], &[0.6, 0.4]), [0.6, 0.4]);
    }

    #[test]
    fn many_cases_outvote_the_order_of_the_page_and_no_more() {
        let few = cases(&[("last", 2), ("first", 1)]);
        assert!(few.helps("one", "first", 0) > few.helps("one", "last", 4), "two cases prove nothing");
        let some = cases(&[("last", 8)]);
        assert!(some.helps("one", "last", 4) > some.helps("one", "first", 0));
        let many = cases(&[("last", 800)]);
        assert_eq!(many.helps("one", "last", 4), some.helps("one", "last", 4), "a hundred times as many count as much");
        assert!(many.helps("one", "first", 0) > 0.1, "what is first on the page stays possible");
        // Nothing is known of another cause but its page.
        assert_eq!(many.helps("other", "first", 0), BY_PLACE[0]);
    }
}
