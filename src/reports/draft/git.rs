//! The state of a repository, read through the `git` command, read-only.
//!
//! No git, no repository and a failing command are results with a reason. No lock is taken and no hook or pager is run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::Error;

/// How many changed files are named.
const NAMED: usize = 10;

/// The state of a working tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// The commit that is checked out.
    pub commit: String,
    /// Its first line.
    pub subject: String,
    /// The branch; empty when none is checked out.
    pub branch: String,
    /// Files that differ from the commit.
    pub changed: Vec<String>,
    /// How many files differ, those not named included.
    pub changes: usize,
    /// Whether files differ from the commit, where a log says only that.
    pub is_dirty: Option<bool>,
    /// Where this is known from.
    pub source: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Commit {
    /// The whole hash.
    pub hash: String,
    pub day: String,
    /// The first line of its message.
    pub subject: String,
}

/// A file that a commit changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// The file.
    pub path: String,
    /// Lines added; `None` for binary files.
    pub added: Option<u32>,
    /// Lines removed.
    pub removed: Option<u32>,
}

/// Nine characters distinguish commits and fit a line.
pub(crate) fn short(hash: &str) -> &str {
    hash.get(..9).unwrap_or(hash)
}

/// The state of the working tree of `folder`, or why it is unknown. Files in the folders `without`, reports that
/// were written since, do not count as changes of the code.
///
/// # Errors
/// When git is not installed, or the folder is not in a repository with a commit.
pub(crate) fn state(folder: &Path, without: &[PathBuf]) -> Result<State, Error> {
    let head = ask(folder, &["log", "-1", "--format=%H%n%s"])?;
    let (commit, subject) = head.split_once('\n').unwrap_or((&head, ""));
    let branch = ask(folder, &["branch", "--show-current"]).unwrap_or_default();
    let status = ask(folder, &["status", "--porcelain=v1", "--untracked-files=no", "--ignore-submodules"])?;
    let top = if status.is_empty() { None } else { root(folder) };
    let without: Vec<PathBuf> = without.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    let is_code = |path: &&str| {
        let path = top.as_ref().map(|top| top.join(path.trim_matches('"')));
        !path.is_some_and(|path| without.iter().any(|folder| path.starts_with(folder) && Some(folder) != top.as_ref()))
    };
    let changed = status.lines().filter_map(|line| line.get(3..)).filter(is_code);
    let changed: Vec<String> = changed.map(str::to_owned).collect();
    Ok(State {
        commit: commit.to_owned(),
        subject: subject.trim().to_owned(),
        branch: branch.trim().to_owned(),
        changes: changed.len(),
        is_dirty: Some(!changed.is_empty()),
        source: "checked out when this was written".to_owned(),
        changed: changed.into_iter().take(NAMED).collect(),
    })
}

/// The commit that a revision means.
///
/// # Errors
/// When git is not installed or knows no such revision.
pub(crate) fn commit(folder: &Path, revision: &str) -> Result<Commit, Error> {
    if revision.starts_with('-') {
        return Err(Error::Git {
            message: format!("`{revision}` is not a revision"),
            hint: "name a commit, a tag or HEAD".into(),
        });
    }
    let stdout = ask(folder, &["log", "-1", "--format=%H%x1f%cs%x1f%s", revision, "--"])?;
    Ok(commit_of(&stdout))
}

/// The files that a commit changed.
///
/// # Errors
/// When git is not installed or knows no such commit.
pub(crate) fn changes(folder: &Path, hash: &str) -> Result<Vec<Change>, Error> {
    let stdout = ask(folder, &["show", "--numstat", "--format=", "--no-renames", hash, "--"])?;
    let change = |line: &str| {
        let mut parts = line.splitn(3, '\t');
        let (added, removed, path) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Change { path: path.to_owned(), added: added.parse().ok(), removed: removed.parse().ok() })
    };
    Ok(stdout.lines().filter_map(change).collect())
}

/// Commits of all branches and tags whose message matches an extended regular expression, newest first, each with its
/// whole message.
///
/// # Errors
/// When git is not installed, or the folder is not in a repository with a commit.
pub(crate) fn messages_that_say(folder: &Path, pattern: &str) -> Result<Vec<(Commit, String)>, Error> {
    let grep = format!("--grep={pattern}");
    let format = "--format=%H%x1f%cs%x1f%s%x1f%B%x1e";
    let of = ["log", "--branches", "--tags", "--remotes", "--extended-regexp", "--regexp-ignore-case"];
    let stdout = ask(folder, &[&of[..], &[&grep, format, "HEAD", "--"]].concat())?;
    let commit = |record: &str| {
        let (head, message) = record.trim_start().rsplit_once('\u{1f}')?;
        Some((commit_of(head), message.to_owned()))
    };
    Ok(stdout.split('\u{1e}').filter_map(commit).collect())
}

/// The top folder of the repository.
pub(crate) fn root(folder: &Path) -> Option<PathBuf> {
    let stdout = ask(folder, &["rev-parse", "--show-toplevel"]).ok()?;
    Some(PathBuf::from(stdout.trim_end_matches('\n'))).filter(|path| path.is_absolute())
}

fn commit_of(line: &str) -> Commit {
    let mut parts = line.trim_end().splitn(3, '\u{1f}').map(str::to_owned);
    let mut next = || parts.next().unwrap_or_default();
    Commit { hash: next(), day: next(), subject: next() }
}

/// The output of a git command.
fn ask(folder: &Path, question: &[&str]) -> Result<String, Error> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args([
            "--no-pager",
            "--no-optional-locks",
            "-c",
            "core.quotePath=false",
            "-c",
            "color.ui=false",
            "-c",
            "log.showSignature=false",
            "-c",
            "core.fsmonitor=false",
        ])
        .args(question)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    let refused =
        |message: String| Error::Git { message, hint: "this needs a git repository with a commit".to_owned() };
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => refused("it is not installed".to_owned()),
        _ => refused(error.to_string()),
    })?;
    if !output.status.success() {
        let stdout = String::from_utf8_lossy(&output.stderr);
        let line = stdout.lines().next().unwrap_or("it failed without a message");
        let line = line.split(" (or any").next().unwrap_or(line);
        return Err(refused(line.trim_start_matches("fatal: ").to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
