//! `faultbook WORDS`: what names no file is an id or a code to show, an error message to diagnose, or words to search.

use std::path::{Path, PathBuf};

use super::args::Arguments;
use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::{diagnose, open, search, show};
use crate::diagnosis::Verdict;
use crate::reports::knowledge::Knowledge;
use crate::reports::lookup;
use clap::CommandFactory as _;

/// The words, if the arguments are no paths: none of them exists or looks like one.
pub(super) fn of(files: &[PathBuf]) -> Option<String> {
    let words: Vec<&str> = files.iter().map(|file| file.to_str()).collect::<Option<_>>()?;
    let is_path = |word: &&str| *word == "-" || looks_like_path(word) || Path::new(word).exists();
    (!words.is_empty() && !words.iter().any(is_path)).then(|| words.join(" "))
}

/// Whether a word is meant as a path: it has a separator or an extension.
fn looks_like_path(word: &str) -> bool {
    let extension = Path::new(word).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_extension = (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let said = word.contains(char::is_whitespace);
    !said && (word.contains(std::path::is_separator) || is_extension)
}

/// Does what is meant.
pub(super) fn run(words: &str, common: &Common) -> Result<Exit> {
    let knowledge = open::knowledge(common, false)?;
    if !lookup::find(&knowledge, words, !common.no_builtin)?.is_empty() {
        return show::run(&show::Options::of(words), common);
    }
    let message = diagnose::Options { text: Some(words.to_owned()), ..diagnose::Options::default() };
    let said = diagnose::answer(&message.typed(), &knowledge, common)?;
    if said.verdict != Verdict::NoError {
        return diagnose::run(&message, common);
    }
    if !words.contains(char::is_whitespace) {
        return Err(unknown(words, &knowledge));
    }
    drop(knowledge);
    search::run(&search::Options::of(words), common)
}

/// Nothing is called so: what has a name like it.
fn unknown(word: &str, knowledge: &Knowledge) -> Failure {
    let commands = Arguments::command();
    let commands = commands.get_subcommands().map(|command| command.get_name().to_owned());
    let pages = knowledge.book.faults.iter().map(|page| page.id.clone());
    let hint = match nearest(word, commands.chain(pages).chain(names_of_reports(knowledge))) {
        Some(name) => format!("did you mean `{name}`? `faultbook --help` lists the commands"),
        None => format!("see `faultbook --help` for the commands, or search with `faultbook search {word}`"),
    };
    Failure::new(format!("no file, command, page, report or code is called `{word}`")).hint(hint)
}

/// What to try instead of an id that no report has.
pub(super) fn report_meant(id: &str, knowledge: &Knowledge) -> String {
    let parts = lookup::by_part(knowledge, id);
    let meant = match parts.as_slice() {
        [entry] => Some(entry.id.clone()),
        _ => nearest(id, names_of_reports(knowledge)),
    };
    let all = "`faultbook list` lists them all";
    meant.map_or_else(|| all.to_owned(), |name| format!("did you mean `{name}`? {all}"))
}

/// Ids, other ids and names of files.
fn names_of_reports(knowledge: &Knowledge) -> impl Iterator<Item = String> {
    lookup::entries(knowledge).flat_map(|report| std::iter::once(&report.id).chain(&report.aliases)).cloned()
}

/// The name that is spelled most like a word, if it is nearly so.
fn nearest(word: &str, names: impl Iterator<Item = String>) -> Option<String> {
    /// A slip of the finger; clap takes the same for options.
    const ALIKE: f64 = 0.7;
    let word = word.to_lowercase();
    let names = names.map(|name| (strsim::jaro(&word, &name.to_lowercase()), name));
    let (likeness, name) = names.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > ALIKE).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_paths() {
        let words = |args: &[&str]| of(&args.iter().map(PathBuf::from).collect::<Vec<_>>());
        for args in [&["CUDA out of memory"][..], &["oom"], &["700"], &["BUG-20251110-002"], &["Xid", "79"]] {
            assert_eq!(words(args), Some(args.join(" ")), "{args:?}");
        }
        for args in [&["train.log"][..], &["logs/rank0"], &["-"], &["Cargo.toml", "oom"], &[]] {
            assert_eq!(words(args), None, "{args:?}");
        }
    }
}
