//! Dates in front matter must be `YYYY-MM-DD`; those with one possible reading are fixed.

use super::finding::{Finding, Source};
use super::front::Front;
use crate::reports::dates::{Judgement, judge};

/// Keys that hold dates.
const KEYS: [&str; 6] = ["date", "updated", "created", "last_updated", "resolved", "reported"];

/// Checks the dates of the front matter.
pub(super) fn check(source: &Source<'_>, front: &Front<'_>) -> Vec<Finding> {
    let dates = front.entries.iter().filter(|entry| KEYS.contains(&entry.key.to_lowercase().as_str()));
    let mut findings = Vec::new();
    for entry in dates.filter(|entry| !entry.value.is_empty() && !entry.value.contains("YYYY")) {
        let message = format!("\"{}\" is not YYYY-MM-DD", entry.value);
        let finding = source.finding(entry.value_range.clone(), "bad-date", message);
        match judge(entry.value) {
            Judgement::Fine => {}
            Judgement::Mendable(right) => {
                findings.push(finding.help(format!("write {right}")).fix(entry.value_range.clone(), right));
            }
            // `resolved: false` is no date and means none.
            Judgement::Bad if entry.key != "date" && !entry.value.bytes().any(|b| b.is_ascii_digit()) => {}
            Judgement::Bad => findings.push(finding.help("write YYYY-MM-DD; a time may follow")),
        }
    }
    findings
}
