//! Whether what sentences describe is a problem of their writer, how sure its kind is, and whether anything failed in a
//! post: all thresholds of the models of [`crate::descriptions`], one of which knows concepts and words, the others runs
//! of letters.
//!
//! Chosen on the open threads (`kb/threads/open.jsonl`), and so that the healthy lines of `tests/it/lines` hold. On the 408
//! frozen threads, 1.7 % of the problems are missed, and 11 % of the texts that no page is about are taken for a fault.

use crate::descriptions;
use crate::incident::{Description, Post};

/// Sentences whose probability to describe no problem is below this are a report if they ask something, and above
/// `NO_PROBLEM` they are none.
const A_PROBLEM: f32 = 0.25;
const NO_PROBLEM: f32 = 0.93;
/// Where nothing is asked, they are a report below this.
const A_PROBLEM_TOLD: f32 = 0.05;
/// The same by letters alone: a report below the first, none above the second.
const A_PROBLEM_BY_LETTERS: f32 = 0.05;
const NO_PROBLEM_BY_LETTERS: f32 = 0.9;

/// What nothing else recognizes is a problem if both models find that likelier: who has one and reads "no failure found" is
/// sent away.
const MAYBE_NONE: f32 = 0.4;
const MAYBE_NONE_BY_LETTERS: f32 = 0.2;
/// The same of a text that is a few sentences and nothing else, if a person seems to write.
const MAYBE_NONE_ALONE: f32 = 0.3;
const MAYBE_NONE_ALONE_BY_LETTERS: f32 = 0.14;
/// The same of others, which may be a program's, in both models.
const HARDLY_NONE: f32 = 0.1;

/// A post in which nothing failed with more than this probability reports no failure, whatever messages it quotes: without
/// a message that a page knows, with one, and where the writer complains of something. The first two were chosen by
/// cross-validation over the posts, because the probability of a post from which it was learned says nothing; the third is
/// higher because it keeps one more problem of the frozen posts and loses no healthy one.
const WELL: f32 = 0.5;
const WELL_WITH_A_PAGE: f32 = 0.7;
const WELL_WITH_A_COMPLAINT: f32 = 0.85;
/// Above the second, somebody only asks, where neither a message nor a wording of a complaint is known, however short the post.
/// Between the two it may be either: such a problem is not in the book, unless its kind is certain, but it is not called none.
/// Of 32 problems in a person's own words that nobody had looked at, 9 were called none with one limit of 0.6, and 5 with
/// these; 16 of 18 healthy posts were healthy before and after.
const RATHER_WELL: f32 = 0.6;
const SURELY_WELL: f32 = 0.9;
/// The same where a complaint is known: who asks which GPU others use may first say what failed on theirs. With 0.9, 10 of 149
/// problems that nobody had looked at were called none, and 7 with this and three more wordings; no healthy post of 403 was lost.
const SURELY_WELL_WITH_A_COMPLAINT: f32 = 0.99;
/// Sentences and nothing else report something up to `RATHER_WELL`, whatever their words: an error classifier is asked about
/// problems. Those that do not sound like a person, and may be a program's, do so below this.
const MAYBE_WELL_BY_A_PROGRAM: f32 = 0.35;
/// Below this, something failed, although nothing says what, or the words are those of a question.
const UNWELL: f32 = 0.2;
const SURELY_UNWELL: f32 = 0.05;

/// Below this in both models, there is a problem; below the second, although "stable diffusion" has a word of what is none.
const SURELY_A_PROBLEM: f32 = 0.1;
const CERTAINLY_A_PROBLEM: f32 = 0.008;

