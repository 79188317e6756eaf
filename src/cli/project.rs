//! Where a project keeps its bug reports: asked for, named in `faultbook.toml`, or in one of the usual places.
//!
//! Only looks at names, opens a `.txt` for its first bytes alone, and never fails over a folder that cannot be read:
//! what is not found is not there. Only what somebody named by hand must exist.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use serde::Deserialize;

use super::failure::{Failure, reason};

/// The settings of a project.
const SETTINGS: &str = "faultbook.toml";

/// Where reports usually lie, besides any `bug_reports` below `docs`.
const USUAL: [&str; 4] = ["docs/bug_reports", "docs/bugs", "bug_reports", ".faultbook/reports"];

/// How deep below `docs` a folder `bug_reports` is looked for.
const DEPTH: usize = 4;

/// Folders looked at below `docs` at most, so that a huge tree does not cost every answer its speed.
const FOLDERS: usize = 2_000;

/// A project's reports.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Project {
    /// The folders they lie in.
    pub(crate) roots: Vec<PathBuf>,
    /// Their files, sorted, each once.
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Folders of reports, relative to the file.
    reports: Option<Vec<PathBuf>>,
}

/// The reports in the folders asked for, else those of the project that `start` lies in.
pub(crate) fn find(start: &Path, asked: &[PathBuf]) -> anyhow::Result<Project> {
    let mut roots = if asked.is_empty() { of_project(start)? } else { existing(asked, "--reports")? };
    let mut seen = Vec::new();
    // The same folder by another name would give every report twice.
    roots.retain(|root| {
        let real = root.canonicalize().unwrap_or_else(|_| root.clone());
        let new = !seen.contains(&real);
        seen.push(real);
        new
    });
    let mut files: Vec<PathBuf> = roots.iter().flat_map(|root| files_in(root)).collect();
    files.sort();
    files.dedup();
    Ok(Project { roots, files })
}

fn existing(asked: &[PathBuf], by: &str) -> anyhow::Result<Vec<PathBuf>> {
    for path in asked {
        if let Err(error) = fs::metadata(path) {
            let why = reason(&error).replace("no such file", "no such folder");
            return Err(Failure::new(format!("could not read reports in `{}`: {why}", path.display()))
                .hint(format!("it was named by {by}"))
                .into());
        }
    }
    Ok(asked.to_vec())
}

fn of_project(start: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let home = start.ancestors().find(|folder| folder.join(SETTINGS).is_file() || folder.join(".git").exists());
    let home = home.unwrap_or(start);
    let file = home.join(SETTINGS);
    if file.is_file()
        && let Some(reports) = settings(&file)?.reports
    {
        let reports: Vec<PathBuf> = reports.iter().map(|folder| home.join(folder)).collect();
        return existing(&reports, &format!("`{}`", file.display()));
    }
    let mut roots: Vec<PathBuf> = USUAL.iter().map(|place| home.join(place)).filter(|place| place.is_dir()).collect();
    roots.extend(below_docs(&home.join("docs")).into_iter().filter(|found| !roots.contains(found)).collect::<Vec<_>>());
    Ok(roots)
}

fn settings(file: &Path) -> anyhow::Result<Settings> {
    let text = fs::read_to_string(file).map_err(|error| Failure::reading(file, &error))?;
    toml::from_str(&text).map_err(|error| {
        let says = format!("could not understand `{}`: {}", file.display(), error.message());
        Failure::new(says).hint("it may hold `reports = [\"folder\"]`").into()
    })
}

/// Every folder `bug_reports` below `docs`.
fn below_docs(docs: &Path) -> Vec<PathBuf> {
    if !docs.is_dir() {
        return Vec::new();
    }
    let walk = WalkBuilder::new(docs).max_depth(Some(DEPTH)).filter_entry(is_folder).build();
    let mut found: Vec<PathBuf> = walk
        .take(FOLDERS)
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name() == "bug_reports")
        .map(ignore::DirEntry::into_path)
        .collect();
    found.sort();
    found
}

