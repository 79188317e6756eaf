//! How a page ranks its causes, as one table: the author's word, the counted cases, and how far each piece of evidence
//! moves a cause. Everything that the ranking knows is in it.

use serde::Serialize;

use super::precedents::Precedents;
use super::resemblance::TextWords;
use super::weigh;
use crate::book::Book;
use crate::book::page::Question;
use crate::book::schema::{Cost, Prior, Weight};
use crate::facts::Facts;

/// The ranking of one page (`faultbook/why/1`).
#[derive(Debug, Serialize)]
pub(crate) struct Why {
    /// The page's id.
    pub fault: String,
    /// Known public cases of the fault.
    pub cases: usize,
    /// Labelled posts about the fault.
    pub posts: u16,
    /// Its causes, the most probable without evidence first.
    pub causes: Vec<WhyCause>,
}

/// One cause of a page.
#[derive(Debug, Serialize)]
pub(crate) struct WhyCause {
    pub id: String,
    pub title: String,
    /// The author's word.
    pub author: Prior,
    /// Known cases with this cause.
    pub cases: usize,
    /// Labelled posts with this cause.
    pub posts: u16,
    /// Log-odds from both, before any evidence.
    pub prior: f64,
    /// What moves it.
    pub evidence: Vec<WhyEvidence>,
    /// What helps, in the page's order.
    pub fixes: Vec<WhyFix>,
}

/// One piece of evidence.
#[derive(Debug, Serialize)]
pub(crate) struct WhyEvidence {
    /// What is looked at: `text`, `before`, `message`, `frame` or `when`.
    pub question: &'static str,
    /// The regex or the expression.
    pub pattern: String,
    /// The author's word.
    pub word: Weight,
    /// Log-odds.
    pub weight: f64,
    /// What it means.
    pub says: String,
}

/// One fix of a cause.
#[derive(Debug, Serialize)]
pub(crate) struct WhyFix {
    pub title: String,
    /// The recipe, where it is one.
    pub recipe: Option<String>,
    pub cost: Option<Cost>,
    /// Known cases of the fault that it solved.
    pub solved: usize,
}

/// The ranking of the page at that index.
pub(crate) fn why(book: &Book, index: usize) -> Why {
    let page = book.fault(index);
    let precedents = Precedents::of(&page.id, &Facts::default(), book, &TextWords::default());
    let priors = weigh::priors(&page.causes, &precedents);
    let of_cause = |(cause, prior): (&crate::book::page::Cause, f64)| WhyCause {
        id: cause.id.clone(),
        title: cause.title.clone(),
        author: cause.prior,
        cases: precedents.with_cause(&cause.id),
        posts: precedents.posts_with(&cause.id),
        prior,
        evidence: cause.evidence.iter().map(evidence).collect(),
        fixes: super::fixes::ids(&page.id, cause)
            .iter()
            .zip(&cause.fixes)
            .map(|(id, fix)| WhyFix {
                title: fix.title.clone(),
                recipe: fix.recipe.clone(),
                cost: fix.cost,
                solved: precedents.solved(id).map_or(0, |solved| solved.cases),
            })
            .collect(),
    };
    let mut causes: Vec<WhyCause> = page.causes.iter().zip(priors).map(of_cause).collect();
    causes.sort_by(|a, b| b.prior.total_cmp(&a.prior));
    let posts = causes.iter().map(|cause| cause.posts).sum();
    Why { fault: page.id.clone(), cases: precedents.len(), posts, causes }
}

fn evidence(item: &crate::book::page::Evidence) -> WhyEvidence {
    let (question, pattern) = match &item.question {
        Question::Text(pattern) => ("text", pattern.source()),
        Question::Before(pattern) => ("before", pattern.source()),
        Question::Message(pattern) => ("message", pattern.source()),
        Question::Frame(pattern) => ("frame", pattern.source()),
        Question::When(condition) => ("when", condition.source()),
    };
    let weight = weigh::weight(item.weight);
    WhyEvidence { question, pattern: pattern.to_owned(), word: item.weight, weight, says: item.says.clone() }
}
