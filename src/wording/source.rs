//! Reads `kb/wording/*.toml`: at build time (`build.rs` includes this file by path), and in tests.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::places::Platforms;
use super::rows::{Alarms, Complaint, Complaints, Concepts, Statements, Symptoms};
use super::topics;

/// `alarms.toml` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AlarmSource {
    alarms: Vec<String>,
    printed: Vec<String>,
    reported: Vec<String>,
    numbered: Vec<String>,
    ordinary: Vec<String>,
    errors: Vec<String>,
    not_errors: Vec<String>,
    topics: BTreeMap<String, Vec<String>>,
}

/// Reads `alarms.toml`. The catalogue of packages adds literals: `packages` to the topic `environment`, `traces` to
/// `clients`.
pub(crate) fn alarms(text: &str, packages: Vec<String>, traces: Vec<String>) -> Result<Alarms<String>, String> {
    let mut source: AlarmSource = read(text)?;
    let mut literals: BTreeMap<String, topics::Topics> = BTreeMap::new();
    for (name, words) in std::mem::take(&mut source.topics) {
        let topic = topics::NAMES.iter().find(|(known, _)| *known == name).map(|(_, topic)| *topic);
        let topic = topic.ok_or_else(|| format!("there is no topic {name}"))?;
        for word in words {
            *literals.entry(word).or_default() |= topic;
        }
    }
    for word in packages {
        *literals.entry(word).or_default() |= topics::ENVIRONMENT;
    }
    for word in traces {
        *literals.entry(word).or_default() |= topics::CLIENTS;
    }
    let literals = literals.into_iter().collect();
    let AlarmSource { alarms, printed, reported, numbered, ordinary, errors, not_errors, .. } = source;
    Ok(Alarms { alarms, printed, reported, numbered, ordinary, errors, not_errors, literals })
}

/// `concepts.toml` as a search sees it.
#[derive(Debug, Deserialize)]
struct ConceptSource {
    concept: BTreeMap<String, String>,
    search: BTreeMap<String, String>,
}

/// Reads `concepts.toml` for a search.
pub(crate) fn concepts(text: &str) -> Result<Concepts<String>, String> {
    let source: ConceptSource = read(text)?;
    let alternatives: Vec<(String, String)> = source.concept.into_iter().chain(source.search).collect();
    let is_empty = |words: &str| words.split('|').any(|words| words.trim_matches(['$', ' ']).is_empty());
    match alternatives.iter().find(|(_, words)| is_empty(words)) {
        Some((name, _)) => Err(format!("{name} has an empty alternative")),
        None => Ok(alternatives),
    }
}

/// Reads `platforms.toml`, whose rows name each other.
pub(crate) fn platforms(text: &str) -> Result<Platforms<String>, String> {
    let source: Platforms<String> = read(text)?;
    let mut names: BTreeSet<&str> = BTreeSet::new();
    if let Some((_, twice)) = source.all().find(|(_, platform)| !names.insert(&platform.name)) {
        return Err(format!("{} is there twice", twice.name));
    }
    for (_, platform) in source.all() {
        let named = platform.implies.iter().chain(&platform.excludes);
        if let Some(unknown) = named.into_iter().find(|name| !names.contains(name.as_str())) {
            return Err(format!("{} names {unknown}, which is not there", platform.name));
        }
        let words = [&platform.traces, &platform.labels, &platform.code, &platform.absent, &platform.never]
            .into_iter()
            .flatten();
        if let Some(broken) = words.into_iter().find(|word| word.trim_end_matches('*').trim().is_empty()) {
            return Err(format!("{} has the empty word {broken:?}", platform.name));
        }
    }
    Ok(source)
}

/// `statements.toml` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatementSource {
    blunt: Vec<String>,
    contrasts: Vec<String>,
    joins: Vec<String>,
}

/// Reads `statements.toml` and the files of its folder, a language each, given as name and text.
pub(crate) fn statements<N: AsRef<str>, T: AsRef<str>>(
    text: &str,
    languages: impl IntoIterator<Item = (N, T)>,
) -> Result<Statements<String>, String> {
    let StatementSource { blunt, contrasts, joins } = read(text)?;
    let language =
        |(name, text): (N, T)| read_joined(text.as_ref()).map_err(|reason| format!("{}: {reason}", name.as_ref()));
    let languages = languages.into_iter().map(language).collect::<Result<_, _>>()?;
    Ok(Statements { blunt, contrasts, joins, languages })
}

