//! How likely each cause of the primary fault is: words of the page to log-odds, log-odds to calibrated probabilities.
//!
//! A naive model on purpose, so that every figure can be explained: prior + evidence, one table, one share for "none of
//! these"; the prior counts resolved cases (`precedents`). Their scale and that share were fitted to the open threads
//! of `tests/threads`; `decisive`, `strong` and `refutes` are higher than those ask for, so that a prior does not outweigh a
//! proof. `tests/it/calibration.rs` fails when the claims exceed what the labelled cases bear out, and prints how well other
//! constants would do.

use super::conditions::Conditions;
use super::precedents::Precedents;
use super::searched::Searched;
use crate::book::page::{Cause, Evidence, Question};
use crate::book::schema::{Prior, Weight};
use crate::diagnosis::Reason;
use crate::facts::Source;
use crate::incident::{ErrorEvent, Frame, Incident, Role, Told};
use crate::pattern::Pattern;
use crate::span::Span;
use crate::text::Transcript;

/// Log-odds of the causes before any evidence: the author's words, moved by the known cases.
pub(super) fn priors(causes: &[Cause], precedents: &Precedents) -> Vec<f64> {
    let shares: Vec<f64> = causes.iter().map(|cause| prior(cause.prior).exp()).collect();
    let total: f64 = shares.iter().sum();
    let author: Vec<f64> = shares.iter().map(|share| share / total).collect();
    let ids: Vec<&str> = causes.iter().map(|cause| cause.id.as_str()).collect();
    // Without cases these are the author's words again.
    precedents.shares(&ids, &author).into_iter().map(|share| (share * total).ln()).collect()
}

/// Log-odds of the prior words.
fn prior(prior: Prior) -> f64 {
    match prior {
        Prior::Common => 1.9,
        Prior::Plausible => 0.0,
        Prior::Rare => -1.9,
    }
}

/// Log-odds of the evidence words.
pub(super) fn weight(weight: Weight) -> f64 {
    match weight {
        Weight::Decisive => 6.0,
        Weight::Strong => 2.6,
        Weight::Moderate => 1.2,
        Weight::Weak => 0.6,
        Weight::Against => -1.5,
        Weight::Refutes => -6.0,
    }
}

/// Log-odds of "none of these" on a page whose causes are known from [`ENOUGH`] cases or more.
const NONE_OF_THESE: f64 = -1.5;

/// What is added without any case: an author who has seen no case is wrong more often.
const WITHOUT_CASES: f64 = 1.75;

/// Cases from which on more of them make a page no surer.
const ENOUGH: usize = 15;

/// Log-odds of "none of these" on a page whose causes were counted in so many cases.
pub fn none_of_these(cases: usize) -> f64 {
    let missing = 1.0 - cases.min(ENOUGH) as f64 / ENOUGH as f64;
    NONE_OF_THESE + WITHOUT_CASES * missing
}

/// A cause with its score and reasons.
#[derive(Debug, Clone)]
pub(super) struct Weighed {
    /// Index in the page's causes.
    pub cause: usize,
    /// Log-odds before any evidence.
    pub prior: f64,
    /// Log-odds with the evidence, before calibration.
    pub score: f64,
    /// Calibrated probability.
    pub probability: f64,
    /// Reasons for and against it, strongest first.
    pub reasons: Vec<Reason>,
}

/// What is searched for evidence.
pub(super) struct Scene<'a> {
    /// The cleaned text.
    pub transcript: &'a Transcript,
    /// What it says.
    pub incident: &'a Incident,
    /// The primary error, where the text has more than the line.
    pub error: Option<&'a ErrorEvent>,
    /// Index of the line that shows the primary failure.
    pub line: usize,
    /// The lines that may be evidence.
    pub searched: Searched<'a>,
    /// The facts of text and machine.
    pub conditions: &'a Conditions,
    /// The cause that the entry of the message itself speaks for, or the words of its symptom.
    pub special: Option<&'static str>,
    /// What the writer tells of the situation, where causes of the page are distinguished by that.
    pub told: Option<Told>,
}

impl Scene<'_> {
    /// Whether a line that may be evidence has this pattern, or one of the person's own lines of code in the failure: it
    /// says what they do there.
    pub(super) fn shows(&self, pattern: &Pattern) -> bool {
        let frames = || self.error.into_iter().flat_map(|error| &error.frames).filter(|frame| frame.is_own());
        let code = |line: &usize| self.incident.roles.get(*line) == Some(&Role::Code);
        let failing = || frames().map(|frame| frame.at + 1).filter(code).map(|line| self.transcript.line(line).text);
        self.searched.first(pattern).is_some() || failing().any(|text| pattern.is_match(text))
    }
}

/// Weighs all causes of a page, most probable first.
pub(super) fn weigh(causes: &[Cause], scene: &Scene<'_>, precedents: &Precedents) -> Vec<Weighed> {
    let priors = priors(causes, precedents);
    let mut weighed: Vec<Weighed> = causes
        .iter()
        .zip(priors)
        .enumerate()
        .map(|(index, (cause, prior))| {
            let mut reasons: Vec<Reason> = cause.evidence.iter().filter_map(|item| reason(item, scene)).collect();
            reasons.extend(scene.special.filter(|special| *special == cause.id).map(|_| meant(scene)));
            reasons.extend(scene.told.as_ref().and_then(|told| likened(told, &cause.id, scene)));
            reasons.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
            count_origins_once(&mut reasons);
            let score = prior + reasons.iter().map(|reason| reason.weight).sum::<f64>();
            Weighed { cause: index, prior, score, probability: 0.0, reasons }
        })
        .collect();
    calibrate(&mut weighed, precedents.with_one_of(causes));
    weighed.sort_by(|a, b| b.score.total_cmp(&a.score));
    weighed
}

