//! Command lines: which programs they start, and how other shells than a Unix one set variables.

use crate::wording::Shell;

/// The programs that a line starts, `sudo` among them.
pub(super) fn programs(line: &str) -> impl Iterator<Item = &str> {
    const BEFORE: [&str; 9] = ["do", "then", "else", "if", "!", "{", "command", "-v", "xargs"];
    // Python's `for x in y:` starts nothing.
    let python = line.contains(':') && !line.contains(';');
    let line =
        if python && ["for ", "while "].iter().any(|word| line.trim_start().starts_with(word)) { "" } else { line };
    let commands = line.split(['|', ';', '`']).flat_map(|part| part.split("&&")).flat_map(|part| part.split("$("));
    commands.flat_map(|command| {
        let mut words = command.split_whitespace().skip_while(|word| setting(word).is_some() || BEFORE.contains(word));
        let first = words.next();
        let second = first.filter(|first| *first == "sudo").and_then(|_| words.next());
        first.into_iter().chain(second)
    })
}

/// The lines for that shell; as they are for a Unix shell. A setting that cannot be said there is left out.
pub(super) fn written_for(shell: Option<Shell>, lines: &[String]) -> String {
    let Some(shell) = shell else { return lines.join("\n") };
    lines.iter().filter_map(|line| line_for(shell, line)).collect::<Vec<_>>().join("\n")
}

fn line_for(shell: Shell, line: &str) -> Option<String> {
    let (command, comment) = line.find("  #").map_or((line, ""), |at| line.split_at(at));
    let (command, comment) = (command.trim_end(), comment.trim_start());
    let comment = if comment.is_empty() { String::new() } else { format!("   {comment}") };
    let rewritten = match command.split_once(' ') {
        Some(("export", words)) => set(shell, &settings(words).filter(|(_, rest)| rest.is_empty())?.0),
        Some(("unset", names)) => unset(shell, names),
        Some(("pip", _)) if shell == Shell::Notebook => match command.contains([';', '|', '&', '>']) {
            true => format!("!{command}"),
            false => format!("%{command}"),
        },
        _ => match (settings(command), shell) {
            (Some((settings, rest)), Shell::Powershell) => format!("{}; {rest}", set(shell, &settings)),
            (Some((settings, _)), Shell::Notebook) => {
                format!("# in the first cell, after a restart of the kernel\n{}", set(shell, &settings))
            }
            (None, Shell::Powershell) => command.replace(" && ", "; "),
            (None, Shell::Notebook) if is_command(command) => format!("!{command}"),
            (None, Shell::Notebook) => return Some(line.to_owned()),
        },
    };
    Some(match shell {
        // A magic command takes the rest of its line.
        Shell::Notebook if !comment.is_empty() => format!("{}\n{rewritten}", comment.trim()),
        _ => format!("{rewritten}{comment}"),
    })
}

/// Whether a line is a command and not Python: it begins with a program's name, which no operator follows.
fn is_command(line: &str) -> bool {
    const PYTHON: [&str; 28] = [
        "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally",
        "for", "from", "global", "if", "import", "in", "lambda", "match", "nonlocal", "not", "pass", "raise", "return",
        "try", "while", "with",
    ];
    const OPERATORS: [&str; 10] = ["<", ">", "+", "-", "*", "%", "in", "is", "and", "or"];
    let mut words = line.split(' ');
    let first = words.next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.' | '/' | '+');
    let is_operator = |word: &str| word.starts_with('=') || word.ends_with('=') || OPERATORS.contains(&word);
    let names_program = first.starts_with(|c: char| c.is_ascii_lowercase() || c == '/') && first.chars().all(is_name);
    let rest = words.find(|word| !word.is_empty());
    names_program && !PYTHON.contains(&first) && rest.map_or(first.contains('-'), |next| !is_operator(next))
}

