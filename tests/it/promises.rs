//! What the first issue promised of one team's reports: their failures are named, their reports found, their fixes
//! shown, nothing in them lost. Runs on our own retelling in kb/reports and, where it lies beside the checkout, on the
//! originals.

use crate::support::left_out;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// The original documents, where a developer has them.
const ORIGINALS: &str = "../shared/seeds";

const SECOND_RUN: &str = "Epoch 0/0  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 0/818\n\
    RuntimeError: FIND was unable to find an engine to execute this computation\n";
const FIRST_RUN: &str = "Epoch 0/0  ━╺━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 26/818\n\
    torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n";
const EXECUTION_FAILED: &str = "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\n  \
    File \".../ocr/models/decoder/fpn_decoder.py\", line 68, in forward\n    return self.fusion(fused)\n  ...\n\
    torch.AcceleratorError: CUDA error: an illegal instruction was encountered\n  \
    File \".../lightning/fabric/utilities/optimizer.py\", line 104, in batch_to\n    \
    data_output = data.to(device, **kwargs)\n";
const ILLEGAL_INSTRUCTION: &str = "Error location: torch.autograd.graph.py:829 in _engine_run_backward\n\
    torch.AcceleratorError: CUDA error: an illegal instruction was encountered\n";

/// Runs `check` with each folder of reports at hand.
fn with_reports(check: impl Fn(&Path)) {
    check(Path::new("kb/reports"));
    if Path::new(ORIGINALS).is_dir() {
        check(Path::new(ORIGINALS));
    } else {
        left_out::note(
            "promises on the original reports",
            &format!("{ORIGINALS} is not here; only kb/reports was checked"),
        );
    }
}

fn run(reports: &Path, arguments: &[&str], input: &str) -> String {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::cargo_bin("faultbook").expect("the binary is built");
    let output = command
        .env("XDG_CACHE_HOME", cache.path())
        .args(["--reports"])
        .arg(reports)
        .args(arguments)
        .write_stdin(input)
        .output()
        .expect("the binary runs");
    String::from_utf8(output.stdout).expect("an answer is text")
}

fn diagnose(reports: &Path, input: &str) -> Value {
    serde_json::from_str(&run(reports, &["diagnose", "--format", "json", "-"], input)).expect("the answer is JSON")
}

fn ids(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(|item| item["id"].as_str()).collect()
}

#[test]
fn the_second_run_finds_no_engine_because_memory_is_exhausted() {
    with_reports(|reports| {
        let answer = diagnose(reports, SECOND_RUN);
        assert_eq!(answer["fault"]["id"], "cudnn-no-engine");
        assert_eq!(ids(&answer["causes"])[0], "memory-exhausted");
        assert_eq!(ids(&answer["reports"])[0], "BUG-20251110-003");
        let reasons = answer["causes"][0]["reasons"].to_string();
        assert!(reasons.contains("the GPU has 12.0 GiB"), "the report's GPU is evidence: {reasons}");
        let shown = run(reports, &["diagnose", "-"], SECOND_RUN);
        assert!(shown.contains("trainer.accumulate_grad_batches=2"), "the recommended command is shown:\n{shown}");
    });
}

#[test]
fn the_first_run_is_an_illegal_address() {
    with_reports(|reports| {
        let answer = diagnose(reports, FIRST_RUN);
        assert_eq!(answer["fault"]["id"], "illegal-address");
        assert_eq!(ids(&answer["reports"])[0], "BUG-20251110-003");
    });
}

#[test]
fn an_illegal_instruction_at_teardown_follows_from_the_cudnn_failure() {
    with_reports(|reports| {
        let answer = diagnose(reports, EXECUTION_FAILED);
        assert_eq!(answer["fault"]["id"], "cudnn-execution-failed");
        assert_eq!(ids(&answer["cascade"]), ["illegal-instruction"]);
        assert_eq!(ids(&answer["reports"])[0], "BUG-20251110-002");
        let shown = run(reports, &["diagnose", "-"], EXECUTION_FAILED);
        assert!(shown.contains("at teardown"), "{shown}");
    });
}

#[test]
fn an_illegal_instruction_is_not_an_illegal_address() {
    with_reports(|reports| {
        assert_eq!(diagnose(reports, ILLEGAL_INSTRUCTION)["fault"]["id"], "illegal-instruction");
        let shown = run(reports, &["diagnose", "-"], ILLEGAL_INSTRUCTION);
        assert!(shown.contains("Easily confused with: illegal-address"), "{shown}");
    });
}

#[test]
fn the_words_of_the_article_are_out_of_memory() {
    with_reports(|reports| {
        let words = "a `CUDA_ERROR_OUT_OF_MEMORY` or a similar error is thrown, halting execution\n";
        assert_eq!(diagnose(reports, words)["fault"]["id"], "oom");
    });
}

#[test]
fn the_batch_is_halved_in_the_users_own_command_line() {
    let text = format!("$ uv run python runners/train.py dataloaders.train_dataloader.batch_size=4\n{SECOND_RUN}");
    let answer = diagnose(Path::new("kb/reports"), &text);
    let fix = &answer["causes"][0]["fixes"][0]["commands"][0];
    assert_eq!(fix, "dataloaders.train_dataloader.batch_size=2 trainer.accumulate_grad_batches=2");
}

#[test]
fn documents_are_shown_whole() {
    with_reports(|reports| {
        let shown = run(reports, &["show", "BUG-20251110-003", "--format", "markdown"], "");
        for words in ["ResNet18", "16-mixed", "512", "test_minimal_batch.sh", "Phase 3", "936 GB/s", "3272"] {
            assert!(shown.contains(words), "`{words}` is lost");
        }
    });
}
