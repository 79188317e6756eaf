//! A team's own reports are found again: by a new occurrence of the failure, and by a colleague's question.
//!
//! The project is generated, in the manner of real ones: every team writes in several ways, few reports have complete front
//! matter, and most files are copies. No text of it is anybody's.

mod occurrences;
mod project;
mod random;
mod size;
mod stories;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use faultbook::book::Book;
use faultbook::diagnosis::{Measured, diagnose};
use faultbook::reports::files::ReportFile;
use faultbook::reports::knowledge::{Knowledge, Places};
use faultbook::reports::search::{HitKind, search};
use faultbook::{incident, text};
use stories::{Half, Story};

/// The project, written once.
struct Project {
    stories: Vec<Story>,
    told: BTreeMap<PathBuf, String>,
    knowledge: Knowledge,
    _folder: tempfile::TempDir,
}

impl Project {
    fn get() -> &'static Self {
        static PROJECT: OnceLock<Project> = OnceLock::new();
        PROJECT.get_or_init(|| {
            let folder = tempfile::tempdir().expect("a folder");
            let stories = stories::stories();
            let told = project::write(folder.path(), &stories);
            let reports = told.keys().cloned().map(ReportFile::at).collect();
            let places = Places { reports, roots: vec![folder.path().to_owned()], cache: None, rebuild: false };
            let knowledge = Knowledge::new(Book::new(true), places, Box::new(|_, _| {}));
            Self { stories, told, knowledge, _folder: folder }
        })
    }

    /// Whose reports an answer names, each once.
    fn named(&self, paths: impl Iterator<Item = String>) -> Vec<&str> {
        let mut keys: Vec<&str> = Vec::new();
        for path in paths {
            let key = self.told.get(Path::new(&path)).expect("a report of the project");
            if !keys.contains(&key.as_str()) {
                keys.push(key);
            }
        }
        keys
    }

    /// The reports that a diagnosis names.
    fn diagnosed(&self, bytes: &str) -> Vec<&str> {
        let transcript = text::read(bytes.as_bytes());
        let incident = incident::read(&transcript);
        let answer = diagnose(&transcript, &incident, self.knowledge.library(), &Measured::default());
        self.named(answer.reports.into_iter().map(|hit| hit.path))
    }

    /// The reports that a question finds.
    fn asked(&self, words: &str) -> Vec<&str> {
        let hits = search(&self.knowledge, words, 30).expect("an index").into_iter();
        self.named(hits.filter(|hit| hit.kind != HitKind::Page).map(|hit| hit.path))
    }

    /// Questions of one half.
    fn questions(&self, of: Half) -> Vec<(&str, &str)> {
        let asks =
            self.stories.iter().flat_map(|story| story.asks.iter().map(|(half, ask)| (*half, story.key.as_str(), ask)));
        asks.filter(|(half, ..)| *half == of).map(|(_, key, ask)| (key, ask.as_str())).collect()
    }

    /// New occurrences of one half of the stories.
    fn occurrences(&self, of: Half) -> Vec<(String, String)> {
        let half = |key: &str| {
            let place = self.stories.iter().position(|story| story.key == key).expect("a story");
            if place % 2 == 0 { Half::Dev } else { Half::Held }
        };
        let all = occurrences::all(&self.stories).into_iter();
        all.filter(|one| half(one.key) == of).map(|one| (one.key.to_owned(), one.text)).collect()
    }
}

/// The share of the wanted reports among the first of an answer: among one, three, ten.
fn recall<'p>(of: impl Iterator<Item = (&'p str, Vec<&'p str>)>) -> [f64; 3] {
    let mut found = [0; 3];
    let mut all = 0;
    for (wanted, named) in of {
        all += 1;
        for (count, first) in found.iter_mut().zip([1, 3, 10]) {
            *count += usize::from(named.iter().take(first).any(|key| *key == wanted));
        }
    }
    found.map(|count| f64::from(u32::try_from(count).expect("few")) / f64::from(all))
}

fn holds(what: &str, reached: [f64; 3], floor: [f64; 3]) {
    let falls = reached.iter().zip(floor).any(|(reached, floor)| *reached < floor);
    assert!(!falls, "{what}: {reached:.3?} of the reports are among the first 1, 3, 10; they were {floor:.3?}");
}

#[test]
fn a_new_occurrence_finds_its_report() {
    let project = Project::get();
    for (half, floor) in [(Half::Dev, [0.96, 0.98, 0.98]), (Half::Held, [1.0, 1.0, 1.0])] {
        let occurrences = project.occurrences(half);
        let named = occurrences.iter().map(|(key, text)| (key.as_str(), project.diagnosed(text)));
        holds(&format!("errors, {half:?}"), recall(named), floor);
    }
}

#[test]
fn a_question_in_other_words_finds_its_report() {
    let project = Project::get();
    for (half, floor) in [(Half::Dev, [0.97, 1.0, 1.0]), (Half::Held, [0.9, 0.98, 1.0]), (Half::Far, [0.76, 0.9, 0.97])]
    {
        let questions = project.questions(half);
        let named = questions.iter().map(|(key, words)| (*key, project.asked(words)));
        holds(&format!("questions, {half:?}"), recall(named), floor);
    }
}

#[test]
fn an_unrelated_error_names_no_report() {
    let project = Project::get();
    for (key, text) in stories::unrelated() {
        assert_eq!(project.diagnosed(text), Vec::<&str>::new(), "{key}");
    }
}

/// Writes project and queries to a folder, to be looked at: `FAULTBOOK_RETRIEVAL=folder cargo test --test it -- --ignored retrieval`.
#[test]
#[ignore = "writes a folder for people"]
fn written_for_people() {
    let Some(folder) = std::env::var_os("FAULTBOOK_RETRIEVAL").map(std::path::PathBuf::from) else { return };
    let stories = stories::stories();
    let told = project::write(&folder, &stories);
    let half = |key: &str| {
        let place = stories.iter().position(|story| story.key == key).expect("a story");
        if place % 2 == 0 { "dev" } else { "held" }
    };
    let queries = serde_json::json!({
        "told": told.iter().map(|(path, key)| (path.display().to_string(), key)).collect::<std::collections::BTreeMap<_, _>>(),
        "errors": occurrences::all(&stories).iter().map(|one| serde_json::json!([half(one.key), one.key, one.text])).collect::<Vec<_>>(),
        "questions": stories.iter().flat_map(|story| story.asks.iter().map(|(half, ask)| serde_json::json!([format!("{half:?}").to_lowercase(), story.key, ask]))).collect::<Vec<_>>(),
        "unrelated": stories::unrelated(),
    });
    std::fs::write(folder.join("queries.json"), queries.to_string()).expect("a file");
}
