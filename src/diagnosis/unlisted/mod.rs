//! What to do about an error by its own words. Of an error that no page explains: the entries of `kb/errors` that fit its words,
//! its type's entry, and the versions of the installed packages between which it arose. Of a case of a page: its entry.

mod entries;
mod packages;
mod remedy;

pub(super) use entries::{names_entry, reporting_line};

use super::alternatives;
use super::answer::Action;
use super::precedents::Precedents;
use super::primary::Candidate;
use super::resemblance::TextWords;
use super::situation::Situation;
use crate::book::Book;
use crate::book::errors::{ErrorAction, ErrorEntry};
use crate::book::schema::Cost;
use crate::facts::Facts;
use crate::incident::{self, Frame, Incident};
use crate::text::Transcript;

/// The recipe that installs another version of a package, and where its known cases are counted.
const OTHER_VERSION: &str = "other-version";
const CASES: &str = "unlisted";

/// More actions than these are no advice.
const MOST: usize = 7;

/// An error that has no page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failing<'a> {
    /// The exception's type; empty if the text names none.
    pub(super) type_name: &'a str,
    /// Its message.
    pub(super) message: &'a str,
    /// Its frames, the outermost first.
    pub(super) frames: &'a [Frame],
    /// Index of the line that shows it.
    pub(super) line: usize,
    /// The entry of what the writer describes.
    pub(super) described: Option<&'static str>,
}

impl<'a> Failing<'a> {
    /// The failing error of a candidate, or the line that reports it.
    pub(super) fn of(transcript: &'a Transcript, incident: &'a Incident, failure: &Candidate) -> Self {
        let &Candidate { line, error, .. } = failure;
        let described = failure.described();
        let Some(event) = error.and_then(|error| incident.errors.get(error)) else {
            return Self { type_name: "", message: transcript.line(line).text, frames: &[], line, described };
        };
        // "An error occurred in X", logged above a traceback: the exception below has the words.
        let logged = |event: &crate::incident::ErrorEvent| event.type_name.is_empty() && event.frames.is_empty();
        let thrown = || incident.errors.iter().find(|other| other.headline > event.headline && !logged(other));
        let failing = |event: &'a crate::incident::ErrorEvent| {
            let message = if event.message.is_empty() { transcript.line(event.headline).text } else { &event.message };
            Self { type_name: &event.type_name, message, frames: &event.frames, line: event.headline, described }
        };
        match thrown().filter(|_| logged(event)) {
            // "double free or corruption", and below it "Aborted": the first says more.
            Some(thrown) if !has_entry(failing(event)) => failing(thrown),
            _ => failing(event),
        }
    }
}

/// The page that the message's entry says it is a case of.
pub(super) fn page_of(failing: Failing<'_>, book: &Book) -> Option<usize> {
    book.find(entries::of_message(failing)?.fault?)
}

/// Whether the words of an entry are in the message.
pub(super) fn has_entry(failing: Failing<'_>) -> bool {
    entries::of_message(failing).is_some()
}

/// The entry of the message itself, where it is a case of the page, or the page treats many messages.
pub(super) fn specific(failing: Failing<'_>, page: &str, ordinary: bool) -> Option<&'static ErrorEntry<&'static str>> {
    if ordinary { entries::of_message(failing) } else { entries::of_message_on(page, failing) }
}

/// What to do, the most useful first.
pub(super) fn actions(
    failing: Failing<'_>,
    transcript: &Transcript,
    incident: &Incident,
    facts: &Facts,
    situation: &Situation,
    book: &Book,
) -> Vec<Action> {
    let found = entries::fitting(failing, transcript, incident);
    let precedents = Precedents::of(CASES, facts, book, &TextWords::of(transcript));
    let version = packages::pair(failing).map(|pair| other_version(&pair, facts, &precedents));
    let is_known = found.iter().any(|entry| !entry.words.is_empty() || entry.described);
    let stated = || packages::stated(failing, facts).filter(|_| !is_known || found.iter().any(|entry| entry.version));
    let version = version.or_else(|| Some(stated_version(&stated()?, facts, &precedents)));
    let mut version = version.map(|action| fitted(action, situation));
    let mut actions: Vec<Action> = remedy::remedy(failing.message).filter(|_| !is_known).into_iter().collect();
    for entry in found {
        if entry.version || entries::is_last_resort(entry) {
            actions.extend(version.take());
        }
        actions.extend(of_entry(entry, failing, transcript, incident, situation));
    }
    actions.extend(version);
    actions.truncate(MOST);
    actions
}

