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
    /// A slip of the finger; clap takes the same for options.
    const ALIKE: f64 = 0.7;
    let commands = Arguments::command();
    let commands = commands.get_subcommands().map(|command| command.get_name().to_owned());
    let pages = knowledge.book.faults.iter().map(|page| page.id.clone());
    let reports = lookup::entries(knowledge).map(|report| report.id.clone());
    let word_lower = word.to_lowercase();
    let likeness = |name: &String| strsim::jaro(&word_lower, &name.to_lowercase());
    let names = commands.chain(pages).chain(reports).map(|name| (likeness(&name), name));
    let hint = match names.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(likeness, _)| *likeness > ALIKE) {
        Some((_, name)) => format!("did you mean `{name}`? `faultbook --help` lists the commands"),
        None => format!("see `faultbook --help` for the commands, or search with `faultbook search {word}`"),
    };
    Failure::new(format!("no file, command, page, report or code is called `{word}`")).hint(hint)
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
