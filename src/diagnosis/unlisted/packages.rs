//! Between which installed packages an error arose: the one that raised it, and the one that called it.

use super::Failing;
use crate::facts::{Facts, Source};
use crate::packages::{self, Kind};

/// Packages by the names that pip knows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// The one that raised the error, or whose module the message names.
    pub(super) raised: String,
    /// Another one whose code called it.
    pub(super) caller: Option<String>,
}

/// The packages of an error; `None` where its frames and message name none.
pub(super) fn pair(failing: Failing<'_>) -> Option<Pair> {
    let mut installed = failing.frames.iter().rev().filter_map(|frame| after_packages(&frame.file));
    let innermost = installed.clone().next();
    let named = named(failing.message);
    let last_is_own = failing.frames.last().is_some_and(|frame| after_packages(&frame.file).is_none());
    let raised = match (named, innermost) {
        (Some(named), _) => named,
        (None, Some(innermost)) if !last_is_own => innermost,
        _ => return None,
    };
    let caller = installed.find(|other| *other != raised && !is_plumbing(other));
    let pip_name = |module| packages::builtin().pip_name(module).to_owned();
    Some(Pair { raised: pip_name(raised), caller: caller.map(pip_name) })
}

/// The package whose version the text gives, as pip names it, for an error of which neither frames nor message name one: of
/// several the one that the message has in its words, else the first that is no framework.
pub(super) fn stated(failing: Failing<'_>, facts: &Facts) -> Option<String> {
    let message = failing.message.to_lowercase();
    let given = |row: &&packages::Row| {
        row.is_python() && facts.get(&row.fact).is_some_and(|fact| fact.source == Source::Text && fact.line.is_some())
    };
    let place = |row: &&packages::Row| {
        let is_in_message = message.contains(row.group());
        let line = facts.get(&row.fact).and_then(|fact| fact.line);
        (!is_in_message, row.kind == Kind::Framework, line)
    };
    let row = packages::builtin().iter().filter(given).min_by_key(place)?;
    row.distributions().next().map(str::to_owned)
}

/// Frameworks, through whose modules and hooks calls only pass.
fn is_plumbing(module: &str) -> bool {
    packages::builtin().by_import(module).is_some_and(|row| row.kind == Kind::Framework)
}

fn after_packages(file: &str) -> Option<&str> {
    let folder = ["site-packages", "dist-packages"].into_iter().find_map(|folder| file.split_once(folder))?.1;
    let first = folder.trim_start_matches(['/', '\\']).split(['/', '\\']).next()?;
    (!first.is_empty() && !first.ends_with(".py")).then_some(first)
}

/// `from 'huggingface_hub' (...)`, `module 'numpy' has no attribute`, `<module 'ultralytics.nn' from '/srv/...'>`.
fn named(message: &str) -> Option<&str> {
    let quoted = |lead: &str| message.match_indices(lead).find_map(|(at, lead)| module(&message[at + lead.len()..]));
    ["from '", "module '", "No module named '"].into_iter().find_map(quoted)
}

/// The first part of a module's name that ends with a quote.
fn module(text: &str) -> Option<&str> {
    let module = text.split('\'').next()?.split('.').next()?;
    (!module.is_empty() && module.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some(module)
}

#[cfg(test)]
mod tests {
    use super::{named, stated};
    use crate::diagnosis::unlisted::Failing;
    use crate::incident;
    use crate::text;

    #[test]
    fn the_text_gives_the_version_of_a_package() {
        for (versions, message, package) in [
            ("py 3.5, tensorflow 1.11.0, keras 2.1.6", "frob has no bar", Some("keras")),
            ("torch 2.1.0, transformers==4.57.2, peft==0.9.0", "the adapter of peft has no bar", Some("peft")),
            ("torch==2.1.0", "frob has no bar", Some("torch")),
            ("Python 3.11, CUDA 12.1", "frob has no bar", None),
        ] {
            let facts = incident::read(&text::read(versions.as_bytes())).facts;
            let failing = Failing { type_name: "", message, frames: &[], line: 0, described: None };
            assert_eq!(stated(failing, &facts).as_deref(), package, "{versions}");
        }
    }

    #[test]
    fn a_message_names_a_module() {
        for (message, module) in [
            ("cannot import name 'cached_download' from 'huggingface_hub' (/venv/x.py)", Some("huggingface_hub")),
            (
                "Can't get attribute 'C3k2' on <module 'ultralytics.nn.block' from '/srv/venv/block.py'>",
                Some("ultralytics"),
            ),
            ("module 'numpy' has no attribute 'int'", Some("numpy")),
            ("expected a value from '/tmp/x'", None),
        ] {
            assert_eq!(named(message), module, "{message}");
        }
    }
}
