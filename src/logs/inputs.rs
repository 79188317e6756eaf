//! What the arguments name: files, all files below folders, patterns, standard input.

use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};

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
pub(crate) fn expand(arguments: Vec<PathBuf>) -> impl Iterator<Item = Input> + Send {
    arguments.into_iter().flat_map(|argument| -> Box<dyn Iterator<Item = Input> + Send> {
        if argument == Path::new("-") {
            return Box::new(std::iter::once(Input::Stdin));
        }
        if argument.is_dir() {
            return Box::new(below(&argument, None));
        }
        match pattern(&argument) {
            Some((folder, pattern)) => {
                let mut any = false;
                let mut found = below(&folder, Some(&pattern));
                Box::new(std::iter::from_fn(move || {
                    let missing = || Input::Failed(argument.clone(), io::ErrorKind::NotFound.into());
                    let next = found.next().or_else(|| (!any).then(missing));
                    any = true;
                    next
                }))
            }
            None => Box::new(std::iter::once(Input::File(argument))),
        }
    })
}

/// Whether an argument is a pattern.
pub(super) fn is_pattern(argument: &Path) -> bool {
    pattern(argument).is_some()
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

/// The files below a folder, with a pattern those that have it; links are followed, loops are not. A folder that the
/// pattern cannot lead through is not looked into.
fn below(folder: &Path, pattern: Option<&str>) -> impl Iterator<Item = Input> + Send + use<> {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false).follow_links(true).sort_by_file_name(Ord::cmp);
    let (mut wanted, mut failed) = (None, None);
    match pattern.map(|pattern| Wanted::new(folder, pattern)) {
        Some(Ok(of_pattern)) => {
            walk.max_depth(of_pattern.depth).overrides(of_pattern.files.clone());
            let ways = of_pattern.clone();
            walk.filter_entry(move |entry| !entry.path().is_dir() || ways.leads_through(entry.path()));
            wanted = Some(of_pattern);
        }
        Some(Err(error)) => {
            let error = io::Error::new(io::ErrorKind::InvalidInput, error.to_string());
            failed = Some(Input::Failed(folder.join(pattern.unwrap_or_default().trim_start_matches('/')), error));
        }
        None => {}
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
            if wanted.as_ref().is_some_and(|wanted| !wanted.has(&path)) {
                return None;
            }
            let error = error.into_io_error().unwrap_or_else(|| io::ErrorKind::Other.into());
            Some(Input::Failed(path, error))
        }
    });
    failed.into_iter().chain(files)
}

/// What a pattern leads to.
#[derive(Debug, Clone)]
struct Wanted {
    folder: PathBuf,
    files: Override,
    /// By depth, the folders on the way, as far as they are known.
    ways: Vec<Override>,
    /// How deep it goes; nothing for any depth.
    depth: Option<usize>,
}

impl Wanted {
    fn new(folder: &Path, pattern: &str) -> Result<Self, ignore::Error> {
        let of = |pattern: &str| OverrideBuilder::new(folder).add(pattern)?.build();
        let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
        let known = parts.iter().take_while(|part| !part.contains("**")).count();
        let ways = (1..=known.min(parts.len().saturating_sub(1)))
            .map(|length| of(&format!("/{}", parts[..length].join("/"))))
            .collect::<Result<_, _>>()?;
        let depth = (known == parts.len()).then_some(known);
        Ok(Self { folder: folder.to_path_buf(), files: of(pattern)?, ways, depth })
    }

    fn leads_through(&self, path: &Path) -> bool {
        let depth = path.strip_prefix(&self.folder).map_or(0, |inner| inner.components().count());
        let way = depth.checked_sub(1).and_then(|depth| self.ways.get(depth));
        way.is_none_or(|way| way.matched(path, true).is_whitelist())
    }

    /// Whether a path is, or may hold, what is wanted.
    fn has(&self, path: &Path) -> bool {
        self.files.matched(path, false).is_whitelist() || path.is_dir() && self.leads_through(path)
    }
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
        expand(vec![argument.to_path_buf()]).filter_map(name).collect()
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
        assert_eq!(names(&at("**/d.log")), ["d.log"]);
        assert_eq!(names(&at("j{o,x}b/**/?.log")), ["a.log", "b.log", "d.log"]);
        assert_eq!(names(Path::new("-")), ["-"]);
    }

    /// A folder that cannot be read fails only where the pattern leads into it. Links that lead to each other cannot be
    /// read by anybody.
    #[cfg(unix)]
    #[test]
    fn a_pattern_looks_only_where_it_leads() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for inner in ["run-1/deep", "other"] {
            fs::create_dir_all(at(inner)).expect("folders");
        }
        for file in ["a.log", "run-1/b.log", "run-1/deep/c.log", "other/d.log"] {
            fs::write(at(file), "x").expect("a file");
        }
        for (one, other) in
            [("run-1/deep/x.log", "run-1/deep/y.log"), ("other/x.log", "other/y.log"), ("other/x", "other/y")]
        {
            std::os::unix::fs::symlink(at(other), at(one)).expect("a link");
            std::os::unix::fs::symlink(at(one), at(other)).expect("a link");
        }
        let failed = |pattern: &str| names(&at(pattern)).iter().filter(|name| name.starts_with("failed")).count();
        assert_eq!((names(&at("*.log")), names(&at("run-*/*.log"))), (vec!["a.log".into()], vec!["b.log".into()]));
        assert_eq!((failed("*/*.log"), failed("run-*/*/*.log"), failed("**/*.log")), (2, 2, 4));
    }
}
