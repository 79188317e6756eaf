//! A temporary project to run the command in, with a cache of its own.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// A text that the book knows.
pub(crate) const ENGINE: &str = "\
2026-11-20 10:00:01 INFO start of training
Traceback (most recent call last):
  File \"/home/user/ocr/runners/train.py\", line 88, in <module>
    trainer.fit(model, datamodule)
  File \"/home/user/ocr/models/fpn.py\", line 51, in forward
    x = self.lateral(x)
RuntimeError: GET was unable to find an engine to execute this computation
";

/// A real error that no page is about.
pub(crate) const UNLISTED: &str = "\
Traceback (most recent call last):
  File \"ocr/data/collate.py\", line 41, in collate_fn
    target = sample[\"gt_shrink\"]
GroundTruthError: sample 17 has no shrunk map
";

/// A healthy text.
pub(crate) const HEALTHY: &str = "epoch 1 loss 0.41\nepoch 2 loss 0.33\ndone\n";

/// A bug report of a project.
pub(crate) const REPORT: &str = "\
---
title: \"Bug 20260101 007 lateral layer finds no engine\"
date: \"2026-01-01\"
type: bug_report
status: resolved
---
# Bug Report: lateral layer finds no engine

## Bug ID
BUG-20260101-007

## Summary
The lateral layer of the decoder stops at its first call.

## Logs / Stack Trace
```
RuntimeError: GET was unable to find an engine to execute this computation
```

## Proposed Solution
### Solution 1: Halve the batch (RECOMMENDED)
```bash
python train.py batch_size=2
```

## Test Plan
- [x] one step passes
- [ ] one epoch passes
";

/// A folder that the command runs in.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// An empty project.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join(".git")).expect("a folder");
        Self { folder }
    }

    /// A project with one bug report.
    pub(crate) fn with_report() -> Self {
        let place = Self::new();
        place.file("docs/bug_reports/BUG-20260101-007.md", REPORT);
        place
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(&path, text).expect("a file");
        path
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The command with nothing inherited that could change its answer.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::cargo_bin("faultbook").expect("the binary");
        command.current_dir(self.path()).env("XDG_CACHE_HOME", self.path().join("cache"));
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
            command.env_remove(name);
        }
        command
    }

    /// The command with arguments separated by blanks.
    pub(crate) fn run(&self, arguments: &str, stdin: impl Into<Vec<u8>>) -> Answer {
        let output = self.command().args(arguments.split_whitespace()).write_stdin(stdin).output().expect("runs");
        Answer::of(&output)
    }
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Answer {
    /// What a finished process left.
    pub(crate) fn of(output: &std::process::Output) -> Self {
        Self {
            code: output.status.code().expect("not killed"),
            out: String::from_utf8(output.stdout.clone()).expect("UTF-8"),
            err: String::from_utf8(output.stderr.clone()).expect("UTF-8"),
        }
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}
