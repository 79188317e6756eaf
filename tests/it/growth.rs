//! Time grows with the length of a text, not with its square: the same line again and again, as failing runs print it.

use std::time::{Duration, Instant};

use faultbook::book::Book;
use faultbook::diagnosis::{self, Library, Measured, NoReports};
use faultbook::matching::SignatureSet;
use faultbook::{incident, text};

/// A text of many alike pieces, by the number of a piece.
type Piece = fn(usize) -> String;

const TRACEBACK: &str = "Traceback (most recent call last):\n  File \"train.py\", line 7, in main\n    f(x)\n";

const SHAPES: &[(&str, Piece)] = &[
    ("numbered errors", |n| format!("RuntimeError: CUDA error: device-side assert triggered on item {n}\n")),
    ("one line of Xids", |_| "NVRM: Xid (PCI:0000:01:00): 99999999999, ".to_owned()),
    ("one line of a code's sentence", |_| "unknown error: initialization error; ".to_owned()),
    ("device-side assertions", |n| {
        format!("/p/x.cu:{n}: f: block: [1,0,0], thread: [2,0,0] Assertion `i < {n}` failed.\n")
    }),
    ("tracebacks of 64 ranks", |n| {
        let one = format!("{TRACEBACK}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {n}.00 GiB\n");
        one.lines().map(|line| format!("[rank{}]: {line}\n", n % 64)).collect()
    }),
    ("chained exceptions", |n| {
        format!("{TRACEBACK}ValueError: {n}\n\nDuring handling of the above exception, another exception occurred:\n\n")
    }),
    ("warnings with a clock", |n| {
        format!(
            "2026-01-01 00:{:02}:{:02},123 - trainer - WARNING - CUDA out of memory, item {n}\n",
            n / 60 % 60,
            n % 60
        )
    }),
    ("collectives", |n| format!("h:1:{n} [0] misc/socket.cc:{n} NCCL WARN Connection closed by peer host<{n}>\n")),
    ("patches", |n| format!("+++ b/f{n}.py\n@@ -1 +{n} @@\n")),
    ("commands over many lines", |n| format!("torchrun --nproc_per_node {n} \\\n")),
    ("variables", |n| format!("NCCL_X{n}=1\n")),
    ("advice in one line", |_| "consider setting this. ".to_owned()),
];

#[test]
fn four_times_the_text_takes_no_more_than_eight_times_the_time() {
    const PIECES: usize = 800;
    const ATTEMPTS: usize = 3;
    let book = Book::new(true);
    let signatures = SignatureSet::of_book(&book);
    let library = Library { book: &book, signatures: &signatures, search: &NoReports };
    let time = |piece: Piece, pieces: usize| -> Duration {
        let text: String = (0..pieces).map(piece).collect();
        let started = Instant::now();
        let transcript = text::read(text.as_bytes());
        let incident = incident::read(&transcript);
        diagnosis::diagnose(&transcript, &incident, library, &Measured::default());
        started.elapsed()
    };
    let mut slow = Vec::new();
    for (name, piece) in SHAPES {
        // Patterns compile at their first use.
        time(*piece, 10);
        // Another process may take the time of one attempt.
        let ratios: Vec<f64> = (0..ATTEMPTS)
            .map(|_| time(*piece, 4 * PIECES).as_secs_f64() / time(*piece, PIECES).as_secs_f64())
            .scan(false, |done, ratio| (!std::mem::replace(done, ratio < 8.0)).then_some(ratio))
            .collect();
        if ratios.iter().all(|ratio| *ratio >= 8.0) {
            slow.push(format!("{name}: {ratios:.1?}"));
        }
    }
    assert!(slow.is_empty(), "four times the text took more than eight times the time: {slow:#?}");
}
