//! A log has one answer, wherever its chunks end.

use proptest::prelude::*;

use super::tally::Kind;
use super::*;
use crate::book::Book;
use crate::diagnosis::{Library, NoReports};
use crate::matching::SignatureSet;

/// What scans are made with.
struct Bench {
    book: Book,
    signatures: SignatureSet,
    finder: Finder,
}

impl Bench {
    fn new() -> Self {
        let book = Book::new(true);
        let signatures = SignatureSet::of_book(&book);
        let finder = Finder::new(&signatures);
        Self { book, signatures, finder }
    }

    /// What a text of any length is found to be.
    fn scanned(&self, text: &str) -> Scanned {
        let library = Library { book: &self.book, signatures: &self.signatures, search: &NoReports };
        let mut scan = LogScan::new("a.log".to_owned(), library, &self.finder, None, false);
        for start in (0..text.len()).step_by(1 << 18) {
            let end = (start + (1 << 18)).min(text.len());
            let seen = &text.as_bytes()[start..(end + LOOKAHEAD).min(text.len())];
            scan.push(self.finder.mark(seen.to_vec(), end - start));
        }
        scan.finish()
    }

    /// The answer about a text that is cut at these places.
    fn answer(&self, text: &[u8], cuts: &[usize], since: Option<Since>) -> String {
        let library = Library { book: &self.book, signatures: &self.signatures, search: &NoReports };
        // A live one does not wait for a length at which it matters where it is cut.
        let mut scan = LogScan::new("a.log".to_owned(), library, &self.finder, since, true);
        let mut start = 0;
        for &end in cuts.iter().chain([&text.len()]) {
            let seen = &text[start..(end + LOOKAHEAD).min(text.len())];
            scan.push(self.finder.mark(seen.to_vec(), end - start));
            start = end;
        }
        let scanned = scan.finish();
        let faults = FaultReport::all(&scanned.tally, &self.book);
        let faults = serde_json::to_string_pretty(&faults).expect("JSON");
        format!("{} bytes, {} lines, {:?}\n{faults}", scanned.bytes, scanned.lines, scanned.primary)
    }
}

const LOST: &str =
    "Nov 21 03:15:22 gpu-7 kernel: NVRM: Xid (PCI:0000:07:00): 79, pid=4242, GPU has fallen off the bus.\n";
const ILLEGAL: &str = "[rank3]: RuntimeError: CUDA error: an illegal memory access was encountered\n";
const OOM: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of \
                   79.10 GiB of which 1.12 GiB is free.\n";
const STEP: &str = "2026-11-21T03:15:22Z INFO [rank1] trainer: step 7 loss 2.31 lr 1e-4\n";

#[test]
fn a_chunk_may_end_anywhere_in_a_line() {
    let bench = Bench::new();
    let text = [STEP, LOST, STEP, OOM, LOST, STEP].concat();
    let whole = bench.answer(text.as_bytes(), &[], None);
    assert!(whole.contains("\"device-lost\"") && whole.contains("\"oom\""), "{whole}");
    for cut in 0..=text.len() {
        assert_eq!(bench.answer(text.as_bytes(), &[cut], None), whole, "cut at {cut}");
    }
}

#[test]
fn a_line_that_begins_a_chunk_needs_all_its_words() {
    let bench = Bench::new();
    // The words of the daemon alone say nothing; the line below is an error without a page.
    let docker = "INFO     images: docker: Error response from daemon: failed to create task for container: failed to create \
                  shim task: OCI runtime create failed: runc create\n";
    let text = [STEP, docker, "                    ERROR    No data found. Please verify arguments\n", STEP].concat();
    let whole = bench.answer(text.as_bytes(), &[], None);
    for cut in 0..=text.len() {
        assert_eq!(bench.answer(text.as_bytes(), &[cut], None), whole, "cut at {cut}");
    }
}

#[test]
fn a_moment_counts_across_chunks() {
    let bench = Bench::new();
    let text = ["2026-11-20T03:00:00Z INFO: start\n", "no stamp\n", OOM].concat();
    // 2026-11-21
    let since = Some(Since { utc: 1_795_219_200.0, local: 1_795_219_200.0 });
    assert!(bench.answer(text.as_bytes(), &[], None).contains("\"oom\""));
    for cut in 0..=text.len() {
        let answer = bench.answer(text.as_bytes(), &[cut], since);
        assert!(!answer.contains("\"oom\""), "cut at {cut}: {answer}");
    }
}

#[test]
fn a_long_line_across_chunks() {
    let bench = Bench::new();
    let long = |bytes: usize| "x ".repeat(bytes / 2);
    for length in [3000, 9000, 14_000, 30_000] {
        let text = [STEP, &long(length), ILLEGAL.trim_end(), &long(length), "\n", STEP, LOST].concat();
        let at = text.find("illegal").expect("it is there");
        for cut in [at - 10_000.min(at), at - 2000, at - 20, at, at + 4, at + 40, at + 5000.min(length)] {
            let answer = bench.answer(text.as_bytes(), &[cut], None);
            for fault in ["\"illegal-address\"", "\"device-lost\""] {
                assert!(answer.contains(fault), "{length} bytes before, cut at {cut}: {answer}");
            }
        }
    }
}

