//! Templates of reports: three built-in ones, and a team's own, which replace them by name.
//!
//! A template names only what there is: an unknown name is an error with its line, also inside a branch that is not
//! taken, because a misspelt name would otherwise leave a gap in a report unnoticed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Template, UndefinedBehavior};
use serde::Serialize;

use super::context::Context;
use super::error::Error;
use super::filters;
use crate::condition::has_too_long_tag;
use crate::render::clean;

/// The built-in templates: name, what it is for, text.
const BUILTIN: [(&str, &str, &str); 3] = [
    ("bug_report", "a bug report in the standard format", include_str!("../../../templates/bug_report.md")),
    ("code_changes", "the change log of a fix", include_str!("../../../templates/code_changes.md")),
    (
        "diagnosis",
        "an investigation: tests, clues, hypotheses, next steps",
        include_str!("../../../templates/diagnosis.md"),
    ),
];

/// Where a team keeps templates, in addition to faultbook.toml: beside the repository's root.
const PLACE: &str = ".faultbook/templates";

/// A template to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// `bug_report`.
    pub name: String,
    /// What it is for; its first comment where it is a team's own.
    pub about: String,
    /// Its file, where it is a team's own.
    pub path: Option<PathBuf>,
    /// Where it is wrong and how, where it cannot be used.
    pub broken: Option<String>,
}

/// The templates of a project.
pub(crate) struct Templates {
    environment: Environment<'static>,
    choices: BTreeMap<String, Choice>,
    /// Ours by the names that no team's template takes: `builtin/bug_report`.
    ours: BTreeMap<String, Choice>,
}

