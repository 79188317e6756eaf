//! A generated project whose folder of reports is like a real one: the same report in several places and renderings, fields
//! wherever people write them, several languages, a number given twice. Small, and the same in every run.

use crate::place::Place;

/// What a report of the project must be read as.
pub(crate) struct Expected {
    /// Where the report that people work with lies.
    pub(crate) living: String,
    /// Where its copies lie.
    pub(crate) copies: Vec<String>,
    pub(crate) id: String,
    pub(crate) title: String,
    /// In the format's spelling.
    pub(crate) status: &'static str,
    pub(crate) severity: &'static str,
    pub(crate) day: String,
}

/// The project.
pub(crate) struct Project {
    /// Paths and texts.
    pub(crate) files: Vec<(String, String)>,
    /// Its reports.
    pub(crate) reports: Vec<Expected>,
    /// Ids that two different reports have.
    pub(crate) collisions: Vec<String>,
}

const FOLDER: &str = "docs/bug_reports";

/// Title, error, and the words that only this failure's text has.
const FAILURES: [(&str, &str, &str); 12] = [
    (
        "Loss turns NaN after warm-up",
        "FloatingPointError: loss is nan at step 1204",
        "gradient scaler overflow warmup schedule cosine mixed precision unscale clip norm divergence",
    ),
    (
        "Loader workers die on the validation set",
        "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Bus error",
        "shared memory docker shm collate prefetch worker fork tensor mmap pinned",
    ),
    (
        "Checkpoint does not load after the refactoring",
        "RuntimeError: Error(s) in loading state_dict for Detector: Missing key(s)",
        "prefix wrapper module rename strict backbone neck key mapping migration",
    ),
    (
        "cuDNN finds no engine for the lateral layer",
        "RuntimeError: GET was unable to find an engine to execute this computation",
        "convolution channels half precision benchmark workspace algorithm heuristic plan lateral",
    ),
    (
        "Out of memory in the second epoch",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB",
        "fragmentation cache evaluation retained graph logits batch accumulate reserve segments",
    ),
    (
        "Collectives time out on node three",
        "RuntimeError: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88)",
        "rendezvous infiniband interface socket rank straggler barrier firewall subnet",
    ),
    (
        "Wrong GPU is used under Slurm",
        "RuntimeError: CUDA error: invalid device ordinal",
        "visible devices cgroup ordinal mapping gres launcher local rank binding",
    ),
    (
        "The exported model rejects dynamic shapes",
        "onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument: Got invalid dimensions",
        "opset export axes symbolic trace polygon decoder reshape constant folding",
    ),
    (
        "Illegal access in the custom kernel",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "kernel stride index bounds launch sanitizer contiguous offset pointer grid",
    ),
    (
        "Tokenizer threads deadlock after fork",
        "RuntimeError: The tokenizer process hangs after fork",
        "tokenizers parallelism fork thread lock environment variable spawn parent",
    ),
    (
        "Mixed versions of the toolkit in the image",
        "ImportError: libcudart.so.11.0: cannot open shared object file",
        "wheel toolkit image layer runtime library path rebuild pinning extension",
    ),
    (
        "Metrics differ between ranks",
        "AssertionError: hmean differs between ranks: 0.81 != 0.79",
        "sampler seed shuffle reduce gather metric padding duplicate samples averaging",
    ),
];

/// Status as written in a language, and in the format's spelling.
const STATUSES: [(&str, &str); 6] = [
    ("✅ Resolved", "resolved"),
    ("open", "open"),
    ("In Progress", "in_progress"),
    ("해결됨", "resolved"),
    ("Behoben", "fixed"),
    ("已解决", "resolved"),
];

struct Report {
    number: usize,
    id: String,
    day: String,
    title: &'static str,
    error: &'static str,
    status: &'static str,
    prose: [String; 4],
}

/// The project with so many different reports.
pub(crate) fn project(count: usize) -> Project {
    let mut project = Project { files: Vec::new(), reports: Vec::new(), collisions: Vec::new() };
    for number in 0..count {
        let one = report(number);
        let path = living_path(&one);
        project.files.push((path.clone(), rendered(&one, number % 8, true)));
        let copies = copies(&one, number);
        project.reports.push(Expected {
            living: path,
            copies: copies.iter().map(|(path, _)| path.clone()).collect(),
            id: one.id.clone(),
            title: one.title.to_owned(),
            status: STATUSES[status_of(number)].1,
            severity: "high",
            day: one.day.clone(),
        });
        project.files.extend(copies);
    }
    // Two people took one number.
    let (first, second) = (report(0), report(count));
    let text = rendered(&second, 0, true).replace(&second.id, &first.id);
    project.files.push((format!("{FOLDER}/{}-taken-twice.md", first.id), text));
    project.reports.push(Expected {
        living: format!("{FOLDER}/{}-taken-twice.md", first.id),
        copies: Vec::new(),
        id: first.id.clone(),
        title: second.title.to_owned(),
        status: STATUSES[status_of(count)].1,
        severity: "high",
        day: second.day,
    });
    project.collisions.push(first.id);
    project.reports.iter_mut().for_each(|one| one.copies.sort());
    project
}

impl Project {
    /// The project on disk.
    pub(crate) fn written(&self) -> Place {
        let place = Place::new();
        for (path, text) in &self.files {
            place.file(path, text);
        }
        place
    }
}

/// The language decides the word.
fn status_of(number: usize) -> usize {
    match number % 8 {
        4 => 3,
        5 => 4,
        6 => 5,
        _ => number % 3,
    }
}

