//! A probe as a file, schema `faultbook/facts/1`: written by `--save`, read by `--facts`, and sent from a child to its
//! parent. The layout is separate from the types, which may change while saved files stay readable.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Check, CheckStatus, Outcome};
use crate::amounts;
use crate::facts::{Facts, Source, Value};
use crate::hint::Hint;
use crate::text::redact;
use crate::vendors;

/// The name and version of the layout.
pub(crate) const SCHEMA: &str = "faultbook/facts/1";

/// The level of facts that the failing process itself recorded at the moment of failure.
pub(crate) const INSIDE: &str = "inside";

/// Why saved facts cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read or written.
    #[error("cannot use {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's message.
        source: std::io::Error,
    },
    /// The file is not JSON of this schema.
    #[error("{path} contains no saved facts: {why}")]
    Layout {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The file to be written contains something other than a probe.
    #[error("{path} exists and is not a probe")]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// The file has another schema version.
    #[error("{path} has the layout {found}, this version reads {SCHEMA}")]
    Version {
        /// The file.
        path: PathBuf,
        /// The schema that it names.
        found: String,
    },
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        match self {
            Error::File { .. } => None,
            Error::Taken { .. } => Some("name another file, or remove that one".to_owned()),
            Error::Layout { .. } => Some("`faultbook probe --save FILE` writes such a file".to_owned()),
            Error::Version { .. } => Some("save the facts again with this version".to_owned()),
        }
    }
}

/// Writes a probe to a file. Overwrites an older probe, but no other file.
pub fn save(outcome: &Outcome, path: &Path) -> Result<(), Error> {
    if std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0) && load(path).is_err() {
        return Err(Error::Taken { path: path.to_owned() });
    }
    crate::files::replace(path, to_json(outcome).as_bytes())
        .map_err(|source| Error::File { path: path.to_owned(), source })
}

/// Reads a probe from a file: its facts get the source "saved facts".
pub fn load(path: &Path) -> Result<Outcome, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
    read(&text, path)
}

/// Reads a probe from the text of a file of that name.
pub(crate) fn read(text: &str, path: &Path) -> Result<Outcome, Error> {
    from_json(text).map_err(|problem| match problem {
        Problem::Layout(why) => Error::Layout { path: path.to_owned(), why },
        Problem::Version(found) => Error::Version { path: path.to_owned(), found },
    })
}

/// A probe as JSON text with a final newline.
pub fn to_json(outcome: &Outcome) -> String {
    let (facts, unknown) = split(&outcome.facts);
    let file = File {
        schema: SCHEMA.to_owned(),
        faultbook: env!("CARGO_PKG_VERSION").to_owned(),
        vendor: outcome.vendor.id.clone(),
        taken: date(outcome.taken),
        level: outcome.level.clone(),
        findings: outcome.findings.clone(),
        facts,
        unknown,
        checks: outcome.checks.iter().map(CheckLayout::of).collect(),
        looked_in: outcome.looked_in.clone(),
    };
    let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
    text.push('\n');
    text
}

enum Problem {
    Layout(String),
    Version(String),
}

fn from_json(text: &str) -> Result<Outcome, Problem> {
    let layout = |error: serde_json::Error| Problem::Layout(error.to_string());
    let json: Json = serde_json::from_str(text).map_err(layout)?;
    let schema = json.get("schema").and_then(Json::as_str).unwrap_or_default();
    if schema != SCHEMA {
        return Err(if schema.starts_with("faultbook/facts/") {
            Problem::Version(schema.to_owned())
        } else {
            Problem::Layout(format!("its `schema` is not {SCHEMA}"))
        });
    }
    let mut file: File = serde_json::from_value(json).map_err(layout)?;
    if file.level == INSIDE {
        file.facts.values_mut().for_each(without_secrets);
        file.unknown.values_mut().for_each(|why| *why = plain(why));
    }
    Ok(Outcome {
        // Files of older versions name no vendor: there was only one.
        vendor: vendors::by_id(&file.vendor).unwrap_or(&vendors::all()[0]),
        level: file.level,
        facts: join(file.facts, file.unknown, Source::Saved),
        findings: file.findings,
        checks: file.checks.into_iter().map(CheckLayout::into_check).collect(),
        looked_in: file.looked_in,
        taken: instant(&file.taken),
    })
}

