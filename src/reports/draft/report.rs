//! From filled values to a file: redaction, template, id, place.
//!
//! Redaction happens twice: every value before markup is put around it, and the whole text at the end.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::context::Context;
use super::error::Error;
use super::fill::ReportOptions;
use super::ids::{self, Created};
use super::moment::Moment;
use super::related;
use super::scheme::{Naming, Scheme};
use super::templates::Templates;
use crate::diagnosis::Diagnosis;
use crate::reports::bounds;
use crate::reports::knowledge::Knowledge;
use crate::reports::lookup;
use crate::text::redact::Redactor;

/// A report to be written.
pub(crate) struct New<'a> {
    /// The templates of the project.
    pub templates: &'a Templates,
    /// Which of them.
    pub template: &'a str,
    /// The values, from [`fill::fill`].
    pub context: &'a Context,
    /// Where the values come from.
    pub diagnosis: &'a Diagnosis,
    /// The project's reports.
    pub knowledge: &'a Knowledge,
    /// What the user says about the report.
    pub options: &'a ReportOptions,
    /// The folder of reports.
    pub folder: &'a Path,
    /// How they are named.
    pub scheme: &'a Scheme,
    /// When.
    pub moment: &'a Moment,
    /// Removes what should not be shared; `None` keeps everything.
    pub redactor: Option<Redactor>,
}

impl New<'_> {
    /// Writes the report under the next free id.
    ///
    /// # Errors
    /// When the template or the folder does not allow it.
    pub(crate) fn write(&mut self) -> Result<Created, Error> {
        let known = known(self.knowledge);
        let (folder, scheme, moment) = (self.folder, self.scheme, self.moment);
        let slug = self.slug();
        let naming = Naming { kind: kind(self.template), moment, slug: &slug };
        ids::create(folder, scheme, &naming, &known, &mut |id, path| self.text(id, path))
    }

    /// The report as it would be written, under the id it would get.
    ///
    /// # Errors
    /// When the template does not allow it.
    pub(crate) fn preview(&mut self) -> Result<(Created, String), Error> {
        let known = known(self.knowledge);
        let slug = self.slug();
        let naming = Naming { kind: kind(self.template), moment: self.moment, slug: &slug };
        let created = ids::next(self.folder, self.scheme, &naming, &known)?;
        let text = self.text(&created.id, &created.path)?;
        Ok((created, text))
    }

    fn slug(&mut self) -> String {
        let title = self.context.title.trim_start_matches("TODO: ");
        let title = match &mut self.redactor {
            Some(redactor) => redactor.text(title),
            None => Cow::Borrowed(title),
        };
        ids::slug(&title)
    }

    fn text(&mut self, id: &str, path: &Path) -> Result<String, Error> {
        let mut context = self.context.clone();
        context.id = id.to_owned();
        context.date = self.moment.stamp();
        context.day = self.moment.day();
        related::related(&mut context, self.diagnosis, self.knowledge, self.options, path);
        let mut values = serde_json::to_value(&context).unwrap_or_default();
        let Some(redactor) = &mut self.redactor else { return self.templates.render(self.template, &values) };
        // Links to other reports lead to files, whose names are what they are.
        redact(&mut values, redactor, "");
        let text = self.templates.render(self.template, &values)?;
        Ok(redactor.text(&text).into_owned())
    }
}

/// Redacts every text in a value.
fn redact(value: &mut Value, redactor: &mut Redactor, name: &str) {
    match value {
        Value::String(text) if name != "link" => {
            if let Cow::Owned(clean) = redactor.text(text) {
                *text = clean;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| redact(value, redactor, name)),
        // "9.10.2.21" is a version after its label and an address without it.
        Value::Object(map) if labelled(map).is_some_and(|line| redactor.text(&line) == line) => {}
        Value::Object(map) => map.iter_mut().for_each(|(name, value)| redact(value, redactor, name)),
        _ => {}
    }
}

/// "cuDNN: 9.10.2.21", of a row of the environment.
fn labelled(row: &serde_json::Map<String, Value>) -> Option<String> {
    Some(format!("{}: {}", row.get("label")?.as_str()?, row.get("value")?.as_str()?))
}

/// The prefix of ids of a kind of document.
pub(crate) fn kind(template: &str) -> &'static str {
    let template = template.strip_prefix("builtin/").unwrap_or(template);
    match template.strip_suffix(".md").unwrap_or(template) {
        "diagnosis" => "DIAG",
        "code_changes" => "CHG",
        _ => "BUG",
    }
}

/// The reports that the project's index holds.
pub(crate) fn known(knowledge: &Knowledge) -> ids::Known {
    let mut known = ids::Known::default();
    for entry in lookup::entries(knowledge) {
        known.ids.push(entry.id.clone());
        known.ids.extend(entry.aliases.iter().cloned());
        known.files.extend(std::path::absolute(&entry.path));
    }
    known
}

/// Where new reports go: the folder that the user named, the configured one, or the first one found.
///
/// # Errors
/// When there is none, with what to do.
pub(crate) fn folder(configured: Option<&PathBuf>, roots: &[PathBuf], given: bool) -> Result<PathBuf, Error> {
    let found = if given { roots.first() } else { configured.or(roots.first()) };
    match found {
        Some(path) if path.is_file() => {
            Err(Error::report(format!("`{}` is a file; new reports need a folder", path.display()), "name a folder"))
        }
        Some(path) => Ok(path.clone()),
        None => Err(Error::report(
            "this project has no folder for reports",
            "create one (`mkdir -p docs/bug_reports`), name one with `--reports DIR`, or use `--stdout`",
        )),
    }
}

/// [`folder`] for a report that is going to be written: one that the user did not name must lie in the project.
///
/// # Errors
/// As [`folder`], and when it lies outside of the project that contains `here`.
pub(crate) fn writable_folder(
    configured: Option<&PathBuf>,
    roots: &[PathBuf],
    given: bool,
    here: &Path,
) -> Result<PathBuf, Error> {
    let folder = folder(configured, roots, given)?;
    if !given {
        bounds::may_write(here, &folder)?;
    }
    Ok(folder)
}
