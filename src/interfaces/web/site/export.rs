//! The book and the reports as files for any host of pages: the same pages that the server shows, with relative addresses,
//! a search that needs no server, a feed. Nothing depends on the time or the machine: the same input gives the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use askama::Template;

use super::{feed, listing};
use crate::files;
use crate::fingerprint::Fingerprint;
use crate::interfaces::web::book::reports::{Asked, ReportLink, newest, report_link};
use crate::interfaces::web::book::search::{Group, Hit};
use crate::interfaces::web::book::shelf::{Shelf, Told};
use crate::interfaces::web::book::{codes, contents, fault, report, reports};
use crate::interfaces::web::frame::{self, Abilities, Frame, Section};
use crate::interfaces::web::{assets, html};
use crate::interfaces::workspace::Workspace;
use crate::render::words::counted;

/// The file that says which files of a folder were made here, each with a hash of its content.
const MANIFEST: &str = ".faultbook-site";

/// Its first line.
const MARK: &str = "faultbook site 1";

/// Where a site goes, and what it has.
#[derive(Debug, Clone, Default)]
pub(crate) struct Site {
    pub(crate) folder: PathBuf,
    /// The address that it will have, for the feed, previews of links, and the list of pages.
    pub(crate) url: Option<String>,
    /// Leave out the book.
    pub(crate) reports_only: bool,
    /// Write into a folder that has other files.
    pub(crate) force: bool,
}

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) files: usize,
    pub(crate) reports: usize,
    /// Files whose content is new.
    pub(crate) changed: usize,
    pub(crate) removed: usize,
}

/// Why a site was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{0}` has files that Faultbook did not write")]
    Foreign(PathBuf),
    #[error("`{0}` is no address of a site: it begins with http:// or https:// and has no `?` or `#`")]
    Url(String),
    #[error("could not write `{0}`: {1}")]
    Io(PathBuf, io::Error),
    #[error("a page could not be made: {0}")]
    Page(#[from] askama::Error),
}

/// Writes the site of a project. Files that an earlier run wrote and that are no longer part of it are removed, unless
/// somebody changed them.
///
/// # Errors
/// When the folder holds anything else, or cannot be written.
pub(crate) fn export(workspace: &Workspace, site: &Site) -> Result<Written, Error> {
    let earlier = earlier(&site.folder);
    let is_empty = fs::read_dir(&site.folder).map_or(true, |mut entries| entries.next().is_none());
    if earlier.is_none() && !is_empty && !site.force {
        return Err(Error::Foreign(site.folder.clone()));
    }
    let (pages, reports) = pages(workspace, site)?;
    let mut written = Written { files: pages.len(), reports, ..Written::default() };
    let mut manifest = format!("{MARK}\n");
    for (name, bytes) in &pages {
        let path = site.folder.join(name);
        written.changed += usize::from(write(&path, bytes).map_err(|error| Error::Io(path, error))?);
        manifest.push_str(&format!("{} {name}\n", hash(bytes)));
    }
    for (name, hash) in earlier.unwrap_or_default() {
        if !pages.contains_key(&name) && remove(&site.folder, &name, &hash) {
            written.removed += 1;
        }
    }
    let path = site.folder.join(MANIFEST);
    write(&path, manifest.as_bytes()).map_err(|error| Error::Io(path, error))?;
    Ok(written)
}

/// Writes a file unless it is there already; whether it did.
fn write(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    if fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    files::replace_unsynced(path, bytes)?;
    Ok(true)
}

/// What an earlier run wrote into a folder: names and hashes; `None` if no run did.
fn earlier(folder: &Path) -> Option<BTreeMap<String, String>> {
    let text = fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let mut lines = text.lines();
    if lines.next() != Some(MARK) {
        return None;
    }
    let row = |line: &str| line.split_once(' ').map(|(hash, name)| (name.to_owned(), hash.to_owned()));
    Some(lines.filter_map(row).collect())
}

