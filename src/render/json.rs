//! The answer for programs: schema `faultbook/diagnosis/2`, described in `schemas/diagnosis-2.json`.
//!
//! It is the serialized diagnosis, with the version first and the facts in words last. New fields may be added within a
//! version; removing a field or changing its meaning needs a new version. Missing values are `null`, lists are always
//! present. Strings are unmodified: JSON escapes them, and whoever displays them must clean them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::diagnosis::Diagnosis;
use crate::facts::{self, Facts};

/// The name and version of the format.
pub const SCHEMA: &str = "faultbook/diagnosis/2";

/// A diagnosis of Faultbook, as printed by `faultbook diagnose --format json`. Readers ignore fields that they do not
/// know. Lines and columns count from 1, columns in Unicode scalar values; the end of a span is the first place after
/// it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Answer<'a> {
    /// The name and version of the format.
    schema: &'static str,
    /// The file, or the member of an archive, that was read; only where one of several answers is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    #[serde(flatten)]
    diagnosis: &'a Diagnosis,
    /// The known facts in words with units: `gpu`, `torch` and other packages by their names, everything else by its
    /// dotted name. docs/facts.md lists all names, with types, units and meanings.
    environment: BTreeMap<String, String>,
}

impl<'a> Answer<'a> {
    fn of(diagnosis: &'a Diagnosis) -> Self {
        Self { schema: SCHEMA, input: None, diagnosis, environment: environment(&diagnosis.environment) }
    }
}

/// The answer as one indented object with a line end.
pub fn render(diagnosis: &Diagnosis) -> String {
    let mut text = serde_json::to_string_pretty(&Answer::of(diagnosis)).expect("plain values with text keys");
    text.push('\n');
    text
}

/// The answer as an object on one line, for several answers in one stream.
pub fn render_line(diagnosis: &Diagnosis) -> String {
    let mut text = serde_json::to_string(&Answer::of(diagnosis)).expect("plain values with text keys");
    text.push('\n');
    text
}

/// The same, with the name of the text that it answers.
pub fn render_line_of(input: &str, diagnosis: &Diagnosis) -> String {
    let answer = Answer { input: Some(input), ..Answer::of(diagnosis) };
    let mut text = serde_json::to_string(&answer).expect("plain values with text keys");
    text.push('\n');
    text
}

/// The answer as a value, to be embedded in another.
pub fn value(diagnosis: &Diagnosis) -> Value {
    serde_json::to_value(Answer::of(diagnosis)).expect("plain values with text keys")
}

/// Facts by short names: `gpu` for `gpu.name`, `torch` for `torch.version`, others by their full name.
fn environment(known: &Facts) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    for (name, fact) in known.iter() {
        map.entry(short_name(name).to_owned()).or_insert_with(|| facts::words(name, &fact.value));
    }
    map
}

fn short_name(name: &str) -> &str {
    let short = name.strip_suffix(".version").or_else(|| name.strip_suffix(".name"));
    short.filter(|short| !short.is_empty() && !short.contains('.')).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::generate::SchemaSettings;

    /// `UPDATE_EXPECT=1` rewrites the file.
    #[test]
    fn the_published_schema_is_that_of_the_types() {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut schema = settings.into_generator().into_root_schema_for::<Answer<'_>>().to_value();
        schema["$id"] = SCHEMA.into();
        schema["properties"]["schema"]["const"] = SCHEMA.into();
        let text = format!("{schema:#}\n");
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/diagnosis-2.json");
        expect_test::expect_file![file].assert_eq(&text);
    }
}
