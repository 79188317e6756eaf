//! Conditions over facts ("oom.others > 0.3 * oom.total") and sentences with facts in them.
//!
//! Three-valued: a condition that asks for a fact nobody knows is neither true nor false, it is silent. Anything
//! else that goes wrong (a version that does not parse, a text where a number is asked for) is silent too: pages are
//! checked by the linter, not by a user's crash.

use std::collections::BTreeMap;

use minijinja::{Environment, UndefinedBehavior, Value};

use crate::amounts::size;
use crate::compatibility;
use crate::facts::{self, Facts, Source};

/// Evaluates conditions and sentences against one set of facts.
pub struct Conditions {
    environment: Environment<'static>,
    context: Value,
    /// Where each dotted name comes from.
    sources: BTreeMap<String, (Source, Option<u32>)>,
    /// Why a name is not known, where somebody said.
    unknown: BTreeMap<String, String>,
}

/// What a true condition rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provenance {
    /// The strongest source among the facts it asked for.
    pub source: Source,
    /// The line of the text where one of them stands.
    pub line: Option<u32>,
}

impl Conditions {
    /// Prepares the facts.
    pub fn new(facts: &Facts) -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.add_global("KiB", 1024.0);
        environment.add_global("MiB", 1024.0 * 1024.0);
        environment.add_global("GiB", 1024.0 * 1024.0 * 1024.0);
        environment.add_function("matches", |version: &str, range: &str| compatibility::matches(version, range));
        environment.add_function("same_major", |one: &str, other: &str| compatibility::same_major(one, other));
        environment.add_function("arch_supported", |capability: &str, archs: Vec<String>| {
            compatibility::arch_supported(capability, &archs)
        });
        environment
            .add_function("driver_supports", |driver: &str, cuda: &str| compatibility::driver_supports(driver, cuda));
        environment
            .add_function("cuda_knows", |cuda: &str, capability: &str| compatibility::cuda_knows(cuda, capability));
        environment.add_function("driver_floor", |cuda: &str| compatibility::driver_floor(cuda).unwrap_or("unknown"));
        environment.add_filter("size", |bytes: f64| size(bytes));
        environment.add_filter("span", |names: Vec<String>| span(&names));
        environment.add_filter("sm", |capability: &str| format!("sm_{}", capability.replace('.', "")));
        let sources = facts.iter().map(|(name, fact)| (name.to_owned(), (fact.source, fact.line))).collect();
        let unknown = facts.unknowns().map(|(name, why)| (name.to_owned(), why.to_owned())).collect();
        Self { environment, context: nest(facts), sources, unknown }
    }

    /// What the condition rests on when it is true; `None` when it is false or silent.
    pub fn holds(&self, condition: &str) -> Option<Provenance> {
        split_or(condition).into_iter().find_map(|part| self.part_holds(part))
    }

    /// Whether the condition is known to be false: all its facts are there and none of its parts holds.
    pub fn fails(&self, condition: &str) -> bool {
        split_or(condition).into_iter().all(|part| self.evaluate(part).is_some_and(|(value, _)| !value))
    }

    /// The facts a condition asks for, by dotted name.
    pub fn names(&self, condition: &str) -> Vec<String> {
        let Ok(expression) = self.environment.compile_expression_owned(condition.to_owned()) else {
            return Vec::new();
        };
        let globals: Vec<String> = self.environment.globals().map(|(name, _)| name.to_owned()).collect();
        let mut names: Vec<String> =
            expression.undeclared_variables(true).into_iter().filter(|name| !globals.contains(name)).collect();
        names.sort();
        names
    }

    /// Why a fact is not known, where somebody said.
    pub fn why_unknown(&self, name: &str) -> Option<String> {
        self.unknown.get(name).cloned()
    }

    /// The sentence with its `{{ fact }}` placeholders filled; the words before the first placeholder when a fact is missing.
    pub fn sentence(&self, template: &str) -> String {
        if !template.contains("{{") {
            return template.to_owned();
        }
        self.environment.render_str(template, self.context.clone()).unwrap_or_else(|_| {
            let words = template.split("{{").next().unwrap_or_default();
            words.trim_end_matches([' ', ',', ':', '(']).to_owned()
        })
    }

    /// Why a condition cannot be evaluated with these facts: for the linter, which gives it every fact it asks for.
    pub fn trouble(&self, condition: &str) -> Option<String> {
        split_or(condition).into_iter().find_map(|part| {
            let expression = self.environment.compile_expression_owned(part.to_owned());
            expression.and_then(|expression| expression.eval(self.context.clone())).err().map(|error| reason(&error))
        })
    }

    /// The facts a sentence asks for, or why it cannot be filled with these facts.
    ///
    /// # Errors
    /// What is wrong with the sentence.
    pub fn names_in_sentence(&self, template: &str) -> Result<Vec<String>, String> {
        let parsed = self.environment.template_from_str(template).map_err(|error| reason(&error))?;
        let mut names: Vec<String> = parsed.undeclared_variables(true).into_iter().collect();
        names.retain(|name| !self.environment.globals().any(|(global, _)| global == name));
        names.sort();
        if names.iter().all(|name| self.sources.contains_key(name)) {
            self.environment.render_str(template, self.context.clone()).map_err(|error| reason(&error))?;
        }
        Ok(names)
    }

    fn part_holds(&self, part: &str) -> Option<Provenance> {
        let (value, grounds) = self.evaluate(part)?;
        value.then_some(grounds)
    }

    fn evaluate(&self, part: &str) -> Option<(bool, Provenance)> {
        let mut grounds = Provenance { source: Source::Catalogue, line: None };
        // A test for presence is the one question that an absent fact answers.
        let asks_presence = part.contains(" defined");
        for name in self.names(part) {
            match self.lookup(&name) {
                Some((source, line)) => {
                    grounds.source = grounds.source.max(source);
                    grounds.line = grounds.line.or(line);
                }
                None if asks_presence => {}
                None => return None,
            }
        }
        let expression = self.environment.compile_expression_owned(part.to_owned()).ok()?;
        let value = expression.eval(self.context.clone()).ok()?;
        Some((value.is_true(), grounds))
    }

    /// A name or, where the expression uses a whole group, any of its members.
    fn lookup(&self, name: &str) -> Option<(Source, Option<u32>)> {
        self.sources.get(name).copied()
    }
}