/// Values of a failing process are the program's own: a key, a message or a path may hold a token.
fn without_secrets(value: &mut Json) {
    match value {
        Json::String(text) => *text = plain(text),
        Json::Array(values) => values.iter_mut().for_each(without_secrets),
        _ => {}
    }
}

/// A text whose secrets are gone.
fn plain(text: &str) -> String {
    let mut plain = text.to_owned();
    for secret in redact::secrets(text).into_iter().rev() {
        plain.replace_range(secret.range, "REDACTED");
    }
    plain
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    schema: String,
    faultbook: String,
    #[serde(default)]
    vendor: String,
    taken: String,
    level: String,
    #[serde(default)]
    findings: Vec<String>,
    facts: BTreeMap<String, Json>,
    #[serde(default, rename = "cannot_tell")]
    unknown: BTreeMap<String, String>,
    #[serde(default, rename = "ladder")]
    checks: Vec<CheckLayout>,
    #[serde(default)]
    looked_in: Vec<String>,
}

/// A check as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CheckLayout {
    #[serde(rename = "rung")]
    pub(super) name: String,
    #[serde(default)]
    pub(super) device: u32,
    pub(super) outcome: String,
    pub(super) says: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<i32>,
    #[serde(default)]
    pub(super) milliseconds: u64,
}

impl CheckLayout {
    pub(super) fn of(check: &Check) -> Self {
        Self {
            name: check.name.clone(),
            device: check.device,
            outcome: check.word.word().to_owned(),
            says: check.says.clone(),
            code: check.code,
            milliseconds: check.milliseconds,
        }
    }

    pub(super) fn into_check(self) -> Check {
        Check {
            name: self.name,
            device: self.device,
            word: CheckStatus::of(&self.outcome),
            says: self.says,
            code: self.code,
            milliseconds: self.milliseconds,
        }
    }
}

/// Facts as two maps, known and unknown.
pub(super) fn split(facts: &Facts) -> (BTreeMap<String, Json>, BTreeMap<String, String>) {
    let known = facts.iter().map(|(name, fact)| {
        let value = match &fact.value {
            Value::Bool(value) => Json::from(*value),
            Value::Number(value) => whole(*value),
            Value::Text(value) => Json::from(value.as_str()),
            Value::List(values) => Json::from(values.clone()),
        };
        (name.to_owned(), value)
    });
    let unknown = facts
        .unknowns()
        .filter(|(name, _)| facts.get(name).is_none())
        .map(|(name, why)| (name.to_owned(), why.to_owned()));
    (known.collect(), unknown.collect())
}

/// Facts from two maps; values of unknown types are ignored.
pub(super) fn join(known: BTreeMap<String, Json>, unknown: BTreeMap<String, String>, source: Source) -> Facts {
    let mut facts = Facts::default();
    for (name, value) in known {
        let value = match value {
            Json::Bool(value) => Value::Bool(value),
            Json::Number(value) => Value::Number(value.as_f64().unwrap_or(0.0)),
            Json::String(value) => Value::Text(value),
            Json::Array(values) => {
                Value::List(values.into_iter().filter_map(|value| Some(value.as_str()?.to_owned())).collect())
            }
            Json::Null | Json::Object(_) => continue,
        };
        facts.add(name, value, source, None);
    }
    for (name, why) in unknown {
        facts.set_unknown(name, why);
    }
    facts
}

/// Sizes and counts are integers.
#[expect(clippy::cast_possible_truncation, reason = "only whole numbers that fit are cast")]
fn whole(value: f64) -> Json {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < LARGEST { Json::from(value as i64) } else { Json::from(value) }
}

/// "2026-11-21T04:03:05Z".
fn date(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    amounts::date(i64::try_from(seconds).unwrap_or_default()) + "Z"
}

