//! Removes what loggers, launchers and platforms print in front of a line, one layer at a time.
//!
//! A form is removed only if it is unambiguous; forms that could be content (`0: `, `worker | `) only if most lines of
//! the text have them (`weak`). Indentation after a prefix stays. Whether a word is prefix or content depends on what
//! precedes it: `ERROR: ` after a logger's time stamp is a level, after a platform's time stamp it belongs to the
//! program's own line.

mod bracket;
pub(super) mod header;
pub(super) mod time;
pub(super) mod weak;
mod word;

use super::Level;
use header::one_space;
use time::{Form, Stamp};
use weak::Weak;

/// What one layer of prefix contains, and the text after it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Head<'a> {
    /// The text after the prefix.
    pub(super) rest: &'a str,
    /// Its time.
    pub(super) stamp: Option<Stamp>,
    pub(super) level: Option<Level>,
    /// Its rank, and whether it is certainly the global one.
    pub(super) rank: Option<(u32, bool)>,
    /// The pod, container, worker or process that wrote the line.
    pub(super) source: Option<&'a str>,
    /// The line continues in the next one (a container runtime cut it).
    pub(super) partial: bool,
    /// It came from Rich's log handler, which has a right-hand column.
    pub(super) columns: bool,
}

impl<'a> Head<'a> {
    fn at(rest: &'a str) -> Self {
        Self { rest, ..Self::default() }
    }
}

/// Removes one layer of prefix; none when the text begins with none.
pub(super) fn strip<'a>(text: &'a str, weak: &Weak) -> Option<Head<'a>> {
    let first = *text.as_bytes().first()?;
    let strong = match first {
        b'[' => bracket::square(text),
        b'(' => bracket::round(text),
        b'0'..=b'9' => stamped(text),
        b'A'..=b'Z' | b'a'..=b'z' => word::strip(text),
        b'#' => workflow(text),
        _ => None,
    };
    strong.or_else(|| weak.strip(text))
}

/// GitHub's mark on lines that its problem matchers know.
fn workflow(text: &str) -> Option<Head<'_>> {
    let marks = [
        ("##[error]", Level::Error),
        ("##[warning]", Level::Warning),
        ("##[notice]", Level::Info),
        ("##[debug]", Level::Debug),
    ];
    let (rest, level) = marks.iter().find_map(|(mark, level)| Some((text.strip_prefix(mark)?, *level)))?;
    Some(Head { level: Some(level), ..Head::at(rest) })
}

