//! Exemptions that authors write into a document: `<!-- faultbook: allow dead-link: the file is generated -->`, or in
//! front matter `# faultbook: allow weak-signature: ...`. They hold for the whole document.
//!
//! One that is no longer needed is itself a finding, so that a list of old excuses cannot hide a new mistake.

use std::ops::Range;

use super::catalogue;
use super::finding::{Finding, Source};

/// What every exemption begins with.
const MARK: &str = "faultbook: allow ";

/// One exemption.
struct Exemption<'t> {
    rule: &'t str,
    reason: &'t str,
    /// Its words.
    range: Range<usize>,
    /// Its whole line, line break included.
    line: Range<usize>,
}

/// Rules that need samples beside the documents: without those, whether an exemption is stale is unknown.
const NEEDS_TEXTS: [&str; 4] = ["own-example", "shadowed-page", "weak-signature", "dead-signature"];

/// Takes away the findings that the document's exemptions cover, and adds those about the exemptions themselves.
/// `with_texts`: whether the rules that need the caller's samples were run.
pub(super) fn apply(source: &Source<'_>, with_texts: bool, findings: &mut Vec<Finding>) {
    if !source.text.contains(MARK) {
        return;
    }
    for exemption in read(source.text) {
        let place = exemption.range.clone();
        if catalogue::find(exemption.rule).is_none() {
            let message = format!("there is no rule {}", exemption.rule);
            findings.push(source.finding(place, "bad-exemption", message));
            continue;
        }
        if exemption.reason.is_empty() {
            let message = format!("the exemption from {} gives no reason", exemption.rule);
            let help = format!("write `{MARK}{}: why`", exemption.rule);
            findings.push(source.finding(place, "bad-exemption", message).help(help));
            continue;
        }
        let before = findings.len();
        findings.retain(|finding| finding.rule != exemption.rule);
        if findings.len() == before && (with_texts || !NEEDS_TEXTS.contains(&exemption.rule)) {
            let message = format!("nothing here violates {}", exemption.rule);
            let stale = source
                .finding(place, "stale-exemption", message)
                .help("`faultbook check --fix --fix-removals` removes the exemption");
            findings.push(stale.fix(exemption.line, ""));
        }
    }
}

/// All exemptions of a text. Only comments count: a line that begins with `#` inside front matter, or an HTML comment.
fn read(text: &str) -> Vec<Exemption<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let words = line.trim();
        let inside = match (words.strip_prefix("<!--"), words.strip_prefix('#')) {
            (Some(rest), _) => rest.strip_suffix("-->"),
            (None, rest) => rest,
        };
        let Some(inside) = inside.map(str::trim).and_then(|inside| inside.strip_prefix(MARK)) else { continue };
        let (rule, reason) = inside.split_once(':').unwrap_or((inside, ""));
        let begin = at + line.find(MARK).unwrap_or(0);
        found.push(Exemption {
            rule: rule.trim(),
            reason: reason.trim(),
            range: begin..begin + MARK.len() + inside.len(),
            line: at..at + line.len(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str) -> Vec<(&'static str, bool)> {
        let source = Source::new("a.md", text);
        let mut findings = vec![source.finding(0..1, "dead-link", "")];
        apply(&source, false, &mut findings);
        findings.into_iter().map(|finding| (finding.rule, finding.fix.is_some())).collect()
    }

    #[test]
    fn exemptions_cover_their_rule_and_age() {
        assert_eq!(after("x\n<!-- faultbook: allow dead-link: generated -->\n"), []);
        assert_eq!(after("---\n# faultbook: allow dead-link: generated\n---\n"), []);
        assert_eq!(
            after("<!-- faultbook: allow secret: an example -->\n"),
            [("dead-link", false), ("stale-exemption", true)]
        );
        assert_eq!(after("<!-- faultbook: allow dead-link -->"), [("dead-link", false), ("bad-exemption", false)]);
        assert_eq!(after("<!-- faultbook: allow ded-link: x -->"), [("dead-link", false), ("bad-exemption", false)]);
        assert_eq!(after("<!-- faultbook: allow weak-signature: x -->"), [("dead-link", false)]);
        assert_eq!(after("Write `faultbook: allow dead-link: x` there."), [("dead-link", false)]);
    }
}
