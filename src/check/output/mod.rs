//! Findings as text for people and programs, and as what every format of CI takes. Renderers decide nothing: they show
//! every finding that they are given.

mod json;
mod terminal;

pub use json::json;
pub use terminal::{Shown, terminal};

use super::{Document, Finding, Kind, RULES, Severity};
use crate::render::finding::{self, Findings, Level, Place};
use crate::span::{Position, Span};

/// The findings for `render::{sarif, github, junit}`.
pub fn findings(findings: &[Finding], documents: &[Document]) -> Findings {
    let checked = documents.iter().filter(|document| document.kind != Kind::Other);
    let rule = |rule: &super::Rule| finding::Rule {
        id: rule.name.to_owned(),
        description: rule.description.to_owned(),
        level: level(rule.severity),
    };
    Findings {
        inputs: checked.map(|document| document.path.clone()).collect(),
        rules: RULES.iter().map(rule).collect(),
        found: findings.iter().map(|finding| one(finding, documents)).collect(),
    }
}

fn one(finding: &Finding, documents: &[Document]) -> finding::Finding {
    let message = match finding.help.as_str() {
        "" => finding.message.clone(),
        help => format!("{}\nhelp: {help}", finding.message),
    };
    let position = |column| Position { line: finding.line, column };
    let span = Span { start: position(finding.column), end: position(finding.end) };
    finding::Finding {
        rule: finding.rule.to_owned(),
        level: level(finding.severity),
        title: None,
        message,
        place: Place { path: finding.path.clone(), span },
        raised_in: None,
        consequences: Vec::new(),
        fix: edit(finding, documents),
    }
}

/// The edit in characters, as it is made to the document's text.
fn edit(finding: &Finding, documents: &[Document]) -> Option<finding::Edit> {
    let edit = finding.fix.as_ref()?;
    let text = &documents.iter().find(|document| document.path == finding.path)?.text;
    Some(finding::Edit {
        description: format!("what `faultbook check --fix` does for {}", finding.rule),
        offset: text.get(..edit.range.start)?.chars().count(),
        length: text.get(edit.range.clone())?.chars().count(),
        replacement: edit.replacement.clone(),
    })
}

fn level(severity: Severity) -> Level {
    match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Info => Level::Note,
    }
}

/// How many findings of each severity there are: info, warnings, errors.
pub fn counts(findings: &[Finding]) -> [usize; 3] {
    [Severity::Info, Severity::Warning, Severity::Error]
        .map(|severity| findings.iter().filter(|finding| finding.severity == severity).count())
}

/// Whether a check with these findings is clean: nothing worse than [`Severity::Info`].
pub fn is_clean(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.severity == Severity::Info)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::check::finding::Source;
    use crate::render::{github, junit, sarif};

    fn sample() -> Findings {
        let path = "docs/a,b:c d.md";
        let document = Document { path: path.into(), text: "한 two".into(), kind: Kind::Report, replaced: None };
        let source = Source::new(&document.path, &document.text);
        let found = source.finding(4..7, "todo", "100 %\n::error::x <b>").help("write it").fix(4..7, "2");
        findings(&[found], &[document])
    }

    #[test]
    fn sarif_has_place_and_fix() {
        let value: serde_json::Value = serde_json::from_str(&sarif::render(&sample())).unwrap();
        let run = &value["runs"][0];
        let result = &run["results"][0];
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!((&rule["id"], &rule["defaultConfiguration"]["level"]), (&"todo".into(), &"warning".into()));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "docs/a%2Cb%3Ac%20d.md");
        assert_eq!((&place["region"]["startColumn"], &place["region"]["endColumn"]), (&3.into(), &6.into()));
        let replacement = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
        assert_eq!(replacement["deletedRegion"]["charOffset"], 2);
        assert_eq!(replacement["insertedContent"]["text"], "2");
    }

    #[test]
    fn words_cannot_break_out() {
        assert_eq!(
            github::render(&sample()),
            "::warning file=docs/a%2Cb%3Ac d.md,line=1,endLine=1,col=3,endColumn=5,title=todo::100 %25%0A::error::x <b>%0Ahelp: \
             write it\n"
        );
        let text = junit::render(&sample());
        assert!(
            text.contains("type=\"todo\"") && text.contains("x &lt;b&gt;") && text.contains("failures=\"1\""),
            "{text}"
        );
    }
}
