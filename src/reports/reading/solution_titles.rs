//! Titles of ways out: "Solution 1: Reduce the batch (RECOMMENDED)" has a name, a number, the words and a mark.

use super::words::without_marks;

/// Whether a title or line says that this way is the one to begin with.
pub(super) fn is_recommended(text: &str) -> bool {
    let lower = text.to_lowercase();
    let not = lower.contains("not recommended") || lower.contains("unrecommended") || lower.contains("비추천");
    !not && (lower.contains("(recommended")
        || lower.contains("[recommended")
        || lower.ends_with("recommended")
        || lower.contains('⭐')
        || lower.contains("권장")
        || lower.contains("추천"))
}

/// "Solution 2: x", "Option A - x", "Fix #1", "해결 방법 1: x".
pub(super) fn is_numbered(title: &str) -> bool {
    number_end(title).is_some()
}

/// Where the name and number of a solution end.
fn number_end(title: &str) -> Option<usize> {
    const NAMES: [&str; 20] = [
        "solution",
        "option",
        "fix",
        "workaround",
        "approach",
        "alternative",
        "method",
        "resolution",
        "recommended fix",
        "recommended solution",
        "proposed fix",
        "proposed solution",
        "strategy",
        "example",
        "primary fix",
        "해결 방법",
        "해결책",
        "해결방법",
        "방법",
        "예시",
    ];
    let lower = title.to_lowercase();
    if lower.len() != title.len() {
        return None;
    }
    let name = NAMES.iter().filter(|name| lower.starts_with(**name)).max_by_key(|name| name.len())?;
    let rest = title.get(name.len()..)?;
    let after = rest.trim_start_matches([' ', '#']);
    let number = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let letter = after.len() >= 2
        && after.starts_with(|c: char| c.is_ascii_uppercase())
        && !after.chars().nth(1).is_some_and(char::is_alphanumeric);
    let numbered = number > 0 || letter;
    let after = after.get(if number > 0 { number } else { usize::from(letter) }..)?;
    let tail = after.trim_start_matches(' ').strip_prefix([':', '.', ')', '-', '–', '—', '：']);
    match (numbered, tail) {
        (true, Some(tail)) => Some(title.len() - tail.len()),
        (true, None) => Some(title.len() - after.len()),
        (false, Some(tail)) if rest.trim_start().len() == tail.len() + 1 && !tail.trim().is_empty() => {
            Some(title.len() - tail.len())
        }
        _ => None,
    }
}

/// A title without "Solution 1:", "(RECOMMENDED)", numbering and marks.
pub(super) fn clean(title: &str) -> String {
    let title =
        number_end(title).and_then(|end| title.get(end..)).map(str::trim).filter(|t| !t.is_empty()).unwrap_or(title);
    let mut title = without_marks(title);
    for mark in [
        "(RECOMMENDED)",
        "(Recommended)",
        "(recommended)",
        "[RECOMMENDED]",
        "[Recommended]",
        "- RECOMMENDED",
        "(권장)",
        "(추천)",
        "RECOMMENDED",
    ] {
        title = title.replace(mark, "");
    }
    let title = title.trim().trim_end_matches([':', '：', '.', '-']).trim();
    let number = title.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let bare = title
        .get(number..)
        .and_then(|rest| rest.strip_prefix(['.', ')']))
        .filter(|rest| number > 0 && rest.starts_with(' '));
    bare.unwrap_or(title).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleans_titles() {
        for (raw, title, numbered) in [
            ("Solution 1: Reduce Batch Size (RECOMMENDED)", "Reduce Batch Size", true),
            ("Option A - Use less", "Use less", true),
            ("Fix #2: Pin cuDNN", "Pin cuDNN", true),
            ("Alternative: FP16 + Batch Size 2", "FP16 + Batch Size 2", true),
            ("Recommended Fix: Batch Size Reduction", "Batch Size Reduction", true),
            ("Proposed Solution", "Proposed Solution", false),
            ("Solution", "Solution", false),
            ("Fixed imports", "Fixed imports", false),
            ("해결 방법 1: 배치 줄이기 (권장)", "배치 줄이기", true),
            ("2. Lower it", "Lower it", false),
            ("Solution 3", "Solution 3", true),
            ("", "", false),
        ] {
            assert_eq!((clean(raw).as_str(), is_numbered(raw)), (title, numbered), "{raw}");
        }
        assert!(is_recommended("Solution 1: x (RECOMMENDED)"));
        assert!(!is_recommended("x (not recommended)"));
    }
}
