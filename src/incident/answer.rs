//! Faultbook's own answers inside a text: in a log of `faultbook run`, or in a terminal's scrollback.
//!
//! An answer quotes the failure and names causes, other faults and commands that the run never printed, so it is never
//! evidence. Only answers for terminals are recognised, by their first lines and their last one.

use super::Role;
use crate::text::Transcript;

/// What `run` prints before its answer.
const ENDED: &str = "the command ended with ";
/// The end of an answer that names a fault.
const MORE: &str = "More: faultbook show ";
/// Beginnings of answers that name none.
const HEADS: [&str; 3] = ["Not a failure in the book", "No failure found in ", "Nothing to diagnose: "];
/// Beginnings of the blocks below those.
const BLOCKS: [&str; 16] = [
    "Do this next:",
    "To be sure:",
    "Check that separates the causes:",
    "Your team met this before",
    "Nearest in your reports",
    "Nearest pages of the book",
    "Known to go wrong silently",
    "This machine, asked just now",
    "The machine, from saved facts",
    "Not the cause:",
    "Easily confused with:",
    "Does not help:",
    "Looks bad, is harmless:",
    "Note: ",
    "More: ",
    "  line ",
];
/// Longest answer in lines; one of 40 columns has some 150.
const LONGEST: usize = 400;
/// Lines between the announcement of `run` and its answer, and of a title.
const FEW: usize = 3;

/// For each line, whether an answer contains it.
pub(crate) fn lines(transcript: &Transcript) -> Vec<bool> {
    let mut roles = vec![Role::Text; transcript.len()];
    for stream in transcript.streams() {
        mark(transcript, &stream.lines, &mut roles);
    }
    roles.into_iter().map(|role| role == Role::Answer).collect()
}

/// Marks the lines of answers in one stream, given as transcript indices; returns the other lines.
pub(super) fn mark(transcript: &Transcript, lines: &[usize], roles: &mut [Role]) -> Vec<usize> {
    let text = |at: usize| lines.get(at).map_or("", |&index| transcript.line(index).text);
    let mut left = Vec::with_capacity(lines.len());
    let mut at = 0;
    while let Some(&index) = lines.get(at) {
        let Some(end) = end(at, &text) else {
            left.push(index);
            at += 1;
            continue;
        };
        for index in lines.get(at..end).unwrap_or_default() {
            if let Some(role) = roles.get_mut(*index) {
                *role = Role::Answer;
            }
        }
        at = end.max(at + 1);
    }
    left
}

/// The position after the answer that begins at a position.
fn end<'t>(at: usize, text: &impl Fn(usize) -> &'t str) -> Option<usize> {
    let first = text(at);
    if first.starts_with("faultbook: ") && first.contains(ENDED) {
        // The answer follows below a blank line, unless it was cut off.
        let below = (at + 1..at + FEW).find(|&at| !text(at).trim().is_empty());
        return below.and_then(|below| end(below, text)).or(Some(at + 1));
    }
    if HEADS.iter().any(|head| first.starts_with(head)) {
        return Some(end_of_blocks(at, text));
    }
    if !has_id(first) {
        return None;
    }
    // A long title continues below its id.
    let place = (at + 1..=at + FEW).take_while(|&at| !text(at).trim().is_empty()).find(|&at| is_place(text(at)))?;
    let last = (place..at + LONGEST).find(|&at| text(at).starts_with(MORE));
    // Cut off: the lines that quote. Where two pages are named in a narrow terminal, the second has its own line.
    let last = last.map(|last| if text(last + 1).starts_with("      faultbook show ") { last + 1 } else { last });
    Some(last.unwrap_or(place) + 1)
}

/// The position after a block of lines and those below it that belong to an answer.
fn end_of_blocks<'t>(at: usize, text: &impl Fn(usize) -> &'t str) -> usize {
    // Indented lines continue a paragraph.
    let goes_on = |at: usize| text(at).starts_with(' ') || BLOCKS.iter().any(|block| text(at).starts_with(block));
    let mut end = at + 1;
    while end < at + LONGEST {
        let below = if text(end).trim().is_empty() { end + 1 } else { end };
        if !goes_on(below) {
            break;
        }
        end = below + 1;
    }
    end
}

/// `  line 88   RuntimeError: ...`.
fn is_place(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("  line ") else { return false };
    let words = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    words.len() < rest.len() && words.starts_with("  ")
}

/// `GPU memory ran out      oom`.
fn has_id(text: &str) -> bool {
    let Some((_, id)) = text.rsplit_once("  ") else { return false };
    !id.is_empty() && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::super::{Role, read};
    use crate::text;

    const DEATH: &str = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";

    fn answers(text: &str) -> Vec<bool> {
        let transcript = text::read(text.as_bytes());
        read(&transcript).roles.iter().map(|role| *role == Role::Answer).collect()
    }

    #[test]
    fn answers_are_known_from_their_head_to_their_end() {
        let text = format!(
            "{DEATH}faultbook: the command ended with exit code 1\n\nGPU memory ran out      oom\n  line 1    {DEATH}\n\
             Most likely: the batch  36 %\n\nMore: faultbook show oom\nstep 2\n"
        );
        let is_answer = answers(&text);
        assert!(!is_answer[0] && !is_answer[is_answer.len() - 1]);
        assert!(is_answer[1..is_answer.len() - 1].iter().all(|is| *is), "{is_answer:?}");
        let transcript = text::read(text.as_bytes());
        assert_eq!(read(&transcript).errors.len(), 1);
    }

    #[test]
    fn an_answer_that_was_cut_off_hides_nothing_below_it() {
        let text = format!("GPU memory ran out      oom\n  line 1    {DEATH}\nstep 1\n{DEATH}");
        assert_eq!(answers(&text), [true, true, false, false, false]);
        let text = format!("faultbook: the command ended with signal 9 (SIGKILL)\n{DEATH}");
        assert_eq!(answers(&text), [true, false]);
    }

    #[test]
    fn answers_without_a_fault_end_with_their_last_block() {
        let text = "Not a failure in the book: ValueError: two\n  lines\n  line 3    a.py:3 in f\n\nNearest pages of the \
                    book, probably not it\n  oom  CUDA out of memory\n\nRuntimeError: CUDA out of memory\n";
        assert_eq!(answers(text), [true, true, true, true, true, true, false, false]);
    }

    #[test]
    fn other_lines_are_no_answers() {
        assert_eq!(answers("loss  x\n  line 3 of the file\n  line 4\nlast  word\n"), [false; 4]);
    }
}
