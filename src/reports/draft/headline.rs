//! The primary error for a report: in full, and short enough for a sentence.

use std::sync::LazyLock;

use regex::Regex;

use super::context::PrimaryError;
use crate::diagnosis;
use crate::render::clean;

/// The primary error for a template.
pub(super) fn of(error: &diagnosis::PrimaryError) -> PrimaryError {
    const SHORT: usize = 100;
    let message = error.message.trim();
    let headline = match (error.type_name.as_str(), message) {
        ("", message) => message.to_owned(),
        (name, "") => name.to_owned(),
        (name, message) if message.starts_with(name) => message.to_owned(),
        (name, message) => format!("{name}: {message}"),
    };
    let short = short(&headline, SHORT);
    let frame = error.frame.as_ref();
    PrimaryError {
        kind: error.type_name.clone(),
        message: message.to_owned(),
        headline,
        short,
        place: frame
            .map(|frame| if frame.line > 0 { format!("{}:{}", frame.file, frame.line) } else { frame.file.clone() }),
        function: frame.map(|frame| frame.function.clone()).filter(|function| !function.is_empty()),
        line: error.span.start.line,
        rank: error.rank,
    }
}

/// The first sentence of a headline, at most `longest` characters long: what follows is usually advice.
fn short(headline: &str, longest: usize) -> String {
    // "[E1110 18:08:00.1 ProcessGroupNCCL.cpp:616] [Rank 0] ": who logged it.
    static LOGGED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\[?[EWFI]\d{3,8} [^\]]*\] ?(?:\[(?:[^\]]* )?[Rr]ank ?\d+\]:? ?)?").expect("a valid pattern")
    });
    let mut lines = headline.lines().map(clean::line).filter(|line| !line.trim().is_empty());
    let mut line = lines.next().unwrap_or_default();
    // "backend='inductor' raised:" says what in the next line.
    if let Some(next) = lines.next().filter(|_| line.ends_with(':')) {
        line = format!("{line} {}", next.trim());
    }
    let rest = LOGGED.replace(&line, "");
    let line = if rest.trim().is_empty() { &line } else { &*rest };
    let ends = |at: &usize| {
        let next = line.get(at + 1..).unwrap_or_default().trim_start().chars().next();
        *at > 20 && next.is_some_and(|c| c.is_uppercase() || !c.is_alphanumeric())
    };
    let end = line.match_indices(". ").map(|(at, _)| at).find(ends).unwrap_or(line.len());
    let sentence = line.get(..end).unwrap_or(line);
    match sentence.chars().count() > longest {
        true => sentence.chars().take(longest - 3).collect::<String>().trim_end().to_owned() + "...",
        false => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_in_one_short_sentence() {
        for (headline, wanted) in [
            ("RuntimeError: CUDA out of memory. Tried to allocate 2 GiB.", "RuntimeError: CUDA out of memory"),
            (
                "RuntimeError: CUDA unknown error - an incorrect environment, e.g. a variable changed",
                "RuntimeError: CUDA unknown error - an incorrect environment, e.g. a variable changed",
            ),
            (
                "Check failed: status == CUDNN_STATUS_SUCCESS (6 vs. 0)",
                "Check failed: status == CUDNN_STATUS_SUCCESS (6 vs. 0)",
            ),
            (
                "Failed: backend='inductor' raised:\n\nRuntimeError: no Triton",
                "Failed: backend='inductor' raised: RuntimeError: no Triton",
            ),
            ("[E711 19:02:31.4 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught it", "Watchdog caught it"),
            ("W0711 19:02:31.4 1 spawn.py:169] Terminating process", "Terminating process"),
            ("", ""),
        ] {
            assert_eq!(short(headline, 100), wanted);
        }
        assert_eq!(short(&"x".repeat(200), 100).chars().count(), 100);
    }
}
