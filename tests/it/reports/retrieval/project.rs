//! The stories as a team's folder of reports: each in its manner, with copies, archives and renamed files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::random::Random;
use super::stories::{Story, filled};

/// How many files there are, copies included.
const FILES: usize = 360;

/// Writes the files; which story each tells.
pub(crate) fn write(folder: &Path, stories: &[Story]) -> BTreeMap<PathBuf, String> {
    let reports = folder.join("docs/bug_reports");
    let mut told = BTreeMap::new();
    let mut put = |name: String, key: &str, text: &str| {
        let path = reports.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(&path, text).expect("a file");
        told.insert(path, key.to_owned());
    };
    let mut files = 0;
    let texts: Vec<(String, String)> =
        stories.iter().enumerate().map(|(at, story)| (name(story, at), text(story, at, stories))).collect();
    for (story, (name, text)) in stories.iter().zip(&texts) {
        put(format!("{name}.md"), &story.key, text);
        files += 1;
    }
    let mut random = Random::of("copies");
    for round in 0.. {
        for (story, (name, text)) in stories.iter().zip(&texts) {
            if files == FILES {
                return told;
            }
            // Some reports have no copy, some have four.
            if random.below(0..4) == 0 {
                continue;
            }
            match round {
                0 => put(format!("archive/2025/{name}.md"), &story.key, text),
                1 => put(format!("old/{name} (1).md"), &story.key, &text.replace('\n', "\r\n")),
                2 => put(format!("moved/{}_copy.md", story.key), &story.key, &rerendered(text)),
                _ => put(format!("archive/q{round}/{}-{round}.md", story.key), &story.key, &rerendered(text)),
            }
            files += 1;
        }
    }
    told
}

/// A copy that another program wrote: other marks, an edited status, a line at the end.
fn rerendered(text: &str) -> String {
    let text = text.replace("\n- ", "\n* ").replace("\n\n\n", "\n\n").replace("status: open", "status: resolved");
    text + "\n*Archived.*\n"
}

fn name(story: &Story, at: usize) -> String {
    match story.form.as_str() {
        "template" => format!("{}_{}", id(story, at), story.key.replace('-', "_")),
        "postmortem" => format!("{}-{}", story.day, slug(&story.title)),
        "table" => format!("tickets/{}", id(story, at)),
        "diary" => format!("notes/{}", slug(&story.title)),
        "wiki" => format!("wiki/{}", slug(&story.title)),
        _ => slug(&story.title),
    }
}

fn id(story: &Story, at: usize) -> String {
    format!("BUG-{}-{:03}", story.day.replace('-', ""), at % 7 + 1)
}

fn slug(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(6)
        .map(str::to_lowercase)
        .collect();
    words.join("-")
}

/// The headings of a language: problem, cause, solution, log, environment.
fn headings(lang: &str) -> [&'static str; 5] {
    match lang {
        "de" => ["Problem", "Ursache", "Lösung", "Protokoll", "Umgebung"],
        "zh" => ["问题描述", "根本原因", "解决方案", "错误日志", "环境"],
        "ru" => ["Описание", "Причина", "Решение", "Журнал", "Окружение"],
        _ => ["Problem", "Root Cause", "Solution", "Log", "Environment"],
    }
}

