//! A team's own reports are found again: by a new occurrence of the failure, and by a colleague's question.
//!
//! The project is generated, in the manner of real ones: every team writes in several ways, few reports have complete front
//! matter, and most files are copies. No text of it is anybody's.

mod occurrences;
mod project;
mod random;
mod stories;

/// Writes project and queries to a folder, to be looked at: `FAULTBOOK_RETRIEVAL=folder cargo test --test it -- --ignored retrieval`.
#[test]
#[ignore = "writes a folder for people"]
fn written_for_people() {
    let Some(folder) = std::env::var_os("FAULTBOOK_RETRIEVAL").map(std::path::PathBuf::from) else { return };
    let stories = stories::stories();
    let told = project::write(&folder, &stories);
    let half = |at: usize| if at % 2 == 0 { "dev" } else { "held" };
    let queries = serde_json::json!({
        "told": told.iter().map(|(path, key)| (path.display().to_string(), key)).collect::<std::collections::BTreeMap<_, _>>(),
        "errors": occurrences::all(&stories).iter().enumerate().map(|(at, one)| serde_json::json!([half(at), one.key, one.text])).collect::<Vec<_>>(),
        "questions": stories.iter().flat_map(|story| story.asks.iter().map(|(half, ask)| serde_json::json!([format!("{half:?}").to_lowercase(), story.key, ask]))).collect::<Vec<_>>(),
        "unrelated": stories::unrelated(),
    });
    std::fs::write(folder.join("queries.json"), queries.to_string()).expect("a file");
}
