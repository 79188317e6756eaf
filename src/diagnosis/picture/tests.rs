//! What pictures hold of logs whose course is known.

use super::*;
use crate::book::Book;
use crate::diagnosis::{Library, Measured, NoReports, diagnose};
use crate::incident::{Readings, Row, Series};
use crate::matching::SignatureSet;
use crate::wording::Quantity;

const OOM: &str = "Traceback (most recent call last):\n  File \"train.py\", line 8, in <module>\n    loss.backward()\n\
                   torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.68 GiB \
                   of which 512.06 MiB is free.\n";
const DEAD: &str =
    "Traceback (most recent call last):\n  File \"train.py\", line 8, in <module>\n    step()\nRuntimeError: stopped\n";

thread_local! {
    static KNOWN: (Book, SignatureSet) = {
        let book = Book::new(true);
        let signatures = SignatureSet::of_book(&book);
        (book, signatures)
    };
    /// The diagnosis of an empty text.
    static NOTHING: Diagnosis = diagnosis(&crate::text::read(b""), &Incident::default());
}

fn diagnosis(transcript: &Transcript, incident: &Incident) -> Diagnosis {
    KNOWN.with(|(book, signatures)| {
        let library = Library { book, signatures, search: &NoReports };
        diagnose(transcript, incident, library, &Measured::default())
    })
}

fn picture(text: &str) -> Option<RunPicture> {
    let transcript = crate::text::read(text.as_bytes());
    let incident = crate::incident::read(&transcript);
    let diagnosis = diagnosis(&transcript, &incident);
    RunPicture::of(&transcript, &incident, &diagnosis, text.as_bytes())
}

/// The picture of a text that nobody has diagnosed: long ones take their time.
fn course(text: &str) -> Option<RunPicture> {
    let transcript = crate::text::read(text.as_bytes());
    let incident = crate::incident::read(&transcript);
    NOTHING.with(|diagnosis| RunPicture::of(&transcript, &incident, diagnosis, text.as_bytes()))
}

/// What the parts show: rule and sentence.
fn shown(text: &str) -> Vec<(Finding, String)> {
    let picture = picture(text).unwrap_or_default();
    picture.shown().map(|shown| (shown.finding, shown.says.clone())).collect()
}

fn lines(steps: u32, line: impl Fn(u32) -> String) -> String {
    (0..steps).map(line).collect()
}

/// The same noise for every step in every run.
fn noise(step: u32) -> f64 {
    f64::from(step.wrapping_mul(2_654_435_761) >> 16 & 0xff) / 255.0
}

#[test]
fn a_leak_rises_to_the_failure() {
    let log = lines(50, |n| {
        format!("step {} loss 2.0 memory {:.2} GiB\n", n * 10, 12.0 + f64::from(n) * 0.2 + noise(n) * 0.05)
    });
    let expected = "Memory in use rises by 2.0 GiB every 100 steps, from 14.4 GiB to 21.8 GiB: a leak rises like this.";
    assert_eq!(shown(&format!("{log}{OOM}")), [(Finding::RisingMemory, expected.to_owned())]);
    let log = format!("batch_size: 8\n{log}{OOM}");
    assert!(shown(&log)[0].1.contains("21.8 GiB, at a batch size of 8: a leak"), "{:?}", shown(&log));
    let plot = picture(&log).unwrap().plots.remove(0);
    assert_eq!((plot.kind, plot.axis, plot.failure, plot.more), (PlotKind::Memory, Axis::Step, Some(490.0), 0));
    assert_eq!(plot.limit.map(|limit| (limit / 1_073_741_824.0 * 100.0).round()), Some(2368.0));
}

#[test]
fn memory_that_stays_shows_nothing() {
    let log = lines(50, |n| format!("step {n} loss 2.0 memory {:.2} GiB\n", 12.0 + noise(n)));
    assert_eq!(shown(&format!("{log}{OOM}")), []);
    // Warm-up is no leak.
    let log =
        lines(50, |n| format!("step {n} loss 2.0 memory {:.2} GiB\n", if n < 10 { 2.0 + f64::from(n) } else { 12.0 }));
    assert_eq!(shown(&format!("{log}{OOM}")), []);
}

#[test]
fn a_gap_that_opens_is_fragmentation() {
    let line = |n: u32, grows: f64| {
        let (allocated, reserved) = (8.0 + noise(n) * 0.1, 10.0 + f64::from(n) * grows);
        format!("iter {n} | allocated: {allocated:.2} GiB | reserved: {reserved:.2} GiB\n")
    };
    let found = shown(&format!("{}{OOM}", lines(40, |n| line(n, 0.3))));
    assert_eq!(found[0].0, Finding::Fragmentation, "{found:?}");
    assert!(found[0].1.starts_with("What is reserved and not allocated grows from "), "{found:?}");
    // A constant gap is the allocator's cache.
    assert_eq!(shown(&format!("{}{OOM}", lines(40, |n| line(n, 0.0)))), []);
}

