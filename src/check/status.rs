//! The status and severity in a report's front matter must be words of the format; a plain other spelling is fixed.

use super::finding::{Finding, Source};
use super::front::Front;
use crate::reports::status::{SEVERITIES, canonical, plain};

/// Checks status and severity of the front matter.
pub(super) fn check(source: &Source<'_>, front: &Front<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let filled = |key: &str| {
        let entry = front.get(key).filter(|entry| !entry.value.is_empty())?;
        super::placeholders::judge(entry.value, true, false, "").is_none().then_some(entry)
    };
    if let Some(entry) = filled("status") {
        match canonical(entry.value) {
            None => {
                let message = format!("\"{}\" is not a status", entry.value);
                let help = "open, in_progress, investigating, resolved, closed, wontfix, duplicate, archived, ...";
                findings.push(source.finding(entry.value_range.clone(), "unknown-status", message).help(help));
            }
            Some(right) if right != entry.value => {
                let message = format!("the status \"{}\" is spelled {right} in the format", entry.value);
                let finding = source.finding(entry.value_range.clone(), "status-spelling", message);
                findings.push(finding.fix(entry.value_range.clone(), right));
            }
            Some(_) => {}
        }
    }
    if let Some(entry) = filled("severity") {
        let plain = plain(entry.value);
        if !SEVERITIES.contains(&plain.as_str()) {
            let message = format!("\"{}\" is not a severity", entry.value);
            let help = "critical, high, medium, low";
            findings.push(source.finding(entry.value_range.clone(), "unknown-severity", message).help(help));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_outside_the_lists_are_named() {
        let text = "---\nstatus: \"Resolved\"\nseverity: awful\n---\n";
        let source = Source::new("a.md", text);
        let findings = check(&source, &Front::read(text));
        assert_eq!(findings.iter().map(|f| f.rule).collect::<Vec<_>>(), ["status-spelling", "unknown-severity"]);
        assert_eq!(crate::check::apply(text, &findings), "---\nstatus: \"resolved\"\nseverity: awful\n---\n");
        let text = "---\nstatus: sleeping\nseverity: High\n---\n";
        let source = Source::new("a.md", text);
        assert_eq!(check(&source, &Front::read(text))[0].rule, "unknown-status");
    }
}
