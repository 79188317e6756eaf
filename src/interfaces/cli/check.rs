//! `faultbook check`: lints pages and reports, and fixes what can be fixed safely.
//!
//! Reads the files, runs the linter, prints its findings. A file is written only with `--fix`, only if its text
//! changed, and atomically.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::check::output::{self, Shown};
use crate::check::{self, Document, Finding, Kind, KnownReport, Renumbered, Sample, Setting};
use crate::files;
use crate::render::words::counted;
use crate::render::{github, junit, sarif};
use crate::reports::budget::{self, Exceeded};
use crate::reports::naming::Naming;
use crate::reports::project::Project;
use clap::{Args, ValueEnum};
use ignore::WalkBuilder;

use super::common::Common;
use super::diff;
use super::exit::Exit;
use super::failure::{Failure, Result, reason};
use super::format::{FormatArg, Formats};
use super::open;
use super::output::{Output, remark};

#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Files and folders to check (default: the project's reports and its own pages).
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Fix what can be fixed safely (keys, ids, dates, tables of contents) and keep every other byte.
    #[arg(long)]
    pub(crate) fix: bool,

    /// With --fix, also apply fixes that only remove text: a template left above the real text, exemptions that nothing needs.
    #[arg(long, requires = "fix")]
    pub(crate) fix_removals: bool,

    /// Give the later of two different reports with the same id the next free number, in its text, its file name and links to it.
    #[arg(long)]
    pub(crate) renumber: bool,

    /// Print what --fix or --renumber would change and write nothing; exit with 1 if there are changes.
    #[arg(long)]
    pub(crate) diff: bool,

    /// Check only these rules.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    pub(crate) select: Vec<String>,

    /// Check all rules except these.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    pub(crate) ignore: Vec<String>,

    /// Print the number of findings for each rule instead of the findings.
    #[arg(long)]
    pub(crate) statistics: bool,

    /// Show each finding under its line, with what to do.
    #[arg(long)]
    pub(crate) long: bool,

    /// A folder of texts to test pages with: no signature may match its `*.healthy.txt` files.
    #[arg(long, value_name = "DIR")]
    pub(crate) texts: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: FormatArg<CheckFormat>,
}

/// The formats of `check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    Terminal,
    #[value(alias = "jsonl")]
    Json,
    Sarif,
    Github,
    Junit,
}

impl Formats for CheckFormat {
    const TERMINAL: Self = Self::Terminal;
}

/// Larger files are logs, not pages.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Shorter files are checked in no time, whatever is in them.
const NEVER_LONG: usize = 256 * 1024;

/// Checks the files, fixes them with `--fix`, and prints the findings.
pub(crate) fn run(args: &Options, common: &Common) -> Result<Exit> {
    let output = Output::new(common, args.format)?;
    // An invalid configuration does not prevent files named on the command line from being checked.
    let project = match Project::find(&here(), &common.reports) {
        Err(error) if args.paths.is_empty() => return Err(error.into()),
        found => found.unwrap_or_default(),
    };
    let paths = if args.paths.is_empty() { of_project(&project)? } else { args.paths.clone() };
    let mut inputs = Inputs::default();
    for path in &paths {
        inputs.add(path)?;
    }
    let Inputs { mut documents, left_out, .. } = inputs;
    let naming = Naming::new(project.config.id.as_deref(), project.config.file_name.as_deref())
        .map_err(|error| Failure::new(error.to_string()).hint("see `[reports]` in faultbook.toml"))?;
    let reports = known_reports(&documents, &project, naming.as_ref());
    let texts = texts(args.texts.as_deref(), &paths)?;
    let (healthy, corpus): (Vec<Sample>, Vec<Sample>) =
        texts.into_iter().partition(|sample| sample.name.ends_with(".healthy.txt"));
    let exists = |path: &str| Path::new(path).exists();
    // Trying the signatures on all texts is slow and yields only informational findings.
    let corpus = if common.verbose { corpus.as_slice() } else { &[] };
    let setting = Setting {
        exists: &exists,
        reports: &reports,
        naming: naming.as_ref(),
        healthy: &healthy,
        corpus,
        wanted: &|rule| {
            let named = |rules: &[String]| rules.iter().any(|name| name == rule);
            (args.select.is_empty() || named(&args.select)) && !named(&args.ignore)
        },
        removals: args.fix_removals,
        ..Setting::default()
    };

    let before = documents.clone();
    let moves = if args.renumber { check::renumber(&mut documents, &setting) } else { Vec::new() };
    let findings = match args.fix || (args.diff && !args.renumber) {
        false => check::check(&documents, &setting),
        true => check::fix_all(&mut documents, &setting),
    };
    inputs_left_out(&left_out, common.verbose);
    if args.diff {
        let text = differences(&before, &documents, &moves);
        output.verbatim(&text)?;
        return Ok(if text.is_empty() { Exit::Found } else { Exit::None });
    }
    if args.paths.is_empty() {
        let changed = before.iter().zip(&documents).filter(|(old, new)| old.text != new.text).map(|(old, _)| &old.path);
        changed
            .chain(moves.iter().map(|one| &one.path))
            .try_for_each(|path| open::may_write(common, Path::new(path)))?;
    }
    write_back(&before, &documents, &moves)?;
    let findings = if moves.is_empty() { findings } else { moved(&mut documents, &moves, &setting) };
    let findings = if args.statistics { findings } else { check::capped(findings) };
    output.write(&rendered(&findings, &documents, args, common.verbose, &output))?;
    Ok(if output::is_clean(&findings) { Exit::Found } else { Exit::None })
}

