//! Which code a run ran: what its log says of commit and branch, otherwise what is checked out where its files are.
//!
//! The folder that a report is written in need not be that of the run: a log of files that are not in it says nothing
//! of its commit, and the other way round.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use memchr::memmem;
use regex::Regex;

use super::git::{self, State};
use crate::text::Transcript;

/// Files that a log names and that are looked for.
const LOOKED_FOR: usize = 200;

/// The state of the code of a run: `files` are those that its log names (see [`own_files`]).
///
/// # Errors
/// In words why it is not known.
pub(crate) fn of_run(
    here: &Path,
    without: &[PathBuf],
    files: &[String],
    transcript: &Transcript,
) -> Result<State, String> {
    let named = named(transcript);
    let there = files.iter().map(Path::new).find(|path| path.is_file()).and_then(Path::parent);
    let folder = there.unwrap_or(here);
    if let Some((commit, line)) = named.commit {
        let known = git::commit(folder, &commit).unwrap_or_default();
        return Ok(State {
            commit: if known.hash.is_empty() { commit } else { known.hash },
            subject: known.subject,
            branch: named.branch.unwrap_or_default(),
            is_dirty: named.is_dirty,
            source: format!("line {line} of the log"),
            ..State::default()
        });
    }
    if there.is_none() && !files.is_empty() {
        let top = git::root(here).unwrap_or_else(|| here.to_owned());
        if !files.iter().any(|file| is_in(file, &top)) {
            return Err("no file that the log names is in this folder".to_owned());
        }
    }
    let state = git::state(folder, without).map_err(|error| error.to_string())?;
    match named.branch {
        Some(branch) if branch != state.branch => {
            Err(format!("the log names the branch `{branch}`, which is not checked out here"))
        }
        _ => Ok(state),
    }
}

/// The files of the user's code that a log names with their whole path.
pub(crate) fn own_files(log: &[u8]) -> Vec<String> {
    const START: &[u8] = b"File \"/";
    let paths = memmem::find_iter(log, START).take(LOOKED_FOR).filter_map(|at| {
        let path = log.get(at + START.len() - 1..)?;
        let end = path.iter().take(4096).position(|byte| matches!(byte, b'"' | b'\n'))?;
        std::str::from_utf8(path.get(..end)?).ok()
    });
    // Every machine has a Python of its own in the usual places.
    let is_own =
        |path: &&str| !path.contains("/site-packages/") && !path.contains("/lib/python") && path.ends_with(".py");
    paths.filter(is_own).map(str::to_owned).collect()
}

/// Whether a folder has a file of another machine's: one at its top, or one in the same folder below it.
fn is_in(file: &str, top: &Path) -> bool {
    let parts: Vec<&str> = file.split('/').filter(|part| !part.is_empty()).collect();
    (0..parts.len()).any(|from| top.join(parts[from..].join("/")).is_file())
}

/// What a log says of the code.
#[derive(Debug, Default, PartialEq)]
struct Named {
    /// The hash and its physical line.
    commit: Option<(String, u32)>,
    branch: Option<String>,
    is_dirty: Option<bool>,
}