fn is_folder(entry: &ignore::DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// Report files below a folder, its own ignore files honoured; a file stands for itself.
fn files_in(root: &Path) -> Vec<PathBuf> {
    // Somebody who names an ignored folder means it: ignore files above it do not count.
    let walk = WalkBuilder::new(root).parents(false).build();
    walk.filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .filter(|path| is_report(path))
        .collect()
}

/// Markdown, or text that begins with front matter. A folder's README tells about reports and is none.
fn is_report(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    match extension.as_deref() {
        Some("md" | "markdown") => !stem.eq_ignore_ascii_case("readme"),
        Some("txt") => begins_with_front_matter(path),
        _ => false,
    }
}

fn begins_with_front_matter(path: &Path) -> bool {
    let mut start = [0; 64];
    let Ok(read) = File::open(path).and_then(|mut file| file.read(&mut start)) else { return false };
    let start = start.get(..read).unwrap_or_default();
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    start.starts_with(b"---\n") || start.starts_with(b"---\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        folder
    }

    fn found(folder: &Path, asked: &[PathBuf]) -> Vec<String> {
        let project = find(folder, asked).expect("a project");
        let short = |path: &PathBuf| path.strip_prefix(folder).expect("inside").to_string_lossy().replace('\\', "/");
        project.files.iter().map(short).collect()
    }

    #[test]
    fn the_usual_places() {
        let folder = tree(&[
            (".git/HEAD", ""),
            ("docs/bug_reports/a.md", ""),
            ("docs/bug_reports/README.md", ""),
            ("docs/bug_reports/log.txt", "Traceback"),
            ("docs/team/ocr/bug_reports/b.markdown", ""),
            ("docs/guide.md", ""),
            ("bug_reports/c.txt", "---\ntitle: c\n---\n"),
            (".faultbook/reports/d.md", ""),
            ("src/deep/x", ""),
        ]);
        let expected = [
            ".faultbook/reports/d.md",
            "bug_reports/c.txt",
            "docs/bug_reports/a.md",
            "docs/team/ocr/bug_reports/b.markdown",
        ];
        assert_eq!(found(folder.path(), &[]), expected);
        let inside = find(&folder.path().join("src/deep"), &[]).expect("a project");
        assert_eq!(inside.files.len(), expected.len(), "found from a folder inside the project too");
    }

    #[test]
    fn settings_name_other_folders() {
        let folder = tree(&[
            ("faultbook.toml", "reports = [\"bugs\"]"),
            ("bugs/a.md", ""),
            ("docs/bug_reports/not-this.md", ""),
        ]);
        assert_eq!(found(folder.path(), &[]), ["bugs/a.md"]);
    }

    #[test]
    fn asked_folders_stand_alone_and_count_once() {
        let folder = tree(&[("docs/bug_reports/a.md", ""), ("x/b.md", ""), ("x/c.txt", "\u{feff}---\r\n")]);
        let asked = folder.path().join("x");
        let again = folder.path().join("docs/../x");
        assert_eq!(found(folder.path(), &[asked, again]), ["x/b.md", "x/c.txt"]);
    }

    #[test]
    fn what_somebody_named_must_exist() {
        let folder = tree(&[("faultbook.toml", "reports = [\"gone\"]")]);
        let error = find(folder.path(), &[]).expect_err("gone");
        assert!(error.to_string().contains("no such folder"), "{error}");
        let error = find(folder.path(), &[PathBuf::from("/no/such/place")]).expect_err("gone");
        assert!(error.to_string().contains("no such folder"), "{error}");
    }

    #[test]
    fn broken_settings_are_told() {
        let folder = tree(&[("faultbook.toml", "reports = 3")]);
        let error = find(folder.path(), &[]).expect_err("wrong");
        assert!(error.to_string().contains("faultbook.toml"), "{error}");
    }
}
