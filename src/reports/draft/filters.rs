//! Filters of templates, which make a value safe in its context: code, fences, cells, YAML, sentences; and how
//! a filled template is tidied.

use minijinja::Environment;

use crate::render::clean;
use crate::render::markdown;
use crate::text::words::capital;

/// Adds them.
pub(super) fn add_to(environment: &mut Environment<'_>) {
    environment.add_filter("code", |text: String| code(&text));
    environment
        .add_filter("fence", |text: String, language: Option<String>| fence(&text, &language.unwrap_or_default()));
    environment.add_filter("command", |text: String| fence(&text, language(&text)));
    environment.add_filter("words", |text: String| markdown::escape(&text));
    environment.add_filter("cell", |text: String| markdown::cell(&text));
    environment.add_filter("yaml", |text: String| yaml(&text));
    environment.add_filter("sentence", |text: String| sentence(&text));
    environment.add_filter("oneline", |text: String| clean::line(&text));
}

/// Inline code, whatever the text holds.
pub(super) fn code(text: &str) -> String {
    let text = clean::line(text);
    if text.trim().is_empty() {
        return String::new();
    }
    let marks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{marks}{pad}{text}{pad}{marks}")
}

/// A fenced block, whatever the text holds.
fn fence(text: &str, language: &str) -> String {
    let marks = "`".repeat(longest_run(text).max(2) + 1);
    let text: String = clean::lines(text).join("\n");
    format!("{marks}{language}\n{}\n{marks}", text.trim_end())
}

/// Whether a command of the book is Python or for a shell.
fn language(text: &str) -> &'static str {
    let python = text.lines().any(|line| {
        let line = line.trim_start();
        let starts = [
            "import ", "from ", "print(", "with ", "for ", "def ", "try:", "assert ", "torch.", "model.", "if ", "tf.",
        ];
        let call = line.split_once('(').is_some_and(|(name, _)| {
            name.ends_with(char::is_alphanumeric) && name.chars().all(|c| c.is_alphanumeric() || "._ =".contains(c))
        });
        (starts.iter().any(|start| line.starts_with(start)) && !line.contains("; then"))
            || (call && !line.contains("=\"$("))
    });
    if python { "python" } else { "bash" }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A quoted YAML string.
fn yaml(text: &str) -> String {
    format!("\"{}\"", clean::line(text).replace('\\', "\\\\").replace('"', "\\\""))
}

/// With a capital at the start and a full stop at the end.
fn sentence(text: &str) -> String {
    let mut out = capital(text.trim());
    if !out.ends_with(['.', '!', '?', ':']) && !out.is_empty() {
        out.push('.');
    }
    out
}

/// One blank line between parts, none at the start, a line break at the end. Fences keep theirs.
pub(super) fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<usize> = None;
    let mut blank = true;
    for line in text.lines() {
        let marks =
            line.len() - line.trim_start().trim_start_matches('`').len() - (line.len() - line.trim_start().len());
        match fence {
            Some(open) if marks >= open && line.trim().len() == marks => fence = None,
            None if marks >= 3 => fence = Some(marks),
            _ => {}
        }
        let line = if fence.is_none() { line.trim_end() } else { line };
        if line.is_empty() && fence.is_none() {
            if blank {
                continue;
            }
            blank = true;
        } else {
            blank = false;
        }
        out.push_str(line);
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_say_what_they_are() {
        for (text, wanted) in [
            ("torch.backends.cudnn.benchmark = False", "python"),
            ("y = layer.float()(x[:1].float())", "python"),
            ("import torch\nprint(1)", "python"),
            ("DataLoader(dataset, num_workers=2)", "python"),
            ("df -h /dev/shm   # (inside)", "bash"),
            ("trainer.precision=16-mixed", "bash"),
            ("python -c \"import torch; print(torch.version.cuda)\"", "bash"),
            ("env -u LD_LIBRARY_PATH python x.py", "bash"),
            ("export A=$(nvidia-smi)", "bash"),
            ("CUDA_LAUNCH_BLOCKING=1 python train.py", "bash"),
        ] {
            assert_eq!(language(text), wanted, "{text}");
        }
    }

    #[test]
    fn filters_keep_markup_in_its_place() {
        assert_eq!(code("a `b` c"), "``a `b` c``");
        assert_eq!(fence("```\nx\n```", "text"), "````text\n```\nx\n```\n````");
        assert_eq!(yaml("a \"b\"\n\\c"), "\"a \\\"b\\\" \\\\c\"");
        assert_eq!(sentence("the run ended"), "The run ended.");
        assert_eq!(tidy("\n\na  \n\n\n\nb\n```\n\n\nx  \n```\n\n"), "a\n\nb\n```\n\n\nx  \n```\n");
    }
}
