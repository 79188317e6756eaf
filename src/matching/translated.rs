//! Messages of operating systems in other languages, replaced by the English ones that the book knows.

use std::ops::Range;

use crate::incident::contains_folded;
use crate::literals::Literals;
use crate::text::Edit;
use crate::wording;

/// What is done where a literal is found.
enum Meaning {
    /// The name of a signal, in English.
    Signal(&'static str),
    /// A message, in English.
    Message(&'static str),
    /// A number, and the English message that it stands for.
    Number(&'static str),
}

/// The translations of a text's messages, in its order; they do not overlap.
pub(crate) fn translations(text: &str) -> Vec<Edit> {
    let table = wording::translations();
    let signals = table.signal.iter().flat_map(|it| it.words.iter().map(|words| (*words, Meaning::Signal(it.english))));
    let messages =
        table.message.iter().flat_map(|it| it.words.iter().map(|words| (*words, Meaning::Message(it.english))));
    let numbers = table.code.iter().map(|it| (it.mark, Meaning::Number(it.english)));
    let (literals, meanings): (Vec<&str>, Vec<Meaning>) = signals.chain(messages).chain(numbers).unzip();
    let mut edits: Vec<Edit> = Vec::new();
    Literals::new(&literals).find(text, |number, place| {
        let edit = match meanings[number] {
            Meaning::Signal(english) => signal(text, place, english, &table.core_dumped),
            Meaning::Message(english) => message(text, place, english),
            Meaning::Number(english) => numbered(text, place, english),
        };
        edits.extend(edit);
    });
    // Of several at one place the longest.
    edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
    let mut end = 0;
    edits.retain(|edit| {
        let is_free = edit.range.start >= end;
        end = if is_free { edit.range.end.max(end) } else { end };
        is_free
    });
    edits
}

/// A signal is the whole line, behind what a shell writes in front of it and before the place of the core file.
fn signal(text: &str, place: Range<usize>, english: &str, core_dumped: &[&str]) -> Option<Edit> {
    let before = line_before(text, place.start).trim_end();
    let shell = before.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    if !(shell.is_empty() || shell.ends_with(':')) {
        return None;
    }
    let after = line_after(text, place.end);
    let core = after.trim_start();
    let dumped = core_dumped.iter().find(|words| core.starts_with(**words));
    match dumped {
        Some(words) => {
            let end = place.end + (after.len() - core.len()) + words.len();
            Some(Edit { range: place.start..end, words: format!("{english} (core dumped)") })
        }
        // Behind two blanks stands the command.
        None if core.is_empty() || core == "." || after.starts_with("  ") => {
            Some(Edit { range: place, words: english.to_owned() })
        }
        None => None,
    }
}

/// A message is no part of a longer word.
fn message(text: &str, place: Range<usize>, english: &str) -> Option<Edit> {
    /// Scripts from here on write words without blanks.
    const WITHOUT_BLANKS: char = '\u{2e80}';
    let goes_on = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && c < WITHOUT_BLANKS);
    let inside = goes_on(text[..place.start].chars().next_back()) || goes_on(text[place.end..].chars().next());
    (!inside).then(|| Edit { range: place, words: english.to_owned() })
}

/// A number gets its message, unless that follows.
fn numbered(text: &str, place: Range<usize>, english: &str) -> Option<Edit> {
    let rest = line_after(text, place.end);
    let known = contains_folded(rest, english);
    (!known).then(|| Edit { range: place.end..place.end, words: format!(" {english}") })
}

fn line_before(text: &str, at: usize) -> &str {
    text[..at].rsplit('\n').next().unwrap_or_default()
}

fn line_after(text: &str, at: usize) -> &str {
    text[at..].split('\n').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english(text: &str) -> String {
        let mut out = text.to_owned();
        for edit in translations(text).into_iter().rev() {
            out.replace_range(edit.range, &edit.words);
        }
        out
    }

    #[test]
    fn what_systems_say_is_put_into_english() {
        for (text, expected) in [
            ("Speicherzugriffsfehler (Speicherabzug geschrieben)", "Segmentation fault (core dumped)"),
            ("run.sh: Zeile 3: 4711 Getötet    python train.py", "run.sh: Zeile 3: 4711 Killed    python train.py"),
            ("非法指令 (核心已转储)", "Illegal instruction (core dumped)"),
            ("Instrucción ilegal (`core' generado)", "Illegal instruction (core dumped)"),
            (
                "OSError: [WinError 1455] 页面文件太小",
                "OSError: [WinError 1455] The paging file is too small for this operation to complete The paging file is \
                 too small for this operation to complete",
            ),
            ("OSError: [Errno 28] No space left on device", "OSError: [Errno 28] No space left on device"),
            (
                "PermissionError: [Errno 13] Keine Berechtigung: 'x'",
                "PermissionError: [Errno 13] Permission denied Permission denied: 'x'",
            ),
            ("bash: nvidia-smi: Kommando nicht gefunden.", "bash: nvidia-smi: command not found."),
            (
                "libcudart.so.12: Kann die Shared-Object-Datei nicht öffnen: Datei oder Verzeichnis nicht gefunden",
                "libcudart.so.12: cannot open shared object file: No such file or directory",
            ),
            // A word of a sentence is no signal.
            ("Der Prozess wurde Abgebrochen von mir", "Der Prozess wurde Abgebrochen von mir"),
        ] {
            assert_eq!(english(text), expected);
        }
    }
}
