//! What to do about an error that no page explains: what its exception means, and the installed package that raised it.

use super::answer::Action;
use super::precedents::Precedents;
use crate::book::Book;
use crate::book::schema::Cost;
use crate::facts::Facts;
use crate::incident::{ErrorEvent, Frame};
use crate::wording::{self, Exception};

/// The recipe that installs another version of a package, and where its known cases are counted.
const OTHER_VERSION: &str = "other-version";
const CASES: &str = "unlisted";

/// What to do, the most useful first.
pub(super) fn actions(error: &ErrorEvent, facts: &Facts, book: &Book) -> Vec<Action> {
    let row = row(error);
    let means = row.map(|row| explained(row, error));
    let other = package(error).map(|package| other_version(package, &Precedents::of(CASES, facts, book)));
    match row.is_some_and(|row| row.version) {
        true => other.into_iter().chain(means).collect(),
        false => means.into_iter().chain(other).collect(),
    }
}

fn row(error: &ErrorEvent) -> Option<&'static Exception<&'static str>> {
    let name = error.type_name.rsplit('.').next().unwrap_or_default();
    let message = error.message.to_lowercase();
    let fits = |row: &&Exception<&str>| {
        row.types.contains(&name) && (row.words.is_empty() || row.words.iter().any(|word| message.contains(word)))
    };
    wording::exceptions().exception.iter().find(fits)
}

fn explained(row: &Exception<&str>, error: &ErrorEvent) -> Action {
    let own = error.frames.iter().rev().find(|frame| frame.is_own());
    let place = own.map_or_else(|| "the last line of your own code in the traceback".to_owned(), place);
    Action {
        id: format!("{CASES}#{}", row.id),
        title: row.title.to_owned(),
        detail: row.detail.replace("{frame}", &place),
        commands: row.commands.iter().map(|&block| block.to_owned()).collect(),
        trade_offs: Vec::new(),
        cost: Some(Cost::Code),
        solved: None,
        causes: Vec::new(),
    }
}

fn place(frame: &Frame) -> String {
    match frame.function.as_str() {
        "" => format!("`{}:{}`", frame.file, frame.line),
        function => format!("`{}:{}` in `{function}`", frame.file, frame.line),
    }
}

/// The installed package that raised the error or whose module the message names.
fn package(error: &ErrorEvent) -> Option<&str> {
    let raised = error.frames.last().and_then(|frame| after_packages(&frame.file));
    raised.or_else(|| named(&error.message))
}

fn after_packages(file: &str) -> Option<&str> {
    let folder = ["site-packages", "dist-packages"].into_iter().find_map(|folder| file.split_once(folder))?.1;
    let first = folder.trim_start_matches(['/', '\\']).split(['/', '\\']).next()?;
    (!first.is_empty() && !first.ends_with(".py")).then_some(first)
}

/// `from 'huggingface_hub' (...)`, `module 'numpy' has no attribute`.
fn named(message: &str) -> Option<&str> {
    let quoted = ["from '", "module '"].into_iter().find_map(|lead| message.split_once(lead))?.1;
    let module = quoted.split('\'').next()?.split('.').next()?;
    (!module.is_empty() && module.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some(module)
}

fn other_version(package: &str, precedents: &Precedents) -> Action {
    Action {
        id: OTHER_VERSION.to_owned(),
        title: format!("Install another version of `{package}`, the one that the calling code was written for"),
        detail: format!(
            "The error comes from the installed package `{package}`. If it began with an installation or an upgrade, go back \
             to the version before; if the code is newer than the package, upgrade it. The project's requirements or the date of \
             the code tell which version fits; its release notes tell what was renamed or removed."
        ),
        commands: vec![format!(
            "python -m pip show {package}\npython -m pip index versions {package}\npython -m pip install \"{package}==VERSION\""
        )],
        trade_offs: Vec::new(),
        cost: Some(Cost::Reinstall),
        solved: precedents.solved(OTHER_VERSION),
        causes: Vec::new(),
    }
}
