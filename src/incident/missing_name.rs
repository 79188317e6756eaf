//! A name that a package removed, renamed or does not have yet: what was asked for, who asked, and what the tables of
//! names (`kb/removed.csv`, `kb/lifetimes.csv`) know about it.

use super::{ErrorEvent, Frame, Incident};
use crate::facts::{Facts, Source, Value};
use crate::packages;
use crate::removed::{self, Kind, Known, Missing};
use crate::text::Transcript;

/// Lines around the error in which a package may be named that its message does not name.
const NEAR: usize = 30;

/// Reads the message of the error that came first.
pub(super) fn facts(transcript: &Transcript, incident: &Incident, error: &ErrorEvent, facts: &mut Facts) {
    read(transcript, incident, error.headline, &error.message, Some(error), facts);
}

/// Reads a line that holds such a message without its exception: in a sentence, a title, a log.
pub(super) fn facts_of_line(transcript: &Transcript, incident: &Incident, line: usize, facts: &mut Facts) {
    read(transcript, incident, line, transcript.line(line).text, None, facts);
}

fn read(
    transcript: &Transcript,
    incident: &Incident,
    headline: usize,
    message: &str,
    error: Option<&ErrorEvent>,
    facts: &mut Facts,
) {
    let lines = headline.saturating_sub(NEAR)..(headline + NEAR + 1).min(transcript.len());
    let near = |word: &str| lines.clone().any(|index| transcript.line(index).text.contains(word));
    let line = transcript.line(headline).number;
    let mut words = |name: &str, value: &str, source: Source| {
        if !value.is_empty() {
            let line = (source == Source::Text).then_some(line);
            facts.add(name, Value::Text(value.to_owned()), source, line);
        }
    };
    let module = message.lines().filter_map(Missing::of).find(|it| it.kind == Kind::Module).map(|it| it.name);
    if let Some((module, distribution)) = module.and_then(|it| Some((it, packages::distribution(it)?))) {
        words("module.name", module, Source::Text);
        words("module.distribution", distribution, Source::Catalogue);
    }
    if let Some(folder) = module.zip(error).and_then(|(module, error)| holder(error, module)) {
        words("module.elsewhere", &folder, Source::Text);
    }
    for text in message.lines() {
        let Some(known) = removed::known(text, near) else { continue };
        words("api.package", distribution(&known), Source::Text);
        words("api.name", known.name, Source::Text);
        words("api.kind", known.kind.word(), Source::Text);
        if let Some(missing) = Missing::of(text) {
            words("api.file", missing.file.unwrap_or_default(), Source::Text);
            words("api.removed_in", missing.removed_in.unwrap_or_default(), Source::Text);
        }
        match error.and_then(|error| caller(error, known.package)) {
            Some(Caller::Package(name)) => words("api.caller", packages::builtin().pip_name(name), Source::Text),
            Some(Caller::Own(place)) => words("api.place", &place, Source::Text),
            None => {}
        }
        words("api.installed", installed(incident, &known).unwrap_or_default(), Source::Text);
        if let Some(change) = &known.change {
            for (name, value) in [
                ("api.removed_in", change.removed_in),
                ("api.since", change.since),
                ("api.replacement", change.replacement),
                ("api.users", change.users),
            ] {
                words(name, value, Source::Catalogue);
            }
            match &change.python {
                Some(version) => words("api.python", version, Source::Catalogue),
                None => words("api.pin", &change.pin, Source::Catalogue),
            }
        }
        return;
    }
}

/// The package as pip names it; `Python` for the standard library.
fn distribution<'k>(known: &Known<'k>) -> &'k str {
    known.change.as_ref().map_or(known.package, |change| change.distribution)
}

/// Its version, where the text gives it.
fn installed<'i>(incident: &'i Incident, known: &Known<'_>) -> Option<&'i str> {
    if distribution(known) == "Python" {
        return incident.facts.text("python.version");
    }
    let package = packages::builtin().by_import(known.package)?;
    incident.facts.text(&package.fact)
}

/// Whose code asked for the name.
enum Caller<'e> {
    /// An installed package, by its folder.
    Package(&'e str),
    /// The user's own code: file and line.
    Own(String),
}

/// The innermost frame outside the package that lacks the name and outside Python's own library.
fn caller<'e>(error: &'e ErrorEvent, package: &str) -> Option<Caller<'e>> {
    let asked = |frame: &&Frame| match folder(&frame.file) {
        Some(name) => name != package,
        None => frame.is_own(),
    };
    let frame = error.frames.iter().rev().find(asked)?;
    Some(match folder(&frame.file) {
        Some(name) => Caller::Package(name),
        None => {
            let file = frame.file.rsplit(['/', '\\']).next().unwrap_or(&frame.file);
            Caller::Own(if frame.line == 0 { file.to_owned() } else { format!("{file}:{}", frame.line) })
        }
    })
}

/// The folder that holds the missing module, if a file of the user's own code lies in a folder of its name. Of a name with a
/// dot, Python found the first part, so no folder is named like the whole.
fn holder(error: &ErrorEvent, module: &str) -> Option<String> {
    error.frames.iter().filter(|frame| frame.is_own()).find_map(|frame| {
        let path: Vec<&str> = frame.file.split(['/', '\\']).collect();
        let (_, folders) = path.split_last()?;
        let place = folders.iter().rposition(|folder| *folder == module)?;
        Some(match folders.get(..place)? {
            [] | ["."] => "the folder where the program was started".to_owned(),
            [""] => "/".to_owned(),
            parent => parent.join("/"),
        })
    })
}

/// The package that an installed file belongs to.
fn folder(file: &str) -> Option<&str> {
    let (_, rest) = file.rsplit_once("site-packages").or_else(|| file.rsplit_once("dist-packages"))?;
    let name = rest.trim_start_matches(['/', '\\']).split(['/', '\\']).next()?;
    let name = name.strip_suffix(".py").unwrap_or(name);
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_on_the_way_to_the_failing_script_holds_the_module() {
        let found = |file: &str, module: &str| {
            let text = format!(
                "Traceback (most recent call last):\n  File \"{file}\", line 3, in <module>\n    import x\n\
                 ModuleNotFoundError: No module named '{module}'\n"
            );
            let transcript = crate::text::read(text.as_bytes());
            let incident = crate::incident::read(&transcript);
            let mut facts = Facts::default();
            super::facts(&transcript, &incident, incident.errors.first()?, &mut facts);
            facts.text("module.elsewhere").map(str::to_owned)
        };
        assert_eq!(found("src/training/main.py", "training").as_deref(), Some("src"));
        assert_eq!(found("/home/me/net/training/steps/main.py", "training").as_deref(), Some("/home/me/net"));
        assert_eq!(
            found("./training/main.py", "training").as_deref(),
            Some("the folder where the program was started")
        );
        assert_eq!(found("training.py", "training"), None);
        assert_eq!(found("/home/me/net/training/main.py", "training.data"), None, "the package was found");
        assert_eq!(found("/opt/venv/lib/python3.11/site-packages/training/a.py", "training"), None);
    }
}
