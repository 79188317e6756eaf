//! A log has one answer, wherever its chunks end.

use proptest::prelude::*;

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

    /// The answer about a text that is cut at these places.
    fn answer(&self, text: &[u8], cuts: &[usize], since: Option<Since>) -> String {
        let library = Library { book: &self.book, signatures: &self.signatures, search: &NoReports };
        // A live one does not wait for a length at which it matters where it is cut.
        let mut scan = LogScan::new("a.log".to_owned(), library, since, true);
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
