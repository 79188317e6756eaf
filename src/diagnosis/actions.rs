//! All fixes of all causes as one list of what to do, the most useful first.
//!
//! The use of an action is how likely it is to help, summed over the causes it helps against, less what it costs: one
//! that serves the two likeliest causes may come before one that serves only the first. What the writer of the text has
//! tried without success comes late, and says so.

use super::answer::{Action, CauseStatus, RankedCause};
use super::fixes::{Fit, Fits};
use super::precedents::Precedents;
use super::similar::Near;
use crate::book::schema::Cost;
use crate::facts::{Facts, Value};

/// What is left of an action's use after its cost: a setting is tried before a reinstallation that helps as often.
fn after_cost(cost: Option<Cost>) -> f64 {
    match cost {
        Some(Cost::Setting) => 1.0,
        Some(Cost::Code) | None => 0.95,
        Some(Cost::Reinstall) => 0.9,
        Some(Cost::Machine) => 0.85,
        Some(Cost::Hardware) => 0.6,
    }
}

/// What is left of an action's use by how well it fits where the run is and what the text shows: one written for that
/// comes before a general one that is as likely to help.
fn where_it_fits(fit: Option<Fit>) -> f64 {
    match fit {
        Some(Fit::Impossible) => 0.0,
        Some(Fit::Moot | Fit::Barred) => 0.05,
        Some(Fit::Unproven) => 0.3,
        Some(Fit::Anywhere) | None => 1.0,
        Some(Fit::MadeForPlatform) => 2.0,
        Some(Fit::MadeForText) => 4.0,
    }
}

/// How much more useful an action is that helped where others told it in words as near as this. Of 172 unseen posts, the first
/// action solves 61.0 % with it and 58.7 % without; any rate from 3 to 10 is as good.
fn helped_others(near: f32) -> f64 {
    const RATE: f64 = 5.0;
    (RATE * f64::from(near)).exp()
}

/// What is left of an action's use when it was tried without success: people err about what they tried, and about why.
const AFTER_A_TRIAL: f64 = 0.15;

/// What the writer of the text tried without success, with the line.
pub(super) struct Tried<'f> {
    recipes: &'f [String],
    line: Option<u32>,
}

impl<'f> Tried<'f> {
    pub(super) fn of(facts: &'f Facts) -> Self {
        match facts.get("writer.tried") {
            Some(fact) => match &fact.value {
                Value::List(recipes) => Self { recipes, line: fact.line },
                _ => Self { recipes: &[], line: None },
            },
            None => Self { recipes: &[], line: None },
        }
    }

    fn includes(&self, action: &str) -> bool {
        self.recipes.iter().any(|recipe| recipe == action)
    }

    /// Says in an action's words that it was tried.
    fn mark(&self, action: &mut Action) {
        let place = self.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        let detail = std::mem::take(&mut action.detail);
        action.detail = format!("You tried this, the text says{place}. {detail}").trim_end().to_owned();
    }
}

/// The list of what to do: an action appears once, in the words of its likeliest cause, and names all its causes. A
/// cause that the machine rules out adds none.
pub(super) fn ranked(
    causes: &mut [RankedCause],
    precedents: &Precedents,
    fits: &Fits,
    near: &Near,
    tried: &Tried<'_>,
) -> Vec<Action> {
    for fix in causes.iter_mut().flat_map(|cause| &mut cause.fixes).filter(|fix| tried.includes(&fix.id)) {
        tried.mark(fix);
    }
    let mut actions: Vec<(Action, f64)> = Vec::new();
    for cause in causes.iter().filter(|cause| cause.status != CauseStatus::Refuted) {
        for (place, fix) in cause.fixes.iter().enumerate() {
            let after_trial = if tried.includes(&fix.id) { AFTER_A_TRIAL } else { 1.0 };
            let helps = cause.probability
                * precedents.helps(&cause.id, &fix.id, place)
                * after_cost(fix.cost)
                * where_it_fits(fits.get(&(cause.id.clone(), fix.id.clone())).copied())
                * helped_others(near.of(&cause.id, &fix.id))
                * after_trial;
            match actions.iter_mut().find(|(action, _)| action.id == fix.id) {
                Some((action, using)) => {
                    action.causes.push(cause.id.clone());
                    *using += helps;
                }
                None => actions.push((Action { solved: precedents.solved(&fix.id), ..fix.clone() }, helps)),
            }
        }
    }
    actions.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let actions: Vec<Action> = actions.into_iter().map(|(action, _)| action).collect();
    for fix in causes.iter_mut().flat_map(|cause| &mut cause.fixes) {
        if let Some(action) = actions.iter().find(|action| action.id == fix.id) {
            fix.causes.clone_from(&action.causes);
            fix.solved.clone_from(&action.solved);
        }
    }
    actions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Book;
    use crate::facts::Facts;

    fn cause(id: &str, probability: f64, status: CauseStatus, fixes: &[(&str, &str)]) -> RankedCause {
        let action = |(fix, detail): &(&str, &str)| Action {
            id: (*fix).into(),
            title: String::new(),
            detail: (*detail).into(),
            commands: Vec::new(),
            trade_offs: Vec::new(),
            cost: None,
            solved: None,
            causes: vec![id.into()],
            of_message: false,
        };
        RankedCause {
            id: id.into(),
            title: String::new(),
            probability,
            tied: false,
            prior: 0.0,
            cases: 0,
            status,
            status_says: None,
            reasons: Vec::new(),
            check: String::new(),
            check_command: None,
            fixes: fixes.iter().map(action).collect(),
            dead_ends: Vec::new(),
        }
    }

    fn ids(causes: &mut [RankedCause]) -> Vec<String> {
        let precedents = Precedents::of("no-such-fault", &Facts::default(), &Book::new(false), &Default::default());
        ranked(causes, &precedents, &Fits::new(), &Near::default(), &Tried::of(&Facts::default()))
            .into_iter()
            .map(|action| action.id)
            .collect()
    }

    #[test]
    fn an_action_appears_once_and_comes_before_those_that_serve_one_cause() {
        let mut causes = [
            cause("likely", 0.4, CauseStatus::Unverified, &[("precision", ""), ("batch", "words of likely")]),
            cause("ruled-out", 0.3, CauseStatus::Refuted, &[("driver", ""), ("batch", "")]),
            cause("other", 0.3, CauseStatus::Supported, &[("batch", "words of other"), ("wait", "")]),
        ];
        assert_eq!(ids(&mut causes), ["batch", "precision", "wait"]);
        let fix = &causes[2].fixes[0];
        assert_eq!(
            (fix.detail.as_str(), fix.causes.as_slice()),
            ("words of other", &["likely".into(), "other".into()][..])
        );
    }

    #[test]
    fn what_was_tried_is_known_with_its_line() {
        let mut facts = Facts::default();
        facts.add("writer.tried", Value::List(vec!["reboot".into()]), crate::facts::Source::Text, Some(3));
        let tried = Tried::of(&facts);
        assert!(tried.includes("reboot") && !tried.includes("reset-gpu") && tried.line == Some(3));
        assert!(!Tried::of(&Facts::default()).includes("reboot"));
    }
}
