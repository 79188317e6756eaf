//! Evaluates the book's conditions and sentences over a set of facts.
//!
//! Three-valued: a condition over an unknown fact is neither true nor false. Anything else that goes wrong (a version
//! that does not parse, a text where a number is needed) counts as unknown too: `check` reports errors in pages, so
//! that they never fail a user's diagnosis.

use std::collections::BTreeMap;

use minijinja::Value;

use crate::condition::{Condition, LANGUAGE, Part, has_too_long_tag, is_global, is_too_long, split_or};
use crate::facts::{self, Facts, Source};

/// Evaluates conditions and sentences against one set of facts.
pub(crate) struct Conditions {
    context: Value,
    /// Where each dotted name comes from.
    sources: BTreeMap<String, (Source, Option<u32>)>,
    /// Why a name is not known, if a reason was given.
    unknown: BTreeMap<String, String>,
}

/// What a true condition rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Provenance {
    /// The strongest source among the facts it uses.
    pub source: Source,
    /// The line of the text where one of them is.
    pub line: Option<u32>,
}

impl Conditions {
    /// Prepares the facts.
    pub(crate) fn new(facts: &Facts) -> Self {
        let sources = facts.iter().map(|(name, fact)| (name.to_owned(), (fact.source, fact.line))).collect();
        let unknown = facts.unknowns().map(|(name, why)| (name.to_owned(), why.to_owned())).collect();
        Self { context: nest(facts), sources, unknown }
    }

    /// What the condition rests on when it is true; `None` when it is false or unknown.
    pub(crate) fn holds(&self, condition: &Condition) -> Option<Provenance> {
        condition.parts().iter().find_map(|part| {
            let (value, provenance) = self.evaluate(part)?;
            value.then_some(provenance)
        })
    }

    /// Why a fact is not known, if a reason was given.
    pub(crate) fn why_unknown(&self, name: &str) -> Option<String> {
        self.unknown.get(name).cloned()
    }

    /// The sentence with its `{{ fact }}` placeholders filled; the words before the first placeholder when a fact is missing.
    pub(crate) fn sentence(&self, template: &str) -> String {
        self.filled(template).unwrap_or_else(|| {
            let words = template.split("{{").next().unwrap_or_default();
            words.trim_end_matches([' ', ',', ':', '(']).to_owned()
        })
    }

    /// Words with their `{{ fact }}` placeholders filled; `None` when a fact is missing. Docker's `{{.Config}}` stays.
    pub(crate) fn filled(&self, template: &str) -> Option<String> {
        let is_template = template.contains("{{") && !has_too_long_tag(template);
        let parsed = is_template.then(|| LANGUAGE.template_from_str(template).ok()).flatten();
        match parsed {
            Some(parsed) => parsed.render(self.context.clone()).ok(),
            None => Some(template.to_owned()),
        }
    }

    /// Why a condition cannot be evaluated with these facts: for `check`, which supplies every fact it uses.
    pub(crate) fn trouble(&self, condition: &str) -> Option<String> {
        split_or(condition).into_iter().find_map(|part| {
            if is_too_long(part) {
                return Some("it has too many parts".to_owned());
            }
            let expression = LANGUAGE.compile_expression(part);
            expression.and_then(|expression| expression.eval(self.context.clone())).err().map(|error| reason(&error))
        })
    }

    /// The facts that a sentence uses, or why it cannot be filled with these facts.
    ///
    /// # Errors
    /// What is wrong with the sentence.
    pub(crate) fn names_in_sentence(&self, template: &str) -> Result<Vec<String>, String> {
        if has_too_long_tag(template) {
            return Err("it has too many parts".to_owned());
        }
        let parsed = LANGUAGE.template_from_str(template).map_err(|error| reason(&error))?;
        let mut names: Vec<String> = parsed.undeclared_variables(true).into_iter().collect();
        names.retain(|name| !is_global(name));
        names.sort();
        if names.iter().all(|name| self.sources.contains_key(name)) {
            LANGUAGE.render_str(template, self.context.clone()).map_err(|error| reason(&error))?;
        }
        Ok(names)
    }

    fn evaluate(&self, part: &Part) -> Option<(bool, Provenance)> {
        let mut provenance = Provenance { source: Source::Catalogue, line: None };
        for name in &part.names {
            match self.sources.get(name) {
                Some((source, line)) => {
                    provenance.source = provenance.source.max(*source);
                    provenance.line = provenance.line.or(*line);
                }
                None if part.asks_presence => {}
                None => return None,
            }
        }
        Some((part.evaluate(&self.context)?, provenance))
    }
}

/// The expression language's error message, without its placeholder for a file name.
fn reason(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    }
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
            facts::Value::Number(value) => number(*value),
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

/// A count, a code or a temperature reads "3" and not "3.0". Amounts stay what they are, for products do not overflow.
fn number(value: f64) -> Value {
    match value as i32 {
        whole if f64::from(whole) == value => Value::from(whole),
        _ => Value::from(value),
    }
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
        assert!(conditions.holds(&Condition::new("oom.free < 1 * GiB")).is_some());
        assert!(conditions.holds(&Condition::new("oom.total < 1 * GiB")).is_none());
        assert!(conditions.holds(&Condition::new("oom.free > 1 * GiB")).is_none());
        assert!(conditions.holds(&Condition::new("oom.total < 1 * GiB or oom.free < 1 * GiB")).is_some());
    }

    #[test]
    fn versions_and_architectures_compare() {
        let facts = facts();
        let conditions = Conditions::new(&facts);
        assert!(conditions.holds(&Condition::new(r#"matches(torch.version, ">=2.8,<2.9")"#)).is_some());
        let grounds = conditions.holds(&Condition::new("not arch_supported(gpu.compute_capability, torch.arch_list)"));
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
        facts.number_in_text("xid.first", 31.0, 1);
        facts.number_in_text("run.loss.last", 0.25, 1);
        let conditions = Conditions::new(&facts);
        assert_eq!(conditions.sentence("Xid {{ xid.first }}, {{ run.loss.last }}"), "Xid 31, 0.25");
        assert!(conditions.holds(&Condition::new("xid.first in [13, 31] and xid.first / 2 > 15.4")).is_some());
    }

    #[test]
    fn sentences_show_facts_and_survive_their_absence() {
        let facts = facts();
        let conditions = Conditions::new(&facts);
        assert_eq!(conditions.sentence("only {{ oom.free | size }} are free"), "only 100.0 MiB are free");
        assert_eq!(conditions.sentence("the card has {{ oom.total | size }}"), "the card has");
    }
}