fn text(story: &Story, at: usize, all: &[Story]) -> String {
    let mut random = Random::of(&story.key);
    let errors: Vec<String> = story.logs.iter().chain(&story.errors).map(|text| filled(text, &mut random)).collect();
    let [problem, cause, solution, log, environment] = headings(&story.lang);
    let machine = format!(
        "- **GPU:** {}\n- **PyTorch:** {}\n- **CUDA:** 12.{}\n- **OS:** Ubuntu 22.04\n",
        random.pick(&["NVIDIA RTX 3090 24GB", "NVIDIA A100 80GB", "NVIDIA RTX A6000", "NVIDIA L4"]),
        random.pick(&["2.3.1+cu121", "2.4.0+cu124", "2.8.0+cu128"]),
        random.below(1..9)
    );
    let other = &all[(at * 31 + 7) % all.len()];
    let fences: Vec<String> = errors.iter().map(|error| format!("```\n{error}\n```\n")).collect();
    let last: Vec<&str> = errors.iter().map(|error| message(error)).collect();
    let places: Vec<String> = errors.iter().flat_map(|error| own_places(error)).collect();
    match story.form.as_str() {
        "template" => {
            let runs: Vec<String> = fences
                .iter()
                .zip(["First Run", "Second Run", "Third Run"])
                .map(|(fence, run)| if fences.len() > 1 { format!("### {run}:\n{fence}") } else { fence.clone() })
                .collect();
            format!(
                "---\ntitle: \"{id} {title}\"\ndate: \"{day}\"\ntype: \"bug_report\"\nstatus: \"{status}\"\ntags: ['bug_report', 'troubleshooting']\n---\n\n\
                 # Bug Report: {title}\n\n## Bug ID\n{id}\n\n## Summary\n{story}\n\n## Environment\n{machine}\n## Steps to Reproduce\n1. Activate the environment\n2. Run the training\n3. Observe the failure\n\n\
                 ## Expected Behavior\nTraining should complete successfully without runtime failures.\n\n## Actual Behavior\n{runs}\n\
                 ## Root Cause Analysis\n{cause}\n\n## Proposed Solution\n### Solution 1: {fix} (RECOMMENDED)\n```bash\nuv run python runners/train.py trainer.max_steps=10\n```\n\n\
                 ## Testing Plan\n- [x] Diagnose root cause\n- [ ] Verify no CUDA errors\n- [ ] Check memory usage\n- [ ] Monitor GPU memory usage\n\n\
                 ## Prevention Measures\n1. Log GPU memory usage at each step\n2. Fail early with a helpful error message\n3. Set CUDA_LAUNCH_BLOCKING=1 while debugging\n\n\
                 ## Related Issues\n- {other_title} (similar symptom, different root cause)\n",
                id = id(story, at),
                title = story.title,
                day = story.day,
                status = story.status,
                story = story.story,
                runs = runs.join("\n"),
                cause = story.cause,
                fix = story.fix,
                other_title = other.title
            )
        }
        "postmortem" => format!(
            "# Post-mortem: {}\n\n**Status:** {}\n**Date:** {}\n\n## Timeline\n- 09:12 alert from the dashboard\n- 09:40 job restarted, fails again\n- 11:05 cause found\n\n\
             ## What happened\n{}\n\nThe last words of the log:\n\n{}\nCode: {}\n\n## Why\n{}\n\n## What we did\n{}\n\n## Lessons\nAlerts should name the job. Logs are kept for 30 days.\n",
            story.title,
            story.status,
            story.day,
            story.story,
            last.iter().map(|line| format!("```\n{line}\n```\n")).collect::<Vec<_>>().join("\nand\n\n"),
            places.join(", "),
            story.cause,
            story.fix
        ),
        "diary" => format!(
            "# {}\n\n_{}_\n\n### {}, morning\n{}\n\n### {}, afternoon\n{}\n{}\n\n### {}, evening\n{} {}\n",
            story.title,
            story.status,
            story.day,
            story.story,
            story.day,
            last.iter()
                .map(|line| format!("Got `{}` again.\n", line.lines().next().unwrap_or_default()))
                .collect::<String>(),
            places.iter().map(|place| format!("- {place}\n")).collect::<String>(),
            story.day,
            story.cause,
            story.fix
        ),
        "table" => format!(
            "| Field | Value |\n|---|---|\n| Ticket | {} |\n| Title | {} |\n| Status | {} |\n| Date | {} |\n| Error | {} |\n| Where | {} |\n\n{}\n\n**{cause}:** {}\n\n**{solution}:** {}\n",
            id(story, at),
            story.title,
            story.status,
            story.day,
            last.iter()
                .map(|line| line.lines().next().unwrap_or_default().replace('|', "\\|"))
                .collect::<Vec<_>>()
                .join("<br>"),
            places.join(", "),
            story.story,
            story.cause,
            story.fix
        ),
        "wiki" => format!(
            "# {}\n\nStatus: {}\n\n## {problem}\n{}\n\n## {log}\n{}\n## {environment}\n{machine}\n## {cause}\n{}\n\n## {solution}\n{}\n",
            story.title,
            story.status,
            story.story,
            fences.join("\n"),
            story.cause,
            story.fix
        ),
        "note" => format!(
            "# {}\n\n{}, {}\n\n{}\n\n{}\n{cause}: {}\n\n{solution}: {}\n",
            story.title,
            story.day,
            story.status,
            story.story,
            fences.join("\n"),
            story.cause,
            story.fix
        ),
        form => panic!("{form}"),
    }
}

/// The message at the end of what was printed, with its further lines.
pub(crate) fn message(error: &str) -> &str {
    let start = error
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .chain([0])
        .filter(|at| !error[*at..].starts_with([' ', '\t', '-']) && is_message(&error[*at..]))
        .max();
    start.map_or(error, |at| &error[at..])
}

fn is_message(line: &str) -> bool {
    let line = line.lines().next().unwrap_or_default();
    let name = line.split([':', ' ', '(']).next().unwrap_or_default();
    name.len() > 5 && !name.starts_with('`') && (name.ends_with("Error") || name.contains('.'))
}

/// The places of the project's own code that a traceback names, as people write them down.
fn own_places(error: &str) -> Vec<String> {
    let frames = error.lines().filter(|line| line.contains("File \"") && !line.contains("-packages"));
    frames
        .filter_map(|line| {
            let (path, rest) = line.split_once('"')?.1.split_once('"')?;
            let file = path
                .rsplit("atlas/")
                .next()?
                .trim_start_matches("/workspace/")
                .trim_start_matches("/mnt/data/run7/src/");
            let function = rest.rsplit(' ').next()?;
            Some(format!("`{file}` (`{function}`)"))
        })
        .collect()
}
