//! Logs of many ranks in one stream: the rank that failed of its own accord is named, not the ranks that waited for it.

use crate::support::left_out;
use std::fmt::Write as _;

use faultbook::diagnosis::Verdict;

/// A run of `ranks` that steps along until `culprit` raises a KeyError; the others time out in the collective half an
/// hour later and die. Lines of all ranks are shuffled within each moment.
fn run(ranks: u32, steps: u32, culprit: u32) -> String {
    let mut lines: Vec<(u64, u64, String)> = Vec::new();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut shuffled = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut say = |second: u64, rank: u32, words: &str| {
        let (minute, rest) = (second / 60, second % 60);
        let line = format!(
            "[rank{rank}]: 2026-03-01 {:02}:{:02}:{rest:02},{:03} {words}",
            10 + minute / 60,
            minute % 60,
            rank % 1000
        );
        lines.push((second, shuffled(), line));
    };
    for step in 0..steps {
        for rank in 0..ranks {
            say(u64::from(step), rank, &format!("INFO train: step {step} loss {:.4}", 2.0 / f64::from(step + 1)));
        }
    }
    let fall = u64::from(steps);
    let mut sorted = Vec::new();
    for rank in (0..ranks).filter(|rank| *rank != culprit) {
        say(
            fall + 1800,
            rank,
            &format!(
                "ERROR [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={steps}, OpType=ALLREDUCE, \
                 NumelIn=1048576, NumelOut=1048576, Timeout(ms)=1800000) ran for 1800021 milliseconds before timing out."
            ),
        );
    }
    lines.sort();
    for (second, _, line) in lines {
        if second > fall && sorted.last().is_none_or(|last: &String| !last.contains("KeyError")) {
            // A traceback is written at once.
            for line in [
                "Traceback (most recent call last):",
                "  File \"/srv/team/train.py\", line 88, in main",
                "    batch = collate(samples)",
                "  File \"/srv/team/data/collate.py\", line 41, in collate",
                "    mask = sample[\"gt_shrink\"]",
                "KeyError: 'gt_shrink'",
            ] {
                sorted.push(format!("[rank{culprit}]: {line}"));
            }
        }
        sorted.push(line);
    }
    let mut text = String::new();
    for line in sorted {
        let _ = writeln!(text, "{line}");
    }
    text
}

#[test]
fn one_ranks_mistake_comes_before_everybodys_timeout() {
    for (ranks, culprit) in [(2, 1), (8, 3), (64, 17)] {
        let diagnosis = crate::support::diagnose(run(ranks, 40, culprit).as_bytes());
        assert_eq!(diagnosis.verdict, Verdict::OrdinaryError, "{ranks} ranks");
        assert_eq!(diagnosis.fault.map(|fault| fault.id).as_deref(), Some("missing-key"), "{ranks} ranks");
        let error = diagnosis.error.expect("an error is named");
        assert_eq!((error.type_name.as_str(), error.rank), ("KeyError", Some(culprit)), "{ranks} ranks");
        assert_eq!(error.frame.map(|frame| frame.line), Some(41));
        assert!(diagnosis.cascade.iter().any(|echo| echo.id == "nccl-timeout"), "{ranks} ranks");
    }
}

#[test]
fn a_healthy_run_of_many_ranks_is_healthy() {
    let text: String =
        run(64, 20, 5).lines().filter(|line| line.contains("INFO")).flat_map(|line| [line, "\n"]).collect();
    assert_eq!(crate::support::diagnose(text.as_bytes()).verdict, Verdict::NoError);
}

/// The promise is 50 MB; that size is written where asked for, so that a release binary can be tried on it:
/// `FAULTBOOK_BIG_LOG=/tmp/big.log cargo test --test it ranks`.
#[test]
fn a_long_log_can_be_written_for_trying() {
    let Some(path) = std::env::var_os("FAULTBOOK_BIG_LOG") else {
        left_out::note("the 50 MB log", "name a file in FAULTBOOK_BIG_LOG to have it written");
        return;
    };
    std::fs::write(path, run(64, 11_000, 17)).expect("the log is written");
}