/// A kind that is less probable than this is not named, and one that is a page is not opened.
const A_KIND: f32 = 0.3;
const A_PAGE: f32 = 0.12;
/// The same for a page where little else is said, or where a wording speaks for another one.
const SURELY_A_KIND: f32 = 0.6;
/// A page that posts like this one are about is opened above this, although the concepts name another kind, not certainly.
const A_PAGE_BY_POSTS: f32 = 0.75;
/// Both together overrule a wording that names no cause, where each is more probable than this.
const A_PAGE_OF_BOTH: f32 = 0.5;
/// Where both name the same page, it is opened if the product of their probabilities is above this: 25 of the 28 posts on which
/// this was chosen, and which neither had learned, were about it.
const A_PAGE_TOGETHER: f32 = 0.03;
/// Posts name no page of a post that may only ask something: nothing failed with more than this.
const WELL_BY_POSTS: f32 = 0.45;

/// A text with fewer concepts is a search for words.
const FEWEST_FOR_A_PROBLEM: usize = 2;
/// Fewer concepts say too little for a report.
const FEWEST_FOR_A_REPORT: usize = 3;

/// What is known of the failures that a post names, before it is asked as a whole whether anything failed.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// A page knows one of its messages.
    pub(super) has_page: bool,
    /// A wording of a complaint is found, or a comparison with what works.
    pub(super) complains: bool,
    /// The writer tells of one in the first person.
    pub(super) tells: bool,
}

/// Whether a post reports no failure. What costs most is asked last.
pub(super) fn is_well(post: Post<'_>, known: Known) -> bool {
    if !post.is_story() {
        return false;
    }
    let most = match known {
        Known { complains: true, .. } if post.is_only_told() => SURELY_WELL_WITH_A_COMPLAINT,
        _ if post.is_only_told() => SURELY_WELL,
        Known { complains: true, .. } | Known { tells: true, .. } => WELL_WITH_A_COMPLAINT,
        Known { has_page: true, .. } => WELL_WITH_A_PAGE,
        Known { .. } => WELL,
    };
    post.nothing_failed().is_some_and(|it| it > most) && post.is_by_person()
}

/// What a post as a whole says of whether anything failed, where neither a message nor a wording of a complaint is known.
#[derive(Clone, Copy)]
pub(super) struct Outlook<'t> {
    post: Post<'t>,
    /// The probability that nothing failed.
    well: f32,
}

impl<'t> Outlook<'t> {
    /// `None` where a person tells too little.
    pub(super) fn of(post: Post<'t>) -> Option<Self> {
        Some(Self { post, well: post.nothing_failed()? })
    }

    /// Whether its writer may only ask something.
    pub(super) fn is_rather_well(self) -> bool {
        self.well > RATHER_WELL
    }

    /// Whether its writer certainly does.
    pub(super) fn is_surely_well(self) -> bool {
        self.well > SURELY_WELL
    }

    /// Whether its writer certainly does, although a wording of a complaint is known.
    pub(super) fn is_surely_no_complaint(self) -> bool {
        self.well > SURELY_WELL_WITH_A_COMPLAINT
    }

    /// Whether it is sentences that may report something.
    pub(super) fn may_tell(self) -> bool {
        self.post.is_only_told()
            && (self.well < MAYBE_WELL_BY_A_PROGRAM || !self.is_rather_well() && self.post.is_by_person())
    }

    /// Whether it certainly reports something.
    pub(super) fn is_unwell(self) -> bool {
        self.well < UNWELL && (self.post.is_only_told() || self.post.is_by_person())
    }

    /// Whether it does, although it quotes a message as those do who only ask about one.
    pub(super) fn is_surely_unwell(self) -> bool {
        self.well < SURELY_UNWELL && self.is_unwell()
    }
}

/// Whether the writer says that there is no problem. A post as a whole says more than its sentences, which are judged by composed
/// descriptions alone: on unseen posts in a person's own words the two tell problems from none with an AUC of 0.95 and 0.79.
pub(super) fn is_none(it: &Description, outlook: Option<Outlook<'_>>) -> bool {
    let by_sentences = || {
        it.described.by_person && it.described.no_problem > NO_PROBLEM
            || it.no_problem.is_some_and(|none| none > NO_PROBLEM_BY_LETTERS)
    };
    outlook.map_or_else(by_sentences, Outlook::is_surely_well)
}

