//! What should not be shared does not get into any generated text.

use super::report::project;
use crate::place::{Answer, Place};

/// Composed at run time, so that no scanner takes this file for a leak.
fn made(prefix: &str, length: usize) -> String {
    let letters = b"q7Zk2LmX9vT4bNpR8sWy3GdHj6Fc5Va1Ue0Qo";
    let tail: String = (0..length).map(|i| char::from(letters[(i * 7 + i / 5) % letters.len()])).collect();
    format!("{prefix}{tail}")
}

/// A log that gives everything away, and what must not survive of it.
fn leaky() -> (String, Vec<String>) {
    let key = "3f9a1c7e5b2d80463f9a1c7e5b2d8046aa55bb66".to_owned();
    let tokens = [
        made("hf_", 34),
        made("ghp_", 36),
        made("sk-proj-", 80),
        made("AKIA", 16).to_uppercase(),
        made("glpat-", 20),
        made("nvapi-", 64),
    ];
    let mut planted: Vec<String> = tokens.to_vec();
    planted.extend([key.clone(), "hunter2secret".into(), "ada.lovelace@bankofada.com".into(), "alovelace".into()]);
    planted.extend(["gpu-node-17.cluster.bankofada.com".into(), "10.42.7.19".into()]);
    let mut log = format!(
        "$ HF_TOKEN={} WANDB_API_KEY={key} python train.py --token {} --data https://ada:hunter2secret@10.42.7.19/set\n",
        tokens[0], tokens[1]
    );
    for token in &tokens {
        log.push_str(&format!("INFO using {token} now\n"));
    }
    log.push_str(
        "INFO mail to ada.lovelace@bankofada.com\nINFO host gpu-node-17.cluster.bankofada.com is up\n\
         Traceback (most recent call last):\n  File \"/home/alovelace/ocr/train.py\", line 3, in step\n    loss.backward()\n",
    );
    log.push_str(&format!("RuntimeError: CUDA out of memory while loading {} from 10.42.7.19\n", tokens[2]));
    (log, planted)
}

fn clean(text: &str, planted: &[String], what: &str) {
    for secret in planted {
        assert!(!text.contains(secret.as_str()), "{what} holds {secret}:\n{text}");
    }
}

fn run(place: &Place, arguments: &[&str], log: &str) -> Answer {
    let mut command = place.command();
    command.env("USER", "alovelace").env("HF_TOKEN", made("hf_", 34)).env("CUDA_VISIBLE_DEVICES", "0");
    Answer::of(&command.args(arguments).write_stdin(log).output().expect("runs"))
}

#[test]
fn no_planted_secret_survives_in_any_generated_text() {
    let (log, planted) = leaky();
    for template in ["bug_report", "diagnosis", "code_changes"] {
        for format in ["terminal", "json"] {
            let place = project();
            let answer = run(&place, &["new", "-", "--template", template, "--format", format], &log);
            assert_eq!(answer.code, 0, "{}", answer.err);
            clean(&answer.out, &planted, "the answer");
            clean(&answer.err, &planted, "the notes");
            for entry in std::fs::read_dir(place.path().join("docs/bug_reports")).expect("a folder").flatten() {
                clean(&entry.file_name().to_string_lossy(), &planted, "a file name");
                clean(&std::fs::read_to_string(entry.path()).expect("text"), &planted, template);
            }
            let printed = run(&place, &["new", "-", "--template", template, "--stdout", "--format", format], &log);
            clean(&printed.out, &planted, "the printed report");
        }
    }
}

#[test]
fn no_planted_secret_survives_in_an_occurrence_or_in_what_is_typed() {
    let (log, planted) = leaky();
    let place = Place::with_report();
    let answer = run(&place, &["new", "-", "--append", "BUG-20260101-007", "--show-redactions"], &log);
    assert_eq!(answer.code, 0, "{}", answer.err);
    clean(&answer.err, &planted, "what --show-redactions says");
    clean(&std::fs::read_to_string(place.path().join(answer.out.trim_end())).expect("text"), &planted, "the report");
    let title = format!("Fails with {} for ada.lovelace@bankofada.com", planted[0]);
    let command = format!("python train.py --token {}", planted[1]);
    let answer = run(&place, &["new", "-", "--title", &title, "--command", &command], &log);
    clean(&answer.out, &planted, "the path");
    clean(&std::fs::read_to_string(place.path().join(answer.out.trim_end())).expect("text"), &planted, "the report");
}

#[test]
fn everything_stays_on_request() {
    let (log, planted) = leaky();
    let place = project();
    let answer = run(&place, &["new", "-", "--stdout", "--no-redact"], &log);
    assert!(answer.out.contains(&planted[6]), "{}", answer.out);
    assert!(answer.out.contains("/home/alovelace/"), "{}", answer.out);
}