/// A hash has a letter, or all forty digits: other numbers are dates and counters.
fn is_hash(word: &str) -> bool {
    word.len() == 40 || word.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// The last state that the log names; a run that was started again names it again.
fn named(transcript: &Transcript) -> Named {
    /// "Git commit: 3af9fa8", "commit_hash = ...", "GIT_SHA=...", `git rev-parse` after a label; "HEAD is now at ...".
    static COMMIT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"(?ix) ^\W* (?: (?:current|code|repo|repository|project|source|export|ci|github|local|info|debug|using|running) [\s_.:-]+ )*
               (?: git [\s_.-]* (?:commit|sha1?|hash|revision|rev|head) | commit | sha )
               (?: [\s_-]* (?:hash|id|sha1?) )? ["'\]]? \s* [:=\s]+ \s* ["'\[]? (?P<hash>[0-9a-f]{7,40}) \b"#,
        )
        .expect("a pattern")
    });
    static HEAD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^HEAD is now at (?P<hash>[0-9a-f]{7,40})\b").expect("a pattern"));
    static BRANCH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"(?ix) (?: ^\W* (?:current|code|repo|project)? [\s_-]* | git [\s_-]* | ,\s* ) branch ["']? \s* [:=] \s* ["']?
               (?P<branch>[A-Za-z0-9][\w./-]*\w)"#,
        )
        .expect("a pattern")
    });
    static ON: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^On branch (?P<branch>[A-Za-z0-9][\w./-]*\w)$").expect("a pattern"));
    let mut found = Named::default();
    let mut branch_line = 0;
    for line in transcript.lines() {
        let text = line.text.trim();
        // Most lines name neither.
        if !["git", "commit", "sha", "branch", "HEAD"].iter().any(|word| contains_word(text, word)) {
            continue;
        }
        let hash =
            [&*COMMIT, &*HEAD].iter().find_map(|pattern| pattern.captures(text)).map(|found| found["hash"].to_owned());
        if let Some(hash) = hash.filter(|hash| is_hash(hash)) {
            let lower = text.to_ascii_lowercase();
            found.is_dirty = match () {
                () if lower.contains("status: clean") || lower.contains("dirty: false") => Some(false),
                () if lower.contains("uncommit") || lower.contains("dirty") => Some(true),
                () => None,
            };
            found.commit = Some((hash, line.number));
        }
        if let Some(branch) = [&*BRANCH, &*ON].iter().find_map(|pattern| pattern.captures(text)) {
            found.branch = Some(branch["branch"].to_owned());
            branch_line = line.number;
        }
    }
    // A branch alone counts where git is named around it: other things have branches too.
    let is_of_git = |number: u32| {
        transcript.lines().any(|line| line.number.abs_diff(number) <= 2 && contains_word(line.text, "git"))
    };
    if found.commit.is_none() && found.branch.is_some() && !is_of_git(branch_line) {
        found.branch = None;
    }
    found
}

fn contains_word(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_names_its_commit_and_branch() {
        const HASH: &str = "3af9fa878e73b6894ce3596450a8d9b89d918ca9";
        for (line, branch, is_dirty) in [
            (format!("  sha: {HASH}, status: clean, branch: feature/fpn"), Some("feature/fpn"), Some(false)),
            (format!("sha: {HASH}, status: has uncommited changes, branch: main"), Some("main"), Some(true)),
            (format!("2025-11-09 10:00:01,100 INFO Git commit: {HASH}"), None, None),
            (format!("git_sha = '{HASH}'"), None, None),
            (format!("GIT_COMMIT={HASH}"), None, None),
            (format!("\"commit_hash\": \"{HASH}\","), None, None),
            (format!("HEAD is now at {HASH} Halve the batch"), None, None),
        ] {
            let found = named(&crate::text::read(format!("start\n{line}\nend\n").as_bytes()));
            assert_eq!(found.commit, Some((HASH.to_owned(), 2)), "{line}");
            assert_eq!((found.branch.as_deref(), found.is_dirty), (branch, is_dirty), "{line}");
        }
    }

    #[test]
    fn what_belongs_to_something_else_is_no_commit_of_the_run() {
        for line in [
            "PyTorch built from commit 3af9fa878e73",
            "model revision: 3af9fa878e73b6894ce3596450a8d9b89d918ca9",
            "commit: 20251109",
            "sha256: 3af9fa878e73b6894ce3596450a8d9b89d918ca9",
            "commit interval: 500",
            "branch: taken",
            "transaction commit 3 of 7",
        ] {
            let found = named(&crate::text::read(format!("{line}\n").as_bytes()));
            assert_eq!(found, Named::default(), "{line}");
        }
    }

    #[test]
    fn a_folder_has_the_files_of_a_log_or_not() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("models")).expect("a folder");
        std::fs::write(folder.path().join("models/fpn.py"), "").expect("a file");
        assert!(is_in("/workspace/ocr/models/fpn.py", folder.path()));
        assert!(!is_in("/workspace/ocr/fpn.py", folder.path()));
    }
}