/// What is left of a further reason's weight where a stronger one comes from the same line: two readings of one clue are
/// not two clues.
const SAME_ORIGIN: f64 = 0.35;

/// Lowers the weight of reasons that repeat the origin of a stronger one; they are sorted by strength.
fn count_origins_once(reasons: &mut [Reason]) {
    for at in 1..reasons.len() {
        let (stronger, rest) = reasons.split_at_mut(at);
        let Some(reason) = rest.first_mut() else { continue };
        let same = |other: &Reason| {
            other.supports == reason.supports
                && other.span.is_some_and(|a| reason.span.is_some_and(|b| a.start.line == b.start.line))
        };
        if stronger.iter().any(same) {
            reason.weight *= SAME_ORIGIN;
        }
    }
}

/// No cause is surer from a text alone: of 41 answers to threads that nobody had looked at and whose evidence came to 98 %
/// or more, 37 were right.
pub const MOST_FROM_TEXT: f64 = 0.95;

/// Turns scores into probabilities that leave a share for causes that are not listed; `cases` are those with a listed one.
pub(super) fn calibrate(weighed: &mut [Weighed], cases: usize) {
    let share = f64::exp;
    let total: f64 = share(none_of_these(cases)) + weighed.iter().map(|one| share(one.score)).sum::<f64>();
    for one in weighed {
        let measured = one.reasons.iter().any(|reason| reason.supports && reason.source >= Source::Saved);
        let most = if measured { 1.0 } else { MOST_FROM_TEXT };
        one.probability = (share(one.score) / total).min(most);
    }
}

/// The reason that an item of evidence gives here, or `None` when it does not apply.
fn reason(item: &Evidence, scene: &Scene<'_>) -> Option<Reason> {
    let in_text = |line: usize| (Source::Text, Some(scene.transcript.span(line)));
    let (source, span) = match &item.question {
        Question::Text(pattern) => in_text(scene.searched.first(pattern)?),
        Question::Before(pattern) => in_text(scene.searched.first_above(scene.line, pattern)?),
        Question::Message(pattern) => pattern.is_match(&message(scene)).then(|| in_text(scene.line))?,
        Question::Frame(pattern) => in_text(find_frame(pattern, scene)?),
        Question::When(condition) => {
            let grounds = scene.conditions.holds(condition)?;
            let line = grounds.line.filter(|_| grounds.source == Source::Text);
            (grounds.source, line.map(|line| Span::of_line(line, 0)))
        }
    };
    let weight = weight(item.weight);
    Some(Reason { supports: weight > 0.0, source, says: scene.conditions.sentence(&item.says), span, weight })
}

/// The reason that the entry of the message gives.
fn meant(scene: &Scene<'_>) -> Reason {
    Reason {
        supports: true,
        source: Source::Text,
        says: "the message is known to mean this".to_owned(),
        span: Some(scene.transcript.span(scene.line)),
        weight: weight(Weight::Strong),
    }
}

/// How far the writer's words count: their situation is learned from composed descriptions, and words are no proof.
const OF_LIKENESS: f64 = 0.6;
const MOST_OF_LIKENESS: f64 = 1.5;
/// A likeness that says less is none.
const LEAST_OF_LIKENESS: f64 = 0.3;

/// The reason that the writer's words give, if they are more like the descriptions of this cause than like those of others.
fn likened(told: &Told, cause: &str, scene: &Scene<'_>) -> Option<Reason> {
    let (_, probability) = told.situations.iter().find(|(name, _)| *name == cause)?;
    let odds = f64::from(*probability) * told.situations.len() as f64;
    let weight = (odds.ln() * OF_LIKENESS).min(MOST_OF_LIKENESS);
    (weight > LEAST_OF_LIKENESS).then(|| Reason {
        supports: true,
        source: Source::Text,
        says: "it is described as others describe a failure with this cause".to_owned(),
        span: Some(scene.transcript.span(told.line)),
        weight,
    })
}

/// The words of the primary failure: its error's message with its type, and its line.
fn message(scene: &Scene<'_>) -> String {
    let line = scene.transcript.line(scene.line).text;
    match scene.error {
        Some(error) => format!("{}: {}\n{line}", error.type_name, error.message),
        None => line.to_owned(),
    }
}

/// The innermost frame of the primary error that the pattern matches: by function, file or the code it quotes.
fn find_frame(pattern: &Pattern, scene: &Scene<'_>) -> Option<usize> {
    let error = scene.error?;
    let matches = |frame: &&Frame| {
        pattern.is_match(&frame.function)
            || pattern.is_match(&frame.file)
            || quoted_code(scene, error, frame).is_some_and(|code| pattern.is_match(code))
    };
    error.frames.iter().rev().find(matches).map(|frame| frame.at)
}

/// The line of code that a traceback quotes under a frame.
fn quoted_code<'a>(scene: &Scene<'a>, error: &ErrorEvent, frame: &Frame) -> Option<&'a str> {
    let next = scene.transcript.next_of_stream(error.stream, frame.at)?;
    (scene.incident.roles.get(next.index) == Some(&Role::Code)).then_some(next.text)
}
