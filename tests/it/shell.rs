//! What shells get: completions, man pages, hooks.

use crate::support::left_out;
use std::io::Write as _;
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
fn shells_can_read_their_completions() {
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        if Command::new(shell).arg("--version").output().is_err() {
            left_out::note("completions and hooks", &format!("{shell} is not here"));
            continue;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("completions");
        std::fs::write(&file, faultbook(&["completions", shell]).stdout).expect("a file");
        let checked = Command::new(shell).arg(check).arg(&file).output().expect("runs");
        assert!(checked.status.success(), "{shell}: {}", String::from_utf8_lossy(&checked.stderr));
    }
    if Command::new("bash").arg("--version").output().is_ok() {
        let words = String::from_utf8(faultbook(&["completions", "bash"]).stdout).expect("text");
        let script = format!(
            "{words}\nCOMP_WORDS=(faultbook run --o); COMP_CWORD=2; _faultbook faultbook --o run; echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["--norc", "-c", &script]).output().expect("bash runs");
        assert!(String::from_utf8_lossy(&output.stdout).contains("--on-failure"), "{output:?}");
    }
}

#[test]
#[cfg(feature = "shell")]
fn ids_of_reports_are_completed() {
    let zsh = String::from_utf8(faultbook(&["completions", "zsh"]).stdout).expect("text");
    assert!(zsh.matches("_faultbook_ids'").count() >= 4, "status, graph, refs and new --append name reports");
    let ids = |line: &&str| line.contains(":_faultbook_ids");
    let of = |command: &str| {
        let mut lines = zsh.lines().skip_while(|line| *line != command).skip(1);
        lines.by_ref().take_while(|line| *line != ";;").find(ids).expect("an id").to_owned()
    };
    assert!(of("(show)").contains("_faultbook_ids_and_pages'"), "`show` also shows pages");
    assert!(of("(status)").contains("_faultbook_ids'"), "only reports have a status");
    assert!(zsh.starts_with("#compdef faultbook\n"));
    if Command::new("bash").arg("--version").output().is_err() {
        left_out::note("completions and hooks", "bash is not here");
        return;
    }
    let place = crate::place::Place::with_report();
    let words = String::from_utf8(faultbook(&["completions", "bash"]).stdout).expect("text");
    let script = format!(
        "faultbook() {{ '{}' \"$@\"; }}\n{words}\nCOMP_WORDS=(faultbook status BUG-2026); COMP_CWORD=2; _faultbook_with_ids faultbook BUG-2026 status; echo \"${{COMPREPLY[@]}}\"",
        env!("CARGO_BIN_EXE_faultbook")
    );
    let output = Command::new("bash")
        .current_dir(place.path())
        .env("XDG_CACHE_HOME", place.path().join("cache"))
        .args(["--norc", "-c", &script])
        .output()
        .expect("bash runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "BUG-20260101-007", "{output:?}");
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
fn hooks_are_sound_and_say_something_after_a_failure() {
    for shell in ["bash", "zsh"] {
        if Command::new(shell).arg("--version").output().is_err() {
            left_out::note("completions and hooks", &format!("{shell} is not here"));
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
fn the_hook_of_zsh_says_something_after_a_failure_alone() {
    if Command::new("zsh").arg("--version").output().is_err() {
        left_out::note("the hook of zsh", "zsh is not here");
        return;
    }
    let hook = String::from_utf8(faultbook(&["hook", "zsh"]).stdout).expect("text");
    for (command, code, says) in [
        ("python train.py", 1, true),
        ("python train.py", 0, false),
        ("ls nowhere", 2, false),
        ("testing/lstm.sh", 1, true),
    ] {
        let script = format!(
            "unset TMUX KITTY_LISTEN_ON\n{hook}\n__faultbook_preexec '{command}'\n(exit {code})\n__faultbook_precmd"
        );
        let output = Command::new("zsh").args(["-f", "-c", &script]).output().expect("zsh runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.contains(&format!("faultbook run -- {command}")), says, "{command} {code}: {said}");
        assert!(says || said.is_empty(), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_pager_may_have_options_and_quotes() {
    use std::io::Read as _;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let shown = |pager: &str| {
        let (mut pty, pts) = pty_process::blocking::open().expect("a pty");
        pty.resize(pty_process::Size::new(12, 80)).expect("a size");
        let mut child = pty_process::blocking::Command::new(env!("CARGO_BIN_EXE_faultbook"))
            .args(["show", "oom"])
            .current_dir(folder.path())
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
            .env("NO_COLOR", "1")
            .env_remove("FAULTBOOK_PAGER")
            .env("PAGER", pager)
            .spawn(pts)
            .expect("runs");
        let mut bytes = Vec::new();
        // The end of the other side is an error on a pty of Linux.
        let _ = pty.read_to_end(&mut bytes);
        child.wait().expect("ends");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let paged = shown("sed -e '1s/^/paged with \"a b\": /' -n -e 1p");
    assert!(paged.starts_with("paged with \"a b\": ") && paged.lines().count() == 1, "{paged}");
    for none in ["cat", "", "no-such-pager -R"] {
        let paged = shown(none);
        assert!(paged.lines().count() > 12, "{none}: {paged}");
    }
}

/// What the hook of an interactive bash offers after each of these commands.
fn offered(commands: &str) -> Vec<String> {
    let hook = String::from_utf8(faultbook(&["hook", "bash"]).stdout).expect("text");
    let mut child = Command::new("bash")
        .args(["--norc", "-i"])
        .envs([("HISTFILE", "/dev/null"), ("PS1", ""), ("HOOK", &hook)])
        .env_remove("TMUX")
        .env_remove("KITTY_LISTEN_ON")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(format!("eval \"$HOOK\"\n{commands}").as_bytes()).expect("written");
    drop(stdin);
    let said = String::from_utf8(child.wait_with_output().expect("ends").stderr).expect("text");
    let offer = |line: &str| {
        let (_, offer) = line.split_once("`faultbook run -- ")?;
        Some(offer.split_once("` runs it again")?.0.to_owned())
    };
    said.lines().filter_map(offer).collect()
}

#[test]
fn the_hook_of_bash_offers_what_can_be_typed() {
    let offers = offered(
        "tests/nosuch.sh --lr 0.1 out=3\nCUDA_VISIBLE_DEVICES=0 nosuch\nnosuch | cat nowhere\ncd . && nosuch\n\
         for i in 1; do false; done\ntest -f nowhere\ntrue\n\nlsnosuch > /dev/null\n",
    );
    assert_eq!(offers, ["tests/nosuch.sh --lr 0.1 out=3", "...", "...", "...", "...", "lsnosuch > /dev/null"]);
}

#[test]
fn a_machine_without_a_clipboard_gets_a_message() {
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
