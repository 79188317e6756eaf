//! Functional checks: wrong copies, matmuls and convolutions are found.

use faultbook::machine::{CheckStatus, Level};

use super::machine::{Machine, check, number, only_broken, says, text};

#[test]
fn stress_adds_patterns_and_matmuls() {
    let machine = Machine::with("cudnn-without-workspace").torch_28();
    let outcome = machine.probe(Level::Stress);
    assert_eq!(check(&outcome, "memory_patterns").0, CheckStatus::Ok);
    assert_eq!(check(&outcome, "gemm_stress").0, CheckStatus::Ok);
}

#[test]
fn silent_corruption_of_copies() {
    let outcome = Machine::with("silent-copy").probe(Level::Functional);
    let (word, words) = check(&outcome, "copy");
    assert_eq!((word, words.as_str()), (CheckStatus::Wrong, "1 of 1048576 bytes came back changed"));
    says(&outcome, "wrong results of copy");
}

#[test]
fn a_wrong_matmul_in_one_precision() {
    let outcome = Machine::with("gemm-wrong").torch_28().probe(Level::Functional);
    only_broken(&outcome, &["gemm_fp16"]);
    assert!(check(&outcome, "gemm_fp16").1.contains("1 of 256 rows"), "{:?}", check(&outcome, "gemm_fp16"));
    assert_eq!(text(&outcome, "ladder.gemm_fp16"), "wrong");
}

#[test]
fn a_device_newer_than_its_compiler_is_not_broken() {
    let outcome = Machine::with("newer-than-its-compiler").torch_28().probe(Level::Functional);
    only_broken(&outcome, &[]);
    assert!(check(&outcome, "nvrtc").1.contains("compiled for compute_120"), "{:?}", check(&outcome, "nvrtc"));
    assert_eq!(check(&outcome, "conv_forward_no_workspace").0, CheckStatus::Skipped);
}

#[test]
fn a_compiler_newer_than_the_driver_compiles_for_the_device_itself() {
    let outcome = Machine::with("compiler-newer-than-driver").torch_28().probe(Level::Functional);
    only_broken(&outcome, &[]);
    assert!(check(&outcome, "nvrtc").1.contains("compiled for sm_90"), "{:?}", check(&outcome, "nvrtc"));
}

#[test]
fn precisions_are_asked_of_those_that_have_them() {
    let ended = |scenario: &str| Machine::with(scenario).torch_28().probe(Level::Functional);
    let outcome = ended("cublas-10");
    only_broken(&outcome, &[]);
    assert_eq!(
        (check(&outcome, "gemm_fp16").0, check(&outcome, "gemm_tf32").0),
        (CheckStatus::Ok, CheckStatus::Skipped)
    );
    assert_eq!(check(&ended("bf16-too-new"), "gemm_bf16").0, CheckStatus::Skipped);
    only_broken(&ended("bf16-refused"), &["gemm_bf16"]);
}

#[test]
fn a_failing_matmul_in_one_precision() {
    let outcome = Machine::with("gemm-crash").torch_28().probe(Level::Functional);
    only_broken(&outcome, &["gemm_fp16"]);
    assert!(check(&outcome, "gemm_fp16").1.contains("CUBLAS_STATUS_EXECUTION_FAILED"));
    assert_eq!(number(&outcome, "ladder.code.gemm_fp16"), 13.0);
}

#[test]
fn convolutions_without_room_for_workspace() {
    let outcome = Machine::with("cudnn-without-workspace").torch_28().probe(Level::Functional);
    only_broken(&outcome, &["conv_forward", "conv_backward_data", "conv_backward_filter", "repeat"]);
    assert!(check(&outcome, "conv_backward_filter").1.contains("needs 1.1 GiB of workspace"));
}

#[test]
fn a_wrong_gradient() {
    let outcome = Machine::with("conv-wrong").torch_28().probe(Level::Functional);
    only_broken(&outcome, &["conv_backward_filter", "conv_backward_filter_no_workspace", "repeat"]);
    assert_eq!(check(&outcome, "conv_forward").0, CheckStatus::Ok);
}

#[test]
fn peers_copy_directly() {
    let outcome = Machine::with("two-cards").probe(Level::Functional);
    let peers: Vec<_> =
        outcome.checks.iter().filter(|check| check.name == "peer").map(|check| check.says.as_str()).collect();
    assert_eq!(peers, ["direct copies with device 1 correct", "direct copies with device 0 correct"]);
}
