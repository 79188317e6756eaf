//! Reads `kb/wording/*.toml`: at build time (`build.rs` includes this file by path), and in tests.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::rows::Alarms;
use super::topics;

/// `alarms.toml` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AlarmSource {
    alarms: Vec<String>,
    printed: Vec<String>,
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
    let AlarmSource { alarms, printed, errors, not_errors, .. } = source;
    Ok(Alarms { alarms, printed, errors, not_errors, literals: literals.into_iter().collect() })
}

/// Reads one of the other files.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| error.to_string().replace('\n', " "))
}
