//! Prefixes that begin with a letter: glog, vLLM, `ERROR:root:`, syslog, logfmt, logs downloaded from GitHub.
//!
//! A level word alone (`ERROR: x`) is part of the message, and so is `RuntimeError: x`. uvicorn's `INFO:     x` differs
//! from a message `INFO: x` by its padding to ten columns.

use super::Head;
use super::bracket::month_day;
use super::header::{self, letter, one_space, place_end};
use super::time::{self, Form};
use crate::text::Level;

/// Removes a prefix that begins with a letter.
pub(super) fn strip(text: &str) -> Option<Head<'_>> {
    glog(text)
        .or_else(|| leveled(text))
        .or_else(|| journal(text))
        .or_else(|| rank(text))
        .or_else(|| logfmt(text))
        .or_else(|| downloaded(text))
}

/// `E0314 08:41:12.551000 913 file.py:533] `.
fn glog(text: &str) -> Option<Head<'_>> {
    let level = letter(*text.as_bytes().first()?)?;
    if !text.as_bytes().get(1)?.is_ascii_digit() {
        return None;
    }
    let (stamp, length) = month_day(text.get(1..)?)?;
    let body = text.get(1 + length..)?;
    let trimmed = body.trim_start_matches(' ');
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let place = trimmed.get(digits..)?.strip_prefix(' ')?;
    let rest = one_space(place.get(place_end(place)?..)?);
    // Servers that host other programs log their failures as information.
    let failed = level == Level::Info && rest.trim_start_matches('"').starts_with("Failed to ");
    let level = if failed { Level::Warning } else { level };
    Some(Head { stamp: Some(stamp), level: Some(level), ..Head::at(rest) })
}

/// `ERROR 02-11 09:14:40 engine.py:402] `, `ERROR:root:`, `INFO:     `.
fn leveled(text: &str) -> Option<Head<'_>> {
    let letters = text.bytes().take(10).take_while(u8::is_ascii_uppercase).count();
    let level = header::level(text.get(..letters)?)?;
    let rest = text.get(letters..)?;
    if let Some(body) = rest.strip_prefix(' ') {
        let (stamp, form, length) = time::stamp(body.trim_start_matches(' '))?;
        if form == Form::BareClock || form == Form::Syslog {
            return None;
        }
        let tail = header::tail(body.trim_start_matches(' ').get(length..)?, Form::Dated, Some(level));
        return Some(Head {
            stamp: Some(stamp),
            level: Some(level),
            rank: tail.rank.map(|r| (r, true)),
            ..Head::at(tail.rest)
        });
    }
    let body = rest.strip_prefix(':')?;
    let spaces = body.bytes().take_while(|b| *b == b' ').count();
    if spaces > 0 {
        let aligned = spaces > 1 && letters + 1 + spaces == 10;
        return aligned.then(|| Head { level: Some(level), ..Head::at(&body[spaces..]) });
    }
    let name =
        body.bytes().take(100).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-')).count();
    let named = name > 0 && body.as_bytes().get(name) == Some(&b':') && body.as_bytes()[0].is_ascii_alphabetic();
    let error = ["Error", "Exception", "Warning"].iter().any(|end| body[..name].ends_with(end));
    (named && !error).then(|| Head { level: Some(level), ..Head::at(&body[name + 1..]) })
}

/// `Nov 21 03:15:22 host python[123]: `.
fn journal(text: &str) -> Option<Head<'_>> {
    let (stamp, form, length) = time::stamp(text)?;
    if form != Form::Syslog {
        return None;
    }
    let (source, rest) = syslog(text.get(length..)?.strip_prefix(' ')?)?;
    Some(Head { stamp: Some(stamp), source: Some(source), ..Head::at(rest) })
}

