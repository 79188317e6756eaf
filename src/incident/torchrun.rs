//! What launchers say about processes that died: torchrun's summary, mpirun, srun, deepspeed, shells, containers. Facts
//! `exit.code`, `exit.signal`, `rank.failed`.
//!
//! A launcher's own traceback is never the failure. "Root Cause (first observed failure)" names the rank whose death
//! was seen first, which need not be the rank that caused it.

use super::context::ParserContext;
use super::native::signal_of;
use super::words::{after, after_folded, contains_folded, number, parse_uint};
use super::{ErrorEvent, Frame, Kind, Link, Role};
use crate::facts::{Facts, Value};
use crate::text::Level;

/// Whether an exception is how a launcher reports that a child failed.
pub(super) fn reports_child(event: &ErrorEvent) -> bool {
    event.type_name.ends_with("ChildFailedError")
        || event.type_name.ends_with("CalledProcessError") && event.frames.iter().any(is_of_launcher)
        // Cut off within the launcher, which waits for its children.
        || event.type_name.is_empty() && event.frames.last().is_some_and(is_of_launcher)
}

fn is_of_launcher(frame: &Frame) -> bool {
    let file = frame.file.replace('\\', "/");
    let folders =
        ["accelerate/commands/", "deepspeed/launcher/", "torch/distributed/launch", "torch/distributed/run.py"];
    folders.iter().any(|folder| file.contains(folder))
}

/// Reads torchrun's table from `at` on, below the exception with that number; returns the position after it.
pub(super) fn table(r: &mut ParserContext<'_>, at: usize, number: usize) -> Option<usize> {
    let start = (at..(at + 4).min(r.len())).find(|&next| r.text(next).trim().starts_with("====="))?;
    let end = body(r, start, number);
    Some(end)
}

/// Reads the table's lines; the results go into the error with that number.
fn body(r: &mut ParserContext<'_>, start: usize, number: usize) -> usize {
    let mut root = false;
    let mut rank: Option<u64> = None;
    let mut position = start;
    let mut rulers = 0;
    let mut words_of_table: Vec<String> = Vec::new();
    let mut inner: Option<usize> = None;
    while position < r.len() && position - start < 2000 {
        let text = r.text(position);
        let words = text.trim();
        let line = r.number(position);
        if words.starts_with("=====") {
            rulers += 1;
            r.set(position, Role::Header);
            if rulers == 2 || root && rulers > 0 && position > start {
                position += 1;
                break;
            }
        } else if words.starts_with("-----") {
            r.set(position, Role::Header);
        } else if words.starts_with("Root Cause (first observed failure)") {
            root = true;
            r.set(position, Role::Error);
        } else if words.ends_with(" FAILED") {
            r.set(position, Role::Error);
            words_of_table.push(words.to_owned());
        } else if let Some((key, value)) = words.split_once(':') {
            let value = value.trim();
            match key.trim() {
                "rank" => {
                    rank = parse_uint(value).map(|found| found.0);
                    if root && let Some(rank) = rank {
                        r.facts.replace_in_text("rank.failed", Value::Number(rank as f64), line);
                        words_of_table.push(format!("rank {rank}"));
                    }
                    r.set(position, Role::Error);
                }
                "exitcode" => {
                    r.set(position, Role::Error);
                    if root {
                        exit(r.facts, value, line, true);
                        words_of_table.push(format!("exitcode {value}"));
                    }
                }
                "traceback" => {
                    if value.starts_with("Traceback (most recent") {
                        let before = r.errors.len();
                        let next = embedded(r, position);
                        if r.errors.len() > before {
                            let rank = rank.and_then(|rank| u32::try_from(rank).ok());
                            for error in r.errors.iter_mut().skip(before) {
                                error.rank = rank.or(error.rank);
                            }
                            if root || inner.is_none() {
                                inner = Some(r.errors.len() - 1);
                            }
                        }
                        position = next;
                        continue;
                    }
                    if super::advice::is_advice(value) {
                        r.set(position, Role::Advice);
                    } else if root && value != "<N/A>" {
                        words_of_table.push(value.to_owned());
                    }
                }
                _ => {}
            }
        }
        position += 1;
    }
    let covered = r.index(position.saturating_sub(1)) + 1;
    if let Some(event) = r.errors.get_mut(number) {
        event.lines.end = event.lines.end.max(covered);
        if let Some(inner) = inner {
            event.follows = Some((inner, Link::Repeated));
        }
        for words in words_of_table {
            if !event.message.is_empty() {
                event.message.push('\n');
            }
            event.message.push_str(&words);
        }
    }
    position
}

/// A worker's traceback inside the table, indented after `traceback :`.
fn embedded(r: &mut ParserContext<'_>, at: usize) -> usize {
    let mut frames = Vec::new();
    r.set(at, Role::Header);
    let mut position = at + 1;
    while position < r.len() && position - at < 1000 {
        let text = r.text(position);
        let words = text.trim();
        if words.starts_with("=====") || words.starts_with("-----") || words.is_empty() {
            break;
        }
        if let Some(found) = super::python::line::frame(text) {
            r.set(position, Role::Frame);
            frames.push(Frame {
                file: found.file.to_owned(),
                line: found.line,
                function: found.function.to_owned(),
                at: r.index(position),
            });
        } else if let Some(raised) = super::python::line::alone(words) {
            r.set(position, Role::Error);
            let mut event = r.event(Kind::Python, raised.type_name, raised.message, position);
            event.frames = frames;
            r.cover(&mut event, at, position + 1);
            r.push(event);
            return position + 1;
        } else {
            r.set(position, Role::Code);
        }
        position += 1;
    }
    position
}

