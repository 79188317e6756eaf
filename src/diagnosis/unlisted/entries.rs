//! Which entries of `kb/errors` fit an error.

use super::Failing;
use crate::book::builtin::Builtin;
use crate::book::entries::{Entry, are_in};
use crate::book::errors::AND;
use crate::incident::{self, Incident, Kind, Role, is_conditional, is_survived};
use crate::text::{Level, Transcript};

/// The type of an entry that fits every exception.
const ANY_TYPE: &str = "*";

/// Entries whose words are in the text that are taken: the two longest ones.
const MOST: usize = 2;

/// Shorter words prove nothing outside the failing message.
const FEWEST_BYTES_ELSEWHERE: usize = 20;

/// As many bytes of words are a whole message.
const MESSAGE_BYTES: usize = 36;

/// Lines above and below the failing one that are read where its own words fit no entry.
const AROUND: usize = 400;

/// The entries whose words are in a text, with the length of these words, the longest first.
fn found(type_name: &str, text: &str) -> Vec<(usize, &'static Entry)> {
    let all = Builtin::errors().with_words_in(&lower(text));
    let mut found: Vec<(usize, &'static Entry)> = all
        .into_iter()
        .filter(|(_, entry)| fits_type(entry, type_name))
        .map(|(words, entry)| (words.len(), entry))
        .collect();
    found.sort_by_key(|(len, _)| std::cmp::Reverse(*len));
    found
}

/// A message as the words of entries are: in lower case, without backquotes.
fn lower(message: &str) -> String {
    let mut lower = message.to_lowercase();
    lower.retain(|c| c != '`');
    lower
}

/// The entry whose words the message has, if they say more than that a version does not fit; or that of what is described.
pub(super) fn of_message(failing: Failing<'_>) -> Option<&'static Entry> {
    if let Some(kind) = failing.described {
        return Builtin::errors().without_words().find(|entry| entry.described && entry.id == kind);
    }
    let all = found(short(failing.type_name), failing.message);
    all.into_iter().find(|(len, entry)| *len >= FEWEST_BYTES_ELSEWHERE && !entry.version).map(|(_, entry)| entry)
}

/// The same among the entries that are cases of a page.
pub(super) fn of_message_on(page: &str, failing: Failing<'_>) -> Option<&'static Entry> {
    if failing.described.is_some() {
        return of_message(failing).filter(|entry| entry.fault == Some(page));
    }
    let (type_name, lower) = (short(failing.type_name), lower(failing.message));
    let longest = |entry: &&Entry| {
        let words = entry.words.iter().filter(|words| words.len() >= FEWEST_BYTES_ELSEWHERE && are_in(words, &lower));
        words.map(|words| words.len()).max()
    };
    let fitting = Builtin::errors().of_page(page).filter(|entry| fits_type(entry, type_name) && !entry.version);
    fitting.filter_map(|entry| Some((longest(&entry)?, entry))).max_by_key(|(len, _)| *len).map(|(_, entry)| entry)
}

/// The entries for an error: those of its words, or of other errors and lines of the text where they fit none, then that
/// of its type, then what is left to do about every exception.
pub(super) fn fitting(failing: Failing<'_>, transcript: &Transcript, incident: &Incident) -> Vec<&'static Entry> {
    if failing.described.is_some() {
        return of_message(failing).into_iter().collect();
    }
    let type_name = short(failing.type_name);
    let mut all = found(type_name, failing.message);
    if all.is_empty() {
        let others = incident.errors.iter().rev().filter(|other| !other.type_name.is_empty());
        all = others
            .map(|other| found(short(&other.type_name), &other.message))
            .find(|found| !found.is_empty())
            .unwrap_or_default();
    }
    if all.is_empty() {
        all = elsewhere(failing, transcript, incident);
    }
    let mut entries: Vec<&Entry> = Vec::new();
    for (_, entry) in all {
        if entries.len() < MOST && !entries.iter().any(|other| other.id == entry.id) {
            entries.push(entry);
        }
    }
    let wordless = || Builtin::errors().without_words();
    entries.extend(wordless().find(|entry| entry.types.contains(&type_name)));
    entries.extend(wordless().filter(|entry| is_last_resort(entry)));
    entries
}

/// Whether an entry is for every error.
pub(super) fn is_last_resort(entry: &Entry) -> bool {
    entry.types.contains(&ANY_TYPE)
}

/// The line whose words an entry explains best, where no line was recognized as a failure in another way.
pub(in crate::diagnosis) fn reporting_line(transcript: &Transcript, incident: &Incident) -> Option<usize> {
    let lines = transcript.len().saturating_sub(AROUND)..transcript.len();
    let read = |line: &usize| incident.roles.get(*line).is_none_or(|role| role.may_be_evidence());
    // An exception that was read as one and is not the failure was caught.
    let caught =
        |line: usize| incident.errors.iter().any(|error| error.kind == Kind::Python && error.lines.contains(&line));
    let found = lines.filter(read).filter_map(|line| {
        // A warning that has an entry, and whose entry does not say that the run goes on well, is why somebody asks.
        let text = Some(transcript.line(line))
            .filter(|line| line.prefix.level.is_none_or(|level| level >= Level::Warning))?
            .text;
        let (category, text) = warned(text).unwrap_or(("", text));
        let (length, entry) = found(category, text).into_iter().find(|(_, entry)| !entry.notice)?;
        // What the sentences after it suppose or advise does not take the message back.
        let names = |sentence: &&str| found(category, sentence).iter().any(|(_, named)| named.id == entry.id);
        let said = text.split(". ").find(names).unwrap_or(text);
        // The message's own words may sound harmless: "fork: retry: ...", "VAE is invalid: None" as a count of none.
        let rest = without_words(entry, said);
        let survived = is_survived(&without_words(entry, text)) || length < MESSAGE_BYTES && is_survived(said);
        let reports = !is_conditional(said) && !survived && !incident::counts_none(&rest);
        (length >= FEWEST_BYTES_ELSEWHERE && reports && !caught(line)).then_some((length, line))
    });
    found.max_by_key(|(length, line)| (*length, *line)).map(|(_, line)| line)
}

/// The category of a warning as Python prints it, and what it says: `loss.py:608: UserWarning: Using a target size`.
fn warned(text: &str) -> Option<(&str, &str)> {
    let (before, message) = text.split_once("Warning: ")?;
    let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let category = text.get(start..before.len() + "Warning".len())?;
    (start < before.len()).then_some((category, message))
}

/// A line without the words of an entry.
fn without_words(entry: &Entry, text: &str) -> String {
    let lower = lower(text);
    let words = entry.words.iter().filter(|words| are_in(words, &lower));
    let parts: Vec<&str> = words.flat_map(|words| words.split(AND)).collect();
    parts.into_iter().fold(lower.clone(), |rest, part| rest.replace(part, " "))
}

/// Whether a line has the words of an entry, whatever else it says.
pub(in crate::diagnosis) fn names_entry(transcript: &Transcript, incident: &Incident) -> bool {
    let failing = Failing { type_name: "", message: "", frames: &[], line: transcript.len(), described: None };
    !elsewhere(failing, transcript, incident).is_empty()
}

/// Entries that lines around the failing one name: a message in a sentence, the cause above a summary.
fn elsewhere(failing: Failing<'_>, transcript: &Transcript, incident: &Incident) -> Vec<(usize, &'static Entry)> {
    let lines = failing.line.saturating_sub(AROUND)..(failing.line + AROUND).min(transcript.len());
    let read = |line: &usize| {
        incident.roles.get(*line).is_none_or(|role| role.may_be_evidence() || matches!(role, Role::Advice))
    };
    let mut found: Vec<(usize, &'static Entry)> =
        lines.rev().filter(read).flat_map(|line| found("", transcript.line(line).text)).collect();
    found.retain(|(len, _)| *len >= FEWEST_BYTES_ELSEWHERE);
    found.sort_by_key(|(len, _)| std::cmp::Reverse(*len));
    found
}

/// Whether an entry is for this type; a text without one may be about any.
fn fits_type(entry: &Entry, type_name: &str) -> bool {
    type_name.is_empty() || entry.types.is_empty() || entry.types.contains(&type_name)
}

/// The name of a type without its module: `RayTaskError(ValueError)` is a `ValueError`.
fn short(type_name: &str) -> &str {
    let inner = type_name.split_once('(').map_or(type_name, |(_, inner)| inner.trim_end_matches(')'));
    inner.rsplit('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::primary::Candidate;
    use crate::{incident, text};

    #[test]
    fn every_entry_is_found_by_each_of_its_words() {
        let mut lost = Vec::new();
        for entry in Builtin::errors().all() {
            let type_name = entry.types.first().copied().unwrap_or_default();
            for words in &entry.words {
                let message = words.replace(crate::book::errors::AND, " ... ");
                if !found(type_name, &message).iter().any(|(_, found)| found.id == entry.id) {
                    lost.push(format!("{}: {words}", entry.id));
                }
            }
        }
        assert_eq!(lost, [""; 0]);
    }

    #[test]
    fn a_message_keeps_its_backquotes_in_one_text_and_loses_them_in_another() {
        let quoted = "`default process group` has not been initialized";
        let id = |message: &str| found("ValueError", message).first().map(|(_, entry)| entry.id);
        assert_eq!(id(quoted), Some("default-process-group"));
        assert_eq!(id(quoted), id(&quoted.replace('`', "")));
        let words = || Builtin::errors().all().flat_map(|entry| &entry.words);
        assert_eq!(words().find(|words| words.contains('`')), None);
    }

    #[test]
    fn the_message_counts_then_other_errors_then_lines_around() {
        let group = "Default process group has not been initialized, please make sure to call init_process_group.";
        let ids = |log: &str, line: usize, error: Option<usize>| -> Vec<&str> {
            let transcript = text::read(log.as_bytes());
            let incident = incident::read(&transcript);
            let failing = Failing::of(&transcript, &incident, &Candidate::at(line, error));
            fitting(failing, &transcript, &incident).into_iter().map(|entry| entry.id).collect()
        };
        let own = format!(
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nValueError: {group}\n"
        );
        assert_eq!(ids(&own, 3, Some(0)).first(), Some(&"default-process-group"));
        // A sentence that quotes the message.
        let said = format!("My run on one GPU stops, why?\nIt says: {group}\n");
        assert_eq!(ids(&said, 0, None).first(), Some(&"default-process-group"));
        let unknown =
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 'never seen'\n";
        let found = ids(unknown, 3, Some(0));
        assert_eq!(found.first(), Some(&"missing-key"));
        assert!(found.last().is_some_and(|last| *last == "project-versions"), "{found:?}");
    }

    #[test]
    fn a_known_message_counts_with_words_that_sound_harmless() {
        let found = |text: &str| {
            let transcript = text::read(text.as_bytes());
            reporting_line(&transcript, &incident::read(&transcript))
        };
        for text in [
            "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to()",
            "[Bug]: [Errno 107] Transport endpoint is not connected: '/content/drive' on a notebook",
            "ERROR: VAE is invalid: None",
        ] {
            assert_eq!(found(text), Some(0), "{text}");
        }
        for text in ["Could not load sageattention, falling back to PyTorch attention", "no error: numba needs"] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn entries_name_causes_of_their_pages() {
        let book = crate::book::Book::new(true);
        let is_cause = |page: &str, cause: &str| {
            book.find(page).is_some_and(|page| book.fault(page).causes.iter().any(|known| known.id == cause))
        };
        let stray = |entry: &&Entry| entry.cause.is_some_and(|cause| !is_cause(entry.fault.unwrap_or_default(), cause));
        assert_eq!(Builtin::errors().all().filter(stray).map(|entry| entry.id).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn types_have_no_modules() {
        for (name, expected) in
            [("RayTaskError(ValueError)", "ValueError"), ("torch.OutOfMemoryError", "OutOfMemoryError"), ("", "")]
        {
            assert_eq!(short(name), expected);
        }
    }
}