impl Templates {
    /// The built-in ones and those in `folders`; of two with one name the later folder's counts.
    ///
    /// A team's template can build on ours: `{% extends "builtin/bug_report" %}`. One that is wrong is an error for
    /// whoever uses it, and for nobody else: failures are reported under stress.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub(crate) fn open(folders: &[PathBuf]) -> Result<Self, Error> {
        let mut templates = Self { environment: environment(), choices: BTreeMap::new(), ours: BTreeMap::new() };
        for (name, about, text) in BUILTIN {
            templates.add(name, text.to_owned(), None)?;
            templates.add_source(&format!("builtin/{name}"), text.to_owned(), name)?;
            if let Some(choice) = templates.choices.get_mut(name) {
                choice.about = about.to_owned();
                let name = format!("builtin/{name}");
                templates.ours.insert(name.clone(), Choice { name, ..choice.clone() });
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
                let added = match fs::read(&path).map(String::from_utf8) {
                    Ok(Ok(text)) => templates.add(&name, text, Some(path.clone())),
                    Ok(Err(error)) => {
                        let line = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
                        let line = line.filter(|byte| **byte == b'\n').count() + 1;
                        let name = place(&path.display().to_string(), Some(line));
                        Err(Error::Template { name, why: "it is not UTF-8".to_owned(), hint: None })
                    }
                    Err(source) => Err(Error::read(&path, source)),
                };
                if let Err(error) = added {
                    templates.environment.remove_template(&name);
                    let broken = Some(error.to_string());
                    templates
                        .choices
                        .insert(name.clone(), Choice { name, about: String::new(), path: Some(path), broken });
                }
            }
        }
        Ok(templates)
    }

    /// The folder in the usual place, from `start` up to the repository's root.
    pub(crate) fn usual_folder(start: &Path) -> Option<PathBuf> {
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
    pub(crate) fn choices(&self) -> impl Iterator<Item = &Choice> {
        self.choices.values()
    }

    /// The template of that name, `.md` or not.
    ///
    /// # Errors
    /// When there is none, with the names that there are, or when it is wrong.
    pub(crate) fn choose(&self, name: &str) -> Result<&Choice, Error> {
        let name = stem(name);
        match self.choices.get(name).or_else(|| self.ours.get(name)) {
            Some(Choice { broken: Some(reason), .. }) => Err(Error::report(
                reason.clone(),
                "fix it, or use the built-in one meanwhile: `--template builtin/bug_report`",
            )),
            Some(choice) => Ok(choice),
            None => {
                let names: Vec<&str> = self.choices.keys().map(String::as_str).collect();
                Err(Error::Template {
                    name: format!("`{name}`"),
                    why: "there is no template with that name".to_owned(),
                    hint: Some(format!("there are: {}", names.join(", "))),
                })
            }
        }
    }

    /// Fills a template.
    ///
    /// # Errors
    /// When it names something unknown, or cannot be filled.
    pub(crate) fn render(&self, name: &str, context: &impl Serialize) -> Result<String, Error> {
        let choice = self.choose(name)?;
        let template = self.environment.get_template(&choice.name).map_err(|error| self.error(&error, choice))?;
        self.check(choice, &template)?;
        let text = template.render(Serde(context)).map_err(|error| self.error(&error, choice))?;
        Ok(filters::tidy(&text))
    }

    fn add(&mut self, name: &str, text: String, path: Option<PathBuf>) -> Result<(), Error> {
        let about = text.trim_start().strip_prefix("{#").and_then(|rest| rest.split("#}").next());
        let about = about.map(|about| clean::line(about.trim_matches(['-', ' ', '\n']))).unwrap_or_default();
        let shown = path.as_ref().map_or_else(|| name.to_owned(), |path| path.display().to_string());
        self.choices.insert(name.to_owned(), Choice { name: name.to_owned(), about, path, broken: None });
        self.add_source(name, text, &shown)
    }

    fn add_source(&mut self, name: &str, text: String, shown: &str) -> Result<(), Error> {
        if has_too_long_tag(&text) {
            let why = "one of its tags has too many parts".to_owned();
            return Err(Error::Template { name: shown.to_owned(), why, hint: None });
        }
        self.environment.add_template_owned(name.to_owned(), text).map_err(|error| Error::Template {
            name: place(shown, error.line()),
            why: reason(&error),
            hint: None,
        })
    }

    /// Names that no context has.
    fn check(&self, choice: &Choice, template: &Template<'_, '_>) -> Result<(), Error> {
        let used = template.undeclared_variables(false);
        let known = names();
        let globals: BTreeSet<String> = self.environment.globals().map(|(name, _)| name.to_owned()).collect();
        let mut unknown: Vec<String> =
            used.into_iter().filter(|name| !known.contains(name) && !globals.contains(name)).collect();
        unknown.sort();
        match unknown.first() {
            None => Ok(()),
            Some(name) => Err(Error::Template {
                name: place(&shown(choice), line_of(template.source(), name)),
                why: format!("it uses the unknown name `{name}`"),
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
pub(crate) fn names() -> BTreeSet<String> {
    match serde_json::to_value(Context::default()) {
        Ok(serde_json::Value::Object(map)) => map.into_iter().map(|(name, _)| name).collect(),
        _ => BTreeSet::new(),
    }
}

/// A template's name, with or without its file's extension.
fn stem(name: &str) -> &str {
    name.strip_suffix(".md").unwrap_or(name)
}

/// The line on which a name occurs first.
fn line_of(text: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let has = |line: &str| line.split(|c| !is_part(c)).any(|word| word == name);
    text.lines().position(has).map(|line| line + 1)
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
    // `{% include "part.md" %}`, as the file is called.
    environment.set_path_join_callback(|name, _| stem(name).to_owned().into());
    // Markdown has no escaping that would fit every context: templates choose a filter.
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    filters::add_to(&mut environment);
    environment
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::hint::Hint as _;

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
            ("{{ tittle }}", "unknown name `tittle`"),
            ("x\n{% if false %}{{ tittle }}{% endif %}", "bad.md:2: it uses the unknown name `tittle`"),
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
    fn a_template_includes_another_by_the_name_of_its_file() {
        let folder = folder(&[
            ("whole.md", "{% include \"part.md\" %}{{ id }}\n"),
            ("part.md", "{{ title }} "),
            ("loop.md", "{% include 'loop.md' %}"),
        ]);
        let templates = Templates::open(&[folder.path().to_owned()]).unwrap();
        let context = Context { title: "T".into(), id: "B".into(), ..Context::default() };
        assert_eq!(templates.render("whole", &context).unwrap(), "T B\n");
        assert!(templates.render("loop", &context).is_err());
    }

    #[test]
    fn a_template_that_is_wrong_is_in_nobodys_way_but_its_users() {
        let folder = folder(&[("bad.md", "x\n{% if %}"), ("diagnosis.md", "{{ title"), ("good.md", "{{ title }}")]);
        fs::write(folder.path().join("old.md"), b"x\ncaf\xe9").unwrap();
        let templates = Templates::open(&[folder.path().to_owned()]).unwrap();
        let context = Context { title: "T".into(), ..Context::default() };
        assert_eq!(templates.render("good", &context).unwrap(), "T\n");
        assert!(templates.render("bug_report", &context).is_ok());
        assert!(templates.render("builtin/diagnosis", &context).is_ok());
        for (name, says) in [("bad", "bad.md:2"), ("diagnosis", "diagnosis.md:1"), ("old", "old.md:2: it is not UTF-8")]
        {
            assert!(templates.render(name, &context).unwrap_err().to_string().contains(says), "{name}");
            let choice = templates.choices().find(|choice| choice.name == name).unwrap();
            assert!(choice.broken.as_ref().unwrap().contains(says));
        }
    }
}
