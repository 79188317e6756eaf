//! Prefixes in brackets: ranks, pods, time stamps, levels, the kernel's clock, Ray's and vLLM's processes.
//!
//! Unknown brackets stay: `[TRT]`, `[Rank 3]` (NCCL's own words) and lists. torchrun prints no space after
//! `[default0]:`, PyTorch prints one after `[rank0]:`; indentation must survive both.

use super::header::{self, any_level, is_place, letter, one_space};
use super::time::{self, Form, Scan, Stamp};
use super::{Head, Level};

/// Prefixes in square brackets.
pub(super) fn square(text: &str) -> Option<Head<'_>> {
    let window = text.as_bytes().get(1..text.len().min(200))?;
    let close = memchr::memchr(b']', window)? + 1;
    let inside = text.get(1..close)?;
    let rest = text.get(close + 1..)?;
    rank(inside, rest)
        .or_else(|| mpi(inside, rest))
        .or_else(|| pod(inside, rest))
        .or_else(|| kernel(inside, rest))
        .or_else(|| stamped(inside, rest))
        .or_else(|| lettered(inside, rest))
        .or_else(|| leveled(inside, rest))
}

/// `[rank3]: `, `[rank 3] `, `[rank: 3] `, torchrun's `[default0]:`.
fn rank<'a>(inside: &str, rest: &'a str) -> Option<Head<'a>> {
    let letters = inside.bytes().take_while(|b| b.is_ascii_lowercase() || *b == b'_').count();
    let (name, number) = inside.split_at_checked(letters)?;
    let spaced = number.trim_start_matches([':', ' ']);
    let number_of = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() <= 6);
    if name == "rank" && spaced.len() < number.len() {
        let found = number_of(spaced)?;
        let line = rest.strip_prefix(':').unwrap_or(rest);
        return (line.is_empty() || line.starts_with(' '))
            .then(|| Head { rank: Some((found, true)), ..Head::at(one_space(line)) });
    }
    let found = number_of(number)?;
    let line = rest.strip_prefix(':')?;
    match name {
        "rank" => Some(Head { rank: Some((found, true)), ..Head::at(one_space(line)) }),
        "default" | "trainer" | "worker" | "node" | "learner" | "actor" | "train" | "role" => {
            Some(Head { rank: Some((found, false)), ..Head::at(line) })
        }
        _ => None,
    }
}

/// Open MPI's `[1,0]<stderr>:`, SageMaker's `[1,mpirank:0,algo-1]<stdout>:`.
fn mpi<'a>(inside: &str, rest: &'a str) -> Option<Head<'a>> {
    let line = ["<stderr>:", "<stdout>:", "<stddiag>:"].iter().find_map(|mark| rest.strip_prefix(mark))?;
    let (job, task) = inside.split_once(',')?;
    if job.is_empty() || !job.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let task = task.split(',').next()?.trim_start_matches("mpirank:");
    Some(Head { rank: Some((task.parse().ok()?, true)), ..Head::at(line) })
}

/// `kubectl logs --prefix`: `[pod/name/container] `.
fn pod<'a>(inside: &'a str, rest: &'a str) -> Option<Head<'a>> {
    let source = inside.strip_prefix("pod/")?;
    (!source.contains(' ')).then(|| Head { source: Some(source), ..Head::at(one_space(rest)) })
}

/// The kernel log's seconds since the start: `[  123.456789] `.
fn kernel<'a>(inside: &str, rest: &'a str) -> Option<Head<'a>> {
    let (whole, fraction) = inside.split_once('.')?;
    let digits = whole.trim_start_matches(' ');
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    // Padding or length distinguishes it from a list with one number.
    let wide = whole.len() >= 5 && matches!(fraction.len(), 3 | 6);
    let line = rest.strip_prefix(' ')?;
    if !wide
        || !all_digits(digits)
        || !all_digits(fraction)
        || line.starts_with(|c: char| c.is_ascii_digit() || c == '[')
    {
        return None;
    }
    let seconds = inside.trim_start().parse().ok()?;
    let stamp = Stamp { year: None, day: None, seconds, absolute: true };
    Some(Head { stamp: Some(stamp), ..Head::at(line) })
}

/// A time stamp in brackets, with whatever a logger adds to it.
fn stamped<'a>(inside: &'a str, rest: &'a str) -> Option<Head<'a>> {
    let (mut body, mut level) = (inside, None);
    // `[I 2022-06-14 20:01:00,331] `, `[NeMo I 2024-01-29 10:02:31 file:3] `.
    let unnamed = body.strip_prefix("NeMo ").unwrap_or(body);
    if let Some(found) = unnamed.as_bytes().first().and_then(|b| letter(*b))
        && unnamed.as_bytes().get(1) == Some(&b' ')
    {
        body = unnamed.get(2..)?;
        level = Some(found);
    }
    let (stamp, form, length) = time::stamp(body)?;
    let beside = body.get(length..)?;
    if form == Form::Epoch && !beside.is_empty() || beside.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let mut rank = None;
    for word in beside.split([' ', ':', '|', '/', ',']).take(8) {
        level = level.or_else(|| header::level(word));
        if let [byte] = word.as_bytes() {
            level = level.or_else(|| letter(*byte));
        }
        let task = ["TP", "rank", "RANK"].iter().find_map(|mark| word.strip_prefix(mark)).and_then(|n| n.parse().ok());
        rank = rank.or(task);
    }
    let plain = rest.strip_prefix(':').unwrap_or(rest);
    // `[09:02:11] stdout/INFO  `: a stream or a part of the program with its level.
    if let Some(line) = parted(plain) {
        return Some(Head { stamp: Some(stamp), level: level.or(line.1), ..Head::at(line.0) });
    }
    // TensorRT's `[01/29/2024-10:02:31] [E] `.
    if let [b' ', b'[', byte, b']', b' ', ..] = plain.as_bytes()
        && let Some(found) = letter(*byte)
    {
        return Some(Head { stamp: Some(stamp), level: Some(found), ..Head::at(plain.get(5..)?) });
    }
    let tail = header::tail(plain, Form::Dated, level);
    let columns =
        form == Form::Dated && rest.starts_with(' ') && beside.is_empty() && tail.level.is_some() && level.is_none();
    Some(Head {
        stamp: Some(stamp),
        level: tail.level,
        rank: tail.rank.or(rank).map(|rank| (rank, true)),
        columns,
        ..Head::at(tail.rest)
    })
}

