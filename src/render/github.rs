//! Answers as workflow commands, which GitHub shows as annotations, one per text in which a failure was found.
//!
//! The annotation stands where the user's own code raised the error, when the text names a relative path, else in the
//! log. Consequences are named in its words: ten annotations on one death help nobody.

use super::Answered;
use super::{inline, sarif};
use crate::diagnosis::Verdict;

/// All answers, one command each.
pub fn render(answers: &[Answered<'_>]) -> String {
    let mut out = String::new();
    for Answered { path, diagnosis } in answers {
        let (level, title, span) = match (diagnosis.verdict, &diagnosis.fault, &diagnosis.error) {
            (Verdict::KnownFault, Some(fault), _) => ("error", inline::plain(&fault.title), fault.span),
            (Verdict::UnlistedError, _, Some(error)) => ("warning", "Not a failure in the book".to_owned(), error.span),
            _ => continue,
        };
        let mut words = sarif::message(diagnosis, &title);
        let frame = diagnosis.error.as_ref().and_then(|error| error.frame.as_ref());
        let frame = frame.filter(|frame| frame.line > 0 && !frame.file.starts_with(['/', '<', '\\']));
        let (file, line) = match frame {
            Some(frame) => {
                words.push_str(&format!("\nIn {path}, line {}", span.start.line));
                (frame.file.as_str(), frame.line)
            }
            None => (*path, span.start.line),
        };
        if !diagnosis.cascade.is_empty() {
            let lines: Vec<String> = diagnosis.cascade.iter().map(|echo| echo.span.start.line.to_string()).collect();
            words.push_str(&format!("\nNot the cause, only what followed: line {}", lines.join(", ")));
        }
        let id = diagnosis.fault.as_ref().map_or("unlisted-error", |fault| &fault.id);
        let title = format!("{title} ({id})");
        out.push_str(&format!(
            "::{level} file={},line={line},title={}::{}\n",
            property(file),
            property(&title),
            data(&words)
        ));
    }
    out
}

/// A message of a workflow command.
pub(crate) fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command, such as its title.
pub(crate) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
