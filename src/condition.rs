//! A condition of the book over facts ("oom.others > 0.3 * oom.total") that compiles when it is first asked and never
//! fails: one that does not compile is silent (`check` names it).
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

/// What stands between two of the outermost `or`s of a condition, so that one unknown part does not silence the others.
#[derive(Debug)]
pub(crate) struct Part {
    expression: Option<Expression<'static, 'static>>,
    /// The facts it asks for, by dotted name.
    pub(crate) names: Vec<String>,
    /// Whether it tests for presence: the one question that an absent fact answers.
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

    /// The facts it asks for, by dotted name, each once.
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

impl Part {
    fn compile(source: &str) -> Self {
        #[cfg(test)]
        crate::pattern::COMPILED.with(|compiled| compiled.set(compiled.get() + 1));
        let expression = LANGUAGE.compile_expression_owned(source.to_owned()).ok();
        let mut names: Vec<String> = expression.iter().flat_map(|it| it.undeclared_variables(true)).collect();
        names.retain(|name| !is_global(name));
        names.sort();
        Self { expression, names, asks_presence: source.contains(" defined") }
    }

    /// Whether it is true of these facts; `None` where it cannot be said.
    pub(crate) fn evaluate(&self, facts: &Value) -> Option<bool> {
        Some(self.expression.as_ref()?.eval(facts.clone()).ok()?.is_true())
    }
}

/// Whether the language has that name, so that it is none of a fact.
pub(crate) fn is_global(name: &str) -> bool {
    LANGUAGE.globals().any(|(global, _)| global == name)
}

/// What conditions and sentences of pages are written in.
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

/// The parts of a condition between its outermost `or`s, so that one unknown part does not silence the others.
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
            (None, b' ') if depth == 0 && bytes[i..].starts_with(b" or ") => {
                parts.push(condition[start..i].trim());
                start = i + 4;
            }
            _ => {}
        }
    }
    parts.push(condition[start.min(condition.len())..].trim());
    parts
}
