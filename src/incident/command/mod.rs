//! Command lines and settings in the text: how the run was started. Facts `run.*` and `env.NAME`.
//!
//! A command may come from a shell prompt, a bullet of a report, a launcher's Python list, or several lines joined by
//! backslashes. Its tokens are kept as written, so that a fix can be shown in the same form.

mod settings;
mod variables;

pub(super) use variables::matters;

use crate::facts::Facts;
use crate::text::{Line, Transcript};
use crate::wording;

/// How a setting was written on a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// `dataloaders.train.batch_size=4`, `+trainer.x=1`.
    Hydra,
    /// `--batch_size 4`; also a flag without a value.
    DashSpace,
    /// `--batch_size=4`.
    DashEquals,
}

/// One setting of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// The key as written, without leading dashes or plus signs.
    pub key: String,
    /// The value, empty for a flag.
    pub value: String,
    /// How it was written.
    pub form: Form,
    /// The whole setting as written.
    pub raw: String,
}

/// One command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// The words before the first setting: `uv run python runners/train.py`.
    pub program: Vec<String>,
    /// The settings in their order.
    pub overrides: Vec<Override>,
    /// Index of the transcript line.
    pub at: usize,
}

/// A longer line is no command.
const LONGEST: usize = 20_000;
/// More commands than this are not how one run was started.
const MOST: usize = 500;

/// Records what a setting beside its name reveals about the run.
pub(super) fn setting(name: &str, value: &str, facts: &mut Facts) {
    settings::fact(name, value, 0, facts);
}

/// Reads one line.
pub(super) fn read(transcript: &Transcript, line: Line<'_>, facts: &mut Facts, commands: &mut Vec<CommandLine>) {
    if line.text.len() > LONGEST {
        return;
    }
    let words = strip_prompt(line.text.trim());
    variables::read(words, line.number, facts);
    if commands.len() < MOST && is_command(words) {
        let joined = join(transcript, line.index, words);
        let command = parse(&joined, line.index);
        for setting in &command.overrides {
            let value = if setting.value.is_empty() { "true" } else { &setting.value };
            settings::fact(&setting.key, value, line.number, facts);
        }
        if !command.overrides.is_empty() || command.program.len() > 1 {
            commands.push(command);
        }
        return;
    }
    if commands.len() < MOST
        && let Some(list) = words.find("['").and_then(|at| words.get(at..)).filter(|list| list.contains("python"))
    {
        let inner = list.split(']').next().unwrap_or(list).trim_start_matches('[');
        let joined: Vec<&str> = inner.split(',').map(|word| word.trim().trim_matches(['\'', '"'])).collect();
        let command = parse(&joined.join(" "), line.index);
        for setting in &command.overrides {
            settings::fact(&setting.key, &setting.value, line.number, facts);
        }
        commands.push(command);
        return;
    }
    if words.contains("**") {
        settings::read(&words.replace("**", ""), line.number, facts);
    } else {
        settings::read(words, line.number, facts);
    }
}

/// Strips bullets, prompts and quoting.
fn strip_prompt(words: &str) -> &str {
    let mut words = words;
    loop {
        let before = words;
        for start in [
            "- ",
            "* ",
            "$ ",
            "# ",
            "> ",
            "+ ",
            "❯ ",
            "% ",
            "Command:",
            "command:",
            "Command line:",
            "Running:",
            "Running command:",
            "!",
            "**Command:**",
            "cmd:",
            "PS> ",
        ] {
            words = words.strip_prefix(start).map_or(words, str::trim_start);
        }
        words = numbered(words).trim_matches('`').trim();
        if words == before {
            break;
        }
    }
    // "user@host:~/x$ python", "(env) user@host:~# python", "C:\x> python".
    for mark in ["$ ", "# ", "> "] {
        if let Some((head, rest)) = words.split_once(mark)
            && head.len() < 80
            && (head.contains('@') && head.contains(':')
                || head.starts_with('(') && head.contains(')')
                || head.get(1..3) == Some(":\\"))
        {
            return rest.trim();
        }
    }
    words
}

