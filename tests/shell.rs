//! What shells get: completions, man pages, hooks.

use std::process::{Command, Output, Stdio};

fn faultbook(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_faultbook")).args(arguments).stdin(Stdio::null()).output().expect("runs")
}

#[test]
#[cfg(feature = "shell")]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = faultbook(&["completions", shell]);
        let text = String::from_utf8_lossy(&output.stdout);
        for word in ["diagnose", "search", "run", "on-failure"] {
            assert!(text.contains(word), "{shell} does not complete {word}");
        }
    }
}

#[test]
#[cfg(feature = "shell")]
fn every_command_has_its_man_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = folder.path().join("man/man1");
    let output = faultbook(&["man", target.to_str().expect("a path")]);
    assert!(output.status.success(), "{output:?}");
    for name in ["faultbook.1", "faultbook-diagnose.1", "faultbook-run.1"] {
        assert!(target.join(name).is_file(), "{name} is missing");
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "what is left out is said loudly")]
fn hooks_are_sound_and_say_something_after_a_failure() {
    for shell in ["bash", "zsh"] {
        if Command::new(shell).arg("--version").output().is_err() {
            println!("LEFT OUT: {shell} is not here");
            continue;
        }
        let hook = String::from_utf8(faultbook(&["hook", shell]).stdout).expect("text");
        let checked = Command::new(shell).args(["-n", "-c", &hook]).output().expect("runs");
        assert!(checked.status.success(), "{shell}: {}", String::from_utf8_lossy(&checked.stderr));
    }
    let hook = String::from_utf8(faultbook(&["hook", "bash"]).stdout).expect("text");
    let script = format!(
        "unset TMUX KITTY_LISTEN_ON PROMPT_COMMAND\n{hook}\nset -o history\npython train.py\n__faultbook_prompt; echo code $?"
    );
    let output = Command::new("bash").args(["--norc", "-c", &script]).output().expect("bash runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("faultbook: exit code "), "{said}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("code 0"), "the code is kept for the prompt");
}

#[test]
fn a_machine_without_a_clipboard_is_told_so() {
    let output = Command::new(env!("CARGO_BIN_EXE_faultbook"))
        .args(["diagnose", "--clipboard"])
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .expect("runs");
    if cfg!(target_os = "linux") {
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("clipboard") && said.contains("hint: paste into"), "{said}");
    }
}