/// Removes a file that an earlier run wrote and nobody changed, and the folders that it leaves empty; whether it did.
/// A list can be somebody else's: what it names must lie in the folder itself.
fn remove(folder: &Path, name: &str, known: &str) -> bool {
    let relative = Path::new(name);
    if name.is_empty() || !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return false;
    }
    let path = folder.join(relative);
    let (Ok(root), Some(Ok(parent))) = (fs::canonicalize(folder), path.parent().map(fs::canonicalize)) else {
        return false;
    };
    let is_file = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file());
    if !parent.starts_with(&root) || !is_file || fs::read(&path).map_or(true, |bytes| hash(&bytes) != known) {
        return false;
    }
    let is_gone = fs::remove_file(&path).is_ok();
    let mut above = relative.parent();
    while let Some(parent) = above.filter(|parent| !parent.as_os_str().is_empty()) {
        if fs::remove_dir(folder.join(parent)).is_err() {
            break;
        }
        above = parent.parent();
    }
    is_gone
}

fn hash(bytes: &[u8]) -> String {
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(bytes);
    fingerprint.hex()
}

/// The first page of a site.
#[derive(Template)]
#[template(path = "site/start.html")]
struct Start {
    frame: Frame,
    faults: usize,
    areas: Vec<contents::Area>,
    reports: usize,
    newest: Vec<ReportLink>,
}

/// The search of a site: everything that there is, which the script narrows down.
#[derive(Template)]
#[template(path = "site/search.html")]
struct SearchPage {
    frame: Frame,
    groups: Vec<Group>,
}

/// What a host shows for an address that is not there.
#[derive(Template)]
#[template(path = "site/missing.html")]
struct Missing {
    frame: Frame,
}

/// All files of a site by name, and how many reports it has.
fn pages(workspace: &Workspace, site: &Site) -> Result<(BTreeMap<String, Vec<u8>>, usize), Error> {
    let can = Abilities { reports_only: site.reports_only, ..Abilities::default() };
    let mut shelf = Shelf::new(workspace, Told::read(&workspace.knowledge, None).into(), can);
    shelf.url = site.url.as_deref().map(address).transpose()?.unwrap_or_default();
    let shelf = &shelf;
    let mut files = Files::default();
    if !site.reports_only {
        of_book(shelf, &mut files)?;
    }
    files.page("reports/index.html", &reports::list(shelf, Asked::default()))?;
    files.put("reports/chart.svg", reports::picture(shelf, &Asked::default()));
    for index in 0..shelf.told.reports.len() {
        files.page(&shelf.told.addresses[index], &report::page(shelf, index))?;
    }
    files.page("index.html", &start(shelf))?;
    files.page("search.html", &search_page(shelf))?;
    files.put("search.json", index(shelf));
    files.page("feed.xml", &feed::feed(shelf))?;
    files.page("404.html", &missing(shelf))?;
    for asset in assets::ALL {
        files.put(&format!("assets/{}", asset.name), asset.text.clone());
    }
    // GitHub Pages leaves out names that begin with `_` otherwise.
    files.put(".nojekyll", String::new());
    if !shelf.url.is_empty() {
        let (name, bytes) = assets::PREVIEW;
        files.0.insert(name.to_owned(), bytes.to_vec());
        let pages = files.0.keys().filter(|name| name.ends_with(".html") && *name != "404.html");
        let addresses = pages.map(|name| format!("{}{}", shelf.url, encoded(name))).collect();
        files.page("sitemap.xml", &feed::SiteMap { addresses })?;
    }
    Ok((files.0, shelf.told.reports.len()))
}

fn of_book(shelf: &Shelf<'_>, files: &mut Files) -> Result<(), Error> {
    files.page("book/index.html", &contents::contents(shelf))?;
    files.page("book/notices.html", &contents::notices(shelf))?;
    for index in 0..shelf.book().faults.len() {
        let page = fault::page(shelf, index);
        files.page(&format!("book/{}.html", page.id), &page)?;
    }
    for id in shelf.uses().keys() {
        if let Some(page) = contents::recipe(shelf, id) {
            files.page(&format!("book/fixes/{id}.html"), &page)?;
        }
    }
    files.page("book/codes/index.html", &codes::index(shelf))?;
    for library in codes::libraries(shelf) {
        if let Some(page) = codes::table(shelf, &library.id) {
            files.page(&library.address, &page)?;
        }
    }
    Ok(())
}

/// Files by name.
#[derive(Default)]
struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    /// Takes a page; its address is its name with some characters encoded.
    fn page(&mut self, address: &str, page: &impl Template) -> Result<(), Error> {
        self.put(address, page.render()?);
        Ok(())
    }

    fn put(&mut self, address: &str, text: String) {
        let name = percent_encoding::percent_decode_str(address).decode_utf8_lossy().into_owned();
        self.0.insert(name, text.into_bytes());
    }
}