/// What follows the number of a list's item that is quoted code: "1. `python train.py`".
fn numbered(words: &str) -> &str {
    let rest = words.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = rest.strip_prefix(['.', ')']).map(str::trim_start).filter(|item| item.starts_with('`'));
    item.filter(|_| rest.len() < words.len()).unwrap_or(words)
}

/// Whether the words are a command line.
fn is_command(words: &str) -> bool {
    let mut tokens = words.split_whitespace().skip_while(|token| is_assignment(token) || *token == "export");
    let Some(first) = tokens.next() else { return false };
    let name = first.rsplit(['/', '\\']).next().unwrap_or(first);
    let versioned = name.starts_with("python3.") && name.len() < 12;
    let commands = wording::commands();
    if !versioned && !commands.programs.contains(&name) && !commands.runners.contains(&name) {
        return false;
    }
    let Some(second) = tokens.next() else { return false };
    let argument = second.ends_with(".py") || second.ends_with(".sh") || second.starts_with('-') && second.len() > 1;
    let known = commands.runners.contains(&name);
    argument
        || matches!(second, "run" | "launch" | "serve" | "python" | "python3" | "train" | "exec")
            && second.len() < words.len()
        || known && (words.contains(" -") || words.contains('='))
}

/// Joins lines that end in a backslash.
fn join(transcript: &Transcript, index: usize, words: &str) -> String {
    let mut joined = words.to_owned();
    let mut next = index + 1;
    while let Some(open) = joined.strip_suffix('\\').or_else(|| joined.strip_suffix('^')) {
        joined = open.trim_end().to_owned();
        if next >= transcript.len() || next > index + 60 || joined.len() > LONGEST {
            break;
        }
        let more = transcript.line(next).text.trim();
        if more.starts_with('#') {
            break;
        }
        joined.push(' ');
        joined.push_str(more);
        next += 1;
    }
    joined
}

/// Splits a command line into program words and settings.
fn parse(words: &str, at: usize) -> CommandLine {
    let tokens = split(words);
    let mut program = Vec::new();
    let mut overrides: Vec<Override> = Vec::new();
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        if is_shell(token) {
            break;
        }
        if let Some(key) = token.strip_prefix("--").or_else(|| {
            token.strip_prefix('-').filter(|key| key.len() > 1 && !key.starts_with(|c: char| c.is_ascii_digit()))
        }) {
            if key.is_empty() {
                continue;
            }
            if let Some((key, value)) = key.split_once('=') {
                overrides.push(Override {
                    key: key.to_owned(),
                    value: value.to_owned(),
                    form: Form::DashEquals,
                    raw: token.clone(),
                });
                continue;
            }
            let takes_value =
                rest.peek().is_some_and(|next| !is_flag(next) && !next.ends_with(".py") && !is_shell(next));
            let script = token == "-m" || token == "-u";
            if script {
                program.push(token.clone());
                continue;
            }
            let value = if takes_value && !(token.len() == 2 && token == "-u") {
                rest.next().cloned().unwrap_or_default()
            } else {
                String::new()
            };
            let raw = if value.is_empty() { token.clone() } else { format!("{token} {value}") };
            overrides.push(Override { key: key.to_owned(), value, form: Form::DashSpace, raw });
        } else if let Some((key, value)) = token.split_once('=').filter(|(key, _)| is_key(key)) {
            if program.iter().all(|word: &String| is_assignment(word)) && is_assignment(token) {
                program.push(token.clone());
            } else {
                overrides.push(Override {
                    key: key.trim_start_matches(['+', '~']).to_owned(),
                    value: value.to_owned(),
                    form: Form::Hydra,
                    raw: token.clone(),
                });
            }
        } else {
            program.push(token.clone());
        }
    }
    CommandLine { program, overrides, at }
}

/// Splits at spaces outside quotes; quotes are kept inside the token.
fn split(words: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut token = String::new();
    let mut quote = None;
    for c in words.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c.is_whitespace() => {
                if !token.is_empty() {
                    tokens.push(std::mem::take(&mut token));
                }
                continue;
            }
            _ => {}
        }
        token.push(c);
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    tokens
}

