//! Lines cut at the width of the terminal they were copied from.
//!
//! The width alone marks such a cut. Tables, and logs whose rows happen to have one width, must not be joined: most
//! full lines must break inside a word, only some of the lines may be full, and one longer line proves that nothing was
//! cut. Short texts are left alone unless a traceback's frame is cut.

use std::collections::HashSet;

use unicode_width::UnicodeWidthStr;

use super::clean::Physical;

/// Usual widths of terminals, in columns.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=400;
/// Nobody copies more lines than this out of a terminal.
const MOST_LINES: usize = 20_000;

/// For each line, whether it continues in the next; empty if nothing was cut.
pub(super) fn cuts(lines: &[Physical<'_>]) -> Vec<bool> {
    let longest = lines.iter().map(|line| line.text.len()).max().unwrap_or(0);
    // A character has at most four bytes.
    if lines.len() > MOST_LINES || longest < *WIDTHS.start() || longest > 4 * WIDTHS.end() {
        return Vec::new();
    }
    let widths: Vec<usize> = lines.iter().map(|line| line.text.width()).collect();
    let widest = widths.iter().copied().max().unwrap_or(0);
    if !WIDTHS.contains(&widest) {
        return Vec::new();
    }
    let goes_on = |n: usize| {
        let wide = |next: &str| next.chars().next().is_some_and(|c| !c.is_ascii()) && widths[n] + 1 == widest;
        lines.get(n + 1).is_some_and(|next| {
            !next.text.is_empty() && (widths[n] == widest || wide(next.text)) && can_join(lines[n].text, next.text)
        })
    };
    let cuts: Vec<bool> = (0..lines.len()).map(goes_on).collect();
    if is_cut(lines, &cuts) { cuts } else { Vec::new() }
}

/// Whether the lines of one width are too many for chance.
fn is_cut(lines: &[Physical<'_>], cuts: &[bool]) -> bool {
    let filled = lines.iter().filter(|line| !line.text.trim().is_empty()).count();
    let pairs = || lines.windows(2).zip(cuts).filter(|(_, cut)| **cut).map(|(pair, _)| (pair[0].text, pair[1].text));
    let full = pairs().count();
    let inside_words = pairs().filter(|(one, two)| is_inside_word(one, two)).count();
    // The same message again and again has one width too.
    let different = pairs().map(|(one, _)| beginning(one)).collect::<HashSet<_>>().len();
    let enough = if pairs().any(|(one, two)| is_cut_frame(one, two)) { 1 } else { 3 };
    different >= enough && 2 * different >= full && 2 * inside_words >= full && 10 * full <= 7 * filled
}

/// The beginning of a line, without its numbers.
fn beginning(line: &str) -> String {
    line.chars().filter(|c| !c.is_ascii_digit()).take(24).collect()
}

/// Whether one line may be the other's beginning: not if a border, a bar or a new record separates them.
pub(super) fn can_join(one: &str, two: &str) -> bool {
    const BORDERS: [char; 12] = ['|', '│', '┃', '║', '+', '╮', '╯', '┐', '┘', '─', '═', '█'];
    let new = ["Traceback (most", "  File \"", "[rank", "    ", "+--", "|"];
    !one.ends_with(BORDERS) && !new.iter().any(|start| two.starts_with(start))
}

/// Whether a word spans the cut.
pub(super) fn is_inside_word(one: &str, two: &str) -> bool {
    let inner =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | ':' | ',' | '(' | ')' | '"' | '\'' | '=');
    one.ends_with(inner) && two.starts_with(inner)
}

/// Whether only both together are a complete traceback frame.
fn is_cut_frame(one: &str, two: &str) -> bool {
    let whole = |text: &str| {
        let behind =
            text.split_once("\", line ").map(|(_, behind)| behind.trim_start_matches(|c: char| c.is_ascii_digit()));
        behind.and_then(|behind| behind.strip_prefix(", in ")).is_some_and(|name| !name.is_empty())
    };
    // A complete frame is followed by indented source, the next frame or an exception.
    let is_rest = two.starts_with(|c: char| c.is_alphanumeric()) && !two.contains(": ") && !two.ends_with("Error");
    one.trim_start().starts_with("File \"") && if whole(one) { is_rest } else { whole(&format!("{one}{two}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        let lines: Vec<Physical<'_>> = text.lines().map(|text| Physical { text, base: 0, number: 1 }).collect();
        let cuts = cuts(&lines);
        let end = |n: usize| if cuts.get(n) == Some(&true) { "" } else { "\n" };
        lines.iter().enumerate().map(|(n, line)| format!("{}{}", line.text, end(n))).collect()
    }

    fn wrapped(text: &str, width: usize) -> String {
        let cut = |line: &str| {
            let letters: Vec<char> = line.chars().collect();
            letters.chunks(width).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
        };
        text.lines().map(cut).collect::<Vec<_>>().join("\n")
    }

    const TRACE: &str = "Traceback (most recent call last):\n  File \"/opt/venv/lib/python3.11/site-packages/torch/nn/\
        modules/module.py\", line 1736, in _wrapped_call_impl\n    return self._call_impl(*args, **kwargs)\n\
        torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 11.7 GiB\n";

    #[test]
    fn a_terminals_cuts_are_mended() {
        for width in [72, 80, 100] {
            assert_eq!(joined(&wrapped(TRACE, width)), TRACE, "{width}");
        }
    }

    #[test]
    fn rows_of_one_width_stay() {
        let rows: String = (10..20).map(|n| format!("step {n} {}\n", "0.123 ".repeat(12))).collect();
        let rows = format!("{rows}end\n");
        let smi = format!("+{0}+\n| GPU {1} |\n| Fan {1} |\n+{0}+\n", "-".repeat(70), " ".repeat(64));
        let words = "word ".repeat(16);
        let prose = format!("{words}\nshort\n{words}\nshort\n{words}\nshort\n{words}\nshort\n");
        let again =
            format!("{}\nx\n", "RuntimeError: CUDA error: out of memory while the model was being moved\n".repeat(9));
        for text in [&rows, &smi, &prose, &again, TRACE] {
            assert_eq!(joined(text), *text);
        }
    }
}