/// Whether it is the report of a problem, whatever else the text says.
pub(super) fn is_report(it: &Description) -> bool {
    let most = if it.described.asks { A_PROBLEM } else { A_PROBLEM_TOLD };
    let says = it.described.by_person && it.described.concepts >= FEWEST_FOR_A_REPORT && it.described.no_problem < most;
    says || it.no_problem.is_some_and(|none| none < A_PROBLEM_BY_LETTERS)
}

/// Whether it is a problem rather than none, where nothing else is known. Nobody shows an error classifier their own words
/// without a problem, so a text of nothing else needs less.
pub(super) fn is_rather_a_problem(it: &Description) -> bool {
    let none = it.described.no_problem;
    let is_problem_alone = |by_letters: f32| match it.described.by_person {
        true => by_letters < MAYBE_NONE_ALONE_BY_LETTERS && none < MAYBE_NONE_ALONE,
        false => {
            let enough = it.described.concepts >= FEWEST_FOR_A_PROBLEM && !it.sounds_only;
            enough && by_letters.max(none) < HARDLY_NONE
        }
    };
    it.no_problem.is_some_and(|by_letters| by_letters < MAYBE_NONE_BY_LETTERS && none < MAYBE_NONE)
        || it.no_problem_alone.is_some_and(is_problem_alone)
}

/// Whether both models are sure that there is a problem.
pub(super) fn is_sure(it: &Description) -> bool {
    is_none_below(SURELY_A_PROBLEM, it)
}

/// Whether they are so sure that a word of a title is wrong.
pub(super) fn is_certain(it: &Description) -> bool {
    is_none_below(CERTAINLY_A_PROBLEM, it)
}

/// The kind of what sentences describe, from two models that look at different things: by its concepts, and by the letters and
/// words of the posts that are like it. `is_named`: the first is sure enough on its own. `None` where the kind stays open, and
/// where posts speak for another page: of the nine pages that this left closed on 850 posts, one was right.
pub(super) fn kind(it: &Description, outlook: Option<Outlook<'_>>, is_named: bool) -> Option<&'static str> {
    let by_concepts = it.described.kind;
    let Some(outlook) = outlook else { return is_named.then_some(by_concepts) };
    let (by_posts, probability) = outlook.post.page();
    let are_one = by_posts == by_concepts && probability * it.described.probability > A_PAGE_TOGETHER;
    let is_likelier = probability > A_PAGE_BY_POSTS && it.described.probability < SURELY_A_KIND;
    if outlook.well < WELL_BY_POSTS && (are_one || is_likelier) {
        return Some(by_posts);
    }
    let are_apart = by_posts != by_concepts && descriptions::have_posts(by_concepts);
    (is_named && !are_apart).then_some(by_concepts)
}

/// Whether the page of a description overrules a wording that names another one.
pub(super) fn is_page_of_both(it: &Description, outlook: Option<Outlook<'_>>) -> bool {
    let is_it = |(page, probability)| page == it.described.kind && probability > A_PAGE_OF_BOTH;
    let are_one = || it.described.probability > A_PAGE_OF_BOTH && outlook.is_some_and(|it| is_it(it.post.page()));
    is_surely_its_kind(it) || are_one()
}

/// Whether the kind of a report is probable enough to open its page.
pub(super) fn may_open_a_page(it: &Description) -> bool {
    it.described.probability >= A_PAGE
}

/// Whether the kind is probable enough to be named.
pub(super) fn is_its_kind(it: &Description) -> bool {
    it.described.probability > A_KIND
}

/// Whether both the problem and its kind are sure.
pub(super) fn is_surely_its_kind(it: &Description) -> bool {
    it.described.probability > SURELY_A_KIND && is_sure(it)
}

fn is_none_below(least: f32, it: &Description) -> bool {
    let by_letters = it.no_problem.or(it.no_problem_alone);
    it.described.no_problem < least && by_letters.is_some_and(|none| none < least)
}
