//! Lines in a form in which a failure reads the same in every run: words without numbers, addresses and folders.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::book::report::Report;
use crate::text::words::words;
use crate::wording;

/// What a report says, line by line, in comparing form.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Its lines that have words.
    pub lines: Vec<EvidenceLine>,
    /// Files and functions that it names.
    pub names: Vec<u32>,
}

/// A line of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceLine {
    /// Where in the report it is.
    pub kind: LineKind,
    /// Its words, hashed, each once.
    pub words: Vec<u32>,
}

/// Where in a report a line is, which says how much it tells about the failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineKind {
    /// In an error text, or the title.
    Error,
    /// Anywhere else.
    Prose,
    /// In a section on fixes, prevention or other reports.
    Aside,
}

/// The evidence of a report, and the words that it consists of, for the index.
pub(crate) struct Read {
    pub(crate) evidence: Evidence,
    pub(crate) words: Vec<String>,
    pub(crate) names: BTreeSet<String>,
}

/// Reads a report's lines.
pub(crate) fn of_report(report: &Report) -> Read {
    /// What is further down in a file is a log kept in it.
    const LINES: usize = 3000;
    /// A longer line is a paragraph.
    const LONG: usize = 200;
    let errors: BTreeSet<&str> = report.errors.iter().flat_map(|text| text.lines()).map(str::trim).collect();
    let aside: BTreeSet<&str> = report.aside.iter().flat_map(|text| text.lines()).map(str::trim).collect();
    let mut read = Read { evidence: Evidence::default(), words: Vec::new(), names: BTreeSet::new() };
    let title = std::iter::once((LineKind::Error, report.title.as_str()));
    let lines = report.text.lines().take(LINES).map(|line| {
        let line = line.trim();
        let kind = match () {
            () if errors.contains(line) => LineKind::Error,
            () if aside.contains(line) => LineKind::Aside,
            () => LineKind::Prose,
        };
        (kind, line)
    });
    for (kind, line) in title.chain(lines) {
        names(line, |name| {
            read.names.insert(name.to_owned());
        });
        // Table cells and sentences of one line are compared by themselves.
        let cells = line.split("<br>").flat_map(|part| part.split(" | "));
        for part in cells.flat_map(|cell| cell.split(if cell.len() > LONG { ". " } else { "\n" })) {
            let words = statement(part);
            if !words.is_empty() && !is_frame(part) {
                read.evidence.lines.push(EvidenceLine { kind, words: words.iter().map(|word| hash(word)).collect() });
                read.words.extend(words);
            }
        }
    }
    read.evidence.names = read.names.iter().map(|name| hash(name)).collect();
    read
}

/// Whether a line shows a frame of a stack, which is compared by its names.
pub(crate) fn is_frame(line: &str) -> bool {
    line.split_once("File \"").is_some_and(|(_, rest)| rest.contains("\", line "))
}

/// A word as it is kept.
pub(crate) fn hash(word: &str) -> u32 {
    xxh3_64(word.as_bytes()) as u32
}

/// The words of a line that stay the same from run to run, each once.
pub(crate) fn statement(line: &str) -> Vec<String> {
    /// How far behind its word a number may be: `Xid (PCI:0000:41:00): 79`.
    const NEAR: usize = 2;
    let shortened = without_folders(line);
    let mut out: Vec<String> = Vec::new();
    let mut numbered: Option<(usize, String)> = None;
    let mut last = usize::MAX;
    words(&shortened, |position, word| {
        let is_part = std::mem::replace(&mut last, position) == position;
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        if digits == word.len() {
            // A number that is a part belongs to the word that it is a part of: `exitcode:-9`.
            let close = numbered.take_if(|(at, _)| if is_part { position == *at } else { position - *at <= NEAR });
            if let Some((_, name)) = close {
                add(&mut out, format!("{name}={word}"));
            }
            return;
        }
        if is_numbered(word) {
            numbered = Some((position, word.to_owned()));
        }
        if is_noise(word, digits) || wording::is_function_word(word) {
            return;
        }
        add(&mut out, word.to_owned());
    });
    out
}

fn add(to: &mut Vec<String>, word: String) {
    if !to.contains(&word) {
        to.push(word);
    }
}

/// Whether a word is a letter, an address, a hash, a time stamp or a counter.
fn is_noise(word: &str, digits: usize) -> bool {
    let is_hex = || word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let counts = || word.as_bytes().windows(3).any(|bytes| bytes.iter().all(u8::is_ascii_digit));
    word.len() < 2
        || digits > 0 && (word.starts_with("0x") || word.len() >= 6 && is_hex() || counts() || digits * 2 > word.len())
}

/// Paths lose their folders, which are another machine's; addresses of the web keep them.
fn without_folders(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for piece in
        line.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '=' | ','))
    {
        let rooted = piece.starts_with(['/', '~', '.']) || piece.get(1..3) == Some(":\\");
        let separators = piece.bytes().filter(|byte| matches!(byte, b'/' | b'\\')).count();
        let is_path = (rooted || separators >= 2) && separators > 0 && !piece.contains("://");
        let last = if is_path { piece.rsplit(['/', '\\']).next().unwrap_or(piece) } else { piece };
        out.push_str(last);
    }
    out
}

/// Files of code and functions named in a line.
pub(crate) fn names(line: &str, mut emit: impl FnMut(&str)) {
    const CODE: [&str; 10] = ["py", "pyx", "cu", "cuh", "cpp", "cc", "c", "h", "hpp", "rs"];
    for word in line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '<' | '>'))) {
        let word = word.trim_matches(['.', '-']);
        if word.len() < 3 || is_generic_name(word) || !word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            continue;
        }
        let is_file =
            word.rsplit_once('.').is_some_and(|(stem, extension)| CODE.contains(&extension) && !stem.is_empty());
        let is_function = !word.contains(['.', '-', '<', '>']);
        if is_file || is_function {
            emit(word);
        }
    }
}

fn is_numbered(word: &str) -> bool {
    wording::recall().numbered.contains(&word)
}

/// Whether every project has a file or function of this name.
pub(crate) fn is_generic_name(name: &str) -> bool {
    wording::recall().generic_names.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_failure_reads_the_same() {
        for (one, other) in [
            (
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 11.76 GiB",
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 GiB. GPU 3 has a total capacity of 79.1 GiB",
            ),
            (
                "OSError: [Errno 28] No space left: '/a/b/ckpt.pt'",
                "OSError: [Errno 28] No space left: '/mnt/x/ckpt.pt'",
            ),
            ("fault at 0x7f2a80000000", "fault at 0x7eff12345678"),
        ] {
            assert_eq!(statement(one), statement(other));
        }
    }

    #[test]
    fn numbers_that_name_a_failure_stay() {
        assert!(statement("NVRM: Xid (PCI:0000:41:00): 79, pid=1234").contains(&"xid=79".to_owned()));
        assert!(statement("CUDA error 700 at kernel.cu:51").contains(&"error=700".to_owned()));
        assert_ne!(statement("exit code 137"), statement("exit code 139"));
    }

    #[test]
    fn names_of_code() {
        let mut found = Vec::new();
        names("  File \"/a/ocr/fpn_decoder.py\", line 5, in fuse_maps", |name| found.push(name.to_owned()));
        assert!(found.contains(&"fpn_decoder.py".to_owned()) && found.contains(&"fuse_maps".to_owned()), "{found:?}");
    }
}
