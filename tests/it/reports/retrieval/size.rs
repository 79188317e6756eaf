//! A project with many reports: each failure still finds its own report, and a question its report.
//!
//! The failures are those of the stories, in code of other names; words that nobody knows make every report another one.

use std::path::{Path, PathBuf};

use faultbook::book::Book;
use faultbook::reports::files::ReportFile;
use faultbook::reports::knowledge::{Knowledge, Places};

use super::random::Random;
use super::stories::{Story, filled, stories};
use super::{Project, holds, recall};

/// Words that look like names of code and data.
fn word(random: &mut Random) -> String {
    const STARTS: [&str; 16] =
        ["ba", "cor", "del", "fen", "gra", "hol", "jun", "kel", "lor", "mav", "nor", "pel", "ros", "tam", "vin", "zor"];
    const ENDS: [&str; 16] =
        ["dex", "fin", "gor", "lan", "mir", "nak", "per", "quo", "rit", "sal", "tik", "ul", "vex", "wim", "yor", "zet"];
    format!("{}{}{}", random.pick(&STARTS), random.pick(&ENDS), random.pick(&["", "er", "os", "um"]))
}

/// The report of a number, and the same failure in another run.
fn report(number: usize, stories: &[Story]) -> (String, String) {
    let story = &stories[number % stories.len()];
    let mut random = Random::of(&format!("report {number}"));
    let (package, file, function) = (word(&mut random), word(&mut random), word(&mut random));
    let error = |random: &mut Random| {
        let mut out = String::new();
        // One rank prints all of it.
        let text = (0..8)
            .fold(filled(&story.errors[0], random), |text, rank| text.replace(&format!("[rank{rank}]"), "[rank3]"));
        for line in text.lines() {
            let own = line.contains("File \"") && !line.contains("-packages");
            let other = line.rsplit_once('/').zip(line.rsplit_once(" in ")).filter(|_| own);
            match other {
                Some(((_, rest), (_, name))) => {
                    let line_number = rest.split("line ").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or("1");
                    out.push_str(&format!(
                        "{}File \"/work/{package}/{file}_{}\", line {line_number}, in {function}_{name}\n",
                        line.split("File \"").next().unwrap_or_default(),
                        rest.split('"').next().unwrap_or_default()
                    ));
                }
                None => out.push_str(&format!("{line}\n")),
            }
        }
        out
    };
    let sentence = |random: &mut Random| (0..12).map(|_| word(random)).collect::<Vec<_>>().join(" ");
    let title = format!("{package} {file} stops in {function}");
    let sentences: Vec<String> = (0..4).map(|_| sentence(&mut random)).collect();
    let text = format!(
        "---\ntitle: \"{title}\"\ndate: 2025-{:02}-{:02}\ntype: bug_report\nstatus: {}\nbug_id: BUG-{number}\n---\n# {title}\n\n\
         ## Summary\n{}.\n\n## Logs\n```\n{}```\n\n## Root Cause\n{}.\n\n## Solution\n{}.\n",
        random.below(1..13),
        random.below(1..29),
        random.pick(&["open", "resolved", "closed"]),
        sentences[0],
        error(&mut random),
        sentences[1],
        sentences[2..].join(". ")
    );
    (text, format!("epoch 3 loss 0.{}\n{}", random.below(100..999), error(&mut random)))
}

/// Stories whose failure names code of the project: without it, reports of one message cannot be distinguished.
fn told_apart() -> Vec<Story> {
    let names_code = |story: &Story| story.errors.first().is_some_and(|error| error.contains("File \"{home}"));
    stories().into_iter().filter(names_code).collect()
}

/// Writes so many reports; the folder.
fn write(folder: &Path, count: usize, stories: &[Story]) -> Vec<PathBuf> {
    let path = |number: usize| folder.join(format!("docs/bug_reports/{:03}/BUG-{number}.md", number / 100));
    for number in 0..count {
        let path = path(number);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, report(number, stories).0).expect("a file");
    }
    (0..count).map(path).collect()
}

/// Every so many-th failure and title is looked for.
fn are_found(count: usize, every: usize) {
    let stories = told_apart();
    let folder = tempfile::tempdir().expect("a folder");
    let reports = write(folder.path(), count, &stories);
    let told = reports.iter().map(|path| (path.clone(), path.display().to_string())).collect();
    let reports = reports.into_iter().map(ReportFile::at).collect();
    let places = Places { reports, roots: vec![folder.path().to_owned()], cache: None, rebuild: false };
    let knowledge = Knowledge::new(Book::new(true), places, Box::new(|_, _| {}));
    let project = Project { stories: Vec::new(), told, knowledge, _folder: folder };
    let asked: Vec<(String, String, String)> = (0..count)
        .step_by(every)
        .map(|number| {
            let (text, error) = report(number, &stories);
            let title = text.lines().nth(1).expect("a title").to_owned();
            let path = project.told.values().find(|path| path.ends_with(&format!("/BUG-{number}.md")));
            (path.expect("its report").clone(), error, title)
        })
        .collect();
    let errors = recall(asked.iter().map(|(path, error, _)| (path.as_str(), project.diagnosed(error))));
    let titles = recall(asked.iter().map(|(path, _, title)| (path.as_str(), project.asked(title))));
    holds(&format!("errors, of {count} reports"), errors, [0.95, 0.97, 0.97]);
    holds(&format!("titles, of {count} reports"), titles, [0.98, 0.98, 0.98]);
}

#[test]
fn each_of_many_reports_is_found() {
    are_found(300, 7);
}

/// `cargo test --release --test it -- --ignored of_twenty_thousand`; in a debug build it takes half an hour.
#[test]
#[ignore = "reads 20,000 reports"]
fn each_of_twenty_thousand_reports_is_found() {
    are_found(20_000, 61);
}

/// A folder of 20,000 reports for the commands: `FAULTBOOK_MANY=folder cargo test --test it -- --ignored many_written`.
#[test]
#[ignore = "writes a folder for people"]
fn many_written_for_people() {
    let Some(folder) = std::env::var_os("FAULTBOOK_MANY").map(PathBuf::from) else { return };
    let stories = told_apart();
    write(&folder, 20_000, &stories);
    let errors: Vec<(usize, String)> =
        (0..20_000).step_by(61).map(|number| (number, report(number, &stories).1)).collect();
    std::fs::write(folder.join("errors.json"), serde_json::to_string(&errors).expect("JSON")).expect("a file");
}
