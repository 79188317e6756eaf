//! From a traceback and saved facts to a finished report: what it says, that the linter passes it, that the lenient
//! reader reads it back, and that `diagnose` then finds it first.

use std::fs;
use std::path::{Path, PathBuf};

use faultbook::book::report::{Report, SolutionKind};
use faultbook::reports::reading;

use crate::place::{ENGINE, HEALTHY, Place, UNLISTED};

/// The second run of the migration from a 24 GB to a 12 GB GPU.
pub(crate) const SECOND_RUN: &str = "\
$ uv run python runners/train.py dataloaders.train_dataloader.batch_size=4
Epoch 0/0  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 0/818
Traceback (most recent call last):
  File \"/home/wonder/ocr/runners/train.py\", line 88, in <module>
    trainer.fit(model, datamodule)
  File \"/home/wonder/ocr/ocr/lightning_modules/detection.py\", line 61, in training_step
    loss.backward()
  File \"/home/wonder/ocr/.venv/lib/python3.10/site-packages/torch/_tensor.py\", line 647, in backward
    torch.autograd.backward(
RuntimeError: FIND was unable to find an engine to execute this computation
";

/// The machine on which it happened.
pub(crate) fn facts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/facts/rtx3060-nearly-full.json")
}

/// A project with a folder for reports.
pub(crate) fn project() -> Place {
    let place = Place::new();
    place.file("docs/bug_reports/README.md", "Our bug reports.\n");
    place
}

/// The report that a run of `new` wrote.
pub(crate) fn written(place: &Place, out: &str) -> (PathBuf, String) {
    let path = place.path().join(out.trim_end());
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{out}: {error}"));
    (path, text)
}

pub(crate) fn second_run(place: &Place) -> (PathBuf, String) {
    let facts = facts();
    let answer = place
        .run(&format!("new - --facts {} --former-gpu RTX-3090 --date 2025-11-10T18:08", facts.display()), SECOND_RUN);
    assert_eq!(answer.code, 0, "{}", answer.err);
    written(place, &answer.out)
}

