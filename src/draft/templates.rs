//! Templates of reports: three of our own, and a team's own, which take their place by name.
//!
//! A template names only what there is: an unknown name is an error with its line, also inside a branch that is not
//! taken, because a misspelt name would otherwise leave a hole in a report and nobody would notice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;

use super::context::Context;
use super::error::Error;
use crate::render::{clean, markdown};

/// The built-in templates: name, what it is for, text.
const BUILTIN: [(&str, &str, &str); 3] = [
    ("bug_report", "a bug report in the standard format", include_str!("../../templates/bug_report.md")),
    ("code_changes", "the change log of a fix", include_str!("../../templates/code_changes.md")),
    (
        "diagnosis",
        "an investigation: tests, clues, hypotheses, next steps",
        include_str!("../../templates/diagnosis.md"),
    ),
];

/// Where a team keeps templates, besides what faultbook.toml says: beside the repository's root.
const PLACE: &str = ".faultbook/templates";

/// A template to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// `bug_report`.
    pub name: String,
    /// What it is for; its first comment where it is a team's own.
    pub about: String,
    /// Its file, where it is a team's own.
    pub path: Option<PathBuf>,
}

/// The templates of a project.
pub struct Templates {
    environment: Environment<'static>,
    choices: BTreeMap<String, Choice>,
}

impl Templates {
    /// The built-in ones and those in `folders`; of two with one name the later folder's counts.
    ///
    /// A team's template can build on ours: `{% extends "builtin/bug_report" %}`.
    ///
    /// # Errors
    /// When a folder or file cannot be read, or a template is no template.
    pub fn open(folders: &[PathBuf]) -> Result<Self, Error> {
        let mut templates = Self { environment: environment(), choices: BTreeMap::new() };
        for (name, about, text) in BUILTIN {
            templates.add(name, text.to_owned(), None)?;
            templates.add_source(&format!("builtin/{name}"), text.to_owned(), name)?;
            if let Some(choice) = templates.choices.get_mut(name) {
                choice.about = about.to_owned();
            }
        }
        for folder in folders {
            let mut paths: Vec<PathBuf> = fs::read_dir(folder)
                .map_err(|source| Error::read(folder, source))?
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
                .collect();
            paths.sort();
            for path in paths {
                let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
                let text = fs::read_to_string(&path).map_err(|source| Error::read(&path, source))?;
                templates.add(&name, text, Some(path))?;
            }
        }
        Ok(templates)
    }

    /// The folder in the usual place, from `start` up to the repository's root.
    pub fn usual_folder(start: &Path) -> Option<PathBuf> {
        let absolute = std::path::absolute(start).ok()?;
        for folder in absolute.ancestors() {
            let place = folder.join(PLACE);
            if place.is_dir() {
                return Some(place);
            }
            if folder.join(".git").exists() {
                return None;
            }
        }
        None
    }

    /// All of them, by name.
    pub fn choices(&self) -> impl Iterator<Item = &Choice> {
        self.choices.values()
    }

    /// The template of that name, `.md` or not.
    ///
    /// # Errors
    /// When there is none, with the names that there are.
    pub fn choose(&self, name: &str) -> Result<&Choice, Error> {
        let name = name.strip_suffix(".md").unwrap_or(name);
        self.choices.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.choices.keys().map(String::as_str).collect();
            Error::Template {
                name: format!("`{name}`"),
                why: "there is none of that name".to_owned(),
                hint: Some(format!("there are: {}", names.join(", "))),
            }
        })
    }

    /// Fills a template.
    ///
    /// # Errors
    /// When it names what is not there, or cannot be filled.
    pub fn render(&self, name: &str, context: &impl Serialize) -> Result<String, Error> {
        let choice = self.choose(name)?;
        let template = self.environment.get_template(&choice.name).map_err(|error| self.error(&error, choice))?;
        self.check(choice, template.undeclared_variables(false))?;
        let text = template.render(Serde(context)).map_err(|error| self.error(&error, choice))?;
        Ok(tidy(&text))
    }

    fn add(&mut self, name: &str, text: String, path: Option<PathBuf>) -> Result<(), Error> {
        let about = text.trim_start().strip_prefix("{#").and_then(|rest| rest.split("#}").next());
        let about = about.map(|about| clean::line(about.trim_matches(['-', ' ', '\n']))).unwrap_or_default();
        let shown = path.as_ref().map_or_else(|| name.to_owned(), |path| path.display().to_string());
        self.choices.insert(name.to_owned(), Choice { name: name.to_owned(), about, path });
        self.add_source(name, text, &shown)
    }

    fn add_source(&mut self, name: &str, text: String, shown: &str) -> Result<(), Error> {
        self.environment.add_template_owned(name.to_owned(), text).map_err(|error| Error::Template {
            name: place(shown, error.line()),
            why: reason(&error),
            hint: None,
        })
    }

    /// Names that no context has.
    fn check(&self, choice: &Choice, used: impl IntoIterator<Item = String>) -> Result<(), Error> {
        let known = names();
        let globals: BTreeSet<String> = self.environment.globals().map(|(name, _)| name.to_owned()).collect();
        let mut unknown: Vec<String> =
            used.into_iter().filter(|name| !known.contains(name) && !globals.contains(name)).collect();
        unknown.sort();
        match unknown.first() {
            None => Ok(()),
            Some(name) => Err(Error::Template {
                name: shown(choice),
                why: format!("it names `{name}`, which is not known"),
                hint: Some(format!("known names: {}", known.into_iter().collect::<Vec<_>>().join(", "))),
            }),
        }
    }

    fn error(&self, error: &minijinja::Error, choice: &Choice) -> Error {
        // A template that another one builds on has its own name and lines.
        let file = match error.name().filter(|name| *name != choice.name) {
            Some(other) => other.to_owned(),
            None => shown(choice),
        };
        Error::Template { name: place(&file, error.line()), why: reason(error), hint: None }
    }
}

