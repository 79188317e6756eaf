//! Findings as workflow commands, which GitHub shows as annotations.
//!
//! An annotation appears where the user's own code raised the error, when the text names a file of the repository, else
//! at the finding. Consequences are named in its words: ten annotations on one failure help nobody.

use super::finding::{Finding, Findings, Level};

/// All findings, one command each.
pub fn render(findings: &Findings) -> String {
    findings.found.iter().map(command).collect()
}

fn command(finding: &Finding) -> String {
    let Finding { place, rule, .. } = finding;
    let mut words = finding.message.clone();
    let at = match &finding.raised_in {
        Some(frame) => {
            words.push_str(&format!("\nIn {}, line {}", place.path, place.span.start.line));
            format!("file={},line={}", property(&frame.file), frame.line)
        }
        None => {
            let (start, end) = (place.span.start, place.span.end);
            // The last column is inside the words here.
            let last = if end.line == start.line { end.column.saturating_sub(1).max(start.column) } else { end.column };
            format!(
                "file={},line={},endLine={},col={},endColumn={last}",
                property(&place.path),
                start.line,
                end.line,
                start.column
            )
        }
    };
    if !finding.consequences.is_empty() {
        let lines: Vec<String> =
            finding.consequences.iter().map(|(place, _)| place.span.start.line.to_string()).collect();
        words.push_str(&format!("\nNot the cause, only what followed: line {}", lines.join(", ")));
    }
    let title = finding.title.as_ref().map_or_else(|| rule.clone(), |title| format!("{title} ({rule})"));
    let level = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    format!("::{level} {at},title={}::{}\n", property(&title), data(&words))
}

/// A message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command, such as its title.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
