//! Repairs UTF-8 that was once read as Windows-1252: `itâ€™s` is "it's" again, `âœ…` a tick.
//!
//! Only sequences that decode to exactly one character are replaced, so ordinary accented text stays as it is.

use std::borrow::Cow;

/// The text with such sequences replaced.
pub(super) fn repair(text: &str) -> Cow<'_, str> {
    // Every broken sequence begins with one of these, and most texts hold none.
    if !text.chars().any(|c| matches!(c, '\u{c2}'..='\u{f4}')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match matches!(c, '\u{c2}'..='\u{f4}').then(|| decode(rest)).flatten() {
            Some((whole, taken)) => {
                out.push(whole);
                rest = rest.get(taken..).unwrap_or_default();
            }
            None => {
                out.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }
    Cow::Owned(out)
}

/// The character that `text` begins with in broken form, and how many bytes that form has.
fn decode(text: &str) -> Option<(char, usize)> {
    // Editors drop the bytes that Windows-1252 does not define; two marks of test lists are among the victims.
    for (broken, whole) in [("âŒ", '❌'), ("â³", '⏳')] {
        if text.starts_with(broken) {
            return Some((whole, broken.len()));
        }
    }
    let mut bytes = [0_u8; 4];
    let mut chars = text.char_indices();
    let (_, first) = chars.next()?;
    let wanted = match first {
        '\u{c2}'..='\u{df}' => 2,
        '\u{e0}'..='\u{ef}' => 3,
        '\u{f0}'..='\u{f4}' => 4,
        _ => return None,
    };
    *bytes.first_mut()? = u8::try_from(u32::from(first)).ok()?;
    let mut end = first.len_utf8();
    for slot in bytes.get_mut(1..wanted)? {
        let (at, c) = chars.next()?;
        *slot = windows_1252(c).filter(|b| (0x80..0xc0).contains(b))?;
        end = at + c.len_utf8();
    }
    let decoded = std::str::from_utf8(bytes.get(..wanted)?).ok()?.chars().next()?;
    Some((decoded, end))
}

/// The byte of a character in Windows-1252; the five undefined ones as Latin-1 has them.
fn windows_1252(c: char) -> Option<u8> {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match HIGH.iter().position(|h| *h == c) {
        Some(i) => u8::try_from(0x80 + i).ok(),
        None => u8::try_from(u32::from(c)).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repairs_what_is_broken_and_nothing_else() {
        for (broken, whole) in [
            ("itâ€™s", "it’s"),
            ("âœ… ok", "✅ ok"),
            ("âŒ no", "❌ no"),
            ("50Â°C", "50°C"),
            ("ì˜¤ë¥˜", "오류"),
            ("café Ünïcode âge", "café Ünïcode âge"),
            ("오류 ✅", "오류 ✅"),
            ("â", "â"),
            ("", ""),
        ] {
            assert_eq!(repair(broken), whole, "{broken}");
        }
    }
}