/// What the expression language says of a mistake, without its own idea of a file name.
fn reason(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    }
}

/// "sm_70 ... sm_120": the first and the last of many names.
fn span(names: &[String]) -> String {
    match names {
        [first, _, .., last] if names.len() > 3 => format!("{first} ... {last}"),
        few => few.join(", "),
    }
}

/// The parts of a condition between its outermost `or`s, so that one unknown part does not silence the others.
fn split_or(condition: &str) -> Vec<&str> {
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

/// Dotted names as nested maps: `oom.free` becomes `oom["free"]`.
fn nest(facts: &Facts) -> Value {
    enum Node {
        Leaf(Value),
        Group(BTreeMap<String, Node>),
    }
    fn value(node: Node) -> Value {
        match node {
            Node::Leaf(value) => value,
            Node::Group(group) => {
                Value::from(group.into_iter().map(|(name, node)| (name, value(node))).collect::<BTreeMap<_, _>>())
            }
        }
    }
    let mut root = BTreeMap::new();
    for (name, fact) in facts.iter() {
        let leaf = match &fact.value {
            facts::Value::Bool(value) => Value::from(*value),
            facts::Value::Number(value) => Value::from(*value),
            facts::Value::Text(value) => Value::from(value.as_str()),
            facts::Value::List(values) => Value::from(values.clone()),
        };
        let mut group = &mut root;
        let mut parts = name.split('.').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                group.entry(part.to_owned()).or_insert(Node::Leaf(leaf.clone()));
            } else {
                let node = group.entry(part.to_owned()).or_insert_with(|| Node::Group(BTreeMap::new()));
                match node {
                    Node::Group(inner) => group = inner,
                    Node::Leaf(_) => break,
                }
            }
        }
    }
    value(Node::Group(root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Value as FactValue;

    fn facts() -> Facts {
        let mut facts = Facts::default();
        facts.number_in_text("oom.free", 100.0 * 1024.0 * 1024.0, 3);
        facts.words_in_text("torch.version", "2.8.0+cu128", 1);
        facts.words_in_text("gpu.compute_capability", "6.1", 1);
        facts.add("torch.arch_list", FactValue::List(vec!["sm_70".into(), "sm_86".into()]), Source::Probe, None);
        facts
    }

    #[test]
    fn unknown_facts_are_silent_and_do_not_silence_the_other_side_of_an_or() {
        let facts = facts();
        let conditions = Conditions::new(&facts);
        assert!(conditions.holds("oom.free < 1 * GiB").is_some());
        assert!(conditions.holds("oom.total < 1 * GiB").is_none());
        assert!(!conditions.fails("oom.total < 1 * GiB"));
        assert!(conditions.fails("oom.free > 1 * GiB"));
        assert!(conditions.holds("oom.total < 1 * GiB or oom.free < 1 * GiB").is_some());
    }

    #[test]
    fn versions_and_architectures_compare() {
        let facts = facts();
        let conditions = Conditions::new(&facts);
        assert!(conditions.holds(r#"matches(torch.version, ">=2.8,<2.9")"#).is_some());
        let grounds = conditions.holds("not arch_supported(gpu.compute_capability, torch.arch_list)");
        assert_eq!(grounds.map(|grounds| grounds.source), Some(Source::Probe));
    }

    #[test]
    fn measured_values_read_as_people_write_them() {
        let mut facts = facts();
        facts.add("torch.cuda", FactValue::Text("13.0".into()), Source::Probe, None);
        let archs = ["sm_70", "sm_75", "sm_86", "sm_90"].map(str::to_owned).to_vec();
        facts.add("wheel.archs", FactValue::List(archs), Source::Probe, None);
        let conditions = Conditions::new(&facts);
        let sentence =
            "{{ wheel.archs | span }} and {{ torch.arch_list | span }}, device {{ gpu.compute_capability | sm }}";
        assert_eq!(conditions.sentence(sentence), "sm_70 ... sm_90 and sm_70, sm_86, device sm_61");
        assert_eq!(conditions.sentence("below {{ driver_floor(torch.cuda) }}"), "below 580");
    }

    #[test]
    fn sentences_show_facts_and_survive_their_absence() {
        let facts = facts();
        let conditions = Conditions::new(&facts);
        assert_eq!(conditions.sentence("only {{ oom.free | size }} are free"), "only 100.0 MiB are free");
        assert_eq!(conditions.sentence("the card has {{ oom.total | size }}"), "the card has");
    }
}