#[test]
fn the_last_step_needed_more() {
    let log = lines(20, |n| format!("step {n} memory {:.2} GiB\n", if n == 19 { 21.0 } else { 12.0 + noise(n) * 0.1 }));
    assert_eq!(shown(&format!("{log}{OOM}"))[0].0, Finding::MemoryJump);
}

#[test]
fn a_loss_that_ends() {
    let nan = lines(40, |n| {
        format!(
            "{{'loss': {}, 'epoch': {:.2}}}\n",
            if n < 30 { (2.5 - f64::from(n) * 0.01).to_string() } else { "nan".to_owned() },
            f64::from(n) * 0.05
        )
    });
    let expected = "Loss is not finite from epoch 1.5 on; it was 2.21 at epoch 1.45.";
    assert_eq!(shown(&format!("{nan}{DEAD}")), [(Finding::NotFinite, expected.to_owned())]);
    let zero = lines(40, |n| format!("step {n} loss {}\n", if n < 30 { 2.5 } else { 0.0 }));
    assert_eq!(shown(&zero)[0], (Finding::Zero, "Loss is exactly zero from step 30 on.".to_owned()));
    let rises = lines(40, |n| format!("step {n} loss {:.3}\n", if n < 30 { 2.5 } else { 2.5 + f64::from(n - 30) }));
    assert_eq!(shown(&rises)[0].0, Finding::Diverging);
    let falls = lines(40, |n| format!("step {n} loss {:.3}\n", 3.0 - f64::from(n) * 0.05 + noise(n) * 0.3));
    assert_eq!(shown(&falls), []);
}

#[test]
fn throughput_that_falls_and_a_straggler() {
    let falls = lines(60, |n| format!("step {n} {:.2} samples/s\n", 90.0 - f64::from(n)));
    assert_eq!(shown(&falls)[0].0, Finding::Slowdown);
    let ranks = |slow: f64| {
        lines(160, |n| {
            format!("[rank{}]: step {} tps: {:.1}\n", n % 8, n / 8, if n % 8 == 5 { slow } else { 4900.0 + noise(n) })
        })
    };
    let found = shown(&format!("{}{DEAD}", ranks(3100.0)));
    assert_eq!(found[0].1, "Rank 5 makes 3100 tokens/s, the median of the 8 ranks is 4900: a straggler.", "{found:?}");
    assert_eq!(shown(&ranks(4800.0)), []);
}

/// Eight ranks that step each second; rank 5 stops, and the others wait for it for half an hour.
fn hang() -> String {
    let steps = lines(8 * 40, |n| {
        let (rank, step) = (n % 8, n / 8);
        if rank == 5 && step > 30 {
            String::new()
        } else {
            format!("[rank{rank}]: 2026-11-20 10:00:{step:02} step {step} loss 2.5\n")
        }
    });
    let ends = lines(8, |n| {
        let says = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, \
                    Timeout(ms)=1800000) ran for 1800047 milliseconds before timing out.";
        match n {
            5 => String::new(),
            _ => format!(
                "[rank{n}]:[E1120 10:30:{:02}.100200300 ProcessGroupNCCL.cpp:633] [Rank {n}] {says}\n",
                40 + (n + 5) % 8
            ),
        }
    });
    format!("{steps}{ends}")
}

#[test]
fn who_failed_first_and_who_followed() {
    let picture = picture(&hang()).unwrap();
    let timeline = picture.timeline.unwrap();
    assert_eq!((timeline.axis, timeline.ranks.len(), timeline.more, timeline.gaps.len()), (Axis::Seconds, 8, 0, 1));
    let first = &timeline.ranks[0];
    assert_eq!((first.rank, first.failure.as_ref().map(|mark| mark.is_primary)), (Some(3), Some(true)));
    // The rank that the others waited for is next to it.
    assert_eq!((timeline.ranks[1].rank, timeline.ranks[1].failure.is_some()), (Some(5), false));
    let followed: Vec<Option<u32>> = timeline.ranks[2..].iter().map(|span| span.rank).collect();
    assert_eq!(followed, [4, 6, 7, 0, 1, 2].map(Some));
    let says = timeline.shows.map(|shown| shown.says).unwrap_or_default();
    let expected = "Rank 3 failed first, 6 others followed within 7 s. Rank 5's last step is 30, the others reached 39. Nobody wrote \
                    for 30 min after line 312.";
    assert_eq!(says, expected.replace("line 312", &format!("line {}", timeline.gaps[0].from.line)));
}

#[test]
fn without_times_lines_are_the_axis() {
    let text = "[rank0]: step 1 loss 2.0\n[rank1]: step 1 loss 2.0\n[rank1]: ValueError: a\n[rank0]: RuntimeError: b\n";
    let timeline = picture(text).and_then(|picture| picture.timeline).unwrap();
    assert_eq!((timeline.axis, timeline.start, timeline.end, timeline.ranks.len()), (Axis::Line, 1.0, 4.0, 2));
}

#[test]
fn a_text_without_a_course_has_no_picture() {
    for text in ["", OOM, DEAD, "hello\n", "2026-11-20 10:00:00 a\n2026-11-20 10:00:01 b\n"] {
        assert_eq!(picture(text), None, "{text}");
    }
}