/// Parses the output of [`date`]; the epoch for anything else.
fn instant(date: &str) -> SystemTime {
    let number = |range: std::ops::Range<usize>| date.get(range).and_then(|part| part.parse::<u64>().ok());
    let parts = (number(0..4), number(5..7), number(8..10), number(11..13), number(14..16), number(17..19));
    let (Some(year), Some(month), Some(day), Some(hour), Some(minute), Some(second)) = parts else {
        return UNIX_EPOCH;
    };
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return UNIX_EPOCH;
    }
    let days = amounts::days(year as i64, month as i64, day as i64) as u64;
    UNIX_EPOCH + std::time::Duration::from_secs(days * 86400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn outcome() -> Outcome {
        let mut facts = Facts::default();
        facts.add("gpu.memory.free", Value::Number(429_496_729.0), Source::Probe, None);
        facts.add("gpu.name", Value::Text("NVIDIA GeForce RTX 3060".into()), Source::Probe, None);
        facts.add("os.wsl", Value::Bool(false), Source::Probe, None);
        facts.add("torch.arch_list", Value::List(vec!["sm_70".into()]), Source::Probe, None);
        facts.set_unknown("kernel.xid.count", "no permission to read the kernel log");
        Outcome {
            vendor: &vendors::all()[0],
            level: "functional".into(),
            facts,
            findings: vec!["GPU 0 is nearly full".into()],
            checks: vec![Check {
                name: "copy".into(),
                device: 0,
                word: CheckStatus::Wrong,
                says: "4 of 4096 bytes differ".into(),
                code: None,
                milliseconds: 12,
            }],
            looked_in: Vec::new(),
            taken: UNIX_EPOCH + Duration::from_secs(1_795_233_785),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let outcome = outcome();
        let text = to_json(&outcome);
        assert!(text.contains("\"taken\": \"2026-11-21T04:03:05Z\""), "{text}");
        let Ok(read) = from_json(&text) else { panic!("readable") };
        assert_eq!(read.facts.number("gpu.memory.free"), Some(429_496_729.0));
        assert_eq!(read.facts.get("gpu.name").map(|fact| fact.source), Some(Source::Saved));
        assert_eq!(read.facts.why_unknown("kernel.xid.count"), Some("no permission to read the kernel log"));
        assert_eq!(read.checks, outcome.checks);
        assert_eq!(read.taken, outcome.taken);
        assert_eq!(to_json(&read), text);
    }

    #[test]
    fn what_a_failing_process_recorded_is_read_without_its_secrets() {
        let token = format!("hf_{}", "aZ3kQ9xW7mB5vN1cR8tY2uI6oP4sD0fGhJ");
        let text = format!(
            r#"{{"schema":"faultbook/facts/1","faultbook":"","taken":"","level":"inside",
                "facts":{{"key.name":"{token}","key.available":["batch","token={token}"],"file.path":"/home/user/train.csv"}},
                "cannot_tell":{{"model.name":"not collected: KeyError: {token}"}}}}"#
        );
        let Ok(read) = from_json(&text) else { panic!("readable") };
        assert!(!to_json(&read).contains(&token[3..]), "{}", to_json(&read));
        assert_eq!(read.facts.text("file.path"), Some("/home/user/train.csv"));
        // A machine's facts are measured, and stay as they are.
        let Ok(machine) = from_json(&text.replace("inside", "quick")) else { panic!("readable") };
        assert_eq!(machine.facts.text("key.name"), Some(token.as_str()));
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        assert!(matches!(from_json("{"), Err(Problem::Layout(_))));
        assert!(matches!(from_json("{}"), Err(Problem::Layout(_))));
        assert!(matches!(from_json("{\"schema\":\"faultbook/facts/9\"}"), Err(Problem::Version(_))));
        let folder = tempfile::tempdir().expect("a folder");
        let notes = folder.path().join("notes.txt");
        std::fs::write(&notes, "mine").expect("a file");
        assert!(matches!(save(&outcome(), &notes), Err(Error::Taken { .. })));
        assert_eq!(std::fs::read_to_string(&notes).expect("a file"), "mine");
        let facts = folder.path().join("facts.json");
        assert!(save(&outcome(), &facts).is_ok() && save(&outcome(), &facts).is_ok());
        // The reason is the error's source, which the command prints after it.
        let Err(error) = load(Path::new("/nonexistent")) else { panic!("there is no such file") };
        assert_eq!(error.to_string(), "cannot use /nonexistent");
        assert!(std::error::Error::source(&error).is_some());
    }

    #[test]
    fn dates_go_there_and_back() {
        for seconds in [0, 951_782_400, 1_709_164_799, 1_795_233_785, 4_102_444_800] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(instant(&date(time)), time);
        }
        assert_eq!(date(UNIX_EPOCH + Duration::from_secs(951_782_400)), "2000-02-29T00:00:00Z");
        assert_eq!(instant("yesterday"), UNIX_EPOCH);
    }
}
