//! On a real pty, because what reaches a pipe is not what reaches a terminal: hostile sequences in every field of a
//! report, its file's name, a log, arguments and settings, through every command in every format.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use pty_process::Size;
use pty_process::blocking::{Command, open};

/// Writes the clipboard, clears the screen, links, reorders, hides.
pub(super) const HOSTILE: &str =
    "\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[31m\u{8}\u{9b}2J\u{202e}\u{2066}\u{1b}]8;;http://evil\u{1b}\\\u{1b}[8m\u{e0041}";

/// The same in YAML's escapes, so that the front matter can be read.
const IN_YAML: &str = r"\e]52;c;ZXZpbA==\a\e[31m\b\x9b2J\u202e\u2066\e]8;;http://evil\e\\\e[8m\U000e0041";

pub(super) fn planted() -> tempfile::TempDir {
    let folder = super::project();
    let reports = folder.path().join("p/reports");
    let name = format!("na{}me.md", HOSTILE.replace('/', "_"));
    for (n, (name, id)) in [(name.as_str(), "BUG-7"), ("b.md", "BUG-5")].into_iter().enumerate() {
        let h = IN_YAML;
        let matter = format!(
            "bug_id: \"{id}{h}\"\ntitle: \"Cuda {h} title\"\nstatus: \"open{h}\"\nseverity: \"high{h}\"\ndate: \"2026-01-0{}{h}\"\n\
             tags: [\"t{h}\"]\nauthor: \"me{h}\"\nfault: \"cuda-oom{h}\"\nlinks: [\"BUG-1{h}\"]\n\"key{h}\": 2\nduplicate_of: \"BUG-9{h}\"\n\
             type: \"bug_report{h}\"\ncategory: \"t{h}\"\nversion: \"1{h}\"\nassignee: \"a{h}\"\nenvironment: {{gpu: \"g{h}\"}}",
            n + 1
        );
        let body = format!(
            "# Cuda {HOSTILE}\n\n## Summary {HOSTILE}\n\nwords {HOSTILE} see BUG-20260101-001 TODO{HOSTILE} [x](y{HOSTILE}.md)\n\n\
             ```text\nRuntimeError: CUDA error: out of memory {HOSTILE}\n```\n"
        );
        fs::write(reports.join(name), format!("---\n{matter}\n---\n{body}")).expect("a report");
    }
    // A line break in a name begins no line of its own.
    fs::write(reports.join("c\n::error title=forged::x\r\u{0085}.md"), super::report("BUG-20260101-009", 9))
        .expect("a report");
    let log = format!(
        "Traceback (most recent call last):\n  File \"/srv/train{HOSTILE}.py\", line 3, in ma{HOSTILE}in\n    x = f{HOSTILE}()\n\
         my{HOSTILE}mod.Foo{HOSTILE}Error: odd {HOSTILE} \\x1b]52;c;YQ==\\x07\nRuntimeError: CUDA error: device-side assert \
         triggered {HOSTILE}\n"
    );
    fs::write(folder.path().join("p").join(format!("l{}.log", HOSTILE.replace('/', "_"))), log).expect("a log");
    folder
}

