//! How long the stages of an answer take. `cargo bench`; compare runs of one sitting only, machines are noisy.

use std::fmt::Write as _;
use std::fs;

use divan::Bencher;
use faultbook::book::Book;
use faultbook::diagnosis::{self, Measured};
use faultbook::incident;
use faultbook::reports::knowledge::{Knowledge, Places};
use faultbook::text;

fn main() {
    divan::main();
}

fn pasted() -> Vec<u8> {
    fs::read("examples/srun-rank-3.log").expect("the example is there")
}

/// Fifty thousand lines of a run, then the example.
fn long() -> Vec<u8> {
    let mut text = String::new();
    for step in 0..50_000 {
        let _ = writeln!(text, "3: 2026-11-21 02:46:28,666 | INFO    | train:19 - step {step} loss 0.71 lr 1e-4");
    }
    [text.into_bytes(), pasted()].concat()
}

fn knowledge() -> Knowledge {
    let places = Places { reports: Vec::new(), roots: Vec::new(), cache: None, rebuild: false };
    Knowledge::new(Book::new(true), places, Box::new(|_, _| {}))
}

#[divan::bench]
fn open_the_book() -> Knowledge {
    knowledge()
}

#[divan::bench]
fn clean_a_pasted_text(bencher: Bencher<'_, '_>) {
    let text = pasted();
    bencher.bench(|| text::read(&text));
}

#[divan::bench]
fn clean_a_long_log(bencher: Bencher<'_, '_>) {
    let text = long();
    bencher.bench(|| text::read(&text));
}

#[divan::bench]
fn read_a_pasted_text(bencher: Bencher<'_, '_>) {
    let transcript = text::read(&pasted());
    bencher.bench(|| incident::read(&transcript));
}

#[divan::bench]
fn diagnose_a_pasted_text(bencher: Bencher<'_, '_>) {
    whole(bencher, &pasted());
}

#[divan::bench]
fn diagnose_a_long_log(bencher: Bencher<'_, '_>) {
    whole(bencher, &long());
}

/// Sixty thousand errors of one kind, 4.5 MB: no scan may depend on how many there are.
#[divan::bench]
fn diagnose_many_alike_errors(bencher: Bencher<'_, '_>) {
    let mut text = String::new();
    for item in 0..60_000 {
        let _ = writeln!(text, "RuntimeError: CUDA error: device-side assert triggered on item {item}");
    }
    whole(bencher, text.as_bytes());
}

/// Five thousand Xids in one line.
#[divan::bench]
fn diagnose_one_line_of_xids(bencher: Bencher<'_, '_>) {
    whole(bencher, "NVRM: Xid (PCI:0000:01:00): 99999999999, ".repeat(5_000).as_bytes());
}

fn whole(bencher: Bencher<'_, '_>, text: &[u8]) {
    let knowledge = knowledge();
    bencher.bench(|| {
        let transcript = text::read(text);
        let incident = incident::read(&transcript);
        diagnosis::diagnose(&transcript, &incident, knowledge.library(), &Measured::default())
    });
}