/// The name of a rule.
fn rule(name: &str) -> Result<String, String> {
    const SHOWN: usize = 6;
    let is_rule = |rule: &&check::Rule| rule.name == name;
    if check::RULES.iter().any(|rule| is_rule(&rule)) {
        return Ok(name.to_owned());
    }
    let parts: Vec<&str> = name.split('-').filter(|part| part.len() > 2).collect();
    let near = check::RULES.iter().filter(|rule| parts.iter().any(|part| rule.name.contains(part)));
    let near: Vec<&str> = near.map(|rule| rule.name).take(SHOWN).collect();
    match near.as_slice() {
        [] => {
            Err("there is no such rule; `faultbook check --statistics` lists the rules that found something".to_owned())
        }
        near => Err(format!("there is no such rule; similar: {}", near.join(", "))),
    }
}

/// Says which files were not checked, and why.
fn inputs_left_out(left_out: &[(PathBuf, String)], in_full: bool) {
    if left_out.is_empty() {
        return;
    }
    if in_full {
        left_out.iter().for_each(|(path, why)| remark(&format!("not checked: {}: {why}", shown(path))));
        return;
    }
    let files = counted(left_out.len() as u64, "file was", "files were");
    let first = left_out.first().map(|(path, why)| format!("{}: {why}", shown(path))).unwrap_or_default();
    let more = if left_out.len() > 1 { "; --verbose names all" } else { "" };
    remark(&format!("{files} not checked ({first}{more})"));
}

/// What would be written.
fn differences(before: &[Document], after: &[Document], moves: &[Renumbered]) -> String {
    let one = |(old, new): (&Document, &Document)| {
        let new_path = moves.iter().find(|one| one.path == old.path).map_or(&new.path, |one| &one.new_path);
        diff::unified(&old.path, new_path, &old.text, &new.text)
    };
    before.iter().zip(after).map(one).collect()
}

/// The findings once files have moved.
fn moved(documents: &mut [Document], moves: &[Renumbered], setting: &Setting<'_>) -> Vec<Finding> {
    for document in documents.iter_mut() {
        if let Some(one) = moves.iter().find(|one| one.path == document.path) {
            document.path.clone_from(&one.new_path);
        }
    }
    check::check(documents, setting)
}

fn rendered(
    findings: &[Finding],
    documents: &[Document],
    args: &Options,
    infos: bool,
    output: &Output<CheckFormat>,
) -> String {
    let shared = || output::findings(findings, documents);
    match output.format {
        CheckFormat::Terminal => output::terminal(findings, documents, shown_as(args, infos, output)),
        CheckFormat::Json => output::json(findings, documents),
        CheckFormat::Sarif => sarif::render(&shared()),
        CheckFormat::Github => github::render(&shared()),
        CheckFormat::Junit => junit::render(&shared()),
    }
}

fn shown_as(args: &Options, infos: bool, output: &Output<CheckFormat>) -> Shown {
    let Options { long, statistics, .. } = *args;
    Shown { width: output.terminal.width, infos, long, statistics }
}

fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// What is checked if no paths are given: the project's folders of reports, and of pages.
fn of_project(project: &Project) -> Result<Vec<PathBuf>> {
    let here = here();
    let short = |path: &PathBuf| path.strip_prefix(&here).map_or_else(|_| path.clone(), Path::to_owned);
    let paths: Vec<PathBuf> = project.roots.iter().chain(&project.pages).map(short).collect();
    match paths.is_empty() {
        true => Err(Failure::new("there is nothing to check: no folder with reports or pages was found")
            .hint("name files or folders, or put `[book] paths` into faultbook.toml")),
        false => Ok(paths),
    }
}

/// The files to check.
#[derive(Default)]
struct Inputs {
    documents: Vec<Document>,
    seen: BTreeSet<PathBuf>,
    /// Files that are not checked, and why.
    left_out: Vec<(PathBuf, String)>,
}

impl Inputs {
    /// Adds a file, or all documents in a folder. Files without rules are skipped.
    fn add(&mut self, path: &Path) -> Result<()> {
        let about = fs::metadata(path).map_err(|error| Failure::reading(path, &error))?;
        if !about.is_dir() {
            return self.add_file(path);
        }
        // Ignore files of parent folders do not apply: the user named this folder.
        let walk = WalkBuilder::new(path).parents(false).follow_links(false).sort_by_file_path(Path::cmp).build();
        for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
            if !may_be_document(entry.path()) {
                continue;
            }
            match entry.metadata() {
                Ok(about) if about.len() <= LARGEST => self.add_file(entry.path())?,
                Ok(about) => {
                    let why = format!("{} MiB is too large for a report", about.len() / (1024 * 1024));
                    self.left_out.push((entry.into_path(), why));
                }
                Err(error) => self.left_out.push((entry.into_path(), error.to_string())),
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
        let length = bytes.len();
        let document = Document::of_bytes(shown(path), bytes);
        match document.kind {
            Kind::Other => self.left_out.push((path.to_owned(), Kind::why_other(&document.path).to_owned())),
            _ if length < NEVER_LONG => self.documents.push(document),
            _ => match tried(document) {
                Ok(document) => self.documents.push(document),
                Err(why) => self.left_out.push((path.to_owned(), why.to_string())),
            },
        }
        Ok(())
    }
}

/// Checks a document by itself, to see whether that can be done in time.
fn tried(document: Document) -> std::result::Result<Document, Exceeded> {
    budget::within(budget::PER_FILE, move || {
        let documents = [document];
        check::check(&documents, &Setting { behaviour: false, ..Setting::default() });
        let [document] = documents;
        document
    })
}

/// The path as printed: with slashes, without `./`.
fn shown(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    text.strip_prefix("./").map(str::to_owned).unwrap_or(text)
}

fn may_be_document(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    matches!(extension.as_deref(), Some("md" | "markdown" | "txt"))
}

/// The reports that references may point to: those of the project, and those next to the documents.
fn known_reports(documents: &[Document], project: &Project, naming: Option<&Naming>) -> Vec<KnownReport> {
    let mut files: BTreeSet<PathBuf> = project.paths().cloned().collect();
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
            KnownReport::of(&shown(file.strip_prefix(here()).unwrap_or(file)), &String::from_utf8_lossy(&bytes), naming)
        })
        .collect()
}

/// Texts to try pages on: those given, otherwise tests/corpus next to the folder of pages.
fn texts(given: Option<&Path>, paths: &[PathBuf]) -> Result<Vec<Sample>> {
    let folders: Vec<PathBuf> = match given {
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

/// Writes the documents whose text changed, and moves those that get another name. Says what changed.
fn write_back(before: &[Document], after: &[Document], moves: &[Renumbered]) -> Result<()> {
    for (_, new) in before.iter().zip(after).filter(|(old, new)| old.text != new.text) {
        files::replace(Path::new(&new.path), new.text.as_bytes()).map_err(|error| {
            Failure::new(format!("could not write `{}`: {}", new.path, reason(&error))).hint("the file was not changed")
        })?;
        remark(&format!("changed {}", new.path));
    }
    for one in moves {
        remark(&format!("{}: {} is now {}", one.new_path, one.id, one.new_id));
        if one.path == one.new_path {
            continue;
        }
        let failed =
            |why: String| Failure::new(format!("could not rename `{}` to `{}`: {why}", one.path, one.new_path));
        if Path::new(&one.new_path).exists() {
            return Err(failed("a file with that name exists".to_owned()));
        }
        fs::rename(&one.path, &one.new_path).map_err(|error| failed(reason(&error)))?;
    }
    Ok(())
}
