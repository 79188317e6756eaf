//! A template's own words in a report: values that were never replaced.
//!
//! The rules are cautious: a value counts only if nobody would write it about a real failure.

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
        || is_angled(value, has_label)
        || (has_label && NOT_GIVEN.contains(&lower.trim_end_matches('.')))
        || is_hole(value)
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

/// Words that are common in a template's brackets and rare in a person's.
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

/// `{{ bug_id }}` anywhere, or a pattern to be filled in, with hardly any other text.
pub(super) fn is_hole(value: &str) -> bool {
    if value.contains('`') {
        return false;
    }
    let named = value.split("{{").skip(1).filter_map(|rest| rest.split_once("}}")).any(|(inside, _)| {
        let name = inside.split('|').next().unwrap_or_default().trim();
        let spaced = inside.starts_with(' ') || !inside.contains('|');
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
        spaced && plain && name.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    // "dates in YYYY-MM-DD format" is a person's sentence.
    let alone = value.split_whitespace().count() <= 3;
    named || (alone && ["YYYY-MM-DD", "YYYYMMDD", "BUG-XXX", "X.Y.Z"].iter().any(|hole| value.contains(hole)))
}

fn holds_hole(lower: &str) -> bool {
    let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '.')).collect();
    HOLES.iter().any(|hole| match hole.contains(' ') || !hole.is_ascii() {
        true => lower.contains(hole),
        false => words.iter().any(|word| word.trim_end_matches('.') == *hole),
    })
}

/// `[Brief description]`, but no link, no log level, no list of values.
pub(super) fn is_bracketed(value: &str, has_label: bool, text: &str) -> bool {
    let Some(inside) = value.strip_prefix('[').and_then(|rest| rest.trim_end_matches('.').strip_suffix(']')) else {
        return false;
    };
    if inside.contains(['[', ']', '"', '\'', '=', '`']) || inside.starts_with('^') || inside.chars().count() > 200 {
        return false;
    }
    let lower = inside.to_lowercase();
    // A link whose address is further down, in any case.
    if !inside.chars().any(char::is_alphabetic) || text.to_lowercase().contains(&format!("[{lower}]:")) {
        return false;
    }
    let hole = holds_hole(&lower);
    let fixed = matches!(
        lower.as_str(),
        "n/a" | "none" | "unknown" | "x" | "yes" | "no" | "redacted" | "omitted" | "snip" | "truncated"
    );
    let says_nothing_of_its_own = has_label && !inside.bytes().any(|b| b.is_ascii_digit()) && !fixed;
    hole || says_nothing_of_its_own
}

/// `<your GPU>`, but no tag, no address, and not what a program leaves out ("<omitting python frames>").
fn is_angled(value: &str, has_label: bool) -> bool {
    let Some(inside) = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) else { return false };
    let lower = inside.to_lowercase();
    const TAGS: [&str; 12] = ["details", "summary", "a", "img", "div", "span", "p", "table", "td", "th", "br", "input"];
    if lower.split(' ').next().is_some_and(|first| TAGS.contains(&first)) {
        return false;
    }
    let hole = lower.starts_with("your")
        || lower.starts_with("insert")
        || (inside.contains(' ') && (has_label || holds_hole(&lower)));
    hole && !inside.contains(['<', '>', '=', '/', ':', '@', '"']) && inside.chars().any(char::is_alphabetic)
}

/// Sentences of the templates in use, without the full stop. They are compared whole: a person may begin a sentence
/// of their own with the same words.
const WHOLE: [&str; 49] = [
    "brief description of the bug",
    "clear description of the bug",
    "what you expected to happen",
    "what actually happened",
    "what actually happens",
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
    "error message here",
    "if applicable, include screenshots or relevant log entries",
    "who is affected",
    "who is affected by this",
    "any temporary workarounds",
    "any workarounds",
    "what is causing the issue",
    "what causes the issue",
    "where in the code",
    "what triggers the issue",
    "related issue 1",
    "related issue 2",
    "related issue 3",
    "how to fix the issue",
    "how to fix it",
    "how to test the fix",
    "how will we verify the fix?",
    "who is working on this bug",
    "high/medium/low",
    "critical/high/medium/low",
    "low/medium/high",
    "low/medium/high/critical",
    "what is broken? what's the impact?",
    "hypotheses or known causes",
    "what needs to change?",
    "bug title",
    "bug-yyyymmdd-nnn",
    "go to '...'",
    "click on '....'",
    "scroll down to '....'",
    "lorem ipsum",
    "한 줄 요약",
    "버그 요약",
];

/// Words with which only a template begins.
const BEGINNING: [&str; 14] = [
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
    "lorem ipsum",
    "여기에 ",
];

/// Values that a generator writes if none was given.
const NOT_GIVEN: [&str; 4] = ["not specified", "not provided", "to be specified", "unspecified"];

fn is_phrase(lower: &str) -> bool {
    let bare = lower.trim_end_matches(['.', '!', '…']);
    bare.chars().count() < 160
        && (WHOLE.contains(&bare) || BEGINNING.iter().any(|words| bare.starts_with(words)) || invitation(lower))
}

/// What a template says about itself at its end; not the author's words, and nothing to replace.
pub(super) fn is_boilerplate(words: &str) -> bool {
    let lower = words.trim_matches(['*', '_', ' ']).to_lowercase();
    lower.starts_with("this bug report follows the project's standardized format")
}

/// The boxes with which templates track a bug's life cycle.
pub(super) const LIFE: [&str; 9] = [
    "reported",
    "confirmed",
    "investigating",
    "in progress",
    "fix in progress",
    "fixed",
    "resolved",
    "verified",
    "closed",
];

/// "Paste the full log here", "Error message here", with or without brackets.
pub(super) fn invitation(line: &str) -> bool {
    let lower = line.to_lowercase();
    let bare = lower.trim_matches(['[', ']', '<', '>', '(', ')', '#', '.', '!', '*', ' ']);
    let Some(before) = bare.strip_suffix(" here") else { return false };
    let asks = ["paste ", "insert ", "put ", "add ", "attach ", "copy "].iter().any(|verb| bare.starts_with(verb));
    let names = ["error", "stack", "log", "logs", "traceback", "output", "your"];
    let short = before.split(' ').count() <= 3 && names.contains(&before.split(' ').next().unwrap_or_default());
    (asks || short) && bare.chars().count() < 100 && !bare.contains(['`', ','])
}