/// `stdout/INFO  text`: the text and the level.
fn parted(text: &str) -> Option<(&str, Option<Level>)> {
    let body = text.strip_prefix(' ')?;
    let end = body.as_bytes().get(..body.len().min(60))?.iter().position(|b| *b == b' ').unwrap_or(body.len());
    let (part, level) = body.get(..end)?.split_once('/')?;
    let found = header::level(level)?;
    let plain = part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    let rest = body.get(end..)?;
    let spaces = rest.bytes().take(2).take_while(|b| *b == b' ').count();
    plain.then(|| (rest.get(spaces..).unwrap_or_default(), Some(found)))
}

/// PyTorch's C++ log: `[E1120 03:15:22.123456789 ProcessGroupNCCL.cpp:616] `, older `[W socket.cpp:601] `.
fn lettered<'a>(inside: &str, rest: &'a str) -> Option<Head<'a>> {
    let level = letter(*inside.as_bytes().first()?)?;
    let body = inside.get(1..)?;
    let (stamp, place) = match body.strip_prefix(' ') {
        Some(place) => (None, place),
        None => {
            let (stamp, length) = month_day(body)?;
            (Some(stamp), body.get(length..)?.trim_start())
        }
    };
    is_place(place).then(|| Head { stamp, level: Some(level), ..Head::at(one_space(rest)) })
}

/// glog's `MMDD HH:MM:SS.ffffff`, and its length.
pub(super) fn month_day(text: &str) -> Option<(Stamp, usize)> {
    let mut scan = Scan::new(text);
    let date = scan.digits(4, 4)?;
    scan.one(b" ")?;
    // New TensorFlow prints `0000 00:00:1795229271.827153`.
    if let Some(epoch) = text.get(scan.at..).and_then(|rest| rest.strip_prefix("00:00:"))
        && let Some((stamp, Form::Epoch, length)) = time::stamp(epoch)
    {
        return Some((stamp, scan.at + 6 + length));
    }
    let (stamp, _, length) = time::stamp(text.get(scan.at..)?)?;
    let day = (date / 100, date % 100);
    let known = (1..=12).contains(&day.0) && (1..=31).contains(&day.1);
    (known && stamp.day.is_none()).then(|| (Stamp { day: Some(day), ..stamp }, scan.at + length))
}

/// `[ERROR] `, `[INFO|trainer.py:1715] 2023-11-04 10:02:01,125 >> `.
fn leveled<'a>(inside: &str, rest: &'a str) -> Option<Head<'a>> {
    let (word, place) = inside.split_once(['|', ':']).unwrap_or((inside, ""));
    let level = header::level(word)
        .or_else(|| if place.is_empty() { any_level(word).filter(|_| rest.starts_with(' ')) } else { None })?;
    if !place.is_empty() && !is_place(place) {
        return None;
    }
    let mut head = Head { level: Some(level), ..Head::at(rest) };
    if let Some((stamp, _, length)) = rest.strip_prefix(' ').and_then(time::stamp) {
        head.stamp = Some(stamp);
        head.rest = rest.get(1 + length..)?;
        for mark in [" >> ", " - ", ": ", " "] {
            if let Some(line) = head.rest.strip_prefix(mark) {
                head.rest = line;
                return Some(head);
            }
        }
        return (head.rest.is_empty() || head.rest == " >>").then_some(Head { rest: "", ..head });
    }
    let tail = header::tail(rest, Form::Dated, Some(level));
    Some(Head { rest: tail.rest, rank: tail.rank.map(|rank| (rank, true)), ..head })
}

/// `(EngineCore_DP0 pid=123) `, `(RayTrainWorker pid=1, ip=10.0.0.1) `, `(raylet) `, `(autoscaler +3s) `.
pub(super) fn round(text: &str) -> Option<Head<'_>> {
    let window = text.as_bytes().get(..text.len().min(200))?;
    let mut depth = 0;
    let close = window.iter().position(|b| {
        depth += i32::from(*b == b'(') - i32::from(*b == b')');
        depth == 0
    })?;
    let inside = text.get(1..close)?;
    let rest = text.get(close + 1..)?;
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let numbered = |mark: &str| {
        let at = inside.find(mark)? + mark.len();
        let digits = inside[at..].bytes().take_while(u8::is_ascii_digit).count();
        inside[at..at + digits].parse::<u32>().ok()
    };
    let named = matches!(inside, "raylet" | "gcs_server")
        || inside.starts_with("raylet, ip=")
        || inside.starts_with("autoscaler +");
    let head = inside
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b':' | b'<' | b'>'))
        .count();
    let pid = numbered(" pid=").or_else(|| if inside.starts_with("pid=") { numbered("pid=") } else { None });
    if !named && (pid.is_none() || (head == 0 && !inside.starts_with("pid="))) {
        return None;
    }
    let rank = numbered("rank=").map(|rank| (rank, true));
    Some(Head { source: Some(inside), rank, ..Head::at(one_space(rest)) })
}
