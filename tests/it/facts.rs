//! The registry of facts is complete: what parsers and probes produce is in it, everything in it has a producer, pages
//! ask for nothing else, and docs/facts.md shows it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use faultbook::facts::{self, Definition, FactType, Facts, Group, Origin, ReportRow, Value};
use faultbook::{incident, packages, text, wording};

use super::support;

/// What is wrong with facts: names that are not in the registry, values of another type.
pub(crate) fn unregistered(known: &Facts) -> Vec<String> {
    let mut wrong: Vec<String> = known
        .unknowns()
        .filter(|(name, _)| facts::describe(name).is_none())
        .map(|(name, why)| format!("{name} (unknown: {why}) is not in kb/facts.toml"))
        .collect();
    for (name, fact) in known.iter() {
        let Some(described) = facts::describe(name) else {
            wrong.push(format!("{name} is not in kb/facts.toml"));
            continue;
        };
        let fits = match (&fact.value, described.definition.fact_type) {
            (Value::Number(_), FactType::Number)
            | (Value::Bool(_), FactType::Bool)
            | (Value::List(_), FactType::List) => true,
            (Value::Text(_), FactType::Text | FactType::Version) => true,
            (Value::Text(word), FactType::Number) => name.starts_with("ulimit.") && word == "unlimited",
            _ => false,
        };
        if !fits {
            wrong.push(format!("{name} is {:?}, not {:?}", fact.value, described.definition.fact_type));
        }
    }
    wrong
}

