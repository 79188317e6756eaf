//! Reading the files of the book, and writing what the library includes.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::matter;

/// A file of the book.
pub(crate) struct File {
    /// `kb/faults/cudnn/cudnn-no-engine.md`.
    pub(crate) path: String,
    pub(crate) stem: String,
    pub(crate) text: String,
}

/// A TOML file; what is wrong with it is said with its line.
pub(crate) fn parsed<'t, T: Deserialize<'t>>(path: &str, text: &'t str, failed: &mut Vec<String>) -> Option<T> {
    toml::from_str(text)
        .inspect_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].lines().count());
            failed.push(format!("{path}:{line}: {}", error.message()));
        })
        .ok()
}

/// Writes a packed file that the library includes.
pub(crate) fn write(name: &str, bytes: &[u8]) {
    write_file(&format!("{name}.postcard"), bytes);
}

/// Writes a file that the library includes.
pub(crate) fn write_file(name: &str, bytes: &[u8]) {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default().join(name);
    if let Err(error) = fs::write(out, bytes) {
        println!("cargo::error=cannot write {name}: {error}");
    }
}

/// The bytes that the library decodes.
pub(crate) fn pack<T: serde::Serialize>(value: &T) -> Vec<u8> {
    match postcard::to_stdvec(value) {
        Ok(bytes) => bytes,
        Err(error) => {
            println!("cargo::error=cannot pack the book: {error}");
            Vec::new()
        }
    }
}

/// Front matter and body of a page.
pub(crate) fn page<'f, T: DeserializeOwned>(file: &'f File, failed: &mut Vec<String>) -> Option<(T, &'f str)> {
    let split = matter::split(&file.text);
    let Some(matter) = split.matter.filter(|m| m.closed) else {
        failed.push(format!("{}:1: the front matter is missing or has no closing `---`", file.path));
        return None;
    };
    match serde_saphyr::from_str::<T>(&file.text[matter.range]) {
        Ok(value) => Some((value, &file.text[split.body..])),
        Err(error) => {
            let error = error.without_snippet();
            let (line, column) = error.location().map_or((1, 1), |place| (place.line(), place.column()));
            let words = error.to_string();
            let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words).replace('\n', " ");
            let line = u64::from(matter.first_line) + line - 1;
            failed.push(format!("{}:{line}:{column}: {words}", file.path));
            None
        }
    }
}

/// The folders in a folder, sorted by name.
pub(crate) fn folders(root: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> =
        fs::read_dir(root).into_iter().flatten().flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
    out.sort();
    out
}

/// The files of a folder with this extension, sorted by name, without README and hidden files.
pub(crate) fn files(folder: &Path, extension: &str, failed: &mut Vec<String>) -> Vec<File> {
    let mut out = Vec::new();
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()) {
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        if path.extension().is_none_or(|e| e != extension) || stem.starts_with('.') || stem == "README" {
            continue;
        }
        let shown = path.to_string_lossy().replace('\\', "/");
        match fs::read_to_string(&path) {
            // A page is the same on every machine, whatever git does to line endings.
            Ok(text) => out.push(File { path: shown, stem, text: text.replace("\r\n", "\n") }),
            Err(error) => failed.push(format!("{shown}: {error}")),
        }
    }
    out.sort_by(|a, b| a.stem.cmp(&b.stem));
    out
}