/// A file's name as an address.
fn encoded(name: &str) -> String {
    name.split('/').map(frame::encoded).collect::<Vec<_>>().join("/")
}

/// The address of a site, with a slash at its end.
fn address(url: &str) -> Result<String, Error> {
    let url = url.trim();
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_address = rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && !rest.contains(|c: char| c.is_whitespace() || c.is_control() || "?#<>\"'\\".contains(c))
    });
    if !is_address {
        return Err(Error::Url(url.to_owned()));
    }
    Ok(format!("{}/", url.trim_end_matches('/')))
}

fn start(shelf: &Shelf<'_>) -> Start {
    const NEWEST: usize = 12;
    let (faults, reports) = (shelf.book().faults.len(), shelf.told.reports.len());
    let told = counted(reports as u64, "bug report", "bug reports");
    let description = match shelf.can.reports_only {
        true => format!("{told} of GPU and ML training runs."),
        false => format!(
            "{} of GPU and ML training runs, and {told}.",
            counted(faults as u64, "known failure", "known failures")
        ),
    };
    Start {
        frame: shelf.frame("index.html", Section::Diagnose, "Faults and reports", &description),
        faults,
        areas: if shelf.can.reports_only { Vec::new() } else { contents::areas(shelf) },
        reports,
        newest: newest(shelf).into_iter().take(NEWEST).map(|index| report_link(shelf, index)).collect(),
    }
}

/// The kinds of things that can be found, in their order.
const KINDS: [(&str, &str, &str); 5] = [
    ("report", "found-reports", "Reports"),
    ("page", "found-pages", "Failures"),
    ("fix", "found-fixes", "Fixes"),
    ("code", "found-codes", "Codes"),
    ("harmless", "found-harmless", "Looks bad, is harmless"),
];

fn search_page(shelf: &Shelf<'_>) -> SearchPage {
    let listing = listing::listing(shelf);
    let group = |(kind, id, title): (&str, &'static str, &'static str)| {
        // Hundreds of codes are in their tables.
        let hits: Vec<Hit> = match kind {
            "code" if !shelf.can.reports_only => codes::libraries(shelf)
                .into_iter()
                .map(|one| Hit { address: one.address, title: html::sentence(&one.name), ..Hit::default() })
                .collect(),
            kind => listing
                .iter()
                .filter(|entry| entry.kind == kind)
                .map(|entry| Hit {
                    address: entry.address.clone(),
                    title: reports::words(&entry.title),
                    id: entry.id.clone(),
                    ..Hit::default()
                })
                .collect(),
        };
        Group { id, title, hits }
    };
    let groups = KINDS.into_iter().map(group).filter(|group| !group.hits.is_empty()).collect();
    SearchPage { frame: shelf.frame("search.html", Section::None, "Search", "Everything that there is."), groups }
}

fn index(shelf: &Shelf<'_>) -> String {
    let mut text = serde_json::to_string(&listing::listing(shelf)).unwrap_or_default();
    text.push('\n');
    text
}

/// Its addresses are from the root of the host, because it is shown for any address.
fn missing(shelf: &Shelf<'_>) -> Missing {
    let path = shelf.url.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map(|(_, path)| path);
    let mut frame = shelf.frame("404.html", Section::None, "There is no such page", "");
    frame.root = format!("/{}", path.unwrap_or_default()).into();
    frame.url = String::new();
    Missing { frame }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_sites() {
        let of = |url: &str| address(url).ok();
        assert_eq!(of("https://team.github.io/runs"), Some("https://team.github.io/runs/".to_owned()));
        assert_eq!(of(" http://a.example/ "), Some("http://a.example/".to_owned()));
        for wrong in ["", "team.github.io", "https://", "https:///x", "javascript:x", "https://a/?q", "https://a/\"x"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_own_files_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        for name in ["out/a/b.html", "out/changed.html", "beside.html"] {
            write(&folder.path().join(name), b"x").expect("it is written");
        }
        let known = hash(b"x");
        assert!(!remove(&out, "../beside.html", &known) && !remove(&out, "/etc/passwd", &known));
        assert!(!remove(&out, "changed.html", &hash(b"y")) && !remove(&out, "a", &known));
        assert!(remove(&out, "a/b.html", &known) && !out.join("a").exists());
        assert!(folder.path().join("beside.html").exists() && out.join("changed.html").exists());
    }
}