#[test]
fn every_fact_of_the_corpus_is_registered() {
    let mut wrong = BTreeMap::new();
    for file in files(Path::new("tests/corpus"), "txt") {
        let incident = incident::read(&text::read(&fs::read(&file).expect("a case")));
        for message in unregistered(&incident.facts) {
            wrong.entry(message).or_insert(file.clone());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is computed from other facts, too: the diagnosis of one text that names a GPU, a driver and packages.
#[test]
fn computed_facts_are_registered() {
    let text = "NVIDIA GeForce RTX 3060\nDriver Version: 580.95.05\ntorch 2.8.0+cu128\nonnxruntime 1.20.0\n\
        torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 11.76 GiB \
        of which 1.10 GiB is free.";
    let diagnosis = support::diagnose(text.as_bytes());
    let names =
        ["gpu.arch", "torch.cudnn", "build.cuda", "gpu.newer_than_build", "gpu.beyond_build", "onnxruntime.cuda"];
    let computed: Vec<&str> = names.into_iter().filter(|name| diagnosis.environment.get(name).is_none()).collect();
    assert_eq!(computed, [""; 0], "the text no longer leads to these");
    assert_eq!(unregistered(&diagnosis.environment), [""; 0]);
}

#[test]
fn every_registered_fact_has_a_producer() {
    // What shows and weighs the facts of a machine produces none.
    let consumers = [
        "src/machine/view",
        "src/machine/findings.rs",
        "src/machine/nvidia/findings.rs",
        "src/machine/amd/findings.rs",
    ];
    // A vendor's description names its libraries and some facts.
    let places = [
        "src/incident",
        "src/machine",
        "src/reports/reading",
        "src/diagnosis/enrich.rs",
        "src/diagnosis/wheels",
        "src/diagnosis/situation.rs",
        "kb/vendors/nvidia.toml",
        "kb/vendors/amd.toml",
        "python/faultbook/facts",
    ];
    let code = code(&places, &consumers);
    let quoted = |word: &str| code.contains(&format!("\"{word}\""));
    let mut missing = Vec::new();
    let ends = |end: &str| code.contains(&format!("}}.{end}\""));
    // Versions of packages and statements of writers are produced by rows of data.
    let named = packages::builtin().iter().filter(|row| !row.distributions.is_empty() || !row.spellings.is_empty());
    let rows = wording::statements().languages.iter().flat_map(|language| &language.statement);
    let stated = rows.flat_map(|row| [row.fact, row.works, row.fails].into_iter().flatten());
    let rows: Vec<&str> = named.map(|row| row.fact.as_ref()).chain(stated).collect();
    for group in facts::groups() {
        for fact in &group.facts {
            let name = fact.name.as_ref();
            let (first, rest) = name.split_once('.').expect("a dotted name");
            let of_a_pattern = |last: &str| ends(last) && (quoted(first) || first.starts_with('{'));
            let last = name.rsplit('.').next().unwrap_or(name);
            let produced = match last.contains('{') {
                // `format!("ladder.code.{name}")`.
                true => code.contains(&format!("\"{}{{", &name[..name.find('{').unwrap_or(0)])),
                false => {
                    quoted(name)
                        || rows.contains(&name)
                        || of_a_pattern(last)
                        || group.each_gpu && quoted(rest)
                        || ["xid", "run"].contains(&first) && ends(last)
                }
            };
            if !produced {
                missing.push(name);
            }
        }
    }
    assert_eq!(missing, [""; 0], "no parser and no probe produces these");
}

/// Names that code looks for in texts, or files; no facts.
const NO_FACTS: [&str; 1] = ["torch.version.cuda"];

#[test]
fn every_fact_that_the_code_names_is_registered() {
    let first = |name: &'static str| name.split('.').next().unwrap_or(name);
    let groups: Vec<&str> = facts::definitions().map(|fact| first(&fact.name)).collect();
    for file in files(Path::new("src"), "rs") {
        let text = fs::read_to_string(&file).expect("a source file");
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        let about_facts =
            |line: &&str| !line.trim_start().starts_with("//") && (line.contains("facts") || line.contains("notes"));
        for line in code.lines().filter(about_facts) {
            for name in line.split('"').skip(1).step_by(2) {
                let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._".contains(&b));
                let group = name.split_once('.').map(|(group, _)| group);
                let part = name.ends_with('.');
                if plain && !part && !NO_FACTS.contains(&name) && group.is_some_and(|group| groups.contains(&group)) {
                    assert!(facts::describe(name).is_some(), "{name} of {}", file.display());
                }
            }
        }
    }
}

/// `unknown-fact` of `faultbook check` finds what a page asks for and nobody knows.
#[test]
fn pages_ask_for_registered_facts_only() {
    let output = assert_cmd::Command::cargo_bin("faultbook")
        .expect("the binary is built")
        .args(["check", "kb", "--format", "json"])
        .output()
        .expect("the binary runs");
    let findings = String::from_utf8_lossy(&output.stdout);
    let about_facts = ["unknown-fact", "unknown-package", "bad-condition", "bad-sentence"];
    assert!(!about_facts.iter().any(|rule| findings.contains(rule)), "{findings}");
}

#[test]
fn the_document_shows_the_registry() {
    let shown = document();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write("docs/facts.md", shown).expect("the document can be written");
        return;
    }
    let written = fs::read_to_string("docs/facts.md").unwrap_or_default();
    assert!(written == shown, "docs/facts.md differs from kb/facts.toml: run with UPDATE_EXPECT=1 to renew it");
}

fn document() -> String {
    let mut out = String::from(
        "# Facts\n\n\
         Generated from `kb/facts.toml`; `UPDATE_EXPECT=1 cargo test --test it facts` renews it.\n\n\
         Facts are what Faultbook knows about a run and a machine. Each fact has a name. Pages use facts in conditions \
         (`when: oom.free > 2 * oom.requested`) and in sentences (`{{ oom.free | size }}`). The JSON answer lists \
         them under `environment`, saved probes under `facts`. If a fact is unknown, a condition on it counts neither \
         for nor against a cause.\n\n\
         In conditions and in saved probes, numbers are in the unit of the table; `KiB`, `MiB` and `GiB` are constants \
         that conditions can use. In answers, every number is shown with its unit, and sizes as `58.6 GiB`. The JSON \
         answer shortens `<name>.version` and `<name>.name` to `<name>`.\n\n\
         The column \"Known from\" says where a fact can come from: the pasted **text**, a probe of the **machine**, \
         the failing **process**, the **writer** of the text, a **report** of the project, or Faultbook itself, which \
         has **computed** it from other facts and its tables. A name with a part in braces stands for many facts.\n",
    );
    for group in facts::groups() {
        out.push_str(&format!("\n## {}\n\n", group.title));
        if !group.about.is_empty() {
            out.push_str(&format!("{}\n\n", group.about));
        }
        out.push_str("| Fact | Type | Known from | Meaning |\n| --- | --- | --- | --- |\n");
        for fact in &group.facts {
            out.push_str(&row(group, fact));
        }
    }
    out
}

fn row(group: &Group<'_>, fact: &Definition<'_>) -> String {
    let lower = |word: String| word.to_lowercase();
    let unit = fact.unit.map(|unit| format!(", {}", lower(format!("{unit:?}")))).unwrap_or_default();
    let origins: Vec<String> = fact.origin.iter().map(|origin: &Origin| lower(format!("{origin:?}"))).collect();
    let names = match group.names.is_empty() {
        true => String::new(),
        false => format!(" One of: {}.", group.names.join(", ")),
    };
    let example = match fact.example.is_empty() {
        true => String::new(),
        false => format!(" Example: `{}`.", fact.example),
    };
    let report = match fact.report {
        Some(ReportRow::Always) => " In every draft.",
        Some(ReportRow::Relevant) => " In a draft where its page asks for it.",
        None => "",
    };
    let kind = lower(format!("{:?}", fact.fact_type));
    let about = format!("**{}.** {}{names}{example}{report}", fact.label, fact.meaning);
    format!("| `{}` | {kind}{unit} | {} | {} |\n", fact.name, origins.join(", "), about.replace('|', "\\|"))
}

fn code(places: &[&str], except: &[&str]) -> String {
    let all = places.iter().flat_map(|place| match Path::new(place) {
        file if file.is_file() => vec![file.to_owned()],
        folder => [files(folder, "rs"), files(folder, "py")].concat(),
    });
    all.filter(|file| !except.iter().any(|except| file.starts_with(except)))
        .map(|file| {
            let text = fs::read_to_string(file).expect("a source file");
            text.split("\nmod tests {").next().unwrap_or_default().to_owned()
        })
        .collect()
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => out.extend(files(&path, extension)),
            path if path.extension().is_some_and(|found| found == extension) => out.push(path),
            _ => {}
        }
    }
    out
}
