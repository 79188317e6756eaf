//! Drafting a report in the browser: the preview, what is left out and may stay, and the one file that is written.
#![cfg(feature = "web")]

use std::fs;
use std::path::{Path, PathBuf};

use super::server::{Answer, Server};

const TOKEN: &str = "hf_q7Zk2LmX9vT4bNpR8sWy3GdHj6Fc5Va1Ue";
const OTHER: &str = "hf_w7Zk2LmX9vT4bNpR8sWy3GdHj6Fc5Va1Ue";

fn log() -> String {
    format!(
        "HF_TOKEN={TOKEN}\nlogin with {OTHER}\nTraceback (most recent call last):\n  File \"/home/alice/ocr/train.py\", line 88, in \
         <module>\nRuntimeError: GET was unable to find an engine to execute this computation\n"
    )
}

fn with_folder(args: &[&str]) -> Server {
    Server::prepared(args, &[], |project| fs::create_dir_all(project.join("docs/bug_reports")).expect("a folder"))
}

fn reports(server: &Server) -> Vec<PathBuf> {
    let entries = fs::read_dir(server.project().join("docs/bug_reports")).expect("a folder").flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a report")
}

/// The value of an input of the form.
fn value<'p>(page: &'p str, name: &str) -> &'p str {
    let input = page.split(&format!("name=\"{name}\" value=\"")).nth(1);
    input.and_then(|input| input.split('"').next()).unwrap_or_else(|| panic!("no {name} in {page}"))
}

/// The marks of all values that can be kept, with the rows that show them.
fn marks(page: &str) -> Vec<(&str, &str)> {
    let rows = page.split("<input type=\"checkbox\" name=\"keep\" value=\"").skip(1);
    rows.filter_map(|row| Some((row.split('"').next()?, row.split("</tr>").next()?))).collect()
}

fn report_of(answer: &Answer) -> &str {
    assert_eq!(answer.status, 303, "{}", answer.body);
    answer.header("location").expect("where it is")
}

#[test]
fn a_draft_shows_the_report_and_what_was_left_out() {
    let server = with_folder(&["--no-probe"]);
    let draft = format!("{}/0/draft", server.paste(&log()));
    let page = server.get(&draft);
    assert_eq!(page.status, 200);
    for words in [
        "id=\"source\"",
        "As it reads",
        "Preview",
        "faultbook serve --allow-write",
        "REDACTED_HF_TOKEN",
        "a Hugging Face token",
    ] {
        assert!(page.body.contains(words), "{words} in {}", page.body);
    }
    for secret in [TOKEN, OTHER, "alice"] {
        assert!(!page.body.contains(secret), "{secret} in {}", page.body);
    }
    assert!(page.body.contains("class=\"finding"), "TODOs are found by `check`: {}", page.body);
    let changed = server.post(
        &draft,
        &[("title", "Lateral layer dies"), ("severity", "critical"), ("command", "python train.py --lr 1")],
    );
    for words in ["Lateral layer dies", "Severity: Critical", "python train.py --lr 1"] {
        assert!(changed.body.contains(words), "{words} in {}", changed.body);
    }
    assert!(reports(&server).is_empty());
}

#[test]
fn a_value_is_kept_by_itself_and_only_as_long_as_it_is_ticked() {
    let server = with_folder(&["--no-probe", "--allow-write"]);
    let draft = format!("{}/0/draft", server.paste(&log()));
    let page = server.get(&draft).body;
    let all = marks(&page);
    let (mark, _) = all.iter().find(|(_, row)| row.contains("secret</b>")).expect("a secret can be kept");
    let kept = server.post(&draft, &[("keep", mark)]).body;
    assert_eq!([TOKEN, OTHER].iter().filter(|token| kept.contains(**token)).count(), 1, "{kept}");
    assert!(kept.contains("The report now contains 1 secret") && !kept.contains("alice"), "{kept}");
    assert!(kept.contains(&format!("value=\"{mark}\"")) && kept.contains(" checked"), "{kept}");
    let again = server.post(&draft, &[]).body;
    assert!(!again.contains(TOKEN) && !again.contains(OTHER), "{again}");
    // It is not saved by mistake.
    let nonce = value(&kept, "nonce");
    let unsure = server.post(&format!("{draft}/save"), &[("nonce", nonce), ("keep", mark)]);
    assert!(unsure.status == 422 && unsure.body.contains("would contain a secret"), "{}", unsure.body);
    assert!(reports(&server).is_empty());
    report_of(&server.post(&format!("{draft}/save"), &[("nonce", nonce), ("keep", mark), ("sure", "yes")]));
    let text = read(&reports(&server)[0]);
    assert_eq!([TOKEN, OTHER].iter().filter(|token| text.contains(**token)).count(), 1, "{text}");
}

