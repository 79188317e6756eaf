//! Findings as workflow commands, which GitHub shows beside the lines of a pull request.

use std::fmt::Write;

use crate::check::{Finding, Severity};
use crate::render::github::{data, property};

/// One command per finding.
pub fn github(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let level = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let words = match finding.help.as_str() {
            "" => finding.message.clone(),
            help => format!("{}\nhelp: {help}", finding.message),
        };
        let Finding { line, column, .. } = finding;
        // The last column is inside the words here.
        let end = finding.end.saturating_sub(1).max(*column);
        let (path, rule) = (property(&finding.path), property(finding.rule));
        let _ = writeln!(
            out,
            "::{level} file={path},line={line},endLine={line},col={column},endColumn={end},title={rule}::{}",
            data(&words)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::finding::Source;

    #[test]
    fn words_cannot_break_out() {
        let finding = Source::new("a,b:c.md", "one two").finding(4..7, "todo", "100 %\n::error::x").help("say it");
        assert_eq!(
            github(&[finding]),
            "::warning file=a%2Cb%3Ac.md,line=1,endLine=1,col=5,endColumn=7,title=todo::100 %25%0A::error::x%0Ahelp: say it\n"
        );
    }
}