/// A situation that is less probable than this changes no order.
const PROBABLE: f32 = 0.4;

/// The action of an entry that comes first in the situation of which the text tells.
fn told_first(entry: &ErrorEntry<&str>, transcript: &Transcript, incident: &Incident) -> Option<usize> {
    let told = entry.described.then(|| incident::told_of(entry.id, transcript, incident, false))??;
    let (likeliest, probability) = told.situations.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let names = |action: &ErrorAction<&str>| action.told == Some(likeliest);
    entry.action.iter().position(names).filter(|_| probability > PROBABLE)
}

/// The actions of an entry, that of the situation first, with the commands that can exist where the run is.
pub(super) fn of_entry(
    entry: &ErrorEntry<&str>,
    failing: Failing<'_>,
    transcript: &Transcript,
    incident: &Incident,
    situation: &Situation,
) -> Vec<Action> {
    let action =
        |(place, action): (usize, &ErrorAction<&str>)| fitted(explained(entry, place, action, failing), situation);
    let mut actions: Vec<Action> = entry.action.iter().enumerate().map(action).collect();
    if let Some(first) = told_first(entry, transcript, incident) {
        actions[..=first].rotate_right(1);
    }
    actions
}

/// An action with the commands that can exist where the run is.
fn fitted(action: Action, situation: &Situation) -> Action {
    Action { commands: alternatives::fitting(&action.commands, situation).blocks, ..action }
}

fn explained(entry: &ErrorEntry<&str>, place: usize, action: &ErrorAction<&str>, failing: Failing<'_>) -> Action {
    let own = failing.frames.iter().rev().find(|frame| frame.is_own());
    let frame = own.map_or_else(|| "the last line of your own code in the traceback".to_owned(), place_of);
    let quoted =
        quoted(failing.message).map_or_else(|| "the name in the message".to_owned(), |name| format!("`{name}`"));
    let filled = |text: &str| text.replace("{frame}", &frame).replace("{quoted}", &quoted);
    Action {
        id: id(entry.id, place),
        title: filled(action.title),
        detail: filled(action.detail),
        commands: action.commands.iter().map(|&block| block.to_owned()).collect(),
        trade_offs: Vec::new(),
        cost: Some(action.cost),
        solved: None,
        causes: Vec::new(),
        of_message: !entry.words.is_empty(),
    }
}

/// The id of an entry's action, by its number.
pub(super) fn id(entry: &str, place: usize) -> String {
    match place {
        0 => format!("{CASES}#{entry}"),
        _ => format!("{CASES}#{entry}-{}", place + 1),
    }
}

/// Whether an action is for all errors of a type, or for every error.
pub(super) fn is_general(action: &Action) -> bool {
    !action.of_message && action.id.starts_with(CASES) && action.id != remedy::OWN_REMEDY
}

/// The first name in quotes or backticks.
fn quoted(message: &str) -> Option<&str> {
    let start = message.find(['\'', '"', '`'])?;
    let mark = message[start..].chars().next()?;
    let name = message[start + 1..].split(mark).next()?;
    (!name.is_empty() && name.len() < 80 && !name.contains(char::is_whitespace)).then_some(name)
}

fn place_of(frame: &Frame) -> String {
    match frame.function.as_str() {
        "" => format!("`{}:{}`", frame.file, frame.line),
        function => format!("`{}:{}` in `{function}`", frame.file, frame.line),
    }
}

