//! What the arguments name: files, all files below folders, patterns, standard input.

use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;

/// One log to read, or why there is none.
#[derive(Debug)]
pub(crate) enum Input {
    /// Standard input.
    Stdin,
    /// A file that was named.
    File(PathBuf),
    /// A file below a folder: what is no text there is passed over.
    Below(PathBuf),
    /// What could not be read.
    Failed(PathBuf, io::Error),
}

/// All inputs, in the order of the arguments; below folders in the order of names.
pub(crate) fn expand(arguments: &[PathBuf]) -> impl Iterator<Item = Input> + Send + '_ {
    arguments.iter().flat_map(|argument| -> Box<dyn Iterator<Item = Input> + Send + '_> {
        if argument == Path::new("-") {
            return Box::new(std::iter::once(Input::Stdin));
        }
        if argument.is_dir() {
            return Box::new(below(argument, None));
        }
        match pattern(argument) {
            Some((folder, pattern)) => {
                let mut any = false;
                let missing = || Input::Failed(argument.clone(), io::ErrorKind::NotFound.into());
                let mut found = below(&folder, Some(&pattern));
                Box::new(std::iter::from_fn(move || {
                    let next = found.next().or_else(|| (!any).then(missing));
                    any = true;
                    next
                }))
            }
            None => Box::new(std::iter::once(Input::File(argument.clone()))),
        }
    })
}

/// The folder and the pattern of an argument like `logs/*/rank-*.log` that no file is called.
fn pattern(argument: &Path) -> Option<(PathBuf, String)> {
    let is_pattern = |part: &str| part.contains(['*', '?', '[', '{']);
    let text = argument.to_str().filter(|text| is_pattern(text))?;
    if argument.exists() {
        return None;
    }
    let mut folder = PathBuf::new();
    let mut parts = argument.components();
    let mut rest = parts.as_path().to_path_buf();
    while let Some(part) = parts.next() {
        if is_pattern(&part.as_os_str().to_string_lossy()) {
            break;
        }
        folder.push(part);
        rest = parts.as_path().to_path_buf();
    }
    if folder.as_os_str().is_empty() {
        folder.push(".");
    }
    // The pattern begins at the folder: `*.log` is no file of a folder below it.
    Some((folder, format!("/{}", rest.to_str().unwrap_or(text))))
}

/// The files below a folder; links are followed, loops are not.
fn below(folder: &Path, pattern: Option<&str>) -> impl Iterator<Item = Input> + Send + use<> {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false).follow_links(true).sort_by_file_name(Ord::cmp);
    let mut overrides = OverrideBuilder::new(folder);
    let mut failed = None;
    if let Some(pattern) = pattern {
        match overrides.add(pattern).and_then(|overrides| overrides.build()) {
            Ok(overrides) => drop(walk.overrides(overrides)),
            Err(error) => {
                let error = io::Error::new(io::ErrorKind::InvalidInput, error.to_string());
                failed = Some(Input::Failed(folder.join(pattern.trim_start_matches('/')), error));
            }
        }
    }
    let is_bad = failed.is_some();
    let folder = folder.to_path_buf();
    let files = walk.build().take_while(move |_| !is_bad).filter_map(move |entry| match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            is_file.then(|| Input::Below(entry.into_path()))
        }
        // A link that leads back to a folder above it holds nothing new.
        Err(error) if is_loop(&error) => None,
        Err(error) => {
            let path = path_of(&error).unwrap_or_else(|| folder.clone());
            let error = error.into_io_error().unwrap_or_else(|| io::ErrorKind::Other.into());
            Some(Input::Failed(path, error))
        }
    });
    failed.into_iter().chain(files)
}

fn is_loop(error: &ignore::Error) -> bool {
    match error {
        ignore::Error::Loop { .. } => true,
        ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } => is_loop(err),
        _ => false,
    }
}

fn path_of(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } => path_of(err),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(argument: &Path) -> Vec<String> {
        let name = |input| match input {
            Input::File(path) | Input::Below(path) => path.file_name().map(|name| name.to_string_lossy().into_owned()),
            Input::Failed(path, _) => Some(format!("failed {}", path.file_name()?.to_string_lossy())),
            Input::Stdin => Some("-".to_owned()),
        };
        expand(&[argument.to_path_buf()]).filter_map(name).collect()
    }

    #[test]
    fn folders_and_patterns() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("job/inner")).expect("folders");
        for file in ["job/b.log", "job/a.log", "job/c.txt", "job/inner/d.log", "job/.hidden.log"] {
            fs::write(at(file), "x").expect("a file");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("job"), at("job/inner/loop")).expect("a link");
        assert_eq!(names(&at("job")), [".hidden.log", "a.log", "b.log", "c.txt", "d.log"]);
        assert_eq!(names(&at("job/?.log")), ["a.log", "b.log"]);
        assert_eq!(names(&at("*/*/*.log")), ["d.log"]);
        assert_eq!(names(&at("job/*.gz")), ["failed *.gz"]);
        assert_eq!(names(&at("job/a.log")), ["a.log"]);
        assert_eq!(names(Path::new("-")), ["-"]);
    }
}
