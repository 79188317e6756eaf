//! Words that are never right in this project: translated idiom, or a word where the field has another.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// What is not written, and what is written instead.
const NEVER: &[(&str, &str)] = &[
    (r"\banew\b", "again"),
    (r"\bshall\b", "should, must"),
    (r"\ban own\b|\bown kernels\b", "your own, custom"),
    (r"\bdefect (gpu|card|device)s?\b", "faulty GPU"),
    (r"\b(retold|told again)\b", "repeated, re-raised"),
    (r"\bstands? (in|above|there|here|below|before|behind|beside|for itself)\b", "is, appears"),
    (r"\b(graphics )?cards?\b", "GPU"),
    (r"\btold apart\b|\btells? .{1,20} apart\b", "distinguished"),
    (r"\bthe surprising thing\b|\bit refuses to\b", "say why, without a formula"),
    (r"\bin two minds\b|\bthe hardware's mood\b", "plain words"),
];

/// Where one of these words is right: a quotation of what software prints or of what people write.
const QUOTED: &[(&str, &str)] = &[
    // The name of a fact; saved probes and pages use it.
    ("docs/facts.md", "device_nodes.cards"),
    ("kb/faults/driver/no-device.md", "device_nodes.cards"),
];

#[test]
fn words_of_the_style_guide() {
    let never: Vec<(Regex, &str)> = NEVER
        .iter()
        .map(|(word, instead)| (Regex::new(&format!("(?i){word}")).expect("a pattern"), *instead))
        .collect();
    let mut wrong = Vec::new();
    for file in
        ["kb", "templates", "docs", "src", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].iter().flat_map(files)
    {
        let text = fs::read_to_string(&file).expect("a text file");
        for (number, line) in text.lines().enumerate() {
            // The condition of a fix is a pattern too.
            let line = line.split("<!-- text:").next().unwrap_or(line).split("<!-- moot:").next().unwrap_or(line);
            let quoted = QUOTED.iter().any(|(path, words)| file.ends_with(path) && line.contains(words));
            for (word, instead) in
                never.iter().filter(|(word, _)| !quoted && is_prose(&file, line) && word.is_match(line))
            {
                let found = word.find(line).map_or("", |found| found.as_str());
                wrong.push(format!("{}:{}: `{found}`: {instead}", file.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether a line is ours to word: no pattern and no example of what software prints.
fn is_prose(file: &Path, line: &str) -> bool {
    let trimmed = line.trim_start();
    if file.extension().is_some_and(|extension| extension == "rs") {
        return trimmed.starts_with("//");
    }
    let pattern =
        ["- text:", "text:", "- message:", "message:", "- frame:", "frame:", "- before:", "before:", "regex:", "near:"];
    !pattern.iter().any(|key| trimmed.starts_with(key)) && !trimmed.starts_with("- contains:")
}

fn files(root: &&str) -> Vec<PathBuf> {
    let path = Path::new(root);
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path).expect("a folder").flatten() {
        let path = entry.path();
        let name = path.to_string_lossy().into_owned();
        // Reports quote people, and rows of tables quote software.
        let ours = !name.starts_with("kb/reports") && !name.starts_with("kb/wording");
        if path.is_dir() && ours {
            found.extend(files(&name.as_str()));
        } else if ours && path.extension().is_some_and(|e| e == "md" || e == "rs") {
            found.push(path);
        }
    }
    found
}
