//! One page about one text: its causes as this text ranks them, and what to do about them.

use std::cell::OnceCell;

use super::answer::{Action, LikeCase, RankedCause};
use super::conditions::Conditions;
use super::library::Library;
use super::precedents::Precedents;
use super::primary::Candidate;
use super::resemblance::TextWords;
use super::searched::Searched;
use super::situation::Situation;
use super::{actions, alternatives, fixes, reports, similar, status, unlisted, weigh};
use crate::descriptions::Compared;
use crate::facts::Facts;
use crate::incident::{self, Incident, Post};
use crate::text::Transcript;

/// What a page is asked about.
pub(super) struct Explaining<'a> {
    pub(super) transcript: &'a Transcript,
    pub(super) incident: &'a Incident,
    pub(super) library: Library<'a>,
    /// The facts of text and machine, and the conditions over them.
    pub(super) facts: &'a Facts,
    pub(super) conditions: &'a Conditions,
    pub(super) situation: &'a Situation,
    /// The reports that are like the text.
    pub(super) matching: &'a [reports::Match],
    /// The text, compared with posts, once that is asked for.
    pub(super) compared: OnceCell<Compared>,
}

/// What a page says of the text.
pub(super) struct Explained {
    /// The likeliest first.
    pub(super) causes: Vec<RankedCause>,
    /// The most useful first.
    pub(super) actions: Vec<Action>,
    /// The known cases that are most like the text.
    pub(super) like_cases: Vec<LikeCase>,
}

impl Explaining<'_> {
    /// The text around the failure, compared with posts.
    pub(super) fn compared(&self, failure: &Candidate) -> &Compared {
        self.compared.get_or_init(|| similar::compared(self.transcript, failure.line))
    }

    /// What the page with this index says, if the failure is its own.
    pub(super) fn page(&self, failure: &Candidate, index: usize) -> Explained {
        let &Self { transcript, incident, library, facts, conditions, situation, .. } = self;
        let entry = &library.book.faults[index];
        let failing = unlisted::Failing::of(transcript, incident, failure);
        let special = unlisted::specific(failing, &entry.id, entry.matter().ordinary);
        let of_entry = special.filter(|it| it.fault == Some(&entry.id)).and_then(|it| it.cause);
        let has_message = failure.fault.is_some() && !failure.is_described();
        let scene = weigh::Scene {
            transcript,
            incident,
            error: failure.error.map(|error| &incident.errors[error]),
            line: failure.line,
            searched: Searched::new(transcript, incident, failure.line),
            conditions,
            special: of_entry.or(failure.cause()),
            told: incident::told_of(&entry.id, transcript, incident, has_message),
        };
        let precedents = Precedents::of(&entry.id, facts, library.book, &TextWords::of(transcript));
        let mut fits = fixes::Fits::new();
        let mut causes = self.causes(index, &scene, &precedents, &mut fits);
        let is_told = Post::of(transcript, incident).is_some_and(Post::is_story);
        let near = is_told.then(|| similar::Near::of_page(library.book.fault(index), self.compared(failure)));
        let near = near.unwrap_or_default();
        let mut actions = actions::ranked(&mut causes, &precedents, &fits, &near, &actions::Tried::of(facts));
        let first = situation.first_recipe(&library.book.fault(index).area);
        actions.sort_by_key(|one| Some(one.id.as_str()) != first);
        let special = special.map(|it| unlisted::of_entry(it, failing, transcript, incident, situation));
        actions.splice(0..0, special.into_iter().flatten());
        Explained { causes, actions, like_cases: precedents.like() }
    }

    /// The page's causes, weighed, with the fixes that apply and the probe's status.
    fn causes(
        &self,
        index: usize,
        scene: &weigh::Scene<'_>,
        precedents: &Precedents,
        fits: &mut fixes::Fits,
    ) -> Vec<RankedCause> {
        let &Self { library, situation, matching, .. } = self;
        let page = library.book.fault(index);
        let mut weighed = weigh::weigh(&page.causes, scene, precedents);
        reports::apply_report_evidence(&mut weighed, &page.causes, matching, library, precedents);
        let ranked = weighed.into_iter().map(|one| {
            let cause = &page.causes[one.cause];
            let (status, status_says) = status::of(cause, &one, scene.conditions);
            let command =
                |command| alternatives::fitting(std::slice::from_ref(command), situation).blocks.into_iter().next();
            RankedCause {
                id: cause.id.clone(),
                title: cause.title.clone(),
                probability: one.probability,
                tied: false,
                prior: one.prior,
                cases: precedents.with_cause(&cause.id),
                status,
                status_says,
                reasons: one.reasons,
                check: cause.check.says.clone(),
                check_command: cause.check.command.as_ref().and_then(command),
                fixes: fixes::proposed(&page.id, cause, one.probability, scene, situation, fits),
                dead_ends: cause.dead_ends.clone(),
            }
        });
        let mut causes: Vec<RankedCause> = ranked.collect();
        mark_ties(&mut causes);
        let first = situation.first_recipe(&page.area).and_then(|recipe| library.book.recipe(recipe));
        if let (Some(recipe), Some(cause)) = (first, causes.first_mut()) {
            cause.fixes.retain(|fix| fix.id != recipe.id);
            cause.fixes.insert(0, fixes::first(recipe, &cause.id, situation));
        }
        causes
    }
}

/// Marks the causes that the text does not separate from the first.
fn mark_ties(causes: &mut [RankedCause]) {
    /// A cause that is as likely as this share of the first is no less likely than that, as far as anybody knows.
    const TIE: f64 = 0.8;
    let Some((first, others)) = causes.split_first_mut() else { return };
    for other in others {
        other.tied = other.probability >= TIE * first.probability;
        first.tied |= other.tied;
    }
}
