//! Reads fault pages, recipes, notices and code tables from a folder laid out as kb/ is: a project's own book, or kb/
//! itself for the linter.
//!
//! A broken page does not hide the others; its mistakes are returned together with what could be read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::book::page::Recipe;
use crate::book::page_reader::{PageLocation, read_notice, read_parts, read_recipe};
use crate::book::pages::{PageFile, Pages};
use crate::book::problem::Problem;
use crate::reports::Error;

/// Reads a folder. `known` finds recipes from elsewhere, such as the built-in ones.
///
/// # Errors
/// When the folder itself is not there or cannot be opened.
pub fn read(folder: &Path, known: &dyn Fn(&str) -> Option<Recipe>) -> Result<Pages, Error> {
    fs::read_dir(folder).map_err(|source| Error::read(folder, source))?;
    let mut out = Pages::default();
    for file in files(&folder.join("fixes"), "md", &mut out.broken) {
        match read_recipe(&file.stem, &file.text) {
            Ok(recipe) => drop(out.recipes.insert(file.stem, recipe)),
            Err(problems) => out.broken.push((file.path, problems)),
        }
    }
    for file in files(&folder.join("notices"), "md", &mut out.broken) {
        match read_notice(&file.stem, &file.text) {
            Ok(notice) => out.notices.push(notice),
            Err(problems) => out.broken.push((file.path, problems)),
        }
    }
    for file in files(&folder.join("codes"), "csv", &mut out.broken) {
        let failed = out.codes.add_csv(&file.stem, &file.text);
        let problems = failed.into_iter().map(|(line, message)| problem(line, "bad-row", message)).collect::<Vec<_>>();
        if !problems.is_empty() {
            out.broken.push((file.path, problems));
        }
    }
    let recipes = std::mem::take(&mut out.recipes);
    let find = |id: &str| recipes.get(id).cloned().or_else(|| known(id));
    for area in folders(&folder.join("faults")) {
        let name = area.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        for file in files(&area, "md", &mut out.broken) {
            let path = file.path.to_string_lossy();
            match read_parts(PageLocation { id: &file.stem, area: &name, path: &path }, &file.text, &find) {
                Ok((matter, body)) => {
                    drop(path);
                    let File { path, stem, .. } = file;
                    out.faults.push(PageFile { id: stem, area: name.clone(), path, matter, body });
                }
                Err(problems) => out.broken.push((file.path, problems)),
            }
        }
    }
    out.recipes = recipes;
    Ok(out)
}

struct File {
    path: PathBuf,
    stem: String,
    text: String,
}

fn files(folder: &Path, ending: &str, broken: &mut Vec<(PathBuf, Vec<Problem>)>) -> Vec<File> {
    let mut out = Vec::new();
    for path in entries(folder) {
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        if path.extension().is_none_or(|e| e != ending) || stem.starts_with('.') || stem == "README" {
            continue;
        }
        match fs::read_to_string(&path) {
            Ok(text) => out.push(File { path, stem, text }),
            Err(error) => broken.push((path, vec![problem(1, "unreadable", error.to_string())])),
        }
    }
    out
}

fn folders(root: &Path) -> Vec<PathBuf> {
    entries(root).into_iter().filter(|p| p.is_dir()).collect()
}

/// The entries of a folder, by name; empty if there is no such folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    out.sort();
    out
}

fn problem(line: u64, rule: &'static str, message: String) -> Problem {
    Problem { line: u32::try_from(line).unwrap_or(u32::MAX), column: 1, rule, message, help: String::new() }
}
