//! Faults that print nothing (wrong results, hangs): found by the operation that a text names and the versions it
//! shows.
//!
//! Nothing in the text proves them, so they are listed separately and never change the verdict.

use crate::book::Book;
use crate::book::schema::Affected;
use crate::compatibility;
use crate::diagnosis::NearPage;
use crate::facts::Facts;
use crate::incident::{Incident, Role};
use crate::text::Transcript;

/// Lines searched for operations.
const LINES: usize = 4000;

/// Pages of silent faults whose operation the text names and whose versions fit what is known. A fault that is bound to
/// no version counts only where no message reports a failure: its words alone are weak.
pub(super) fn candidates(
    transcript: &Transcript,
    incident: &Incident,
    facts: &Facts,
    book: &Book,
    no_message: bool,
) -> Vec<NearPage> {
    let is_known = |package: &str| facts.text(&format!("{package}.version")).is_some();
    let pages = book.faults.iter().filter(|entry| entry.may_be_silent(no_message, is_known));
    let fits = |affects: &[Affected]| match affects {
        [] => no_message,
        affects => affects.iter().any(|affected| version_in(affected, facts) == Some(true)),
    };
    let fitting: Vec<_> = pages.filter(|entry| fits(&entry.matter().affects)).collect();
    if fitting.is_empty() {
        return Vec::new();
    }
    let printed = transcript.lines().filter(|line| incident.roles.get(line.index) != Some(&Role::Answer));
    let text: String = printed.take(LINES).flat_map(|line| [line.text, "\n"]).collect();
    let text = text.to_lowercase();
    let named = |words: &Vec<String>| !words.is_empty() && words.iter().all(|word| text.contains(word.as_str()));
    fitting
        .into_iter()
        .filter(|entry| entry.matter().operations.iter().any(named))
        .map(|entry| NearPage { id: entry.id.clone(), title: entry.matter().title.clone(), score: 1.0 })
        .collect()
}

/// The note for a page where all known versions are outside its range.
pub(super) fn outside(affects: &[Affected], facts: &Facts) -> Option<String> {
    let known: Vec<(&Affected, bool)> =
        affects.iter().filter_map(|affected| Some((affected, version_in(affected, facts)?))).collect();
    match known.as_slice() {
        [] => None,
        known if known.iter().any(|(_, inside)| *inside) => None,
        known => {
            let (affected, _) = known.first()?;
            let version = facts.text(&format!("{}.version", affected.package))?;
            Some(format!(
                "{} {version} is outside the versions this page is about ({})",
                affected.package, affected.versions
            ))
        }
    }
}

fn version_in(affected: &Affected, facts: &Facts) -> Option<bool> {
    let version = facts.text(&format!("{}.version", affected.package))?;
    Some(compatibility::matches(version, &affected.versions))
}
