//! kb/schema.json against the types that read front matter: written twice, checked here. `UPDATE_EXPECT=1` rewrites it.

use std::path::{Path, PathBuf};

use crate::book::matter;
use crate::book::schema::FrontMatter;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(FrontMatter).to_value();
    let keys = schema.as_object_mut().expect("a schema of a struct is an object");
    keys.insert("$id".into(), "https://faultbook.invalid/kb/schema.json".into());
    keys.insert("title".into(), "Front matter of a Faultbook fault page".into());
    schema
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let mut text = serde_json::to_string_pretty(&schema()).unwrap();
    text.push('\n');
    expect_test::expect_file![root().join("kb/schema.json")].assert_eq(&text);
}

#[test]
fn every_page_of_the_book_fits_the_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let areas = std::fs::read_dir(root().join("kb/faults")).unwrap().flatten();
    for file in areas.flat_map(|area| std::fs::read_dir(area.path()).unwrap().flatten()) {
        let text = std::fs::read_to_string(file.path()).unwrap();
        let range = matter::split(&text).matter.expect("a page has front matter").range;
        let value: serde_json::Value = serde_saphyr::from_str(&text[range]).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", file.path().display());
    }
    let wrong = serde_json::json!({"title": "x", "severity": "awful", "causes": [], "colour": "red"});
    assert_eq!(validator.iter_errors(&wrong).count(), 2);
}