fn report(number: usize) -> Report {
    let (title, error, words) = FAILURES[number % FAILURES.len()];
    let words: Vec<&str> = words.split(' ').collect();
    let mut dice = 20_251_110_u64 + number as u64 * 7;
    let mut throw = |below: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(dice >> 33).unwrap_or(0) % below
    };
    let mut prose = || {
        let sentence = |throw: &mut dyn FnMut(usize) -> usize| {
            let mut words: Vec<String> = (0..9).map(|_| words[throw(words.len())].to_owned()).collect();
            words[4] = format!("{}{}", words[4], throw(1000));
            words.join(" ") + "."
        };
        (0..3).map(|_| sentence(&mut throw)).collect::<Vec<_>>().join(" ")
    };
    let prose = [prose(), prose(), prose(), prose()];
    let day = format!("2025-{:02}-{:02}", number % 12 + 1, number % 27 + 1);
    let id = format!("BUG-{}-{:03}", day.replace('-', ""), number % 9 + 1);
    Report { number, id, day, title, error, status: STATUSES[status_of(number)].0, prose }
}

fn living_path(one: &Report) -> String {
    let slug = one.title.to_lowercase().replace(' ', "-");
    match one.number % 8 {
        7 => format!("{FOLDER}/{}_1808_{}_{slug}.md", one.day, one.id.replace('-', "_")),
        _ => format!("{FOLDER}/{}-{slug}.md", one.id),
    }
}

/// Copies in the ways in which folders get them.
fn copies(one: &Report, number: usize) -> Vec<(String, String)> {
    let style = number % 8;
    let text = rendered(one, style, true);
    let archived = format!("{FOLDER}/archive/2025/{}.md", one.id);
    let renamed = format!("{FOLDER}/{}-{} (1).md", one.id, number);
    let rendered_again = format!("docs/old/bug_reports/{}_{}.md", one.day, one.title.to_lowercase().replace(' ', "_"));
    match number % 5 {
        0 => vec![(archived, text.clone()), (renamed, text.clone()), (rendered_again, again(&text))],
        // The archive has an earlier state.
        1 => vec![(archived, rendered(one, style, false))],
        2 => vec![(rendered_again, again(&text))],
        3 => vec![(archived, text.replace('\n', "\r\n"))],
        _ => Vec::new(),
    }
}

/// The same words as another tool writes them: no front matter, marks and emoji before headings, other line breaks.
fn again(text: &str) -> String {
    let body = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or(text, |(_, body)| body);
    let line = |line: &str| match line.strip_prefix("## ") {
        Some(title) => format!("## 📌 {title}\r\n"),
        None => format!("{}\r\n", line.replace("- ", "* ")),
    };
    body.lines().map(line).collect()
}

/// A report in one of eight styles; without `whole` before somebody solved it.
fn rendered(one: &Report, style: usize, whole: bool) -> String {
    let Report { id, day, title, error, status, prose, .. } = one;
    let [summary, cause, fix, notes] = prose;
    let heads: [&str; 5] = match style {
        3 => ["📝 Summary", "🔥 Error Message", "🔍 Root Cause", "🛠 Solution", "🗒 Notes"],
        4 => ["요약", "에러 로그", "원인 분석", "해결 방법", "참고"],
        5 => ["Zusammenfassung", "Fehlermeldung", "Ursache", "Lösung", "Notizen"],
        6 => ["摘要", "错误日志", "根本原因", "解决方案", "备注"],
        _ => ["Summary", "Logs / Stack Trace", "Root Cause", "Proposed Solution", "Notes"],
    };
    let head = match style {
        0 => format!(
            "---\ntitle: \"{title}\"\nbug_id: {id}\nstatus: \"{status}\"\nseverity: high\ndate: {day}\n---\n# Bug Report: {title}\n"
        ),
        1 => format!("# {id}: {title}\n\n**Status:** {status}\n**Severity:** High\n**Date:** {day}\n"),
        2 => format!(
            "# Bug Report\n\n| Field | Value |\n| --- | --- |\n| Bug ID | {id} |\n| Title | {title} |\n| Status | {status} |\n| Severity | High |\n| Date | {day} |\n"
        ),
        3 => format!(
            "# 🐛 Bug Report\n\n## 🆔 {id}: {title}\n\n**Date:** {day} | **Severity:** High | **Status:** {status}\n"
        ),
        4 => format!(
            "# 버그 리포트\n\n## 제목\n\n{title}\n\n- **버그 ID**: {id}\n- **상태**: {status}\n- **심각도**: 높음\n- **작성일**: {day}\n"
        ),
        5 => format!("# {title}\n\n- Bug ID: {id}\n- Schweregrad: hoch\n- Datum: {day}\n\n## Status\n\n{status}\n"),
        6 => {
            format!("# 【{id}】{title}\n\n| 状态 | 严重程度 | 日期 |\n| --- | --- | --- |\n| {status} | 高 | {day} |\n")
        }
        _ => format!("## {title}\n\n## Status: {status}\n\n### Severity: High\n"),
    };
    let [summary_head, log_head, cause_head, fix_head, notes_head] = heads;
    let mut text = format!(
        "{head}\n## {summary_head}\n\n{summary}\n\n## Environment\n\n- GPU: RTX 3060 12GB\n- PyTorch: 2.8.0+cu128\n- CUDA: 12.8\n- OS: Ubuntu 22.04 (WSL2)\n- Python: 3.11\n\n## {log_head}\n\n```\nTraceback (most recent call last):\n  File \"train.py\", line {}, in <module>\n    main()\n{error}\n```\n",
        one.number + 10
    );
    if whole {
        text.push_str(&format!(
            "\n## {cause_head}\n\n{cause}\n\n## {fix_head}\n\n{fix}\n\n## {notes_head}\n\n{notes}\n"
        ));
    }
    text
}
