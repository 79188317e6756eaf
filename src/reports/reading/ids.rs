//! Ids of reports, wherever they stand: `BUG-20251110-003`, `BUG-2025-002`, `bug_001`, "Bug 20251110 003".
//!
//! One spelling stands for all of them: upper case, joined by dashes. A date or a version is not an id.

/// An id found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Where it begins.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// `BUG-20251110-003`.
    pub(super) normal: String,
}

/// Words that begin an id whatever follows them.
const BUG_WORDS: [&str; 2] = ["BUG", "ISSUE"];

/// Every id in `text`, in the order of the text.
pub(super) fn find(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            at += 1;
            continue;
        }
        let end = run(bytes, at, u8::is_ascii_alphabetic);
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let glued = before.is_some_and(char::is_alphanumeric);
        match (!glued).then(|| one(text, at, end)).flatten() {
            Some(found) => {
                at = found.end;
                out.push(found);
            }
            None => at = end,
        }
    }
    out
}

/// The normal spelling of a text that is an id as a whole.
pub(super) fn normal(text: &str) -> Option<String> {
    let text = text.trim();
    let found = find(text);
    match found.as_slice() {
        [one] if one.start == 0 && one.end == text.len() => Some(one.normal.clone()),
        _ => None,
    }
}

fn one(text: &str, start: usize, prefix_end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let written = text.get(start..prefix_end)?;
    let prefix = written.to_ascii_uppercase();
    let is_bug = BUG_WORDS.contains(&prefix.as_str());
    if !is_bug && !(2..=6).contains(&prefix.len()) {
        return None;
    }
    let (separator, first) = digits_after(bytes, prefix_end)?;
    let first_digits = text.get(first.clone())?;
    let second = digits_after(bytes, first.end).filter(|(s, d)| *s != Separator::None && d.len() <= 4 && d.len() >= 2);
    let dated = match first_digits.len() {
        8 => first_digits.starts_with("20"),
        4 => is_bug && (first_digits.starts_with("20") || first_digits.starts_with("19")),
        _ => false,
    };
    let (end, number) = match second {
        Some((_, second)) if dated && (is_bug || second.len() == 3) => (second.end, Some(text.get(second)?)),
        _ if is_bug && first_digits.len() <= 6 && matches!(separator, Separator::Dash | Separator::Underscore) => {
            (first.end, None)
        }
        _ if is_bug && (3..=4).contains(&first_digits.len()) && separator == Separator::None => (first.end, None),
        _ => return None,
    };
    // A prefix in other letters than capitals is an id only where people write it so: bug.
    if !is_bug && written != prefix {
        return None;
    }
    if bytes.get(end).is_some_and(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    // "bug 2025-11-10" is a date, not the tenth part of an id.
    if first_digits.len() == 4 && bytes.get(end) == Some(&b'-') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let normal = match number {
        Some(number) => format!("{prefix}-{first_digits}-{number}"),
        None => format!("{prefix}-{first_digits}"),
    };
    Some(Found { start, end, normal })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    None,
    Dash,
    Underscore,
    Space,
}

/// A separator and the digits after it.
fn digits_after(bytes: &[u8], at: usize) -> Option<(Separator, std::ops::Range<usize>)> {
    let (separator, from) = match bytes.get(at)? {
        b'-' | b'#' => (Separator::Dash, at + 1),
        b'_' => (Separator::Underscore, at + 1),
        b' ' => (Separator::Space, at + 1),
        _ => (Separator::None, at),
    };
    let end = run(bytes, from, u8::is_ascii_digit);
    (end > from && end - from <= 8).then_some((separator, from..end))
}

fn run(bytes: &[u8], from: usize, is: impl Fn(&u8) -> bool) -> usize {
    from + bytes.get(from..).unwrap_or_default().iter().take_while(|b| is(b)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_ids_in_every_spelling() {
        for (text, ids) in [
            ("BUG-20251110-003", vec!["BUG-20251110-003"]),
            ("see BUG-2025-002, bug_001.", vec!["BUG-2025-002", "BUG-001"]),
            ("Bug 20251110 003 Cudnn Workspace", vec!["BUG-20251110-003"]),
            ("BUG-20251110-003_cudnn_workspace.md", vec!["BUG-20251110-003"]),
            ("2025-11-10_bug_20251110_003_x.md", vec!["BUG-20251110-003"]),
            ("bug001.md", vec!["BUG-001"]),
            ("BUG#12", vec!["BUG-12"]),
            ("DIAG-20251110-001 and ART-20250130-001", vec!["DIAG-20251110-001", "ART-20250130-001"]),
            ("**BUG-20251110-001**: data", vec!["BUG-20251110-001"]),
            ("debug_001 RTX-3060 GPU-0 sm_86 cu128 CVE-2024-1234", vec![]),
            ("Bug 5 in torch 2", vec![]),
            ("bug 2025-11-10", vec![]),
            ("Bug 20251110", vec![]),
            ("BUG-YYYYMMDD-NNN", vec![]),
            ("버그BUG-1", vec![]),
            ("【BUG-20251110-003】显存不足", vec!["BUG-20251110-003"]),
            ("", vec![]),
        ] {
            let found: Vec<String> = find(text).into_iter().map(|f| f.normal).collect();
            assert_eq!(found, ids, "{text}");
        }
        assert_eq!(normal(" bug_001 ").as_deref(), Some("BUG-001"));
        assert_eq!(normal("BUG-1 and more"), None);
    }
}
