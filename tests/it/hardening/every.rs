//! Every command that `--help` lists, in every format that its own `--help` lists, on a pty, in a project where every field
//! and name is hostile, with facts of a machine whose driver is: a new command or format is in it by itself, and fails until
//! it is known what to give it.

use std::fs;
use std::path::Path;

use super::terminal::{HOSTILE, obeyed, planted, seen};

/// What a command is given, or nothing where it is not known here.
fn arguments(command: &str) -> Option<Vec<Vec<&'static str>>> {
    let usual: &[&[&str]] = match command {
        "diagnose" => &[&["@LOG"], &["@LOG", "--facts", "facts.json"], &["@LOG", "-v"]],
        // What the command itself prints is passed on as it is; this one prints nothing.
        "run" => &[&["--no-probe", "--", "sh", "-c", "exit 3", "@HOSTILE"]],
        "scan" => &[&["@LOG"], &["@HOSTILE"], &["."]],
        "search" => &[&["cuda"], &["@HOSTILE"]],
        "show" => &[&["@ID"], &["@HOSTILE"], &["cuda-oom"]],
        // `--watch` draws over itself and has a test of its own.
        "probe" => &[&["--level", "quick", "--save", "saved@HOSTILE.json"]],
        "fit" => &[&["--from", "A100", "--to", "@HOSTILE", "--batch", "8"]],
        "new" => &[
            &["--stdout", "--no-input", "--no-probe", "--no-redact", "@LOG"],
            &["--no-input", "--facts", "facts.json", "@LOG"],
        ],
        "status" => &[&["@ID", "resolved"], &["BUG-20260101-009", "@HOSTILE"]],
        "templates" | "list" | "stats" | "index" => &[&[]],
        "graph" => &[&["--all"], &["@ID"]],
        "refs" => &[&["BUG-20260101-001"], &["@HOSTILE"]],
        "index-page" => &[&["reports"]],
        "check" => &[&["reports"], &["--diff", "--fix", "reports"]],
        "completions" | "hook" => &[&["bash"], &["@HOSTILE"]],
        "man" => &[&["man@NAME"]],
        "help" => &[&["list"], &["@HOSTILE"]],
        // The name of the folder that it writes, and what it says of one that is not its own.
        "site" => &[&["out"], &["out@NAME"], &["reports"]],
        // They speak a protocol with a program; their own tests hold it.
        "lsp" | "mcp" | "serve" => &[],
        _ => return None,
    };
    Some(usual.iter().map(|words| words.to_vec()).collect())
}

/// The commands that the program lists.
fn commands(folder: &Path) -> Vec<String> {
    let help = super::says(folder, &["--help"]);
    let list =
        help.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list of commands");
    let lines = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The formats that a command lists.
fn formats(folder: &Path, command: &str) -> Vec<String> {
    let help = super::says(folder, &[command, "--help"]);
    let Some((_, option)) = help.split_once("--format <FORMAT>\n") else { return Vec::new() };
    let end = option.find("\n  -").into_iter().chain(option.find("\n      --")).min().unwrap_or(option.len());
    let option = &option[..end];
    if let Some((_, values)) = option.split_once("[possible values: ") {
        return values.split(']').next().unwrap_or_default().split(", ").map(str::to_owned).collect();
    }
    let names = option.lines().filter_map(|line| line.trim().strip_prefix("- "));
    names.map(|name| name.split(':').next().unwrap_or_default().trim().to_owned()).collect()
}

/// Facts as a probe saves them, with what a driver, a kernel and a package would say in hostile words.
fn facts(folder: &Path) -> String {
    let found = super::says(folder, &["probe", "--level", "quick", "--format", "json"]);
    let mut found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let facts = found["facts"].as_object_mut().expect("facts");
    for name in
        ["gpu.name", "driver.version", "torch.version", "os.name", "os.kernel", "python.prefix", "env.LD_LIBRARY_PATH"]
    {
        facts.insert(name.to_owned(), format!("x {HOSTILE}").into());
    }
    found["findings"] = serde_json::json!([format!("the driver says {HOSTILE}")]);
    found.to_string()
}

#[test]
fn every_command_in_every_format_is_safe_on_a_terminal() {
    let folder = planted();
    let log = format!("l{}.log", HOSTILE.replace('/', "_"));
    let (id, name) = (format!("BUG-5{HOSTILE}"), HOSTILE.replace('/', "_"));
    fs::write(folder.path().join("p/facts.json"), facts(folder.path())).expect("facts");
    let fill = |word: &str| {
        let word = word.replace("@LOG", &log).replace("@ID", &id).replace("@NAME", &name);
        word.replace("@HOSTILE.json", &format!("{name}.json")).replace("@HOSTILE", HOSTILE)
    };
    let commands = commands(folder.path());
    assert!(commands.len() >= 20, "{commands:?}");
    let (mut raw, mut forged, mut tried) = (Vec::new(), Vec::new(), 0);
    for command in &commands {
        let given =
            arguments(command).unwrap_or_else(|| panic!("nothing is known to give to {command}: see `arguments`"));
        let formats =
            if ["help", "run"].contains(&command.as_str()) { Vec::new() } else { formats(folder.path(), command) };
        let options: Vec<Vec<String>> = match formats.is_empty() {
            true => vec![Vec::new()],
            false => formats.into_iter().map(|format| vec!["--format".to_owned(), format]).collect(),
        };
        for (words, option) in given.iter().flat_map(|words| options.iter().map(move |option| (words, option))) {
            let words = words.iter().map(|word| fill(word));
            let arguments: Vec<String> =
                [command.clone()].into_iter().chain(option.iter().cloned()).chain(words).collect();
            let text = seen(folder.path(), &arguments);
            tried += 1;
            if let Some(place) = obeyed(&text) {
                raw.push(format!("{arguments:?}: {place:?}"));
            }
            if text.lines().any(|line| line.starts_with("::error title=forged")) {
                forged.push(format!("{arguments:?}"));
            }
        }
    }
    assert!(tried >= 80, "{tried}");
    assert!(raw.is_empty(), "{} of {tried} print one raw:\n{}", raw.len(), raw.join("\n"));
    // The runner of GitHub obeys lines.
    forged.retain(|arguments| arguments.contains("github"));
    assert!(forged.is_empty(), "a name begins a line:\n{}", forged.join("\n"));
}