#[test]
fn one_form_writes_one_file_and_overwrites_none() {
    let server = with_folder(&["--no-probe", "--allow-write"]);
    let draft = format!("{}/0/draft", server.paste(&log()));
    let save = format!("{draft}/save");
    let page = server.get(&draft).body;
    let nonce = value(&page, "nonce").to_owned();
    let fields = [
        ("nonce", nonce.as_str()),
        ("title", "<script>alert(1)</script> & --- \"quoted\""),
        ("command", "x </code><img src=x onerror=alert(1)>"),
    ];
    let first = server.post(&save, &fields);
    let address = report_of(&first).to_owned();
    assert!(address.starts_with("/reports/") && address.ends_with(".html"), "{address}");
    assert_eq!(report_of(&server.post(&save, &fields)), address, "the same form twice");
    let written = reports(&server);
    assert_eq!(written.len(), 1, "{written:?}");
    let before = read(&written[0]);
    assert!(before.contains("alert(1)") && !before.contains(TOKEN), "{before}");
    // Another form of the same text knows the first report, and gets an id of its own.
    let page = server.get(&draft).body;
    assert!(page.contains("This may be reported already"), "{page}");
    assert_ne!(report_of(&server.post(&save, &[("nonce", value(&page, "nonce"))])), address);
    assert_eq!((reports(&server).len(), read(&written[0])), (2, before));
    assert_eq!(server.post(&save, &[]).status, 400, "no nonce");
    let hostile = server.post(&draft, &fields).body;
    assert!(!hostile.contains("<script>alert") && !hostile.contains("<img src=x"), "{hostile}");
}

#[test]
fn an_occurrence_is_added_to_the_report_that_there_is() {
    let server = with_folder(&["--no-probe", "--allow-write"]);
    let draft = format!("{}/0/draft", server.paste(&log()));
    let page = server.get(&draft).body;
    report_of(&server.post(&format!("{draft}/save"), &[("nonce", value(&page, "nonce"))]));
    let page = server.get(&draft).body;
    let id = value(&page, "append").to_owned();
    let nonce = value(&page, "nonce");
    let fields = [("nonce", nonce), ("append", id.as_str()), ("command", "python again.py")];
    let answer = server.post(&format!("{draft}/save"), &fields);
    assert!(report_of(&answer).contains(&id));
    report_of(&server.post(&format!("{draft}/save"), &fields));
    let written = reports(&server);
    let text = read(&written[0]);
    assert_eq!(
        (written.len(), text.matches("## Occurrences").count(), text.matches("`python again.py`").count()),
        (1, 1, 1),
        "{text}"
    );
    let page = server.get(&draft).body;
    let unknown =
        server.post(&format!("{draft}/save"), &[("nonce", value(&page, "nonce")), ("append", "../../etc/passwd")]);
    assert_eq!(unknown.status, 422);
}

#[test]
fn without_the_flag_nothing_is_written_and_the_markdown_can_be_taken() {
    let server = with_folder(&["--no-probe"]);
    let draft = format!("{}/0/draft", server.paste(&log()));
    let page = server.get(&draft).body;
    assert!(!page.contains("draft/save"), "{page}");
    let refused = server.post(&format!("{draft}/save"), &[("nonce", value(&page, "nonce"))]);
    assert!(refused.status == 403 && refused.body.contains("--allow-write"), "{}", refused.body);
    assert!(reports(&server).is_empty());
    let file = server.post(&format!("{draft}/report.md"), &[("title", "Mine")]);
    assert_eq!(file.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(file.header("content-disposition").is_some_and(|words| words.starts_with("attachment; filename=\"BUG-")));
    assert!(
        file.body.starts_with("---\n") && file.body.contains("Mine") && !file.body.contains(TOKEN),
        "{}",
        file.body
    );
}

#[test]
fn what_cannot_be_drafted_says_why() {
    let server = Server::start(&["--no-probe", "--allow-write"]);
    let healthy = format!("{}/0/draft", server.paste("epoch 1 done\nepoch 2 done\n"));
    assert!(server.get(&healthy).body.contains("there is no error in this text"));
    assert!(server.post(&healthy, &[("title", "Loss stays at 0.7")]).body.contains("Loss stays at 0.7"));
    let draft = format!("{}/0/draft", server.paste(&log()));
    let page = server.get(&draft).body;
    let saved = server.post(&format!("{draft}/save"), &[("nonce", value(&page, "nonce"))]);
    assert!(saved.status == 422 && saved.body.contains("no folder for reports"), "{}", saved.body);
    let template = server.post(&draft, &[("template", "../../etc/passwd")]).body;
    assert!(template.contains("there is no template with that name"), "{template}");
    assert_eq!(server.get("/d/ffffffffffffffffffff/0/draft").status, 404);
}