/// `host python[123]: text` or `host kernel: text`: the writer and the text.
pub(super) fn syslog(text: &str) -> Option<(&str, &str)> {
    let head = text.get(..text.floor_char_boundary(text.len().min(160)))?;
    let (host, tag) = head.split_once(' ')?;
    let colon = tag.find(':')?;
    let tag = &tag[..colon];
    let rest = text.get(host.len() + 1 + colon + 1..)?;
    let name = tag.split('[').next()?;
    let fine = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'/' | b'@' | b'(' | b')'))
    };
    let numbered = tag.len() == name.len()
        || tag[name.len()..]
            .strip_prefix('[')
            .and_then(|t| t.strip_suffix(']'))
            .is_some_and(|pid| !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()));
    // Without a pid only the kernel and a few daemons can be distinguished from "host word: message".
    let known = tag.len() > name.len()
        || matches!(name, "kernel" | "systemd" | "slurmstepd" | "slurmd" | "python" | "python3" | "sshd");
    let first = host.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
    (first && fine(host) && fine(name) && numbered && known && (rest.is_empty() || rest.starts_with(' ')))
        .then(|| (tag, one_space(rest)))
}

/// `rank2: `, as some launchers and PyTorch nightlies print it.
fn rank(text: &str) -> Option<Head<'_>> {
    let body = text.strip_prefix("rank")?;
    let digits = body.bytes().take(6).take_while(u8::is_ascii_digit).count();
    let rest = body.get(digits..)?.strip_prefix(':')?;
    let rank = body[..digits].parse().ok()?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| Head { rank: Some((rank, true)), ..Head::at(one_space(rest)) })
}

/// `time=2025-04-11T08:02:17.551+08:00 level=INFO source=server.go:619 msg=...`: all before the message.
fn logfmt(text: &str) -> Option<Head<'_>> {
    let mut rest = text;
    let mut head = Head::at(text);
    for _ in 0..5 {
        let Some(equals) = memchr::memchr(b'=', &rest.as_bytes()[..rest.len().min(16)]) else { break };
        let (key, value) = (&rest[..equals], &rest[equals + 1..]);
        let bare = value.strip_prefix('"').unwrap_or(value);
        let end = bare.bytes().take(200).take_while(|b| !matches!(b, b' ' | b'"')).count();
        let Some(word) = bare.get(..end) else { break };
        match key {
            "time" | "ts" | "timestamp" | "t" => {
                let Some((stamp, ..)) = time::stamp(word) else { break };
                head.stamp = Some(stamp);
            }
            "level" | "lvl" | "severity" => {
                let Some(level) = header::any_level(word) else { break };
                head.level = Some(level);
            }
            "source" | "caller" | "logger" if head.stamp.is_some() || head.level.is_some() => {}
            _ => break,
        }
        let quoted = usize::from(bare.len() < value.len());
        rest = one_space(bare.get(end + quoted..).unwrap_or_default());
        head.rest = rest;
    }
    // Ollama logs at its own level what a library reported.
    if head.level == Some(Level::Info) && has_error(head.rest) {
        head.level = Some(Level::Warning);
    }
    (head.level.is_some() && head.rest.len() < text.len() && (head.stamp.is_some() || head.rest.starts_with("msg=")))
        .then_some(head)
}

/// Whether a field of a logfmt line is an error: `err="no such device"`.
fn has_error(fields: &str) -> bool {
    let value = [" error=", " err="].iter().find_map(|key| fields.split_once(key));
    let word = value.and_then(|(_, value)| value.trim_start_matches('"').split([' ', '"']).next());
    word.is_some_and(|word| !matches!(word, "" | "nil" | "<nil>" | "null" | "none" | "0" | "false"))
}

/// `gh run view --log`: job, step and line separated by tabs, the line with its stamp.
fn downloaded(text: &str) -> Option<Head<'_>> {
    let head = text.as_bytes().get(..text.len().min(200))?;
    let first = memchr::memchr(b'\t', head)?;
    let second = first + 1 + memchr::memchr(b'\t', &head[first + 1..])?;
    let body = text.get(second + 1..)?;
    let body = body.strip_prefix('\u{FEFF}').unwrap_or(body);
    let (stamp, form, length) = time::stamp(body)?;
    (form == Form::Platform)
        .then(|| Head { stamp: Some(stamp), ..Head::at(one_space(body.get(length..).unwrap_or_default())) })
}