/// `symptoms.toml` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SymptomSource {
    order: Vec<String>,
}

/// `symptoms/<language>.toml` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ComplaintSource {
    /// What `{name}` stands for in the patterns.
    parts: BTreeMap<String, String>,
    supposes: String,
    wonders: String,
    tells: Option<String>,
    inquires: Option<String>,
    resolved: String,
    went_back: Option<String>,
    complaint: Vec<Complaint<String>>,
}

/// Reads `symptoms.toml` and the files of its folder, a language each, given as name and text.
pub(crate) fn symptoms<N: AsRef<str>, T: AsRef<str>>(
    text: &str,
    languages: impl IntoIterator<Item = (N, T)>,
) -> Result<Symptoms<String>, String> {
    let SymptomSource { order } = read(text)?;
    let mut symptoms = Symptoms { order, languages: Vec::new() };
    for (name, text) in languages {
        let name = name.as_ref();
        let source: ComplaintSource = read(text.as_ref()).map_err(|reason| format!("{name}: {reason}"))?;
        let replaced = |pattern: String| {
            let parts = source.parts.iter();
            parts.fold(pattern, |pattern, (part, means)| pattern.replace(&format!("{{{part}}}"), means))
        };
        // A part may hold another one.
        let whole = |pattern| replaced(replaced(pattern));
        let complaint = |one: Complaint<String>| {
            if symptoms.order.contains(&one.fault) {
                Ok(Complaint { pattern: whole(one.pattern), unless: one.unless.map(&whole), ..one })
            } else {
                Err(format!("{name}: symptoms.toml has no place for {}", one.fault))
            }
        };
        let complaint = source.complaint.into_iter().map(complaint).collect::<Result<_, _>>()?;
        let ComplaintSource { supposes, wonders, tells, inquires, resolved, went_back, .. } = source;
        symptoms.languages.push(Complaints { supposes, wonders, tells, inquires, resolved, went_back, complaint });
    }
    Ok(symptoms)
}

/// Reads a file in which a list of strings is one regex of their alternatives, because nobody reads a line of two thousand
/// characters.
pub(crate) fn read_joined<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    fn join(value: &mut toml::Value) {
        match value {
            toml::Value::Table(table) => table.iter_mut().for_each(|(_, value)| join(value)),
            toml::Value::Array(values) => {
                let strings: Option<Vec<&str>> = values.iter().map(toml::Value::as_str).collect();
                match strings.map(|strings| strings.join("|")) {
                    Some(joined) => *value = toml::Value::String(joined),
                    None => values.iter_mut().for_each(join),
                }
            }
            _ => {}
        }
    }
    let mut value: toml::Value = read(text)?;
    join(&mut value);
    value.try_into().map_err(|error: toml::de::Error| error.to_string())
}

/// Reads one of the other files.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| error.to_string().replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_in_patterns_of_symptoms() {
        let language = "supposes = 's'\nwonders = 'w'\nresolved = 'r'\n[parts]\nit = '(it|{job})'\njob = 'job'\n\
            [[complaint]]\nfault = 'hang'\nwords = 'hang'\npattern = '{it} hangs'\n";
        let read = symptoms("order = ['hang']", [("english", language)]).expect("the files read");
        assert_eq!(read.languages[0].complaint[0].pattern, "(it|job) hangs");
        let stray = symptoms("order = []", [("english", language)]);
        assert_eq!(stray, Err("english: symptoms.toml has no place for hang".to_owned()));
    }

    #[test]
    fn a_search_knows_both_tables_of_concepts() {
        let read = concepts("[concept]\nslow = 'slow|lahm'\n[search]\nslow = 'träge'\n").expect("two tables");
        let names: Vec<(&str, &str)> = read.iter().map(|(name, words)| (name.as_str(), words.as_str())).collect();
        assert_eq!(names, [("slow", "slow|lahm"), ("slow", "träge")]);
        assert!(concepts("[concept]\nslow = 'slow|$'\n[search]\n").is_err());
    }

    #[test]
    fn platforms_name_each_other() {
        let text = include_str!("../../kb/wording/platforms.toml");
        assert!(platforms(text).is_ok());
        let broken = platforms(&text.replacen("implies = [\"linux\"]", "implies = [\"lynux\"]", 1));
        assert_eq!(broken, Err("wsl names lynux, which is not there".to_owned()));
    }
}
