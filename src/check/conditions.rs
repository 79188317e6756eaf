//! Conditions and sentences of pages: can they be evaluated, and do they ask only for facts that exist?
//!
//! Each expression is run once over made-up facts of the right kinds, so that a wrong number of arguments or a filter
//! that does not exist shows up here and not as silence in a diagnosis.

use super::finding::{Finding, Source};
use crate::condition::Condition;
use crate::diagnosis::conditions::Conditions;
use crate::facts::{self, FactType, Facts, Source as Origin, Value};

/// Checks an expression over facts, which stands in the front matter of `source`.
pub(super) fn condition(source: &Source<'_>, expression: &str) -> Vec<Finding> {
    let names: Vec<String> = Condition::new(expression).names().into_iter().map(str::to_owned).collect();
    let mut findings = unknown_names(source, expression, &names);
    if findings.is_empty() {
        let facts = samples(names.iter().map(String::as_str));
        if let Some(reason) = Conditions::new(&facts).trouble(expression) {
            let message = format!("the condition {expression} cannot be evaluated: {reason}");
            let help = "comparisons, and, or, not, in, arithmetic, `matches`, `arch_supported`, `driver_supports`";
            findings.push(source.finding(find(source, expression), "bad-condition", message).help(help));
        }
    }
    findings
}

/// Checks a sentence with `{{ fact }}` placeholders.
pub(super) fn sentence(source: &Source<'_>, template: &str) -> Vec<Finding> {
    if !template.contains("{{") && !template.contains("{%") {
        return Vec::new();
    }
    let none = Facts::default();
    let wrong = |reason: String| {
        let message = format!("the sentence \"{template}\" cannot be filled: {reason}");
        source.finding(find(source, template), "bad-sentence", message).help("for example \"{{ oom.free | size }}\"")
    };
    match Conditions::new(&none).names_in_sentence(template) {
        Err(reason) => vec![wrong(reason)],
        Ok(names) => {
            let findings = unknown_names(source, template, &names);
            if !findings.is_empty() {
                return findings;
            }
            let facts = samples(names.iter().map(String::as_str));
            Conditions::new(&facts).names_in_sentence(template).err().map(wrong).into_iter().collect()
        }
    }
}

fn unknown_names(source: &Source<'_>, expression: &str, names: &[String]) -> Vec<Finding> {
    names
        .iter()
        .filter(|name| facts::describe(name).is_none())
        .map(|name| {
            let place = find(source, expression);
            let inner = expression.find(name.as_str()).unwrap_or(0);
            // Quoting may have changed the expression's length, not the place of a name in it by much.
            let start = source.text.get(place.start..).and_then(|rest| rest.find(name.as_str())).unwrap_or(inner);
            let range = place.start + start..place.start + start + name.len();
            let is_call = expression.get(inner + name.len()..).is_some_and(|rest| rest.trim_start().starts_with('('));
            let (what, help) = match (is_call, nearest(name)) {
                (true, _) => ("function", "there are `matches`, `arch_supported`, `driver_supports`, `any_of`".into()),
                (false, Some(known)) => ("fact", format!("did you mean `{known}`?")),
                (false, None) => ("fact", "docs/facts.md lists them".to_owned()),
            };
            source.finding(range, "unknown-fact", format!("there is no {what} {name}")).help(help)
        })
        .collect()
}

/// The known name that looks most like an unknown one.
fn nearest(name: &str) -> Option<&'static str> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let alike = |known: &str| {
        let same_end = known.rsplit('.').next() == Some(last);
        let common = known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        common + if same_end { 4 } else { 0 }
    };
    let names = facts::definitions().map(|definition| definition.name.as_ref()).filter(|known| !known.contains('{'));
    names.max_by_key(|known| alike(known)).filter(|known| alike(known) >= 4)
}

/// A value of the right type for each of `names`: enough to see whether an expression can be evaluated at all.
fn samples<'n>(names: impl IntoIterator<Item = &'n str>) -> Facts {
    let mut samples = Facts::default();
    for name in names {
        let Some(definition) = facts::describe(name).map(|described| described.definition) else { continue };
        let words = |other: &str| if definition.example.is_empty() { other } else { &definition.example }.to_owned();
        let value = match definition.fact_type {
            FactType::Number => Value::Number(1.0),
            FactType::Text => Value::Text(words("words")),
            FactType::Version => Value::Text(words("12.8")),
            FactType::Bool => Value::Bool(true),
            FactType::List => Value::List(vec![words("words")]),
        };
        samples.add(name, value, Origin::Probe, None);
    }
    samples
}

/// Where a value of the front matter stands: its longest piece that quoting cannot have changed.
pub(super) fn find(source: &Source<'_>, value: &str) -> std::ops::Range<usize> {
    let whole = source.text.find(value).map(|at| at..at + value.len());
    whole.unwrap_or_else(|| {
        let piece = value.split(['\\', '\'', '"', '\n']).max_by_key(|piece| piece.len()).unwrap_or_default();
        let at = source.text.find(piece).unwrap_or(0);
        at..at + piece.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        let source = Source::new("a.md", text);
        condition(&source, text).into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn conditions_must_parse_and_ask_for_known_facts() {
        for sound in [
            "oom.free < 1 * GiB",
            r#"matches(torch.version, ">=2.1,<2.8") and not os.wsl"#,
            "not arch_supported(gpu.compute_capability, torch.arch_list)",
            "driver_supports(driver.version, torch.cuda)",
            r#"env.CUDA_VISIBLE_DEVICES in ["", "-1"] or gpu.count == 1"#,
            r#""sm_90" in torch.arch_list"#,
            "gpu.mig is defined",
        ] {
            assert_eq!(rules(sound), [""; 0], "{sound}");
        }
        assert_eq!(rules("oom.freed < 1"), ["unknown-fact"]);
        assert_eq!(rules("oom.free < lots(1)"), ["unknown-fact"]);
        assert_eq!(rules("oom.free <"), ["bad-condition"]);
        assert_eq!(rules("oom.free | nothing"), ["bad-condition"]);
        assert_eq!(rules("gpu.count == 1 or matches(torch.version)"), ["bad-condition"]);
    }

    #[test]
    fn an_unknown_fact_is_marked_where_it_stands() {
        let text = "when: \"oom.total > 1 and oom.fre < 2\"\n";
        let finding = &condition(&Source::new("a.md", text), "oom.total > 1 and oom.fre < 2")[0];
        assert_eq!((finding.column, finding.end), (26, 33));
        assert_eq!(finding.help, "did you mean `oom.free`?");
    }

    #[test]
    fn the_nearest_name() {
        assert_eq!(nearest("oom.fre"), Some("oom.free"));
        assert_eq!(nearest("gpu.mem.free"), Some("gpu.memory.free"));
        assert_eq!(nearest("zebra"), None);
    }

    #[test]
    fn sentences_must_be_fillable() {
        let rules = |text: &str| -> Vec<&str> {
            sentence(&Source::new("a.md", text), text).into_iter().map(|finding| finding.rule).collect()
        };
        assert_eq!(rules("only {{ oom.free | size }} are free"), [""; 0]);
        assert_eq!(rules("nothing to fill"), [""; 0]);
        assert_eq!(rules("only {{ oom.fre }}"), ["unknown-fact"]);
        assert_eq!(rules("only {{ oom.free | bytes }}"), ["bad-sentence"]);
        assert_eq!(rules("only {{ oom.free"), ["bad-sentence"]);
    }
}
