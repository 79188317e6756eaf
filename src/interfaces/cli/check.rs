//! `faultbook check`: lints pages and reports, and mends what can be mended safely.
//!
//! Reads the files, asks the linter, prints its findings. A file is written only with `--fix`, only when its text
//! changed, and as a whole: to a new file that then takes its place.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::check::output::{self, Shown};
use crate::check::{self, Document, Finding, Kind, KnownReport, Sample, Setting};
use crate::files;
use crate::render::{github, junit, sarif};
use crate::reports::naming::Naming;
use crate::reports::project::Project;
use clap::{Args, ValueEnum};
use ignore::WalkBuilder;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result, reason};
use super::format::{FormatArg, Formats};
use super::output::Output;

/// What `check` takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files and folders; without any, the project's reports and its own pages.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Mend what can be mended safely (keys, ids, dates, tables of contents) and keep every other byte.
    #[arg(long)]
    pub(crate) fix: bool,

    /// A folder of texts to try pages on: no signature may hit its `*.healthy.txt`.
    #[arg(long, value_name = "DIR")]
    pub(crate) texts: Option<PathBuf>,

    /// Also show what is only worth knowing.
    #[arg(long, short)]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) format: FormatArg<CheckFormat>,
}

/// How `check` writes its findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For reading on a screen.
    Terminal,
    /// For programs.
    #[value(alias = "jsonl")]
    Json,
    /// For code scanning.
    Sarif,
    /// Annotations on GitHub.
    Github,
    /// For runners that show test reports.
    Junit,
}

impl Formats for CheckFormat {
    const TERMINAL: Self = Self::Terminal;
}

/// Larger files are logs, not pages.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Checks, mends when asked, prints.
pub(crate) fn run(asked: &Options, common: &Common) -> Result<Exit> {
    let output = Output::new(common, asked.format)?;
    // A broken configuration does not keep named files from being checked.
    let project = match Project::find(&here(), &common.reports) {
        Err(error) if asked.paths.is_empty() => return Err(error.into()),
        found => found.unwrap_or_default(),
    };
    let paths = if asked.paths.is_empty() { of_project(&project)? } else { asked.paths.clone() };
    let mut inputs = Inputs::default();
    for path in &paths {
        inputs.add(path)?;
    }
    let mut documents = inputs.documents;
    let naming = Naming::new(project.config.id.as_deref(), project.config.file_name.as_deref())
        .map_err(|error| Failure::new(error.to_string()).hint("see `[reports]` in faultbook.toml"))?;
    let reports = known_reports(&documents, &project, naming.as_ref());
    let texts = texts(asked.texts.as_deref(), &paths)?;
    let (healthy, corpus): (Vec<Sample>, Vec<Sample>) =
        texts.into_iter().partition(|sample| sample.name.ends_with(".healthy.txt"));
    let exists = |path: &str| Path::new(path).exists();
    // Only somebody who wants to know what is worth knowing waits for the signatures to be tried on all texts.
    let corpus = if asked.verbose { corpus.as_slice() } else { &[] };
    let setting = Setting {
        exists: &exists,
        reports: &reports,
        naming: naming.as_ref(),
        healthy: &healthy,
        corpus,
        ..Setting::default()
    };

    let findings = match asked.fix {
        false => check::check(&documents, &setting),
        true => {
            let before = documents.clone();
            let findings = check::fix_all(&mut documents, &setting);
            write_back(&before, &documents)?;
            findings
        }
    };
    output.write(&rendered(&findings, &documents, asked, &output))?;
    Ok(if output::is_clean(&findings) { Exit::Found } else { Exit::None })
}

fn rendered(findings: &[Finding], documents: &[Document], asked: &Options, output: &Output<CheckFormat>) -> String {
    let shared = || output::findings(findings, documents);
    match output.format {
        CheckFormat::Terminal => {
            output::terminal(findings, documents, Shown { width: output.terminal.width, infos: asked.verbose })
        }
        CheckFormat::Json => output::json(findings, documents),
        CheckFormat::Sarif => sarif::render(&shared()),
        CheckFormat::Github => github::render(&shared()),
        CheckFormat::Junit => junit::render(&shared()),
    }
}

fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// What is checked when nobody names anything: the project's folders of reports, and of pages.
fn of_project(project: &Project) -> Result<Vec<PathBuf>> {
    let here = here();
    let short = |path: &PathBuf| path.strip_prefix(&here).map_or_else(|_| path.clone(), Path::to_owned);
    let paths: Vec<PathBuf> = project.roots.iter().chain(&project.pages).map(short).collect();
    match paths.is_empty() {
        true => Err(Failure::new("there is nothing to check: no folder of reports or pages was found")
            .hint("name files or folders, or put `[book] paths` into faultbook.toml")),
        false => Ok(paths),
    }
}

/// The files that were read.
#[derive(Default)]
struct Inputs {
    documents: Vec<Document>,
    seen: BTreeSet<PathBuf>,
}

impl Inputs {
    /// A file as it is, or all documents in a folder. What no rule is for is left out.
    fn add(&mut self, path: &Path) -> Result<()> {
        let about = fs::metadata(path).map_err(|error| Failure::reading(path, &error))?;
        if !about.is_dir() {
            return self.add_file(path);
        }
        // Rules of folders above do not count: the user named this one.
        let walk = WalkBuilder::new(path).parents(false).follow_links(false).sort_by_file_path(Path::cmp).build();
        for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
            let small = entry.metadata().is_ok_and(|about| about.len() <= LARGEST);
            if small && may_be_document(entry.path()) {
                self.add_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path) -> Result<(), Failure> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if !self.seen.insert(real) {
            return Ok(());
        }
        let bytes = fs::read(path).map_err(|error| Failure::reading(path, &error))?;
        let document = Document::of_bytes(shown(path), bytes);
        if document.kind != Kind::Other {
            self.documents.push(document);
        }
        Ok(())
    }
}

/// The path as shown: with slashes, without `./`.
fn shown(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    text.strip_prefix("./").map(str::to_owned).unwrap_or(text)
}

fn may_be_document(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    matches!(extension.as_deref(), Some("md" | "markdown" | "txt"))
}

/// The reports that references may point at: those of the project, and those beside the documents.
fn known_reports(documents: &[Document], project: &Project, naming: Option<&Naming>) -> Vec<KnownReport> {
    let mut files: BTreeSet<PathBuf> = project.files.iter().cloned().collect();
    let reports = documents.iter().filter(|document| document.kind == Kind::Report);
    let folders: BTreeSet<PathBuf> =
        reports.filter_map(|document| Path::new(&document.path).parent().map(Path::to_owned)).collect();
    for folder in folders {
        let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        let beside = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        files.extend(beside.filter(|path| may_be_document(path) && path.is_file()));
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let checked: BTreeSet<PathBuf> = documents.iter().map(|document| real(Path::new(&document.path))).collect();
    files
        .iter()
        .filter(|file| !checked.contains(&real(file)))
        .filter(|file| fs::metadata(file).is_ok_and(|about| about.len() <= LARGEST))
        .filter_map(|file| {
            let bytes = fs::read(file).ok()?;
            KnownReport::of(&shown(file), &String::from_utf8_lossy(&bytes), naming)
        })
        .collect()
}

/// Texts to try pages on: those asked for, else tests/corpus beside the folder of pages.
fn texts(asked: Option<&Path>, paths: &[PathBuf]) -> Result<Vec<Sample>> {
    let folders: Vec<PathBuf> = match asked {
        Some(folder) => {
            fs::metadata(folder).map_err(|error| Failure::reading(folder, &error))?;
            vec![folder.to_owned()]
        }
        None => {
            let books = paths.iter().filter(|path| path.join("faults").is_dir());
            books.map(|book| book.join("../tests/corpus")).filter(|corpus| corpus.is_dir()).collect()
        }
    };
    let mut samples = Vec::new();
    for folder in folders {
        let walk = WalkBuilder::new(&folder).parents(false).sort_by_file_path(Path::cmp).build();
        for entry in walk.flatten().filter(|entry| entry.path().extension().is_some_and(|e| e == "txt")) {
            let Ok(bytes) = fs::read(entry.path()) else { continue };
            let name = entry.path().strip_prefix(&folder).map_or_else(|_| shown(entry.path()), shown);
            samples.push(Sample { name, text: String::from_utf8_lossy(&bytes).into_owned() });
        }
    }
    Ok(samples)
}

/// Writes the documents whose texts changed.
fn write_back(before: &[Document], after: &[Document]) -> Result<()> {
    for (_, new) in before.iter().zip(after).filter(|(old, new)| old.text != new.text) {
        files::replace(Path::new(&new.path), new.text.as_bytes()).map_err(|error| {
            Failure::new(format!("could not write `{}`: {}", new.path, reason(&error)))
                .hint("the file is as it was before")
        })?;
    }
    Ok(())
}