/// What a terminal would have got.
pub(super) fn seen(folder: &Path, arguments: &[String]) -> String {
    let (mut pty, pts) = open().expect("a pty");
    pty.resize(Size::new(200, 100)).expect("a size");
    let mut child = Command::new(env!("CARGO_BIN_EXE_faultbook"))
        .args(arguments)
        .current_dir(folder.join("p"))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("HOME", folder)
        .env("TERM", "xterm-256color")
        .env("PAGER", "cat")
        .env_remove("NO_COLOR")
        .spawn(pts)
        .expect("it runs");
    let mut bytes = Vec::new();
    // The end of a pty is an error.
    let _ = pty.read_to_end(&mut bytes);
    child.wait().expect("it ends");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The first thing in a text that a terminal obeys, besides colours.
pub(super) fn obeyed(text: &str) -> Option<&str> {
    let hides = |c: char| {
        matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
            || c.is_control() && !matches!(c, '\n' | '\r' | '\t')
    };
    let mut rest = text;
    while let Some(at) = rest.find(hides) {
        let from = &rest[at..];
        let inner = from.strip_prefix("\u{1b}[").unwrap_or_default();
        let numbers = inner.bytes().take_while(|b| b.is_ascii_digit() || *b == b';').count();
        if inner.as_bytes().get(numbers) != Some(&b'm') || &inner[..numbers] == "8" {
            let end = rest.ceil_char_boundary((at + 60).min(rest.len()));
            return Some(&rest[rest.floor_char_boundary(at.saturating_sub(40))..end]);
        }
        rest = &inner[numbers..];
    }
    None
}

#[test]
fn nothing_from_outside_steers_the_terminal() {
    let folder = planted();
    let log = format!("l{}.log", HOSTILE.replace('/', "_"));
    let id = format!("BUG-5{HOSTILE}");
    let formats = |words: &[&str], formats: &[&str]| -> Vec<Vec<String>> {
        let with = |format: &&str| words.iter().chain(&["--format", *format]).map(|word| (*word).to_owned()).collect();
        formats.iter().map(with).collect()
    };
    let usual = ["terminal", "json", "markdown"];
    let mut commands: Vec<Vec<String>> = Vec::new();
    commands
        .extend(formats(&["diagnose", &log], &["terminal", "json", "markdown", "brief", "sarif", "github", "junit"]));
    commands.extend(formats(&["check", "reports"], &["terminal", "json", "sarif", "github", "junit"]));
    for words in [
        &["list", "-v"][..],
        &["search", "cuda"],
        &["show", &id],
        &["status", &id, "resolved"],
        &["stats"],
        &["graph", "--all"],
        &["refs", "BUG-20260101-001"],
        &["new", "--stdout", "--no-input", "--no-probe", "--no-redact", &log],
        &["index-page", "reports"],
    ] {
        commands.extend(formats(words, &usual));
    }
    for words in [
        &["search", HOSTILE][..],
        &["show", HOSTILE],
        &["status", HOSTILE, "resolved"],
        &["status", "BUG-1", HOSTILE],
        &["check", "--diff", "--fix", "reports"],
        &["check", HOSTILE],
        &["list", "--status", HOSTILE],
        &["new", "--template", HOSTILE, "--no-input", &log],
        &["new", "--title", HOSTILE, "--no-input", "--no-probe", &log],
        &["fit", HOSTILE],
        &["completions", HOSTILE],
        &["probe", "--level", HOSTILE],
        &["--reports", HOSTILE, "list"],
        &[&format!("--{HOSTILE}")],
        &["diagnose", HOSTILE],
        &["run", "--", HOSTILE],
    ] {
        commands.push(words.iter().map(|word| (*word).to_owned()).collect());
    }
    let mut raw = Vec::new();
    let mut check = |arguments: &[String]| {
        let text = seen(folder.path(), arguments);
        if let Some(place) = obeyed(&text) {
            raw.push(format!("{arguments:?}: {place:?}"));
        }
    };
    commands.iter().for_each(|arguments| check(arguments));
    for settings in [
        format!("[reports]\npaths = [\"re{HOSTILE}\"]"),
        "[reports]\npaths = [\"a\\u001b]52;c;YQ==\\u0007\\u202e\"]".to_owned(),
        "[reports]\npaths = [\"reports\"]\nid = \"BUG-\\u001b]52;c;YQ==\\u0007\\u202e{nnn}\"".to_owned(),
        "[reports]\npaths = [\"reports\"]\nfile_name = \"\\u001b]52;c;YQ==\\u0007{id}.md\"".to_owned(),
        "[templates]\npaths = [\"\\u001b]52;c;YQ==\\u0007\"]".to_owned(),
    ] {
        fs::write(folder.path().join("p/faultbook.toml"), settings).expect("settings");
        for words in [&["list"][..], &["check"], &["templates"], &["new", "--no-input", "--no-probe", "train.log"]] {
            check(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        }
    }
    assert!(raw.is_empty(), "{} of {} commands:\n{}", raw.len(), commands.len() + 20, raw.join("\n"));
}

#[test]
fn a_path_reaches_a_program_byte_by_byte() {
    let folder = super::project();
    let odd = "o\u{202e}dd";
    fs::create_dir(folder.path().join("p").join(odd)).expect("a folder");
    fs::write(folder.path().join("p/faultbook.toml"), format!("[reports]\npaths = [\"{odd}\"]\n")).expect("settings");
    let path = super::says(folder.path(), &["new", "train.log", "--no-input", "--no-probe"]);
    assert!(folder.path().join("p").join(path.trim_end()).is_file(), "{path:?}");
}