/// Reads one line of a launcher, shell or container; returns the position after it.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    let words = text.trim();
    if words.starts_with("Root Cause (first observed failure)") {
        // The table without its top.
        let event = r.event(Kind::Launcher, "ChildFailedError", "", at);
        let number = r.push(event);
        return Some(body(r, at, number));
    }
    let level = r.prefix(at).and_then(|prefix| prefix.level);
    if level.is_some_and(|level| level < Level::Warning) && !words.contains("return code") {
        return None;
    }
    if !says_death(words) {
        return None;
    }
    let line = r.number(at);
    exit(r.facts, words, line, false);
    r.set(at, Role::Error);
    let signal = signal_of(words).unwrap_or("");
    let mut event = r.event(Kind::Launcher, signal, words, at);
    if let Some(rank) = after(words, "local_rank: ")
        .or_else(|| after(words, "task "))
        .or_else(|| after(words, "process rank "))
        .and_then(parse_uint)
    {
        event.rank = event.rank.or(u32::try_from(rank.0).ok());
    }
    if words.contains("exited unexpectedly") {
        event.fatal = false;
    }
    r.push(event);
    Some(at + 1)
}

/// Whether a line reports that a process died, rather than that something else ended.
fn says_death(words: &str) -> bool {
    let code = exit_code(words);
    let failed = code.is_some_and(|code| code != 0.0);
    words.contains("failed (exitcode: ")
        || words.contains("exits with return code") && !words.ends_with("= 0")
        || words.contains("returned non-zero exit status")
        || words.contains("exited on signal")
        || words.starts_with("srun: error:")
        || words.contains("slurmstepd: error:")
        || words.contains("OOMKilled")
        || words.contains("Primary job") && words.contains("terminated")
        || words.contains("= BAD TERMINATION OF")
        || words.contains("EXIT CODE:")
        || words.contains("error Command failed")
        || words.starts_with("make: ***")
        || words.starts_with("make[")
        || words.contains("terminated with signal")
        || words.contains("terminated by signal")
        || words.contains("killed by signal")
        || words.contains("died with <Signals.")
        || words.contains("CANCELLED AT") && words.contains("DUE TO")
        || failed
            && ["exited with", "finished with exit code", "exit code", "exit status", "Exit Code", "Exit code"]
                .iter()
                .any(|word| words.contains(word))
        || words.contains("exited unexpectedly")
}

/// The code after the words that announce one.
fn exit_code(words: &str) -> Option<f64> {
    for mark in [
        "exitcode: ",
        "exitcode  : ",
        "return code = ",
        "return code=",
        "exit code: ",
        "exit code ",
        "exited with code ",
        "exit status ",
        "exit status: ",
        "exit code = ",
        "exited with exit code ",
    ] {
        if let Some(rest) = after_folded(words, mark) {
            let rest = rest.trim_start();
            if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
                let digits: String = hex.chars().take_while(char::is_ascii_hexdigit).collect();
                // Windows: the same 32 bits are also written as a negative number.
                return u32::from_str_radix(&digits, 16).ok().map(|bits| f64::from(bits as i32));
            }
            if let Some((code, _)) = number(rest) {
                return Some(if code > 2_147_483_647.0 { code - 4_294_967_296.0 } else { code });
            }
        }
    }
    None
}

/// Records an exit code and the signal it means.
fn exit(facts: &mut Facts, words: &str, line: u32, overwrite: bool) {
    let code = exit_code(words).or_else(|| if overwrite { number(words).map(|found| found.0) } else { None });
    if let Some(code) = code.filter(|code| *code != 0.0) {
        if overwrite {
            facts.replace_in_text("exit.code", Value::Number(code), line);
        } else {
            facts.number_in_text("exit.code", code, line);
        }
    }
    let by_number = after(words, "signal ").and_then(parse_uint).and_then(|(number, _)| signal_name(number as i64));
    let by_code = code.and_then(|code| {
        let code = code as i64;
        if code < 0 && code > -65 {
            signal_name(-code)
        } else if code > 128 && code < 193 {
            signal_name(code - 128)
        } else {
            None
        }
    });
    let named = if contains_folded(words, "signal") || words.contains("SIG") || words.contains("OOMKilled") {
        signal_of(words)
    } else {
        None
    };
    if let Some(name) = by_code.or(by_number).or(named) {
        if overwrite {
            facts.replace_in_text("exit.signal", Value::Text(name.to_owned()), line);
        } else {
            facts.words_in_text("exit.signal", name, line);
        }
    }
}

/// The name of a signal on Linux.
fn signal_name(number: i64) -> Option<&'static str> {
    Some(match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_and_signals() {
        let table = [
            ("failed (exitcode: -9) local_rank: 1 (pid: 4) of binary: /usr/bin/python", Some(-9.0), Some("SIGKILL")),
            ("a.exe (process 15544) exited with code -1073740791.", Some(-1073740791.0), None),
            ("llama runner terminated: exit status 0xc0000409", Some(-1073740791.0), None),
            ("Process finished with exit code 137 (interrupted by signal 9: SIGKILL)", Some(137.0), Some("SIGKILL")),
            (
                "mpirun noticed that process rank 0 with PID 0 on node n exited on signal 11 (Segmentation fault).",
                None,
                Some("SIGSEGV"),
            ),
            ("[ERROR] ['python'] exits with return code = 1", Some(1.0), None),
        ];
        for (words, code, signal) in table {
            let mut facts = Facts::default();
            exit(&mut facts, words, 1, false);
            assert_eq!(facts.number("exit.code"), code, "{words}");
            assert_eq!(facts.text("exit.signal"), signal, "{words}");
            assert!(says_death(words), "{words}");
        }
        assert!(!says_death("job finished, exit code 0"));
        assert!(!says_death("workers: 4"));
    }
}