#[test]
fn the_second_run_of_the_migration_becomes_a_report_without_findings_but_todos() {
    let place = project();
    let (path, text) = second_run(&place);
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    assert!(name.starts_with("BUG-20251110-001-cudnn-found-no-engine"), "{name}");
    for part in [
        "bug_id: \"BUG-20251110-001\"",
        "severity: \"high\"",
        "status: \"open\"",
        "NVIDIA GeForce RTX 3060 12GB",
        "- **cuDNN:** 9.10.2.21",
        "- **PyTorch:** 2.8.0+cu128",
        "uv run python runners/train.py dataloaders.train_dataloader.batch_size=4",
        "^^^ primary error",
        "confirmed by measurement",
        "pid 4312 uses 10.9 GiB",
        "### Solution 1: Halve the batch, keep the effective batch (RECOMMENDED)",
        "### Phase 1: Confirm the cause",
        "| memory | 24 GiB | 12 GiB |",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let check = place.run("check --format json", "");
    let findings = check.json();
    let rules: Vec<&str> =
        findings["findings"].as_array().expect("a list").iter().filter_map(|one| one["rule"].as_str()).collect();
    let todos = text.lines().filter(|line| line.contains("TODO")).count();
    assert!(rules.iter().all(|rule| *rule == "todo"), "{rules:?}");
    // The footer names the word itself.
    assert_eq!(rules.len(), todos - 1, "{text}");
}

#[test]
fn the_lenient_reader_reads_it_back_without_loss() {
    let place = project();
    let (path, text) = second_run(&place);
    let report: Report = reading::read(&path, &text);
    assert_eq!(report.id, "BUG-20251110-001");
    assert_eq!(report.title, "cuDNN found no engine for the computation on RTX 3060 12GB");
    assert_eq!(report.status, "open");
    assert_eq!(report.environment.text("gpu.name"), Some("NVIDIA GeForce RTX 3060"));
    assert_eq!(report.environment.text("torch.version"), Some("2.8.0+cu128"));
    assert_eq!(report.environment.text("cudnn.version"), Some("9.10.2.21"));
    assert_eq!(report.environment.number("run.batch_size"), Some(4.0));
    assert!(report.errors.iter().any(|error| error.contains("FIND was unable to find an engine")), "{report:?}");
    for frame in ["runners/train.py", "detection.py"] {
        assert!(report.frames.iter().any(|known| known.contains(frame)), "{frame}: {:?}", report.frames);
    }
    assert!(report.root_causes.iter().any(|cause| cause.contains("GPU memory is exhausted")), "{report:?}");
    let headings = text.lines().filter(|line| line.starts_with("### Solution ")).count();
    let proposed = report.solutions.iter().filter(|one| one.kind == SolutionKind::Proposed);
    assert_eq!(proposed.clone().count(), headings);
    assert!(proposed.clone().all(|one| !one.title.is_empty()));
    let recommended: Vec<_> = proposed.filter(|one| one.recommended).collect();
    assert_eq!(recommended.len(), 1);
    assert!(recommended[0].commands.iter().any(|command| command.contains("accumulate_grad_batches=2")));
    let boxes = text.lines().filter(|line| line.trim_start().starts_with("- [ ] ")).count();
    assert_eq!(report.tasks.iter().filter(|task| !task.done).count(), boxes);
}

#[test]
fn diagnose_then_finds_it_first_for_the_same_text() {
    let place = project();
    place.file("docs/bug_reports/BUG-20250101-001.md", crate::place::REPORT);
    second_run(&place);
    let answer = place.run("diagnose - --no-probe --format json", SECOND_RUN).json();
    assert_eq!(answer["reports"][0]["id"], "BUG-20251110-001");
    let score = answer["reports"][0]["score"].as_f64().expect("a number");
    assert!(score > 0.9, "{score}");
}

#[test]
fn nothing_is_invented_where_nothing_is_known() {
    let place = project();
    let answer = place.run("new - --no-probe", UNLISTED);
    let (_, text) = written(&place, &answer.out);
    for part in [
        "severity: \"TODO: critical, high, medium or low\"",
        "- **GPU:** TODO:",
        "2. TODO: give the command that was run.",
        "`GroundTruthError: sample 17 has no shrunk map`",
        "a failure for which the book has no page",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("### Solution"), "{text}");
}

#[test]
fn a_text_without_an_error_is_refused_unless_somebody_says_what_it_is() {
    let place = project();
    for text in ["", HEALTHY, "\0\0\0"] {
        let answer = place.run("new -", text);
        assert_eq!(answer.code, 1, "{text:?}");
        assert_eq!(answer.out, "");
        assert!(answer.err.contains("nothing was written"), "{}", answer.err);
    }
    let answer = place.command().args(["new", "-", "--title", "The loss stays flat"]).write_stdin(HEALTHY).output();
    let answer = crate::place::Answer::of(&answer.expect("runs"));
    let (path, text) = written(&place, &answer.out);
    assert!(path.to_string_lossy().ends_with("the-loss-stays-flat.md"), "{path:?}");
    assert!(text.contains("TODO: say what happened instead."), "{text}");
}

#[test]
fn a_run_of_this_machine_gets_its_software_and_a_run_of_another_does_not() {
    let place = project();
    let site = "venv/lib/python3.11/site-packages";
    place.file("venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.4\n");
    place.file("venv/bin/python", "");
    place.file(&format!("{site}/torch/version.py"), "__version__ = '2.8.0+cu128'\ncuda: str = '12.8'\n");
    place.file(&format!("{site}/torch-2.8.0.dist-info/METADATA"), "Name: torch\nVersion: 2.8.0\n");
    let own = place.file("ocr/train.py", "");
    let log = |file: &Path| {
        format!(
            "Traceback (most recent call last):\n  File \"{}\", line 3, in step\nGroundTruthError: 'gt'\n",
            file.display()
        )
    };
    let answer = place.run("new - --stdout --python venv", log(&own));
    assert!(answer.out.contains("- **PyTorch:** 2.8.0+cu128"), "{}", answer.out);
    for other in [place.run("new - --stdout --python venv", log(Path::new("/srv/gone/train.py"))), {
        place.run("new - --stdout --python venv --no-probe", log(&own))
    }] {
        assert!(!other.out.contains("PyTorch"), "{}", other.out);
    }
}

#[test]
fn it_goes_where_the_project_says_and_is_named_as_it_says() {
    let place = Place::new();
    place.file(
        "faultbook.toml",
        "[reports]\npaths = [\"notes\", \"bugs\"]\nfolder = \"bugs\"\nfile_name = \"{date}_{time}_BUG_{nnn}_{slug}.md\"\n",
    );
    place.file("notes/BUG-20251110-004.md", "# BUG-20251110-004: another folder\n");
    place.file("bugs/none.txt", "");
    let answer = place.run("new - --no-probe --date 2025-11-10T18:08", ENGINE);
    assert_eq!(
        answer.out.trim_end(),
        "bugs/2025-11-10_1808_BUG_005_cudnn-found-no-engine-for-the-computation.md",
        "{}",
        answer.err
    );
    let elsewhere = place.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    let answer = place.run("new - --no-probe --date 2025-11-10T18:08 --reports elsewhere", ENGINE);
    assert!(answer.out.starts_with("elsewhere/2025-11-10_1808_BUG_001"), "{}", answer.out);
}

#[test]
fn without_a_folder_it_says_what_to_do_and_prints_on_request() {
    let place = Place::new();
    let answer = place.run("new - --no-probe", ENGINE);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("mkdir -p docs/bug_reports"), "{}", answer.err);
    let answer = place.run("new - --no-probe --stdout", ENGINE);
    assert_eq!(answer.code, 0);
    assert!(answer.out.starts_with("---\ntitle: "), "{}", answer.out);
    assert_eq!(fs::read_dir(place.path()).expect("a folder").count(), 1, "only .git");
    let answer = place.run("new - --no-probe --stdout --former-gpu RTX-9999", ENGINE);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("no GPU in the catalog is named `RTX-9999`"), "{}", answer.err);
}

#[test]
fn a_folder_that_cannot_be_written_is_a_clear_error() {
    let place = Place::new();
    place.file("reports", "a file, not a folder");
    let answer = place.run("new - --no-probe --reports reports", ENGINE);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("`reports` is a file; new reports need a folder"), "{}", answer.err);
}
