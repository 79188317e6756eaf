//! Small judgements about words in a report: unfilled placeholders, marks of success and failure, labels.

use crate::book::blocks::Words;
use crate::book::sections::is_decoration;

/// Whether a text is a template's own words, left unfilled, or says nothing.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_matches(['*', '_', '`', '"']).trim();
    let lower = text.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() {
        // "???" and "..." say nothing; a sentence in another script is kept, since its letters are alphanumeric.
        return true;
    }
    let wrapped = |open: char, close: char| {
        text.starts_with(open) && text.ends_with(close) && text.matches(open).count() == 1 && text.chars().count() < 200
    };
    if (wrapped('[', ']') && !bare.starts_with("errno"))
        || wrapped('<', '>')
        || (text.starts_with("{{") && text.ends_with("}}"))
    {
        return true;
    }
    const WHOLE: [&str; 22] = [
        "tbd",
        "todo",
        "n/a",
        "na",
        "none",
        "unknown",
        "fill in",
        "fill me",
        "placeholder",
        "bug title",
        "title",
        "not stated",
        "to be determined",
        "to be filled",
        "to be added",
        "yyyy-mm-dd",
        "description",
        "bug-yyyymmdd-nnn",
        "없음",
        "미정",
        "작성 예정",
        "해당 없음",
    ];
    const BEGINNING: [&str; 24] = [
        "brief description",
        "a brief description",
        "short description",
        "describe the",
        "describe what",
        "describe how",
        "a clear and concise",
        "clear and concise",
        "what you expected",
        "what actually happened",
        "what should happen",
        "what should have happened",
        "paste the",
        "paste your",
        "paste any",
        "insert the",
        "insert your",
        "list any",
        "add any other",
        "explain what",
        "provide any",
        "todo:",
        "tbd:",
        "여기에 ",
    ];
    WHOLE.contains(&bare)
        || lower.contains("yyyymmdd")
        || lower.contains("yyyy-mm-dd")
        || (text.chars().count() < 160
            && BEGINNING.iter().any(|b| lower.starts_with(b))
            && !text.contains('`')
            && !text.contains('\n'))
}

/// What the marks and words of a line say about a test: passed, failed or still open, or nothing.
pub(super) fn outcome(text: &str) -> Option<bool> {
    const OPEN: [char; 9] = ['❌', '✗', '✘', '✖', '⏳', '⌛', '🔄', '🚧', '⚠'];
    const PASSED: [char; 7] = ['✅', '✓', '✔', '☑', '🟢', '🗸', '👍'];
    if text.contains(OPEN) {
        return Some(false);
    }
    if text.contains(PASSED) {
        return Some(true);
    }
    let lower = text.to_lowercase();
    let has = |words: &[&str]| {
        words.iter().any(|w| {
            lower.split(|c: char| !c.is_alphanumeric()).any(|word| word == *w) || (!w.is_ascii() && lower.contains(w))
        })
    };
    // "not passed" and "0 passed, 2 failed": the bad word wins.
    if has(&[
        "failed", "fail", "fails", "failing", "failure", "error", "running", "pending", "blocked", "skipped", "실패",
        "진행", "대기",
    ]) {
        return Some(false);
    }
    has(&[
        "passed",
        "pass",
        "passes",
        "ok",
        "success",
        "successful",
        "succeeded",
        "done",
        "completed",
        "통과",
        "성공",
        "완료",
    ])
    .then_some(true)
}

/// A text without ticks, crosses and other marks at both ends.
pub(super) fn without_marks(text: &str) -> String {
    text.trim().trim_start_matches(is_decoration).trim_end_matches(is_decoration).trim().to_owned()
}

/// The labels and values of a paragraph's lines: `**GPU:** RTX 3060`, `GPU: RTX 3060`. A line without label has an
/// empty one.
pub(super) fn labelled(words: &Words) -> Vec<(String, String)> {
    words
        .labelled_lines()
        .into_iter()
        .map(|(label, rest)| match label {
            Some(label) => (label.to_owned(), rest.to_owned()),
            None => match split_label(rest) {
                Some((label, value)) => (label.to_owned(), value.to_owned()),
                None => (String::new(), rest.to_owned()),
            },
        })
        .collect()
}

/// Splits `GPU: RTX 3060`. A label is a few words, before the first colon.
pub(super) fn split_label(line: &str) -> Option<(&str, &str)> {
    let at = line.find([':', '：'])?;
    let (label, rest) = line.split_at(at);
    let value = rest.trim_start_matches([':', '：']);
    let label = label.trim().trim_matches(['*', '_', '`']).trim();
    let fits = !label.is_empty()
        && label.chars().count() <= 40
        && label.split_whitespace().count() <= 5
        && label.chars().any(char::is_alphabetic)
        && !label.contains(['"', '`', '=', '.', '(', '{', '\\'])
        && !value.starts_with(['/', ':', '\\']);
    fits.then(|| (label, value.trim().trim_matches('*').trim()))
}

/// The code spans and quoted stretches of a text.
pub(super) fn quoted(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for (open, close) in [('`', '`'), ('"', '"'), ('“', '”')] {
        let mut rest = text;
        while let Some(start) = rest.find(open) {
            let after = rest.get(start + open.len_utf8()..).unwrap_or_default();
            let Some(end) = after.find(close) else { break };
            out.push(after.get(..end).unwrap_or_default().trim());
            rest = after.get(end + close.len_utf8()..).unwrap_or_default();
        }
    }
    out.retain(|q| !q.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_placeholders() {
        for text in [
            "[Brief description]",
            "TBD",
            "...",
            "",
            "Brief description of the bug.",
            "<your GPU>",
            "BUG-YYYYMMDD-NNN",
            "N/A",
            "{{ gpu }}",
            "*None*",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in [
            "CUDA out of memory",
            "[rank0]: x [a]",
            "없어요",
            "Describe of torch\nfails",
            "none of the GPUs works",
            "GPU",
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn knows_outcomes() {
        for (text, said) in [
            ("Test 1 ✅", Some(true)),
            ("Test ❌", Some(false)),
            ("⏳", Some(false)),
            ("PASSED (10/10 iterations)", Some(true)),
            ("FAILED at first training step", Some(false)),
            ("Running now", Some(false)),
            ("통과했습니다", Some(true)),
            ("tokens", None),
            ("", None),
        ] {
            assert_eq!(outcome(text), said, "{text}");
        }
    }

    #[test]
    fn splits_labels() {
        assert_eq!(split_label("GPU: RTX 3060"), Some(("GPU", "RTX 3060")));
        assert_eq!(split_label("그래픽카드：RTX"), Some(("그래픽카드", "RTX")));
        assert_eq!(split_label("https://x.y"), None);
        assert_eq!(split_label("C:\\x"), None);
        assert_eq!(split_label("torch.cuda: x"), None);
        assert_eq!(quoted("a `b c` and \"d\" and `e"), ["b c", "d"]);
    }
}
