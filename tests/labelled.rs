//! One test per file of tests/corpus: the text gets the fault of its folder, and its cause first.
//!
//! `cargo test` runs this binary last, so it also ends the run with the list of checks that were left out.

#[path = "it/support.rs"]
mod support;

use std::path::Path;
use std::process::ExitCode;

use faultbook::diagnosis::Verdict;
use libtest_mimic::{Arguments, Failed, Trial};
use support::{Case, left_out, texts};

/// Cases that are answered otherwise, with the reason. One that is answered as labelled again must leave this list.
const KNOWN: &[(&str, &str)] = &[
    (
        "own-triton24-assembler.environment-variable.txt",
        "the exception names neither Triton nor a compiler, only its frames do, and signatures do not look at frames",
    ),
    (
        "own-tf-visible.cpu-build.txt",
        "only a line of the program's own words (built with CUDA: False) tells; TensorFlow itself prints nothing",
    ),
    (
        "dist-debug-detail.collective-mismatch.txt",
        "the text holds exit code -11 and nothing of the collective that was labelled",
    ),
    (
        "hard-zh-mamba-smem-oneliner.kernel-bug.txt",
        "the numbers are those of a request that smaller blocks would serve; only the story told that the kernel was wrong",
    ),
    ("dist-port-in-use.network.txt", "the text says EADDRINUSE, which the closed list calls port-in-use"),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = texts().into_iter().map(|path| {
        let name = path.strip_prefix("tests/corpus").unwrap_or(&path).display().to_string();
        Trial::test(name, move || answers_as_labelled(&path))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    if !arguments.list {
        left_out::tell();
    }
    conclusion.exit_code()
}

fn answers_as_labelled(path: &Path) -> Result<(), Failed> {
    let case = Case::of(path);
    let diagnosis = support::diagnose(&std::fs::read(path)?);
    let fault = diagnosis.fault.as_ref().map(|fault| fault.id.as_str());
    let first = diagnosis.causes.first().map(|cause| cause.id.as_str());
    let mut wrong = Vec::new();
    if fault != case.fault.as_deref() {
        wrong.push(format!("fault {fault:?}, labelled {:?}", case.fault));
    }
    if case.cause.is_some() && first != case.cause.as_deref() {
        wrong.push(format!("first cause {first:?}, labelled {:?}", case.cause));
    }
    if case.healthy && diagnosis.verdict != Verdict::NoError {
        wrong.push(format!("verdict {:?} of a healthy text", diagnosis.verdict));
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match (wrong.is_empty(), KNOWN.iter().find(|(known, _)| *known == name)) {
        (true, Some(_)) => Err(format!("{name} is right now: take it off the list of known misses").into()),
        (true, None) | (false, Some(_)) => Ok(()),
        (false, None) => Err(wrong.join("; ").into()),
    }
}