#[test]
fn what_is_kept_is_bounded() {
    let mut readings = Readings::default();
    let mut series = |quantity, value: fn(u32) -> f64| {
        let values = (0..100_000).map(|n| (n, value(n))).collect();
        readings.series.push(Series {
            quantity,
            label: "name".to_owned(),
            rank: None,
            source: None,
            device: None,
            values,
        });
    };
    series(Quantity::Loss, |n| 2.0 + noise(n));
    series(Quantity::Used, |n| (4.0 + f64::from(n) * 1e-4 + noise(n)) * 1_073_741_824.0);
    let row = |line| Row { line, time: f64::NAN, step: f64::from(line), steps: f64::NAN, epoch: f64::NAN };
    readings.rows = (0..100_000).map(row).collect();
    let (transcript, incident) = (crate::text::read(b""), Incident::default());
    let plots = NOTHING.with(|diagnosis| plots::read(&Scene::of(&transcript, &incident, diagnosis), &readings));
    let picture = RunPicture { timeline: None, plots };
    assert_eq!(picture.plots.len(), 2);
    for curve in picture.plots.iter().flat_map(|plot| &plot.curves) {
        assert!(curve.points.len() <= MOST_POINTS && curve.readings == 100_000, "{}", curve.points.len());
        assert!(curve.points.is_sorted_by_key(|point| point.line));
        // The lowest and the highest of all are among them.
        let spread = curve.points.iter().filter_map(|point| point.y).fold(f64::MIN, f64::max);
        assert!(spread > 2.99, "{spread}");
    }
    assert_eq!(picture.shown().map(|shown| shown.finding).collect::<Vec<_>>(), [Finding::RisingMemory]);
    let ranks = lines(400 * 3, |n| format!("[rank{}]: step {} loss 2.5\n", n % 400, n / 400));
    let picture = course(&ranks).unwrap();
    let timeline = picture.timeline.unwrap();
    assert_eq!((timeline.ranks.len(), timeline.more), (MOST_RANKS, 400 - MOST_RANKS));
    assert_eq!((picture.plots[0].curves.len(), picture.plots[0].more), (MOST_CURVES, 400 - MOST_CURVES));
}

#[test]
fn of_a_thousand_ranks_none_is_forgotten() {
    let step = |round: u32, rank: u32| if rank == 900 && round == 4 { String::new() } else { (10 * round).to_string() };
    let ranks = lines(5000, |n| match step(n / 1000, n % 1000).as_str() {
        "" => String::new(),
        step => format!("[rank{}]: step {step} loss 2.5 lr 1e-4\n", n % 1000),
    });
    let picture = course(&ranks).unwrap();
    let curves: Vec<usize> = picture.plots.iter().map(|plot| plot.curves.len() + plot.more).collect();
    assert_eq!(curves, [1000, 1000]);
    let timeline = picture.timeline.unwrap();
    assert_eq!((timeline.ranks[0].rank, timeline.ranks[0].step), (Some(900), Some(30.0)));
    assert!(timeline.shows.unwrap().says.starts_with("Rank 900's last step is 30, the others reached 40."));
}

#[test]
fn a_few_stamps_that_the_others_contradict() {
    let good = lines(100, |n| format!("[rank{}]: 2026-11-20 10:{:02}:{:02} step {n}\n", n % 2, n / 60, n % 60));
    let ahead = "[rank0]: 2126-01-01 00:00:00 INFO start\n";
    let (first, second) = good.split_at(good.len() / 2);
    let (second, third) = second.split_once('\n').unwrap();
    for text in [format!("{ahead}{good}"), format!("{first}{second}\n{ahead}{ahead}{third}")] {
        let timeline = course(&text).and_then(|picture| picture.timeline).unwrap();
        assert_eq!((timeline.axis, timeline.start, timeline.end), (Axis::Seconds, 0.0, 99.0));
        assert!(timeline.ranks.iter().all(|span| span.last.at <= 99.0) && timeline.gaps.is_empty());
    }
    // A second run below the first is no mistake of the first.
    let twice = format!("{good}{good}");
    let timeline = course(&twice).and_then(|picture| picture.timeline).unwrap();
    assert_eq!((timeline.start, timeline.end), (0.0, 99.0));
}

#[test]
fn amounts_in_words() {
    assert_eq!([0.0, 0.000_02, 2.456, 45.67, 123.4, 1e9].map(figure), ["0", "2.0e-5", "2.46", "45.7", "123", "1.0e9"]);
    assert_eq!([3.0, 90.0, 1800.0, 7500.0, 200_000.0].map(duration), ["3 s", "90 s", "30 min", "2 h 5 min", "2 days"]);
    assert_eq!(place(99_999.0, Axis::Step), "step 99,999");
}

proptest::proptest! {
    #[test]
    fn any_text(text in "(\\[rank[0-9]\\]: )?(step|loss|mem|nan|inf|[0-9.e%|/:,\\-]{1,9}|GiB|\\r|\\n| ){0,60}") {
        let _ = course(&text);
    }
}
