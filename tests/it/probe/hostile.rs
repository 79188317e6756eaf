//! Drivers that hang, crash, deny or answer with unknown codes: limits are kept, the rest is still told.

use std::time::Duration;

use faultbook::machine::{self, CheckStatus, Level, Options};

use super::machine::{Machine, check, number, only_broken, says, text, within, yes};

#[test]
fn a_status_that_nobody_knows() {
    let outcome = Machine::with("unknown-code").probe(Level::Functional);
    assert_eq!(text(&outcome, "driver.init"), "unknown code 12345");
    assert_eq!(number(&outcome, "driver.init_code"), 12345.0);
    let (word, words) = check(&outcome, "context");
    assert_eq!(word, CheckStatus::UnknownCode);
    assert!(words.contains("cuInit returned 12345"), "{words}");
}

#[test]
fn an_initialisation_that_never_returns() {
    let machine = Machine::with("init-hang").deadline(0.6);
    let outcome = within(Duration::from_secs(6), || machine.probe(Level::Functional));
    assert_eq!(text(&outcome, "driver.init"), "timed out");
    assert_eq!(check(&outcome, "context").0, CheckStatus::TimedOut);
    assert_eq!(check(&outcome, "copy").0, CheckStatus::NotReached);
    assert_eq!(text(&outcome, "gpu.name"), "NVIDIA H100 80GB HBM3");
    says(&outcome, "cuInit did not answer within 0.6 s");
}

/// A device's time limit holds whatever happens on it, and a check that it cuts off is not called a hang.

#[test]
fn the_time_of_a_device_is_kept() {
    let machine = Machine::with("slow-products").torch_28();
    let options = Options { time: Duration::from_secs(2), deadline: Duration::from_secs(8), ..machine.options() };
    let outcome = within(Duration::from_secs(4), || machine::run(Level::Functional, &options));
    assert_eq!(check(&outcome, "copy").0, CheckStatus::Ok);
    let (word, words) = check(&outcome, "gemm_fp32");
    assert_eq!(word, CheckStatus::NotReached);
    assert!(words.contains("--time-limit"), "{words}");
    assert_eq!(check(&outcome, "largest_block").0, CheckStatus::NotReached);
    assert!(yes(&outcome, "ladder.holds"));
}

/// A check that hangs costs its deadline; those after it run in a new process.

#[test]
fn a_hang_in_one_library_leaves_the_rest() {
    let machine = Machine::with("slow-products").torch_28();
    let options = Options { deadline: Duration::from_secs(2), ..machine.options() };
    let outcome = machine::run(Level::Functional, &options);
    assert_eq!(check(&outcome, "gemm_fp32").0, CheckStatus::TimedOut);
    assert_eq!(check(&outcome, "gemm_tf32").0, CheckStatus::TimedOut);
    let (word, words) = check(&outcome, "conv_forward");
    assert_eq!((word, words.as_str()), (CheckStatus::NotReached, "too many checks have hung"));
}

#[test]
fn a_management_library_that_never_returns() {
    let outcome = Machine::with("nvml-hang").deadline(0.6).probe(Level::Quick);
    assert_eq!(text(&outcome, "nvml.error"), "timed out");
    assert_eq!(text(&outcome, "driver.init"), "ok");
    assert!(outcome.facts.why_unknown("gpu.memory.free").is_some_and(|why| why.contains("did not answer")));
}

#[test]
fn a_gpu_that_never_answers_leaves_the_others_facts() {
    let outcome = Machine::with("second-card-hangs").deadline(2.0).probe(Level::Quick);
    assert_eq!(text(&outcome, "gpu.0.name"), "NVIDIA H100 80GB HBM3");
    assert_eq!(text(&outcome, "driver.version"), "580.95.05");
    says(&outcome, "NVML did not answer within 2.0 s");
    says(&outcome, "GPU 1 does not answer: timed out");
}

#[test]
fn a_clean_up_that_never_returns_costs_nothing() {
    let outcome = Machine::with("exit-hang").torch_28().probe(Level::Functional);
    assert_eq!(text(&outcome, "driver.init"), "ok");
    only_broken(&outcome, &[]);
    assert!(outcome.findings.is_empty(), "{:#?}", outcome.findings);
}

#[test]
fn the_budget_of_a_diagnosis_is_kept() {
    let machine = Machine::with("init-hang").torch_28();
    let options = Options { budget: Some(Duration::from_millis(280)), ..machine.options() };
    let outcome = within(Duration::from_millis(600), || machine::run(Level::Quick, &options));
    assert_eq!(text(&outcome, "gpu.name"), "NVIDIA H100 80GB HBM3");
    // Slow is not a hang: the only finding about cuInit is that it was not waited for.
    assert_eq!(outcome.facts.text("driver.init"), None);
    assert!(outcome.facts.why_unknown("driver.init").is_some_and(|why| why.contains("no answer within 280 ms")));
    says(&outcome, "no answer within 280 ms from cuInit");
}

#[test]
fn a_crash_costs_one_check() {
    let outcome = Machine::with("child-crash").torch_28().probe(Level::Functional);
    only_broken(&outcome, &["kernel", "nvrtc", "repeat"]);
    let (word, words) = check(&outcome, "kernel");
    assert_eq!(word, CheckStatus::Crashed);
    assert!(words.contains("SIGABRT"), "{words}");
    assert_eq!(check(&outcome, "gemm_fp32").0, CheckStatus::Ok);
}

#[test]
fn no_permission() {
    let outcome = Machine::with("no-permission").probe(Level::Quick);
    assert_eq!(text(&outcome, "nvml.error"), "no permission");
    says(&outcome, "this user has no permission");
    says(&outcome, "sees no device");
}

#[test]
fn an_error_of_the_past_poisons_only_what_synchronises() {
    let outcome = Machine::with("poisoned-context").torch_28().probe(Level::Functional);
    assert_eq!(check(&outcome, "context").0, CheckStatus::Ok);
    assert!(check(&outcome, "copy").1.contains("700 (CUDA_ERROR_ILLEGAL_ADDRESS)"));
}