/// Thousands of lines that differ in a word, so many that they are not all read.
fn varied(count: u64, line: impl Fn(&str) -> String) -> String {
    let letters = |mut number: u64| -> String {
        std::iter::from_fn(|| {
            let letter = char::from(b'g' + (number % 20) as u8);
            number /= 20;
            Some(letter)
        })
        .take(7)
        .collect()
    };
    (0..count).map(|number| line(&letters(number.wrapping_mul(0x9E37_79B9) % 1_280_000_000))).collect()
}

#[test]
fn a_new_fault_is_found_after_any_number_of_other_errors() {
    let bench = Bench::new();
    let step = "2026-11-21T03:15:22Z INFO served a request in 12 ms, waiting for the next one in the queue now\n";
    let log = |count: u64| {
        let errors = varied(count, |word| {
            format!(
                "2026-11-21T03:15:22Z ERROR [req-{word}] ValueError: prompt of {word} is too long\n{}",
                step.repeat(3)
            )
        });
        [&errors, &step.repeat(300), LOST, &step.repeat(300), ILLEGAL].concat()
    };
    // Where the budget ends too early for all of them, and where it does not.
    let (few, many) = (bench.scanned(&log(200)), bench.scanned(&log(8000)));
    for scanned in [&few, &many] {
        let faults: Vec<_> =
            FaultReport::all(&scanned.tally, &bench.book).into_iter().filter_map(|one| one.fault).collect();
        assert_eq!(faults, ["device-lost", "illegal-address"]);
        assert_eq!(scanned.primary, Some(Kind::Fault(bench.book.find("device-lost").expect("a page"))));
    }
    assert_eq!(few.tally.beyond_budget(), (0, 0));
    let (counted, unread) = many.tally.beyond_budget();
    assert!(counted + unread > 1000, "{counted} {unread}");
}

#[test]
fn what_is_not_read_is_counted() {
    let bench = Bench::new();
    let errors =
        varied(6000, |word| format!("2026-11-21T03:15:22Z ERROR [req-{word}] engine: {OOM}{}", STEP.repeat(3)));
    let scanned = bench.scanned(&errors);
    let all = FaultReport::all(&scanned.tally, &bench.book);
    assert_eq!((all.len(), all[0].fault.as_deref(), all[0].count, all[0].last.line), (1, Some("oom"), 6000, 23_997));
    assert!(scanned.tally.beyond_budget().0 > 500, "{:?}", scanned.tally.beyond_budget());
}

#[test]
fn a_moment_counts_for_what_follows_a_wanted_line() {
    let bench = Bench::new();
    let (new, old) = ("2026-11-22 03:00:00 ", "2026-11-20 03:00:00 ");
    let text = [new, ILLEGAL, old, OOM, old, "INFO ok\n", &STEP.repeat(6000)].concat();
    let since = Some(Since { utc: 1_795_219_200.0, local: 1_795_219_200.0 });
    let answer = bench.answer(text.as_bytes(), &[], since);
    assert!(answer.contains("\"illegal-address\"") && !answer.contains("\"oom\""), "{answer}");
}

#[test]
fn a_very_long_line_counts_once() {
    let bench = Bench::new();
    let text = [&format!("{} and {}", ILLEGAL.trim_end(), "x ".repeat(9000)).repeat(20), "\n", STEP].concat();
    let scanned = bench.scanned(&text);
    let all = FaultReport::all(&scanned.tally, &bench.book);
    assert_eq!((all[0].fault.as_deref(), all[0].count, scanned.lines), (Some("illegal-address"), 1, 2));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_chunks_give_one_answer(
        lines in proptest::collection::vec(proptest::sample::select(vec![
            STEP, STEP, STEP, LOST, ILLEGAL, OOM, "\n", "step 8\r", "Traceback (most recent call last):\n",
            "  File \"/w/train.py\", line 7, in step\n", "ShardError: the list of shards names one that is gone\n",
            "ERROR: ", "Nov 21 03:15:22 gpu-7 kernel: NVRM: Xid (PCI:0000:07:00): 48, pid=17\n",
        ]), 0..40),
        cuts in proptest::collection::vec(0.0..1.0f64, 0..12),
    ) {
        static BENCH: std::sync::LazyLock<Bench> = std::sync::LazyLock::new(Bench::new);
        let text = lines.concat();
        let mut cuts: Vec<usize> = cuts.iter().map(|part| (part * text.len() as f64) as usize).collect();
        cuts.sort_unstable();
        prop_assert_eq!(BENCH.answer(text.as_bytes(), &cuts, None), BENCH.answer(text.as_bytes(), &[], None));
    }
}
