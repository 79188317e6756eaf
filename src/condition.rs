//! A condition of the book over facts ("oom.others > 0.3 * oom.total"). It is compiled on first use and never fails:
//! one that does not compile counts as unknown (`check` reports it).
//!
//! Like a [`crate::pattern::Pattern`] it belongs to its page and is compiled once, however many texts are diagnosed.

use std::sync::{Arc, LazyLock, OnceLock};

use minijinja::{Environment, Expression, UndefinedBehavior, Value};

use crate::amounts::size;
use crate::compatibility;

/// A lazily compiled expression over facts. Clones share what was compiled.
#[derive(Debug, Clone)]
pub struct Condition(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: String,
    parts: OnceLock<Vec<Part>>,
}

/// A part between two of the outermost `or`s of a condition, so that one unknown part does not hide the others.
#[derive(Debug)]
pub(crate) struct Part {
    expression: Option<Expression<'static, 'static>>,
    /// The facts it uses, by dotted name.
    pub(crate) names: Vec<String>,
    /// Whether it tests for presence, which is known even for an absent fact.
    pub(crate) asks_presence: bool,
}

impl Condition {
    /// Keeps the source; compiles nothing yet.
    pub fn new(source: &str) -> Self {
        Self(Arc::new(Inner { source: source.to_owned(), parts: OnceLock::new() }))
    }

    /// The expression as written.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// The facts it uses, by dotted name, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.parts().iter().flat_map(|part| &part.names).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    pub(crate) fn parts(&self) -> &[Part] {
        self.0.parts.get_or_init(|| split_or(&self.0.source).into_iter().map(Part::compile).collect())
    }
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Eq for Condition {}

/// More parts than any condition or tag of a template has. Every part may nest one deeper, and the language's compiler
/// calls itself for each level.
const MOST_PARTS: usize = 250;

/// Whether an expression has more parts than can be compiled without running out of stack.
pub(crate) fn is_too_long(expression: &str) -> bool {
    let (mut parts, mut word) = (0, false);
    for c in without_literals(expression).chars() {
        let in_word = c.is_alphanumeric() || c == '_';
        if !(c.is_whitespace() || in_word && word) {
            parts += 1;
        }
        word = in_word;
    }
    parts > MOST_PARTS
}

/// Whether an expression repeats a list, a tuple or a text: `[1] * 10000 * 10000` is short and takes minutes, and no condition
/// needs it.
fn repeats(expression: &str) -> bool {
    let mut outside = without_literals(expression);
    outside.retain(|c| !c.is_whitespace());
    outside.contains('*')
        && (has_tuple(&outside) || ["[", "{", "\"*", "*\""].iter().any(|repeated| outside.contains(repeated)))
}

/// Whether there is a comma outside the parentheses of a call: `(2,)`.
fn has_tuple(expression: &str) -> bool {
    let mut calls = Vec::new();
    let mut previous = ' ';
    expression.chars().any(|c| {
        match c {
            '(' => calls.push(previous.is_alphanumeric() || previous == '_'),
            ')' => drop(calls.pop()),
            _ => {}
        }
        previous = c;
        c == ',' && !calls.last().is_some_and(|is_call| *is_call)
    })
}

/// An expression with one quotation mark in place of each text in quotes.
fn without_literals(expression: &str) -> String {
    let mut quote = None;
    let outside = expression.chars().filter_map(|c| match quote {
        Some(open) => {
            quote = Some(open).filter(|open| *open != c);
            None
        }
        None => {
            quote = Some(c).filter(|c| matches!(c, '"' | '\''));
            Some(quote.map_or(c, |_| '"'))
        }
    });
    outside.collect()
}

/// Whether a template has a tag with too many parts, or too many branches of one decision, which nest as well.
pub(crate) fn has_too_long_tag(template: &str) -> bool {
    let mut rest = template;
    while let Some(start) = memchr::memchr(b'{', rest.as_bytes()) {
        let tag = rest.get(start + 1..).unwrap_or_default();
        rest = tag;
        let Some(ends) = tag.chars().next().and_then(|mark| match mark {
            '{' => Some("}}"),
            '%' => Some("%}"),
            _ => None,
        }) else {
            continue;
        };
        let inner = tag.get(1..).unwrap_or_default();
        let mut quote = None;
        let end = inner.char_indices().find(|&(at, c)| {
            quote = match quote {
                Some(open) => Some(open).filter(|open| *open != c),
                None => Some(c).filter(|c| matches!(c, '"' | '\'')),
            };
            quote.is_none() && inner.get(at..).is_some_and(|rest| rest.starts_with(ends))
        });
        let end = end.map_or(inner.len(), |(at, _)| at);
        if is_too_long(inner.get(..end).unwrap_or_default()) {
            return true;
        }
        rest = inner.get(end..).unwrap_or_default();
    }
    template.matches("elif").count() > MOST_PARTS
}

