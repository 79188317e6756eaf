//! Words as engineers write them: `CUDA_ERROR_ILLEGAL_ADDRESS`, `c10::cuda::foo`, `fpn_decoder.py`, `DataLoader`.
//!
//! Each word is kept and also split at `_ : . - /` and at camelCase humps, all in lower case, so that
//! a search finds it by the word and by any part. Parts share the position of the word.

/// Longer words are data (hashes, base64, tensors), not words.
const LONGEST: usize = 80;

/// The same with a capital letter at the beginning.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Calls `emit` with every word and part of a word, and the index of the word it belongs to.
pub(crate) fn words(text: &str, mut emit: impl FnMut(usize, &str)) {
    let mut position = 0;
    let (mut lower, mut parts) = (String::new(), Vec::new());
    for word in text.split(|c: char| !in_word(c)) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if word.is_empty() {
            continue;
        }
        parts_of(word, &mut parts);
        let whole = word.len() <= LONGEST && !word.contains(['/', '\\']);
        if whole {
            emit(position, lowered(word, &mut lower));
        }
        if parts.len() > 1 || !whole {
            for part in parts.iter().filter(|part| part.len() <= LONGEST) {
                emit(position, lowered(part, &mut lower));
            }
        }
        position += 1;
    }
}

/// Whether a sign may be inside of a word.
fn in_word(sign: char) -> bool {
    const ASCII: [bool; 128] = {
        let mut known = [false; 128];
        let mut sign = 0_u8;
        while sign < 128 {
            known[sign as usize] =
                sign.is_ascii_alphanumeric() || matches!(sign, b'_' | b':' | b'.' | b'-' | b'/' | b'\\' | b'+');
            sign += 1;
        }
        known
    };
    ASCII.get(sign as usize).copied().unwrap_or_else(|| sign.is_alphanumeric())
}

/// A word in lower case, letter by letter, in a buffer that is used again.
pub(crate) fn lowered<'b>(word: &str, buffer: &'b mut String) -> &'b str {
    buffer.clear();
    match word.is_ascii() {
        true => {
            buffer.push_str(word);
            buffer.make_ascii_lowercase();
        }
        false => buffer.extend(word.chars().flat_map(char::to_lowercase)),
    }
    buffer
}

/// Finds the parts of a word between separators and humps; a word without any is its only part.
fn parts_of<'t>(word: &'t str, parts: &mut Vec<&'t str>) {
    parts.clear();
    // Most words are one part.
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return parts.push(word);
    }
    for piece in word.split(|c: char| !c.is_alphanumeric()) {
        let mut start = 0;
        let mut before = None;
        for (at, c) in piece.char_indices() {
            let hump = c.is_uppercase() && before.is_some_and(char::is_lowercase);
            if hump {
                parts.push(&piece[start..at]);
                start = at;
            }
            before = Some(c);
        }
        if start < piece.len() {
            parts.push(&piece[start..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, |_, word| found.push(word.to_owned()));
        found
    }

    #[test]
    fn wholes_and_parts() {
        assert_eq!(
            all("CUDA_ERROR_ILLEGAL_ADDRESS"),
            ["cuda_error_illegal_address", "cuda", "error", "illegal", "address"]
        );
        assert_eq!(all("c10::cuda::foo"), ["c10::cuda::foo", "c10", "cuda", "foo"]);
        assert_eq!(all("DataLoader died."), ["dataloader", "data", "loader", "died"]);
        assert_eq!(all("cudaErrorUnknown"), ["cudaerrorunknown", "cuda", "error", "unknown"]);
        assert_eq!(all("2.8.0+cu128"), ["2.8.0+cu128", "2", "8", "0", "cu128"]);
    }

    #[test]
    fn paths_are_parts_only() {
        assert_eq!(all("ocr/models/fpn_decoder.py"), ["ocr", "models", "fpn", "decoder", "py"]);
    }

    #[test]
    fn long_data_is_left_out() {
        assert!(all(&"a".repeat(500)).is_empty());
    }
}