/// The names that a template may use.
pub fn names() -> BTreeSet<String> {
    match serde_json::to_value(Context::default()) {
        Ok(serde_json::Value::Object(map)) => map.into_iter().map(|(name, _)| name).collect(),
        _ => BTreeSet::new(),
    }
}

fn shown(choice: &Choice) -> String {
    choice.path.as_ref().map_or_else(|| choice.name.clone(), |path| path.display().to_string())
}

fn place(file: &str, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    }
}

fn reason(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the usual delimiters"));
    // Markdown has no escaping of its own that would fit every place: templates say what they want.
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.add_filter("code", |text: String| code(&text));
    environment
        .add_filter("fence", |text: String, language: Option<String>| fence(&text, &language.unwrap_or_default()));
    environment.add_filter("command", |text: String| fence(&text, language(&text)));
    environment.add_filter("words", |text: String| markdown::escape(&text));
    environment.add_filter("cell", |text: String| markdown::escape(&text).replace('|', "\\|"));
    environment.add_filter("yaml", |text: String| yaml(&text));
    environment.add_filter("sentence", |text: String| sentence(&text));
    environment.add_filter("oneline", |text: String| clean::line(&text));
    environment
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
    let text = text.trim();
    let mut out: String = text.chars().take(1).flat_map(char::to_uppercase).chain(text.chars().skip(1)).collect();
    if !out.ends_with(['.', '!', '?', ':']) && !out.is_empty() {
        out.push('.');
    }
    out
}

/// One blank line between parts, none at the start, a line break at the end. Fences keep theirs.
fn tidy(text: &str) -> String {
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
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
        folder
    }

    #[test]
    fn our_own_templates_are_filled_from_nothing_at_all() {
        let templates = Templates::open(&[]).unwrap();
        for choice in templates.choices() {
            let text = templates.render(&choice.name, &Context::default()).unwrap();
            assert!(text.starts_with("---\n") && text.contains("TODO"), "{}: {text}", choice.name);
            assert!(!choice.about.is_empty() && !text.contains("\n\n\n"), "{text}");
        }
    }

    #[test]
    fn a_teams_own_template_takes_the_place_of_ours() {
        let folder = folder(&[
            (
                "bug_report.md",
                "{# ours, with a mark #}\n{% extends \"builtin/bug_report\" %}\n{% block notes %}OUR NOTES{% endblock %}",
            ),
            ("short.md", "# {{ title }}\n{{ summary | words }}\n"),
        ]);
        let templates = Templates::open(&[folder.path().to_owned()]).unwrap();
        let names: Vec<&str> = templates.choices().map(|choice| choice.name.as_str()).collect();
        assert_eq!(names, ["bug_report", "code_changes", "diagnosis", "short"]);
        assert_eq!(templates.choose("bug_report.md").unwrap().about, "ours, with a mark");
        let text = templates.render("bug_report", &Context::default()).unwrap();
        assert!(text.contains("OUR NOTES") && text.contains("## Environment"), "{text}");
        let context = Context { title: "T".into(), summary: "a_b".into(), ..Context::default() };
        assert_eq!(templates.render("short", &context).unwrap(), "# T\na\\_b\n");
        assert!(templates.render("none", &context).unwrap_err().hint().unwrap().contains("short"));
    }

    #[test]
    fn unknown_names_are_refused_with_their_place() {
        for (text, words) in [
            ("{{ tittle }}", "names `tittle`"),
            ("x\n{% if false %}{{ tittle }}{% endif %}", "names `tittle`"),
            ("x\n{{ title.length }}", "bad.md:2"),
            ("x\n{{ title | nofilter }}", "bad.md:2"),
            ("x\n\n{% if %}", "bad.md:3"),
            ("{% for cause in causes %}{{ cause.nope }}{% endfor %}", "bad.md:1"),
        ] {
            let folder = folder(&[("bad.md", text)]);
            let context = Context { causes: vec![super::super::context::Cause::default()], ..Context::default() };
            let error = Templates::open(&[folder.path().to_owned()])
                .and_then(|templates| templates.render("bad", &context))
                .unwrap_err();
            assert!(error.to_string().contains(words), "{text}: {error}");
        }
    }

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
