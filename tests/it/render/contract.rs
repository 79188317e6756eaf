//! The outgoing JSON against its published schema.

use faultbook::render::json;
use serde_json::Value;

use super::samples;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../schemas/diagnosis-2.json")).expect("JSON")
}

#[test]
fn every_answer_satisfies_the_schema() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    for (name, diagnosis) in samples::all() {
        for text in [json::render(&diagnosis), json::render_line(&diagnosis)] {
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            let errors: Vec<String> = validator.iter_errors(&answer).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{name}: {errors:?}");
        }
    }
}

#[test]
fn every_key_is_promised_and_more_may_come() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let answer: Value = serde_json::from_str(&json::render(&samples::known())).expect("JSON");
    for key in answer.as_object().expect("an object").keys() {
        let mut without = answer.clone();
        without.as_object_mut().expect("an object").remove(key);
        assert!(!validator.is_valid(&without), "`{key}` may be missing");
    }
    let mut later = answer.clone();
    later["from a later version"] = Value::Null;
    later["actions"][0]["from a later version"] = Value::Null;
    assert!(validator.is_valid(&later));
    let mut wrong = answer;
    wrong["actions"][0]["commands"] = Value::Null;
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn the_schema_names_the_version_that_is_printed() {
    assert_eq!(schema()["$id"], json::SCHEMA);
    assert_eq!(schema()["properties"]["schema"]["const"], json::SCHEMA);
}

#[test]
fn one_answer_per_line_has_no_other_line_break() {
    let line = json::render_line(&samples::hostile());
    assert_eq!(line.matches('\n').count(), 1);
}

#[test]
fn the_environment_has_short_names_and_words() {
    let answer: Value = serde_json::from_str(&json::render(&samples::known())).expect("JSON");
    let expected = serde_json::json!({
        "gpu": "NVIDIA GeForce RTX 3060",
        "gpu.memory.free": "614.4 MiB",
        "os.wsl": "no",
        "torch": "2.8.0+cu128"
    });
    assert_eq!(answer["environment"], expected);
}
