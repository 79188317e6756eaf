//! `faultbook.toml`: which folders hold the project's reports and pages of its own, and how new reports are named.
//!
//! An unknown key is an error with its line: a misspelt key that does nothing would look like "no reports found".

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::reports::Error;

/// The file's name.
pub const FILE: &str = "faultbook.toml";

/// What a project configured. Paths are resolved against the file's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The file it came from.
    pub path: PathBuf,
    /// Folders (or single files) with bug reports.
    pub reports: Vec<PathBuf>,
    /// Folders with fault pages, laid out as kb/ is.
    pub book: Vec<PathBuf>,
    /// Where new reports go; the first of `reports` by default.
    pub folder: Option<PathBuf>,
    /// How ids look: `BUG-{yyyymmdd}-{nnn}`.
    pub id: Option<String>,
    /// How report files are named: `{date}_{time}_BUG_{nnn}_{slug}.md`.
    pub file_name: Option<String>,
    /// Folders with templates of reports.
    pub templates: Vec<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    reports: Reports,
    book: Paths,
    templates: Paths,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Reports {
    paths: Vec<PathBuf>,
    folder: Option<PathBuf>,
    id: Option<String>,
    file_name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Paths {
    paths: Vec<PathBuf>,
}

/// The configuration that holds in `from`: of that folder or the nearest one above it, up to the git root.
///
/// # Errors
/// When there is one and it cannot be read or is wrong.
pub fn nearest(from: &Path) -> Result<Option<Config>, Error> {
    super::files::upward(from)
        .into_iter()
        .map(|folder| folder.join(FILE))
        .find(|file| file.is_file())
        .map(|f| read(&f))
        .transpose()
}

/// Reads a configuration file.
///
/// # Errors
/// When it cannot be read, is not TOML, or has a key that means nothing.
pub fn read(path: &Path) -> Result<Config, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::read(path, source))?;
    parse(path, &text)
}

/// Reads a configuration from its text.
///
/// # Errors
/// When it is not TOML or has a key that means nothing.
pub fn parse(path: &Path, text: &str) -> Result<Config, Error> {
    let written: Written = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let before = text.get(..at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Error::Config {
            path: path.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
            message: error.message().replace('\n', " "),
        }
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let resolve = |paths: Vec<PathBuf>| paths.into_iter().map(|p| folder.join(p)).collect();
    Ok(Config {
        path: path.to_owned(),
        reports: resolve(written.reports.paths),
        book: resolve(written.book.paths),
        folder: written.reports.folder.map(|path| folder.join(path)),
        id: written.reports.id,
        file_name: written.reports.file_name,
        templates: resolve(written.templates.paths),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::Hint as _;

    #[test]
    fn reads_and_refuses() {
        let read = |text: &str| parse(Path::new("/p/faultbook.toml"), text);
        let config =
            read("[reports]\npaths = [\"docs/bugs\", \"/abs\"]\n[book]\npaths = [\"kb\"]\n").expect("it is sound");
        assert_eq!(config.reports, [Path::new("/p/docs/bugs"), Path::new("/abs")]);
        assert_eq!(config.book, [Path::new("/p/kb")]);
        let named =
            read("[reports]\nfolder = \"x\"\nid = \"BUG-{nnn}\"\n[templates]\npaths = [\"t\"]\n").expect("sound");
        assert_eq!(named.folder.as_deref(), Some(Path::new("/p/x")));
        assert_eq!((named.id.as_deref(), named.file_name), (Some("BUG-{nnn}"), None));
        assert_eq!(named.templates, [Path::new("/p/t")]);
        assert_eq!(read("").expect("an empty file says nothing").reports.len(), 0);
        for (text, place) in [
            ("[reports]\npath = [\"a\"]\n", "2:1"),
            ("[report]\npaths = []\n", "1:2"),
            ("[reports]\npaths = \"a\"\n", "2:9"),
            ("[reports\n", "1:9"),
        ] {
            let error = read(text).expect_err("it is wrong");
            assert!(error.to_string().starts_with(&format!("/p/faultbook.toml:{place}: ")), "{error}");
            assert!(error.hint().is_some());
        }
    }
}
