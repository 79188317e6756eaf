//! Small scanners for numbers, sizes and words in messages; `None` where the text has another form.
//!
//! `GB` counts as 2^30 bytes like `GiB`, because GPU tools print binary sizes under decimal names.

/// The byte offset of `needle` in `text`.
///
/// Most lines contain none of the words they are searched for. `contains` compares words of up to [`SHORT`] bytes with
/// vector instructions; `find` prepares a search every time, which takes longer than reading a line.
pub(crate) fn find(text: &str, needle: &str) -> Option<usize> {
    // Most lines lack even the first letter.
    memchr::memchr(*needle.as_bytes().first()?, text.as_bytes())?;
    let head = needle.get(..needle.len().min(SHORT)).unwrap_or(needle);
    if text.contains(head) { text.find(needle) } else { None }
}

const SHORT: usize = 32;

/// The text before and after the first `needle`.
pub(crate) fn split_once<'t>(text: &'t str, needle: &str) -> Option<(&'t str, &'t str)> {
    let at = find(text, needle)?;
    Some((text.get(..at)?, text.get(at + needle.len()..)?))
}

/// The text after the first `needle`.
pub(crate) fn after<'t>(text: &'t str, needle: &str) -> Option<&'t str> {
    split_once(text, needle).map(|(_, rest)| rest)
}

/// The text between the first `open` and the next `close`.
pub(crate) fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    split_once(after(text, open)?, close).map(|(inner, _)| inner)
}

/// Whether a name ends as the names of exceptions do.
pub(crate) fn names_an_exception(name: &str) -> bool {
    name.ends_with("Error") || name.ends_with("Exception")
}

/// Whether `text` contains `needle` (which must be lower case), ASCII case ignored.
pub(crate) fn contains_folded(text: &str, needle: &str) -> bool {
    find_folded(text, needle).is_some()
}

/// The byte offset of `needle` (lower case, not empty) in `text`, ASCII case ignored.
pub(crate) fn find_folded(text: &str, needle: &str) -> Option<usize> {
    find_folded_bytes(text.as_bytes(), needle.as_bytes())
}

/// The same in bytes of any encoding.
pub(crate) fn find_folded_bytes(text: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), text)
        .find(|&at| text.get(at..at + needle.len()).is_some_and(|part| part.eq_ignore_ascii_case(needle)))
}

/// The text after the first `needle` (lower case), ASCII case ignored.
pub(crate) fn after_folded<'t>(text: &'t str, needle: &str) -> Option<&'t str> {
    text.get(find_folded(text, needle)? + needle.len()..)
}

/// The number of columns of white space a line begins with.
pub(crate) fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// A decimal number (thousands separated by commas allowed) at the beginning, and what follows it.
pub(crate) fn number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start();
    let mut end = 0;
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'-') {
        end = 1;
    }
    let mut seen_dot = false;
    while let Some(&byte) = bytes.get(end) {
        let digit_follows = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        match byte {
            b'0'..=b'9' => {}
            b'.' if !seen_dot && digit_follows => seen_dot = true,
            b',' if !seen_dot && end > 0 && thousands(&bytes[end + 1..]) => {}
            _ => break,
        }
        end += 1;
    }
    let (digits, rest) = text.split_at(end);
    let value = if digits.contains(',') { digits.replace(',', "").parse() } else { digits.parse() };
    value.ok().map(|value| (value, rest))
}

/// Whether exactly three digits follow.
fn thousands(bytes: &[u8]) -> bool {
    bytes.len() >= 3 && bytes[..3].iter().all(u8::is_ascii_digit) && !bytes.get(3).is_some_and(u8::is_ascii_digit)
}

/// An unsigned integer at the beginning, and what follows it.
pub(crate) fn parse_uint(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(end);
    digits.parse().ok().map(|value| (value, rest))
}

/// A size with its unit at the beginning in bytes, and what follows it.
pub(crate) fn size(text: &str) -> Option<(f64, &str)> {
    let (value, rest) = number(text)?;
    let rest = rest.trim_start();
    let end = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (unit, rest) = rest.split_at(end);
    Some((value * unit_bytes(unit)?, rest))
}

/// The last size with its unit that ends right before `mark`, in bytes: `3.06 MiB` in `...; 3.06 MiB free`.
pub(crate) fn size_before(text: &str, mark: &str) -> Option<f64> {
    let head = text.get(..text.find(mark)?)?.trim_end();
    let start = head
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_ascii_alphanumeric() || matches!(c, '.' | ',' | ' '))
        .last()?
        .0;
    // The run may include earlier words ("of which 15.06 MiB"): try from the last number on.
    let run = head.get(start..)?;
    let mut words: Vec<&str> = run.split_whitespace().collect();
    let unit = words.pop()?;
    match words.pop() {
        Some(value) if unit_bytes(unit).is_some() => size(&format!("{value} {unit}")).map(|(bytes, _)| bytes),
        _ => size(unit).map(|(bytes, _)| bytes),
    }
}

/// Bytes per unit, by any of its spellings. "12 m" and "3 t" are no sizes, and "100 Gb/s" are bits.
pub(crate) fn unit_bytes(unit: &str) -> Option<f64> {
    if matches!(unit, "m" | "g" | "t" | "Kb" | "Mb" | "Gb" | "Tb") {
        return None;
    }
    const SPELLINGS: [[&str; 4]; 5] = [
        ["b", "byte", "bytes", "bytes"],
        ["k", "ki", "kb", "kib"],
        ["m", "mi", "mb", "mib"],
        ["g", "gi", "gb", "gib"],
        ["t", "ti", "tb", "tib"],
    ];
    let is_of = |spellings: &[&str; 4]| spellings.iter().any(|spelling| spelling.eq_ignore_ascii_case(unit));
    let power = SPELLINGS.iter().position(is_of)?;
    Some(1024f64.powi(power as i32))
}

/// A version such as `2.8.0+cu128` or `2.1.0a0+32f93b1` at the beginning: a digit, then letters, digits, `.`, `+`, `-`, `_`.
pub(crate) fn version(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let text = match text.strip_prefix(['v', 'V']) {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => text,
    };
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let end =
        text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_'))).unwrap_or(text.len());
    Some(text[..end].trim_end_matches(['.', '-', '_', '+']))
}

/// Whether a character can be part of an identifier.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_all_spellings() {
        assert_eq!(size("20.00 MiB (GPU 0"), Some((20.0 * 1048576.0, " (GPU 0")));
        assert_eq!(size("12GB").map(|s| s.0), Some(12.0 * 1073741824.0));
        assert_eq!(size("8,000,000 bytes").map(|s| s.0), Some(8_000_000.0));
        assert_eq!(size("12 layers"), None);
        assert_eq!(size_before("11.91 GiB total capacity; 3.06 MiB free; x", " free"), Some(3.06 * 1048576.0));
        assert_eq!(size_before("of which 15.06 MiB is free", " is free"), Some(15.06 * 1048576.0));
    }

    #[test]
    fn numbers_stop_where_they_end() {
        assert_eq!(number("1,024, then"), Some((1024.0, ", then")));
        assert_eq!(number("-9 (pid"), Some((-9.0, " (pid")));
        assert_eq!(number("3.5.1"), Some((3.5, ".1")));
        assert_eq!(number("x"), None);
        assert_eq!(number(""), None);
    }

    #[test]
    fn versions() {
        assert_eq!(version(" 2.8.0+cu128)"), Some("2.8.0+cu128"));
        assert_eq!(version("v1.2.3."), Some("1.2.3"));
        assert_eq!(version("none"), None);
    }
}
