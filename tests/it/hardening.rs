//! Hostile texts, reports, names and folders: nothing steers the terminal, nothing stops an answer, nothing grows out of
//! bounds. Every check here was seen failing before the change that it holds.

mod boundaries;
#[cfg(unix)]
mod every;
#[cfg(target_os = "linux")]
mod faults;
mod folders;
mod invariants;
mod limits;
#[cfg(unix)]
mod terminal;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A project with three reports and a log of the third.
pub(crate) fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::create_dir_all(at.join("p/reports")).expect("folders");
    fs::create_dir_all(at.join("p/.git")).expect("folders");
    fs::write(at.join("p/faultbook.toml"), "[reports]\npaths = [\"reports\"]\n").expect("settings");
    for n in 1..4 {
        fs::write(at.join(format!("p/reports/r{n}.md")), report(&format!("BUG-2026010{n}-001"), n)).expect("a report");
    }
    fs::write(at.join("p/train.log"), log(3)).expect("a log");
    folder
}

pub(crate) fn report(id: &str, n: usize) -> String {
    format!(
        "---\nbug_id: {id}\ntitle: Number {n} quuxology\nstatus: open\ndate: 2026-01-0{n}\n---\n# T\n\n## Summary\n\nIt \
         broke zorg{n}.\n\n```text\n{}```\n",
        log(n)
    )
}

fn log(n: usize) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"train{n}.py\", line 3, in <module>\n    main()\nRuntimeError: strange \
         failure {n}\n"
    )
}

/// Runs a command in the project of a folder.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_faultbook"))
        .args(arguments)
        .current_dir(folder.join("p"))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("HOME", folder)
        .env_remove("COLUMNS")
        .output()
        .expect("it runs")
}

/// What a command printed, after it ended as it should.
pub(crate) fn says(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let code = output.status.code();
    assert!(code.is_some_and(|code| code < 2), "{arguments:?}: {code:?} {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
