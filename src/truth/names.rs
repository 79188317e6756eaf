//! The names that a page prints for people to type: variables, flags and dotted names of Python, in code blocks and inline
//! code. `tests/truth/names.py` has the same rules; change both together.

use std::ops::Range;

use super::Kind;

/// Flags that every program has.
const EVERYWHERE: [&str; 2] = ["--help", "--version"];

/// A name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub range: Range<usize>,
}

/// The names in the code of a markdown text from byte `start` on. Blocks called `text` and the section "Example" are composed
/// logs, and hold none.
pub fn printed(text: &str, start: usize) -> Vec<Printed> {
    let mut out = Vec::new();
    for range in code(text, start) {
        let Some(code) = text.get(range.clone()) else { continue };
        for (kind, found) in words(code) {
            out.push(Printed { kind, range: range.start + found.start..range.start + found.end });
        }
    }
    out
}

/// The pieces of code: whole lines of blocks, and what stands between backticks.
pub(super) fn code(text: &str, start: usize) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let (mut at, mut fence, mut example) = (start, None::<bool>, false);
    for line in text.get(start..).unwrap_or_default().split_inclusive('\n') {
        let range = at..at + line.trim_end_matches('\n').len();
        at += line.len();
        match (line.trim_start().strip_prefix("```"), fence) {
            (Some(info), None) => fence = Some(info.trim_end() != "text"),
            (Some(_), Some(_)) => fence = None,
            (None, Some(counts)) if counts && !example => out.push(range),
            (None, Some(_)) => {}
            (None, None) => {
                if let Some(title) = line.strip_prefix("## ") {
                    example = title.trim() == "Example";
                }
                if !example {
                    out.extend(spans(line).map(|span| range.start + span.start..range.start + span.end));
                }
            }
        }
    }
    out
}

/// The inline code of a line.
fn spans(line: &str) -> impl Iterator<Item = Range<usize>> {
    let ticks: Vec<usize> = line.match_indices('`').map(|(at, _)| at).collect();
    let pairs: Vec<Range<usize>> = ticks.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]).collect();
    pairs.into_iter()
}

/// The names in a piece of code. What `{{ }}` holds is filled in later and is no name.
fn words(code: &str) -> Vec<(Kind, Range<usize>)> {
    let bytes = code.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        if let Some(length) = code.get(at..).filter(|rest| rest.starts_with("{{")).and_then(|rest| rest.find("}}")) {
            at += length + 2;
            continue;
        }
        let Some(end) = end_of(bytes, at) else {
            at += 1;
            continue;
        };
        let before = at.checked_sub(1).and_then(|i| bytes.get(i)).copied();
        let after = bytes.get(end).copied();
        if let Some(kind) = code.get(at..end).and_then(|word| kind(word, before, after)) {
            out.push((kind, at..end));
        }
        at = end;
    }
    out
}

/// Where the word that begins at `at` ends: a flag with its dashes, or a dotted name.
fn end_of(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let run = |from: usize, more: &[u8]| {
        let length = rest.iter().skip(from).take_while(|b| is_word(**b) || more.contains(b)).count();
        (length > 0).then_some(from + length)
    };
    if rest.starts_with(b"--") && rest.get(2).is_some_and(u8::is_ascii_alphabetic) {
        return run(2, b"-").map(|end| at + end);
    }
    if !rest.first().is_some_and(|b| is_word(*b)) {
        return None;
    }
    let mut end = run(0, b"")?;
    while rest.get(end) == Some(&b'.') && rest.get(end + 1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_') {
        end = run(end + 1, b"")?;
    }
    Some(at + end)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What a word is, by its shape and by the bytes beside it.
fn kind(word: &str, before: Option<u8>, after: Option<u8>) -> Option<Kind> {
    let beside = |byte: Option<u8>, set: &[u8]| byte.is_some_and(|b| set.contains(&b));
    if let Some(flag) = word.strip_prefix("--") {
        let part = beside(before, b"-") || before.is_some_and(is_word) || beside(after, b"*");
        return (!part && flag.len() > 1 && !EVERYWHERE.contains(&word)).then_some(Kind::Flag);
    }
    if word.contains('.') {
        let starts = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        return (starts && !beside(before, b"./-") && !beside(after, b"/*") && !is_file(word))
            .then_some(Kind::Attribute);
    }
    let capitals = word
        .split('_')
        .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()));
    let variable = capitals && word.contains('_') && word.starts_with(|c: char| c.is_ascii_uppercase());
    (variable && !beside(before, b"%<{/-") && !beside(after, b"*")).then_some(Kind::Variable)
}

/// Whether a dotted name is a file or an address.
fn is_file(word: &str) -> bool {
    const ENDINGS: [&str; 13] =
        ["py", "md", "json", "sh", "txt", "so", "com", "org", "io", "yaml", "git", "cpp", "gguf"];
    word.rsplit('.').next().is_some_and(|ending| ENDINGS.contains(&ending) || ending == "conf")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(Kind, &str)> {
        printed(text, 0).into_iter().map(|found| (found.kind, &text[found.range])).collect()
    }

    #[test]
    fn names_are_read_where_people_type_them() {
        let text = "NCCL_DEBUG in prose is none, `NCCL_DEBUG=INFO` is one.\n\n## Example\n`NOT_HERE`\n```sh\nNOR_HERE=1\n```\n## Causes\n\
                    ```text\n--not-this\n```\n   ```sh\n   vllm serve M --enforce-eager --help\n   ```\n`torch.cuda.init()`\n";
        let expected =
            [(Kind::Variable, "NCCL_DEBUG"), (Kind::Flag, "--enforce-eager"), (Kind::Attribute, "torch.cuda.init")];
        assert_eq!(names(text), expected);
    }

    #[test]
    fn parts_of_longer_words_are_no_names() {
        for text in [
            "`NCCL_IB_*`",
            "`-DGGML_CUDA=on`",
            "`%USER_NAME%`",
            "`{{ api.old }}`",
            "`a/b.c`",
            "`--nccl-*`",
            "`train.py`",
            "`x`--y",
        ] {
            assert_eq!(names(text), [], "{text}");
        }
    }
}