/// `--x`, `-x`, but not `-1`.
fn is_flag(token: &str) -> bool {
    let name = token.trim_start_matches('-');
    name.len() < token.len() && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Where a shell's command ends.
fn is_shell(token: &str) -> bool {
    matches!(token, "|" | "2>&1" | "&&" | ";" | ">" | ">>" | "&" | "2>" | "||") || token.starts_with("2>")
}

fn is_key(key: &str) -> bool {
    let key = key.trim_start_matches(['+', '~']);
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '@'))
}

/// `NAME=value` with a name in capitals.
fn is_assignment(token: &str) -> bool {
    token.split_once('=').is_some_and(|(name, _)| is_variable_name(name))
}

fn is_variable_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Value;

    fn read_all(text: &str) -> (Facts, Vec<CommandLine>) {
        let transcript = crate::text::read(text.as_bytes());
        let (mut facts, mut commands) = (Facts::default(), Vec::new());
        for line in transcript.lines() {
            read(&transcript, line, &mut facts, &mut commands);
        }
        (facts, commands)
    }

    #[test]
    fn hydra_overrides_keep_their_tokens() {
        let (facts, commands) = read_all(
            "- `CUDA_VISIBLE_DEVICES=0 uv run python runners/train.py dataloaders.train_dataloader.batch_size=4 dataloaders.val_dataloader.batch_size=8 trainer.precision=16-mixed +trainer.devices=2`",
        );
        assert_eq!(facts.number("run.batch_size"), Some(4.0));
        assert_eq!(facts.text("run.precision"), Some("16-mixed"));
        assert_eq!(facts.number("run.devices"), Some(2.0));
        assert_eq!(facts.text("env.CUDA_VISIBLE_DEVICES"), Some("0"));
        let command = commands.first().expect("a command");
        assert_eq!(command.program, ["CUDA_VISIBLE_DEVICES=0", "uv", "run", "python", "runners/train.py"]);
        assert_eq!(command.overrides.first().expect("a setting").raw, "dataloaders.train_dataloader.batch_size=4");
        assert_eq!(command.overrides.len(), 4);
    }

    #[test]
    fn dashes_and_joined_lines() {
        let (facts, commands) = read_all(
            "$ torchrun --nproc_per_node=4 train.py \\\n  --batch_size 16 \\\n  --bf16 --num-workers 8 2>&1 | tee log",
        );
        assert_eq!(facts.number("run.batch_size"), Some(16.0));
        assert_eq!(facts.number("run.devices"), Some(4.0));
        assert_eq!(facts.number("run.num_workers"), Some(8.0));
        assert_eq!(facts.text("run.precision"), Some("bf16"));
        let forms: Vec<Form> = commands.first().expect("a command").overrides.iter().map(|o| o.form).collect();
        assert_eq!(forms, [Form::DashEquals, Form::DashSpace, Form::DashSpace, Form::DashSpace]);
    }

    #[test]
    fn settings_and_variables() {
        let table = [
            ("  batch_size: 12", "run.batch_size", Value::Number(12.0)),
            ("- **Batch Size:** 4", "run.batch_size", Value::Number(4.0)),
            ("start: {'device': 'cpu', 'workers': 2, 'batch': 8}", "run.batch_size", Value::Number(8.0)),
            ("  Instantaneous batch size per device = 4", "run.batch_size", Value::Number(4.0)),
            ("- **Precision:** FP32", "run.precision", Value::Text("fp32".into())),
            (
                "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
                "env.PYTORCH_CUDA_ALLOC_CONF",
                Value::Text("expandable_segments:True".into()),
            ),
            ("os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"", "env.CUDA_VISIBLE_DEVICES", Value::Text("1".into())),
            ("docker run --gpus all -e NCCL_P2P_DISABLE=1 image", "env.NCCL_P2P_DISABLE", Value::Text("1".into())),
        ];
        for (text, name, value) in table {
            let (facts, _) = read_all(text);
            assert_eq!(facts.get(name).map(|fact| &fact.value), Some(&value), "{text}");
        }
        let (facts, _) = read_all("For debugging consider passing CUDA_LAUNCH_BLOCKING=1\nval_batch_size: 3");
        assert!(facts.is_empty());
    }
}
