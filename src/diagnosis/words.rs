//! Words of `kb/wording/platforms.toml` in a line: literal, without regard to case, at the borders of words.

/// Whether the word occurs in a line that is in lower case already.
pub(super) fn occurs(line: &str, word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let literal = literal(&word);
    let mut from = 0;
    while let Some(found) = line.get(from..).and_then(|rest| rest.find(literal)) {
        let at = from + found;
        if stands_alone(line, at, at + literal.len(), &word) {
            return true;
        }
        from = at + literal.chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// The word without the mark that it may continue.
pub(super) fn literal(word: &str) -> &str {
    word.strip_suffix('*').unwrap_or(word)
}

/// Whether a literal at this place of a line begins and ends as the word asks.
pub(super) fn stands_alone(line: &str, start: usize, end: usize, word: &str) -> bool {
    let before = line.get(..start).and_then(|head| head.chars().next_back());
    let after = line.get(end..).and_then(|tail| tail.chars().next());
    let begins = match word.chars().next() {
        // A folder of the same name inside another path is another folder.
        Some('/') => before.is_none_or(|c| !is_word(c) && !matches!(c, '.' | '-' | '~' | '/' | '}')),
        Some(first) if is_word(first) => before.is_none_or(|c| !is_word(c)),
        _ => true,
    };
    let may_continue = word.ends_with('*') || !literal(word).ends_with(is_word);
    begins && (may_continue || after.is_none_or(|c| !is_word(c)))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_their_borders() {
        for (line, word, expected) in [
            ("docker run it", "docker", true),
            ("dockerfile", "docker", false),
            ("dockerfile", "docker*", true),
            ("/kaggle/working/train.py", "/kaggle/*", true),
            ("/home/me/kaggle/train.py", "/kaggle/*", false),
            ("file \"/content/train.py\"", "/content/*", true),
            ("data/content/train.py", "/content/*", false),
            ("/mnt/c/users/me", "/users/*", false),
            ("torch 2.8.0+rocm6.2", "+rocm*", true),
            ("gfx1100", "gfx11*", true),
            ("pip install x --index-url https://download.pytorch.org/whl/cu130", "whl/cu*", true),
            ("nvidia_smi", "nvidia-smi", false),
        ] {
            assert_eq!(occurs(line, word), expected, "{word} in {line}");
        }
    }
}