/// `A=1 B=2 python train.py`: settings and the command after them, if it begins with a setting. A value that the shell
/// computes stays with that shell.
fn settings(command: &str) -> Option<(Vec<(&str, &str)>, &str)> {
    let mut settings = Vec::new();
    let mut rest = command;
    while let Some(one) = setting(rest.split_whitespace().next().unwrap_or_default()) {
        let quotes = one.1.matches(['"', '\'']).count();
        if one.1.contains('$') || quotes % 2 == 1 {
            return None;
        }
        settings.push((one.0, one.1.trim_matches(['"', '\''])));
        rest = rest.split_once(' ').map_or("", |(_, after)| after.trim_start());
    }
    (!settings.is_empty()).then_some((settings, rest))
}

/// `NAME=value`, where NAME is a variable's name.
fn setting(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    is_name.then_some((name, value))
}

fn set(shell: Shell, settings: &[(&str, &str)]) -> String {
    let one = |(name, value): &(&str, &str)| match shell {
        Shell::Powershell => format!("$env:{name} = \"{value}\""),
        Shell::Notebook => format!("%env {name}={value}"),
    };
    let separator = match shell {
        Shell::Powershell => "; ",
        Shell::Notebook => "\n",
    };
    settings.iter().map(one).collect::<Vec<_>>().join(separator)
}

fn unset(shell: Shell, names: &str) -> String {
    let one = |name: &str| match shell {
        Shell::Powershell => format!("Remove-Item Env:{name} -ErrorAction Ignore"),
        Shell::Notebook => format!("import os; os.environ.pop(\"{name}\", None)"),
    };
    names.split_whitespace().map(one).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_the_first_words() {
        let all = |line| programs(line).collect::<Vec<_>>();
        assert_eq!(all("sudo dmesg -T | grep -i xid"), ["sudo", "dmesg", "grep"]);
        assert_eq!(all("A=1 B=2 python x.py && reboot"), ["python", "reboot"]);
        assert_eq!(all("for f in a; do ! fuser \"$f\"; done"), ["for", "fuser", "done"]);
        assert_eq!(all("y = torch.cat(a)"), ["y"]);
        for python in ["for group in optimizer.param_groups:", "    while True:", "for x in y: print(x)"] {
            assert_eq!(all(python), [""; 0], "{python}");
        }
    }

    #[test]
    fn variables_are_set_as_the_shell_sets_them() {
        for (shell, line, expected) in [
            (Shell::Powershell, "export A=1 B_2=x:y    # why", Some("$env:A = \"1\"; $env:B_2 = \"x:y\"   # why")),
            (Shell::Powershell, "A=1 python train.py", Some("$env:A = \"1\"; python train.py")),
            (Shell::Powershell, "unset A", Some("Remove-Item Env:A -ErrorAction Ignore")),
            (Shell::Powershell, "pip uninstall -y a && pip install b", Some("pip uninstall -y a; pip install b")),
            (Shell::Powershell, "python train.py lr=1", Some("python train.py lr=1")),
            (Shell::Powershell, "export PATH=\"$PATH:/x y\"", None),
            (Shell::Notebook, "export A=1 B=2   # why", Some("# why\n%env A=1\n%env B=2")),
            (Shell::Notebook, "pip install torch", Some("%pip install torch")),
            (Shell::Notebook, "x = 1   # one", Some("x = 1   # one")),
            (Shell::Notebook, "nvidia-smi", Some("!nvidia-smi")),
            (Shell::Notebook, "python -m pip check   # why", Some("# why\n!python -m pip check")),
            (Shell::Notebook, "free -h; df -h", Some("!free -h; df -h")),
            (Shell::Notebook, "import torch", Some("import torch")),
            (Shell::Notebook, "loss.backward()", Some("loss.backward()")),
            (Shell::Notebook, "total += loss.item()", Some("total += loss.item()")),
            (Shell::Notebook, "kill <pid>", Some("!kill <pid>")),
            (Shell::Notebook, "find / -name x", Some("!find / -name x")),
            (Shell::Notebook, "    run x", Some("    run x")),
        ] {
            assert_eq!(line_for(shell, line).as_deref(), expected, "{line}");
        }
    }
}