/// A line that begins with a time stamp.
fn stamped(text: &str) -> Option<Head<'_>> {
    let (stamp, form, length) = time::stamp(text)?;
    let rest = text.get(length..)?;
    let next = rest.chars().next();
    if next.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '/' | '%')) {
        return None;
    }
    let mut head = Head { stamp: Some(stamp), ..Head::at(rest) };
    if form == Form::Platform {
        // Container runtimes add the stream, and whether the line is complete.
        for (mark, partial) in [(" stdout F", false), (" stderr F", false), (" stdout P", true), (" stderr P", true)] {
            if let Some(line) = rest.strip_prefix(mark).filter(|line| line.is_empty() || line.starts_with(' ')) {
                return Some(Head { rest: one_space(line), partial, ..head });
            }
        }
        if let Some((source, line)) = word::syslog(one_space(rest)) {
            return Some(Head { rest: line, source: Some(source), ..head });
        }
    }
    if form == Form::Dated
        && next == Some(' ')
        && let Some((source, line)) = word::syslog(one_space(rest)).filter(|(source, _)| source.ends_with(']'))
        && !one_space(rest).starts_with('[')
    {
        return Some(Head { rest: line, source: Some(source), ..head });
    }
    let tail = header::tail(rest, form, None);
    // A clock without fraction or date could be content: "00:05:12 elapsed".
    if form == Form::BareClock && tail.level.is_none() && !rest.trim_start().starts_with(['|', '[']) {
        return None;
    }
    if form == Form::Epoch && !rest.is_empty() && !rest.starts_with([' ', ':', '\t']) {
        return None;
    }
    head.rest = tail.rest;
    head.level = tail.level;
    head.rank = tail.rank.map(|rank| (rank, true));
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rest, level, rank and sources.
    type Expected<'a> = (&'a str, Option<Level>, Option<u32>, &'a [&'a str]);

    /// Strips all strong layers: the rest, level, rank, sources.
    fn all(mut text: &str) -> (&str, Option<Level>, Option<u32>, Vec<&str>) {
        let (mut level, mut rank, mut sources) = (None, None, Vec::new());
        while let Some(head) = strip(text, &Weak::default()) {
            assert!(head.rest.len() < text.len());
            text = head.rest;
            level = level.or(head.level);
            rank = head.rank.map(|(rank, _)| rank).or(rank);
            sources.extend(head.source);
        }
        (text, level, rank, sources)
    }

    #[test]
    fn layers_come_off() {
        let (e, w, i) = (Some(Level::Error), Some(Level::Warning), Some(Level::Info));
        let cases: &[(&str, Expected<'_>)] = &[
            ("2026-11-21T02:46:41.0741300Z   File \"a.py\"", ("  File \"a.py\"", None, None, &[])),
            ("2026-11-21T02:46:41.074Z stderr F   File", ("  File", None, None, &[])),
            ("Nov 21 03:15:22 host python[123]:   File", ("  File", None, None, &["python[123]"])),
            ("2026-11-21T03:15:22.1+00:00 host python[123]: boom", ("boom", None, None, &["python[123]"])),
            ("Nov 21 03:15:22 host kernel: [  123.456789] NVRM: Xid", ("NVRM: Xid", None, None, &["kernel"])),
            ("[  123.456789] NVRM: Xid", ("NVRM: Xid", None, None, &[])),
            ("[  123.456] NVRM: Xid", ("NVRM: Xid", None, None, &[])),
            ("[Tue Nov 11 16:41:52 2014] NVRM: Xid", ("NVRM: Xid", None, None, &[])),
            ("2026-11-21T02:46:41.0Z ##[error]E   x", ("E   x", e, None, &[])),
            ("ERROR:root:boom", ("boom", e, None, &[])),
            ("ERROR:    Exception in ASGI application", ("Exception in ASGI application", e, None, &[])),
            ("[2024-01-29 10:02:31,400] [INFO] [launch.py:315:sigkill_handler] Killing", ("Killing", i, None, &[])),
            ("[2024-01-29 10:02:31,400][__main__][ERROR] - boom", ("boom", e, None, &[])),
            ("[2024-01-29 10:02:31,400] torch.distributed.run: [WARNING] boom", ("boom", w, None, &[])),
            ("2024-01-29 10:02:31,400 vision WARNING boom", ("boom", w, None, &[])),
            ("[2022-10-08 02:11:02 -0300] [2110] [ERROR] boom", ("boom", e, None, &[])),
            ("[2024-01-29, 10:02:31 UTC] {subprocess.py:93} INFO -   File", ("  File", i, None, &[])),
            ("[2024-01-29 10:02:31,400: ERROR/MainProcess] boom", ("boom", e, None, &[])),
            (
                "[2025-01-29 10:02:31 TP3] Scheduler hit an exception",
                ("Scheduler hit an exception", None, Some(3), &[]),
            ),
            ("[01/29 10:02:31 d2.engine]: boom", ("boom", None, None, &[])),
            ("[01/29/2024-10:02:31] [E] [TRT] 10: boom", ("[TRT] 10: boom", e, None, &[])),
            ("[11/21/26 02:46:51] ERROR    boom", ("boom", e, None, &[])),
            ("[09:02:19] stdout/INFO  boom", ("boom", i, None, &[])),
            ("[09:02:26] stdout/ERROR  [2026-08-29|09:02:26|Front] ERROR    boom", ("boom", e, None, &[])),
            ("[I 2022-06-14 20:01:00,331] Trial", ("Trial", i, None, &[])),
            ("[INFO|trainer.py:1715] 2023-11-04 10:02:01,125 >>   Batch", ("  Batch", i, None, &[])),
            ("[rank3]:   File", ("  File", None, Some(3), &[])),
            ("[rank3]: ", ("", None, Some(3), &[])),
            (
                "[rank3]:[E1120 03:15:22.123456789 ProcessGroupNCCL.cpp:616] [Rank 3] boom",
                ("[Rank 3] boom", e, Some(3), &[]),
            ),
            ("[default0]:  File", ("  File", None, Some(0), &[])),
            ("[default1]:[rank5]: boom", ("boom", None, Some(5), &[])),
            ("[rank5]:[default1]:boom", ("boom", None, Some(1), &[])),
            ("[1,7]<stderr>:  File", ("  File", None, Some(7), &[])),
            ("[1,mpirank:0,algo-1]<stdout>:boom", ("boom", None, Some(0), &[])),
            ("[rank: 2] Seed set", ("Seed set", None, Some(2), &[])),
            ("rank2:   File", ("  File", None, Some(2), &[])),
            ("[W socket.cpp:601] [c10d] boom", ("[c10d] boom", w, None, &[])),
            ("[ERROR] boom", ("boom", e, None, &[])),
            ("[pod/train-0/main] boom", ("boom", None, None, &["train-0/main"])),
            (
                "(EngineCore_DP0 pid=123) ERROR 02-11 09:14:40 [core.py:718]   File",
                ("  File", e, None, &["EngineCore_DP0 pid=123"]),
            ),
            ("(RayTrainWorker pid=1, ip=10.0.0.1) boom", ("boom", None, None, &["RayTrainWorker pid=1, ip=10.0.0.1"])),
            ("(Worker(rank=3) pid=1) boom", ("boom", None, Some(3), &["Worker(rank=3) pid=1"])),
            ("(raylet) boom", ("boom", None, None, &["raylet"])),
            ("ERROR 02-11 09:14:40 engine.py:402]   File", ("  File", e, None, &[])),
            ("E0314 08:41:12.551000 913 site-packages/torch/a.py:533]   File", ("  File", e, None, &[])),
            ("E0314 08:41:12.551000 913 site-packages/torch/a.py:533]", ("", e, None, &[])),
            ("W0920 21:03:55.120000 7788 Lib\\site-packages\\a.py:1280] x", ("x", w, None, &[])),
            ("I0000 00:00:1795229271.827153   19456 port.cc:153] x", ("x", i, None, &[])),
            ("2023-07-30 22:10:09.118311: E external/xla/xla/cuda_dnn.cc:407] x", ("x", e, None, &[])),
            ("2024-01-29 10:02:31.400 | ERROR    | mod:fn:12 - boom", ("boom", e, None, &[])),
            ("2024-01-29 10:02:31,400 - pipeline - ERROR - boom", ("boom", e, None, &[])),
            ("2026-11-21 02:48:09,166 [rank 1] init", ("init", None, Some(1), &[])),
            ("01/29/2024 10:02:31 - INFO - __main__ -   boom", ("  boom", i, None, &[])),
            ("12:20:01-551020 ERROR    Failed", ("Failed", e, None, &[])),
            (
                "time=2025-04-11T08:02:17.551+08:00 level=INFO source=server.go:619 msg=\"a \\\"b\\\"\" err=x",
                ("msg=\"a \\\"b\\\"\" err=x", w, None, &[]),
            ),
            ("time=2025-04-11T08:02:17.551+08:00 level=INFO msg=a err=<nil>", ("msg=a err=<nil>", i, None, &[])),
            ("I0806 21:52:45.863589 1 pb_stub.cc:366] \"Failed to load: x", ("\"Failed to load: x", w, None, &[])),
            ("train\tRun tests\t2026-11-21T02:46:41.0741300Z boom", ("boom", None, None, &[])),
            ("1706522551.400000 boom", ("boom", None, None, &[])),
        ];
        for (text, expected) in cases {
            let (rest, level, rank, sources) = all(text);
            assert_eq!((rest, level, rank, &sources[..]), *expected, "{text}");
        }
    }

    #[test]
    fn content_stays() {
        for text in [
            "RuntimeError: CUDA error: device-side assert triggered",
            "ValueError: x",
            "Error: x",
            "CUDA error: out of memory",
            "ERROR: Unexpected bus error encountered in worker.",
            "  File \"a.py\", line 1, in <module>",
            "Traceback (most recent call last):",
            "srun: error: node1: task 0: Killed",
            "[TRT] 10: Could not find any implementation",
            "[0.1, 0.2]",
            "[0.123456]",
            "[1/3] /usr/local/cuda/bin/nvcc -c",
            "[Rank 3] Watchdog caught collective operation timeout",
            "(most recent call last)",
            "(see https://a)",
            "WARNING: All log messages before absl::InitializeLog() is called",
            "INFO: Using device cuda",
            "node45:98011:98011 [0] NCCL WARN boom",
            "torch.OutOfMemoryError: CUDA out of memory.",
            "E       RuntimeError: x",
            "0: x",
            "worker-1  | x",
            "1024 bytes",
            "2024-01-29 is the date",
            "00:05:12 elapsed",
            "May the force",
            "Tue Nov 11 16:41:52 2014       ",
            "time=3s lr=0.1",
            "NVRM: Xid (PCI:0000:04:00): 79",
            "[GIN] 2025/04/11 - 08:02:18 | 200 |",
            "In [4]: x",
            "[New LWP 4411]",
            "[signal SIGSEGV: segmentation violation]",
        ] {
            assert_eq!(strip(text, &Weak::default()), None, "{text}");
        }
    }
}
