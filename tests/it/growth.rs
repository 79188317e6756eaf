//! Time grows with the length of a text, not with its square: the same line again and again, as failing runs print it.

use std::time::Duration;

use faultbook::book::Book;
use faultbook::check::{self, Document, Setting};
use faultbook::diagnosis::{self, Library, Measured, NoReports};
use faultbook::matching::SignatureSet;
use faultbook::{incident, text};

use crate::support::processor_time;

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
    ("sentences in one line", |n| {
        format!("I tried restarting number {n} and it still crashes with an error. Then it hangs. ")
    }),
    ("one out-of-memory line", |_| {
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB \
         of which 1.00 GiB is free.\n"
            .to_owned()
    }),
    ("JSON lines", |n| {
        format!("{{\"level\":\"ERROR\",\"msg\":\"CUDA out of memory. item {n}\",\"rank\":{}}}\n", n % 8)
    }),
    ("a rank for each line", |n| format!("[rank{n}]: RuntimeError: NCCL error in: unhandled system error {n}\n")),
    ("boxes", |n| {
        format!(
            "╭───── Traceback (most recent call last) ─────╮\n│ /home/u/train.py:{n} in main{:w$} │\n\
             ╰─────────────────────────────────────────────╯\nRuntimeError: CUDA error {n}\n",
            "",
            w = 18 - n.to_string().len(),
        )
    }),
];

/// The shapes of `shapes` of which four times as many pieces take more than eight times as long.
fn slow(shapes: &[(&str, Piece)], pieces: usize, work: impl Fn(&str)) -> Vec<String> {
    const ATTEMPTS: usize = 3;
    /// What is shorter, in seconds, is not measured.
    const TICK: f64 = 0.001;
    let time = |piece: Piece, pieces: usize| -> Duration {
        let text: String = (0..pieces).map(piece).collect();
        let started = processor_time();
        work(&text);
        processor_time() - started
    };
    let mut slow = Vec::new();
    for (name, piece) in shapes {
        // Patterns compile at their first use.
        time(*piece, 10);
        // Another process may have taken the processor's caches in one attempt.
        let ratios: Vec<f64> = (0..ATTEMPTS)
            .map(|_| time(*piece, 4 * pieces).as_secs_f64() / time(*piece, pieces).as_secs_f64().max(TICK))
            .scan(false, |done, ratio| (!std::mem::replace(done, ratio < 8.0)).then_some(ratio))
            .collect();
        if ratios.iter().all(|ratio| *ratio >= 8.0) {
            slow.push(format!("{name}: {ratios:.1?}"));
        }
    }
    slow
}

#[test]
fn four_times_the_text_takes_no_more_than_eight_times_the_time() {
    let book = Book::new(true);
    let signatures = SignatureSet::of_book(&book);
    let library = Library { book: &book, signatures: &signatures, search: &NoReports };
    let diagnose = |bytes: &[u8]| {
        let transcript = text::read(bytes);
        let incident = incident::read(&transcript);
        diagnosis::diagnose(&transcript, &incident, library, &Measured::default());
    };
    let mut found = slow(SHAPES, 800, |text| diagnose(text.as_bytes()));
    let in_utf16: &[(&str, Piece)] = &[("UTF-16", |n| format!("RuntimeError: CUDA error {n}\r\n"))];
    found.extend(slow(in_utf16, 800, |text| {
        let marked = std::iter::once(0xfeff).chain(text.encode_utf16());
        diagnose(&marked.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    }));
    assert!(found.is_empty(), "four times the text took more than eight times the time: {found:#?}");
}

#[test]
fn reports_of_many_ids_are_checked_in_linear_time() {
    let checked: &[(&str, Piece)] = &[
        ("ids on one line", |n| format!("BUG-202601{:02}-{:03} ", n % 28 + 1, n % 1000)),
        ("ids on a line each", |n| format!("see BUG-202601{:02}-{:03}\n", n % 28 + 1, n % 1000)),
    ];
    let found = slow(checked, 500, |text| {
        let report = format!("---\nbug_id: BUG-20260101-001\ntitle: T\n---\n# T\n\n## Summary\n\n{text}\n");
        let document = Document::new("docs/bug_reports/BUG-20260101-001.md", report);
        check::check(&[document], &Setting { behaviour: false, ..Setting::default() });
    });
    assert!(found.is_empty(), "four times the text took more than eight times the time: {found:#?}");
}

/// The program, in no more than so much memory, has an answer.
#[cfg(target_os = "linux")]
#[test]
fn a_text_takes_no_hundred_times_its_length_in_memory() {
    use std::io::Write as _;
    const MOST_KIB: usize = 700_000;
    for piece in ["\\\n", "\n", "\r\n", "a \\\n", "NVRM: Xid (PCI:0000:01:00): 99999999999, "] {
        let folder = tempfile::tempdir().expect("a folder");
        let script = format!("ulimit -v {MOST_KIB}; exec \"$0\" diagnose --no-probe --no-builtin -");
        let mut child = std::process::Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_faultbook")])
            .current_dir(&folder)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("it runs");
        let text = piece.repeat((2 << 20) / piece.len());
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads all");
        let status = child.wait().expect("it ends");
        assert!(status.code().is_some_and(|code| code < 2), "{piece:?}: {status}");
    }
}