impl Part {
    fn compile(source: &str) -> Self {
        #[cfg(test)]
        crate::pattern::COMPILED.with(|compiled| compiled.set(compiled.get() + 1));
        let is_bounded = !is_too_long(source) && !repeats(source);
        let expression = is_bounded.then(|| LANGUAGE.compile_expression_owned(source.to_owned()).ok()).flatten();
        let mut names: Vec<String> = expression.iter().flat_map(|it| it.undeclared_variables(true)).collect();
        names.retain(|name| !is_global(name));
        names.sort();
        Self { expression, names, asks_presence: source.contains(" defined") }
    }

    /// Whether it is true for these facts; `None` where that is unknown.
    pub(crate) fn evaluate(&self, facts: &Value) -> Option<bool> {
        Some(self.expression.as_ref()?.eval(facts.clone()).ok()?.is_true())
    }
}

/// Whether the language defines that name, so that it is no fact.
pub(crate) fn is_global(name: &str) -> bool {
    LANGUAGE.globals().any(|(global, _)| global == name)
}

/// The language of conditions and sentences in pages.
pub(crate) static LANGUAGE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut language = Environment::new();
    language.set_undefined_behavior(UndefinedBehavior::Strict);
    language.add_global("KiB", 1024.0);
    language.add_global("MiB", 1024.0 * 1024.0);
    language.add_global("GiB", 1024.0 * 1024.0 * 1024.0);
    language.add_function("matches", |version: &str, range: &str| compatibility::matches(version, range));
    language.add_function("same_major", |one: &str, other: &str| compatibility::same_major(one, other));
    language.add_function("arch_supported", |capability: &str, archs: Vec<String>| {
        compatibility::arch_supported(capability, &archs)
    });
    language.add_function("driver_supports", |driver: &str, cuda: &str| compatibility::driver_supports(driver, cuda));
    language.add_function("cuda_knows", |cuda: &str, capability: &str| compatibility::cuda_knows(cuda, capability));
    language.add_function("driver_floor", |cuda: &str| compatibility::driver_floor(cuda).unwrap_or("unknown"));
    language.add_filter("size", |bytes: f64| size(bytes));
    language.add_filter("span", |names: Vec<String>| span(&names));
    language.add_filter("sm", |capability: &str| format!("sm_{}", capability.replace('.', "")));
    language
});

/// "sm_70 ... sm_120": the first and the last of many names.
fn span(names: &[String]) -> String {
    match names {
        [first, _, .., last] if names.len() > 3 => format!("{first} ... {last}"),
        few => few.join(", "),
    }
}

/// The parts of a condition between its outermost `or`s, so that one unknown part does not hide the others.
pub(crate) fn split_or(condition: &str) -> Vec<&str> {
    let bytes = condition.as_bytes();
    let (mut depth, mut quote, mut start, mut parts) = (0_i32, None, 0, Vec::new());
    for (i, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[') => depth += 1,
            (None, b')' | b']') => depth -= 1,
            // The space after one `or` does not begin another.
            (None, b' ') if depth == 0 && i >= start && bytes[i..].starts_with(b" or ") => {
                parts.push(condition[start..i].trim());
                start = i + 4;
            }
            _ => {}
        }
    }
    parts.push(condition[start.min(condition.len())..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by fuzzing: conditions of 323 and of 19 bytes ran for 12 seconds.
    #[test]
    fn a_condition_repeats_no_lists_and_texts() {
        for source in [
            "[13.]*10222*99 == 1",
            "99999999 * 'a' == b",
            "\"a\" * 99999999 == b",
            "[a] == b * 9999",
            "21111105 * (2,) * 12",
        ] {
            assert!(Condition::new(source).parts().iter().all(|part| part.expression.is_none()), "{source}");
        }
        assert_eq!(Condition::new("a * 2 == b and c == 'x * [y]'").names(), ["a", "b", "c"]);
        assert_eq!(Condition::new("matches(a, '<2') and (b + 1) * 2 == c").names(), ["a", "b", "c"]);
    }

    #[test]
    fn an_or_after_an_or_is_a_condition_that_does_not_compile() {
        assert_eq!(split_or("a or or b"), ["a", "or b"]);
        assert_eq!(split_or(" or or "), ["", "or"]);
        assert_eq!(Condition::new("a or or b").names(), ["a"]);
    }
}