/// To change the version of the package that raised the error.
fn other_version(pair: &packages::Pair, facts: &Facts, precedents: &Precedents) -> Action {
    let package = &pair.raised;
    let (title, detail) = match &pair.caller {
        Some(caller) => (
            format!("Install versions of `{caller}` and `{package}` that go together"),
            format!(
                "`{caller}` calls `{package}`, and the error comes from there. Upgrade `{caller}`, or go back to the version \
                 of `{package}` that it was released with: its requirements name it."
            ),
        ),
        None => (
            format!(
                "Install another version of `{package}`{}, the one that the calling code was written for",
                than(package, facts)
            ),
            format!("The error comes from the installed package `{package}`. {WHICH_VERSION}"),
        ),
    };
    changed_version(package, pair.caller.as_deref(), title, detail, precedents)
}

/// The same where only the text says that the package is installed.
fn stated_version(package: &str, facts: &Facts, precedents: &Precedents) -> Action {
    let title = format!("Install another version of `{package}`{}", than(package, facts));
    let detail =
        format!("The text does not show which package fails, but it gives the version of `{package}`. {WHICH_VERSION}");
    changed_version(package, None, title, detail, precedents)
}

/// How to find the version that fits.
const WHICH_VERSION: &str = "If it began with an installation or an upgrade, downgrade to the version before; if the code \
                             is newer than the package, upgrade it. The project's requirements or the date of the code tell \
                             which version fits; its release notes tell what was renamed or removed.";

/// ` than 1.2.3`, if the version is known.
fn than(package: &str, facts: &Facts) -> String {
    let fact = crate::packages::builtin().by_distribution(package).map(|row| row.fact.to_string());
    let version = facts.text(&fact.unwrap_or_else(|| format!("{package}.version")));
    version.map(|version| format!(" than {version}")).unwrap_or_default()
}

fn changed_version(
    package: &str,
    caller: Option<&str>,
    title: String,
    detail: String,
    precedents: &Precedents,
) -> Action {
    let shown = caller.map(|caller| format!("{caller} ")).unwrap_or_default();
    let mut commands = format!("python -m pip show {shown}{package}\npython -m pip index versions {package}\n");
    if let Some(caller) = caller {
        commands.push_str(&format!("python -m pip install -U {caller}        # or the older version of {package}:\n"));
    }
    commands.push_str(&format!("python -m pip install \"{package}==VERSION\""));
    Action {
        id: OTHER_VERSION.to_owned(),
        title,
        detail,
        commands: vec![commands],
        trade_offs: Vec::new(),
        cost: Some(Cost::Reinstall),
        solved: precedents.solved(OTHER_VERSION),
        causes: Vec::new(),
        of_message: false,
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;
    use crate::book::Book;
    use crate::book::builtin::Builtin;
    use crate::descriptions;

    #[test]
    fn situations_are_causes_of_pages_or_told_by_actions() {
        let book = Book::new(true);
        let entries: Vec<_> = Builtin::errors().without_words().filter(|entry| entry.described).collect();
        let mut strays = Vec::new();
        for (kind, situation) in descriptions::all_situations() {
            let is_cause =
                book.find(kind).is_some_and(|page| book.fault(page).causes.iter().any(|cause| cause.id == situation));
            let told = entries.iter().filter(|entry| entry.id == kind).flat_map(|entry| &entry.action);
            if !is_cause && !told.clone().any(|action| action.told == Some(situation)) {
                strays.push(format!("kb/descriptions/{kind}/{situation}.txt"));
            }
        }
        for entry in entries {
            for told in entry.action.iter().filter_map(|action| action.told) {
                if !descriptions::all_situations().any(|known| known == (entry.id, told)) {
                    strays.push(format!("{}: told = {told:?}", entry.id));
                }
            }
        }
        assert_eq!(strays, [""; 0], "without a counterpart");
    }

    #[test]
    fn the_first_quoted_name() {
        for (message, name) in [
            ("__init__() got an unexpected keyword argument 'gpus'", Some("gpus")),
            ("`rope_scaling` must be a dictionary", Some("rope_scaling")),
            ("it's all wrong", None),
            ("no name", None),
        ] {
            let found = quoted(message).filter(|name| !name.contains(' '));
            assert_eq!(found, name, "{message}");
        }
    }
}
