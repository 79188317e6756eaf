//! The inline markdown in the book's sentences: code, emphasis, links.
//!
//! Parsed by hand instead of by a markdown parser: the sentences are short, and what is not markup must stay unchanged
//! (`a*b`, `x[0]`, `__init__`).

/// The sentence as plain text: links become their text, code and strong text lose their marks.
pub(crate) fn plain(text: &str) -> String {
    rewrite(text, false)
}

/// The sentence as markdown that works anywhere: links into the book become their text, others stay.
pub(crate) fn portable(text: &str) -> String {
    rewrite(text, true)
}

/// Longer texts are not sentences of the book, and searching for the ends of their marks could be slow.
const SENTENCES: usize = 16 * 1024;

fn rewrite(text: &str, keep_marks: bool) -> String {
    if text.len() > SENTENCES {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '[', '*']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let taken = code(from, keep_marks).or_else(|| link(from, keep_marks)).or_else(|| strong(from, keep_marks));
        match taken {
            Some((words, after)) => {
                out.push_str(words);
                rest = after;
            }
            None => {
                let (mark, after) = from.split_at(1);
                out.push_str(mark);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// `` `code` `` or ``` ``code`` ```: the content, and the rest.
fn code(from: &str, keep_marks: bool) -> Option<(&str, &str)> {
    let marks = from.len() - from.trim_start_matches('`').len();
    if marks == 0 {
        return None;
    }
    let fence = &from[..marks];
    let length = from[marks..].find(fence)?;
    let (inner, after) = (&from[marks..marks + length], &from[marks + length + marks..]);
    // Without its marks, code of several words would read as part of the sentence.
    let marked = keep_marks || inner.trim().contains(' ');
    let shown = if marked { &from[..marks + length + marks] } else { inner.trim() };
    Some((shown, after))
}

/// `[text](target)`, where the target contains no white space.
fn link(from: &str, keep_marks: bool) -> Option<(&str, &str)> {
    let inner = from.strip_prefix('[')?;
    let (words, tail) = inner.split_once("](")?;
    if words.contains(['[', '\n']) {
        return None;
    }
    let (target, after) = tail.split_once(')')?;
    if target.is_empty() || target.contains(char::is_whitespace) {
        return None;
    }
    let whole = &from[..from.len() - after.len()];
    let reachable = target.starts_with("https://") || target.starts_with("http://");
    Some((if keep_marks && reachable { whole } else { words }, after))
}

/// `**strong**`.
fn strong(from: &str, keep_marks: bool) -> Option<(&str, &str)> {
    let (inner, after) = from.strip_prefix("**")?.split_once("**")?;
    if inner.is_empty() || inner.starts_with(char::is_whitespace) || inner.ends_with(char::is_whitespace) {
        return None;
    }
    let whole = &from[..from.len() - after.len()];
    Some((if keep_marks { whole } else { inner }, after))
}

/// What a dead end is called, without the reason after its colon.
pub(crate) fn before_reason(text: &str) -> &str {
    let mut in_code = false;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        if c == '`' {
            in_code = !in_code;
        }
        if !in_code && c == ' ' && previous == ':' {
            return &text[..at - 1];
        }
        previous = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_lookalikes_stay() {
        for (text, expected) in [
            ("use `torch.cuda.empty_cache()` once", "use torch.cuda.empty_cache() once"),
            ("[Halve the batch](../../fixes/reduce-batch.md) first", "Halve the batch first"),
            ("see [the docs](https://example.org/a)", "see the docs"),
            ("**Check.** Run it", "Check. Run it"),
            ("a*b ** c ** d", "a*b ** c ** d"),
            ("x[0](y) and __init__", "x0 and __init__"),
            ("open ` tick and [ bracket", "open ` tick and [ bracket"),
            ("`` `a` ``", "`a`"),
            ("`[a](b)`", "[a](b)"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn links_into_the_book_do_not_travel() {
        let text = "`x` **y** [in](../a.md) [out](https://example.org)";
        assert_eq!(portable(text), "`x` **y** in [out](https://example.org)");
    }

    #[test]
    fn reasons_are_cut_off_at_a_colon_outside_code() {
        assert_eq!(before_reason("Updating cuDNN: it stays empty"), "Updating cuDNN");
        assert_eq!(before_reason("`a: b` in a loop: no"), "`a: b` in a loop");
        assert_eq!(before_reason("c10::Error"), "c10::Error");
        assert_eq!(before_reason(""), "");
    }
}
