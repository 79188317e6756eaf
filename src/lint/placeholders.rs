//! A template's own words in a report: what a value consists of that nobody has replaced yet.
//!
//! Judgements are careful: something counts only when nobody would write it about a real failure.

/// What a template left in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// The template's own words.
    Placeholder,
    /// A mark that something is still to be written.
    Todo,
}

/// What a template left in a value, as far as the value consists of it.
pub(super) fn judge(value: &str, has_label: bool, is_task: bool, text: &str) -> Option<Left> {
    let value = value.trim().trim_matches('*').trim().trim_matches('_').trim();
    if value.is_empty() || value.starts_with('`') {
        return None;
    }
    let lower = value.to_lowercase();
    if is_todo(value, &lower) {
        return Some(Left::Todo);
    }
    let placeholder = is_bracketed(value, has_label, text)
        || is_angled(value)
        || (value.contains("{{") && value.contains("}}") && !value.contains('`'))
        || ["YYYY-MM-DD", "YYYYMMDD", "BUG-XXX", "X.Y.Z"]
            .iter()
            .any(|hole| value.contains(hole) && !value.contains('`'))
        || (!is_task && is_phrase(&lower));
    placeholder.then_some(Left::Placeholder)
}

pub(super) fn is_todo(value: &str, lower: &str) -> bool {
    let marked = ["TODO", "TBD", "FIXME"].iter().any(|mark| {
        value.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ' ', '.', '(', ',', ';']))
    });
    let bare = lower.trim_end_matches(['.', '!']);
    marked
        || matches!(
            bare,
            "to be determined"
                | "to be added"
                | "to be filled"
                | "to be filled in"
                | "to be written"
                | "작성 예정"
                | "추후 작성"
        )
}

/// Words that stand in a template's brackets and seldom in anybody's own.
const HOLES: [&str; 42] = [
    "describe",
    "description",
    "brief",
    "insert",
    "paste",
    "your",
    "name",
    "date",
    "version",
    "title",
    "e.g",
    "step",
    "if applicable",
    "optional",
    "tbd",
    "todo",
    "list",
    "detail",
    "details",
    "what",
    "any",
    "provide",
    "explain",
    "here",
    "fill",
    "specify",
    "which",
    "how",
    "screenshot",
    "attach",
    "placeholder",
    "gpu",
    "os",
    "driver",
    "model",
    "severity",
    "author",
    "reporter",
    "설명",
    "입력",
    "작성",
    "여기에",
];

/// `[Brief description]`, but no link, no log level, no list of values.
pub(super) fn is_bracketed(value: &str, has_label: bool, text: &str) -> bool {
    let Some(inside) = value.strip_prefix('[').and_then(|rest| rest.trim_end_matches('.').strip_suffix(']')) else {
        return false;
    };
    if inside.contains(['[', ']', '"', '\'', '=', '`']) || inside.starts_with('^') || inside.chars().count() > 200 {
        return false;
    }
    if !inside.chars().any(char::is_alphabetic) || text.contains(&format!("[{inside}]:")) {
        return false;
    }
    let lower = inside.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '.')).collect();
    let hole = HOLES.iter().any(|hole| match hole.contains(' ') || !hole.is_ascii() {
        true => lower.contains(hole),
        false => words.iter().any(|word| word.trim_end_matches('.') == *hole),
    });
    let fixed = matches!(
        lower.as_str(),
        "n/a" | "none" | "unknown" | "x" | "yes" | "no" | "redacted" | "omitted" | "snip" | "truncated"
    );
    let says_nothing_of_its_own = has_label && !inside.bytes().any(|b| b.is_ascii_digit()) && !fixed;
    hole || says_nothing_of_its_own
}

/// `<your GPU>`, but no tag and no address.
fn is_angled(value: &str) -> bool {
    let Some(inside) = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) else { return false };
    let lower = inside.to_lowercase();
    let hole = inside.contains(' ') || lower.starts_with("your") || lower.starts_with("insert");
    hole && !inside.contains(['<', '>', '=', '/', ':', '@', '"']) && inside.chars().any(char::is_alphabetic)
}

/// Sentences of the templates in use.
fn is_phrase(lower: &str) -> bool {
    const WHOLE: [&str; 20] = [
        "what you expected to happen",
        "what actually happened",
        "what should happen",
        "what should have happened",
        "what happens instead",
        "first step",
        "second step",
        "third step",
        "step 1",
        "step 2",
        "step 3",
        "step one",
        "step two",
        "bug title",
        "bug-yyyymmdd-nnn",
        "go to '...'",
        "click on '....'",
        "scroll down to '....'",
        "lorem ipsum",
        "한 줄 요약",
    ];
    const BEGINNING: [&str; 16] = [
        "brief description of",
        "a brief description of",
        "short description of the",
        "a clear and concise description",
        "clear and concise description",
        "describe the bug",
        "describe the issue",
        "describe the problem",
        "describe what",
        "describe how to",
        "if applicable, add",
        "add any other context",
        "steps to reproduce the behavior go here",
        "lorem ipsum",
        "replace this",
        "여기에 ",
    ];
    let bare = lower.trim_end_matches(['.', '!', '…']);
    bare.chars().count() < 160
        && (WHOLE.contains(&bare) || BEGINNING.iter().any(|words| bare.starts_with(words)) || invitation(lower))
}

/// "Paste the full log here", with or without brackets.
pub(super) fn invitation(line: &str) -> bool {
    let lower = line.to_lowercase();
    let bare = lower.trim_matches(['[', ']', '<', '>', '(', ')', '#', '.', '!', '*', ' ']);
    let asks = ["paste ", "insert ", "put ", "add ", "attach ", "copy "].iter().any(|verb| bare.starts_with(verb));
    asks && bare.chars().count() < 100 && bare.ends_with(" here")
}
