//! What a section of a report is for, told from its heading. English, Korean, German and Chinese; headings vary without end, so words
//! inside a heading count too, the more telling ones first.

use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

use crate::book::sections::{Document, Section};
use crate::wording::{self, At};

/// What a section is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Role {
    BugId,
    Summary,
    Environment,
    Reproduce,
    Expected,
    Actual,
    Logs,
    RootCause,
    Investigation,
    Hypotheses,
    Solutions,
    Workarounds,
    Implementation,
    Examples,
    Benefits,
    TradeOffs,
    Tests,
    NextSteps,
    Prevention,
    DeadEnds,
    Impact,
    Severity,
    Status,
    Date,
    Tags,
    Related,
    Other,
}

impl Role {
    /// Whether the section holds solutions.
    pub(super) fn is_way_out(self) -> bool {
        matches!(self, Role::Solutions | Role::Workarounds | Role::Implementation | Role::Examples)
    }
}

/// The role that a heading alone tells.
pub(super) fn of_heading(section: &Section) -> Option<Role> {
    // "Severity: Critical", "Root Cause: the batch": what precedes the colon is the name.
    let name = section.title.split([':', '：']).next().unwrap_or_default();
    let short = crate::book::sections::key(name);
    of_key(&short).or_else(|| of_key(&section.key))
}

/// The role of a label or heading in comparing form.
pub(super) fn of_key(key: &str) -> Option<Role> {
    let words = key.split(' ').count();
    if key.is_empty() || words > 12 {
        return None;
    }
    PHRASES.iter().find(|(at, phrase, _)| fits(*at, phrase, key)).map(|(_, _, role)| *role)
}

/// Phrases of headings (`kb/wording/headings.toml`), in the order in which they are tried.
static PHRASES: LazyLock<Vec<(At, &'static str, Role)>> = LazyLock::new(|| {
    let headings = wording::headings().heading.iter();
    let phrases = headings.filter_map(|heading| {
        let role = Role::deserialize(StrDeserializer::<Error>::new(heading.role)).ok()?;
        Some(heading.phrases.iter().map(move |phrase| (heading.at, *phrase, role)))
    });
    phrases.flatten().collect()
});

fn fits(at: At, phrase: &str, key: &str) -> bool {
    let border =
        |rest: &str, before: bool| rest.is_empty() || if before { rest.ends_with(' ') } else { rest.starts_with(' ') };
    match at {
        At::Whole => key == phrase,
        At::Edge => {
            key.strip_prefix(phrase).is_some_and(|rest| border(rest, false))
                || key.strip_suffix(phrase).is_some_and(|rest| border(rest, true))
        }
        At::Inside => key.contains(phrase),
    }
}

/// A section's own role and the one that holds for it, which may come from a section around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roles {
    /// From its heading alone.
    pub(super) own: Option<Role>,
    /// From its heading or, where that says nothing, from the nearest section around it.
    pub(super) holds: Option<Role>,
}

/// The roles of all sections of a document.
pub(super) fn all(doc: &Document<'_>) -> Vec<Roles> {
    let mut out: Vec<Roles> = Vec::with_capacity(doc.sections.len());
    for section in &doc.sections {
        // The document's title is no section: "Bug Report: cuDNN solution fails" is not a solution.
        let own = if section.level <= 1 && !is_plain_name(section) { None } else { of_heading(section) };
        let around = section.parent.and_then(|p| out.get(p)).and_then(|r: &Roles| r.holds);
        out.push(Roles { own, holds: own.or(around) });
    }
    out
}

/// Whether a heading of the first level is only a section's name, as in documents that know no other level.
fn is_plain_name(section: &Section) -> bool {
    section.level == 1 && section.key.split(' ').count() <= 3 && !section.title.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_of_the_headings_is_known() {
        let rows: usize = wording::headings().heading.iter().map(|heading| heading.phrases.len()).sum();
        assert_eq!(PHRASES.len(), rows);
    }

    #[test]
    fn tells_roles_from_headings() {
        for (key, role) in [
            ("bug id", Some(Role::BugId)),
            ("executive summary", Some(Role::Summary)),
            ("logs stack trace", Some(Role::Logs)),
            ("error messages", Some(Role::Logs)),
            ("root cause analysis", Some(Role::RootCause)),
            ("proposed solution", Some(Role::Solutions)),
            ("fix strategy", Some(Role::Solutions)),
            ("resolution", Some(Role::Solutions)),
            ("workarounds if root cause can't be fixed", Some(Role::Workarounds)),
            ("hardware comparison", Some(Role::Other)),
            ("hardware migration checklist", None),
            ("hypotheses ranked by likelihood", Some(Role::Hypotheses)),
            ("immediate next steps", Some(Role::NextSteps)),
            ("diagnostic test results", Some(Role::Tests)),
            ("요약", Some(Role::Summary)),
            ("실행 환경", Some(Role::Environment)),
            ("재현 방법", Some(Role::Reproduce)),
            ("원인 분석", Some(Role::RootCause)),
            ("해결 방법", Some(Role::Solutions)),
            ("why bug 20251110 002 fix didn't resolve this", None),
            ("what works vs what fails", None),
            ("", None),
        ] {
            assert_eq!(of_key(key), role, "{key}");
        }
    }
}
