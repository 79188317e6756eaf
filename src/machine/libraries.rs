//! Which copies of a vendor's libraries a program can reach: through the wheels, LD_LIBRARY_PATH, the system, conda.
//!
//! Two copies of cuDNN in one process are a classic cause of "works there, fails here", so duplicates and mixed major
//! versions are facts of their own. Files are compared after links are followed: one file under three names is one copy.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::loader::{By, Loader, libraries_in};
use super::note::Notes;
use super::packages;
use super::python::Python;
use crate::vendors::{Library, Vendor};

/// One reachable copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Copy {
    /// The file with links followed.
    pub(super) path: PathBuf,
    /// Its version as far as names tell.
    pub(super) version: Option<String>,
    /// "the wheels", "LD_LIBRARY_PATH" and so on.
    pub(super) from: &'static str,
}

/// The files that a framework of this environment would load, for the functional level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    /// By their stems.
    pub(super) libraries: BTreeMap<String, PathBuf>,
    /// The folders of the wheels, for the loader of a child.
    pub(super) folders: Vec<PathBuf>,
}

/// Records `cudnn.*` and so on: the copies of every library of the vendor that a package brings.
pub(super) fn read(
    loader: &Loader,
    vendor: &Vendor,
    python: &Python,
    conda: Option<&Path>,
    notes: &mut Notes,
) -> Chosen {
    let folders = wheel_folders(python, vendor);
    let mut chosen = Chosen { folders: folders.clone(), ..Chosen::default() };
    for library in vendor.libraries.iter().filter(|library| !library.package.is_empty()) {
        let copies = copies(library, vendor, &folders, loader, python, conda);
        write(&library.stem, &copies, notes);
        chosen.libraries.extend(copies.into_iter().next().map(|copy| (library.stem.clone(), copy.path)));
    }
    chosen
}

/// All copies, the one that a framework's own search path meets first in front.
fn copies(
    library: &Library,
    vendor: &Vendor,
    folders: &[PathBuf],
    loader: &Loader,
    python: &Python,
    conda: Option<&Path>,
) -> Vec<Copy> {
    let (stem, wheel) = (library.stem.as_str(), library.package.as_str());
    let mut copies: Vec<Copy> = Vec::new();
    let mut add = |path: PathBuf, from: &'static str, version: Option<String>| {
        let path = std::fs::canonicalize(&path).unwrap_or(path);
        if !copies.iter().any(|copy| copy.path == path) {
            let version =
                version.or_else(|| version_of_wheel(&path, wheel, &vendor.wheels)).or_else(|| version_in_name(&path));
            copies.push(Copy { path, version, from });
        }
    };
    for folder in folders {
        for path in libraries_in(folder, stem) {
            let of_wheel = folder.components().any(|part| part.as_os_str() == vendor.wheels.as_str());
            let version = of_wheel.then(|| brought_by(&path, wheel, python.packages.iter())).flatten();
            add(path, "the wheels", version);
        }
    }
    if let Some(conda) = conda {
        for path in libraries_in(&conda.join("lib"), stem) {
            add(path, "conda", None);
        }
    }
    for found in loader.all(stem) {
        if !found.path.components().any(|part| part.as_os_str() == "stubs") {
            add(found.path, found.by.word(), None);
        }
    }
    // Wheels for several CUDAs may lie side by side: torch loads the one it was built with.
    if let Some(pinned) = packages::pinned(python, wheel) {
        copies.sort_by_key(|copy| copy.version.as_ref() != Some(&pinned));
    }
    copies
}

/// The version of the wheel among `packages` that brought a file: of `libcudnn.so.9` it begins with 9.
fn brought_by<'p>(
    path: &Path,
    wheel: &str,
    packages: impl Iterator<Item = (&'p String, &'p String)>,
) -> Option<String> {
    let named = version_in_name(path);
    let major = named.as_deref().and_then(|version| version.split('.').next());
    let mut versions = packages.filter(|(name, _)| name.starts_with(wheel)).map(|(_, version)| version);
    versions.find(|version| major.is_none_or(|major| version.split('.').next() == Some(major))).cloned()
}

/// The library folders inside installed packages: `nvidia/*/lib` and the frameworks' own.
fn wheel_folders(python: &Python, vendor: &Vendor) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for site in &python.sites {
        if let (Ok(entries), false) = (std::fs::read_dir(site.join(&vendor.wheels)), vendor.wheels.is_empty()) {
            let mut found: Vec<PathBuf> = entries
                .filter_map(Result::ok)
                .flat_map(|entry| [entry.path().join("lib"), entry.path().join("bin")])
                .filter(|path| path.is_dir())
                .collect();
            found.sort();
            folders.extend(found);
        }
        for own in ["torch/lib", "torch.libs", "onnxruntime/capi"] {
            let path = site.join(own);
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    folders
}

/// The version of the wheel that brought a file, also where it lies in another environment than the one asked about.
fn version_of_wheel(path: &Path, wheel: &str, wheels: &str) -> Option<String> {
    let site = path
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == "site-packages" || name == "dist-packages"))?;
    path.strip_prefix(site).ok().filter(|inside| !wheels.is_empty() && inside.starts_with(wheels))?;
    let packages = packages::distributions(site);
    brought_by(path, wheel, packages.iter().map(|(name, version)| (name, version)))
}

/// `libcudnn.so.9.10.2` as "9.10.2".
fn version_in_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let version = name.split_once(".so.")?.1;
    (!version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
        .then(|| version.to_owned())
}

fn write(fact: &str, copies: &[Copy], notes: &mut Notes) {
    notes.count(format!("{fact}.copies"), copies.len() as u64);
    if copies.is_empty() {
        notes.set_unknown(format!("{fact}.version"), format!("no lib{fact} is reachable"));
        return;
    }
    let said = |copy: &Copy| {
        let version = copy.version.as_deref().unwrap_or("unknown version");
        format!("{version} by {}: {}", copy.from, copy.path.display())
    };
    notes.list(format!("{fact}.found"), copies.iter().map(said).collect());
    let mut versions: Vec<String> = copies.iter().filter_map(|copy| copy.version.clone()).collect();
    versions.dedup();
    if let Some(version) = versions.first().filter(|version| version.contains('.')) {
        notes.text(format!("{fact}.version"), version.clone());
    }
    let mut majors: Vec<&str> = versions.iter().filter_map(|version| version.split('.').next()).collect();
    majors.sort_unstable();
    majors.dedup();
    notes.flag(format!("{fact}.mixed_majors"), majors.len() > 1);
    notes.list(format!("{fact}.versions"), versions);
    let by_variable = copies.iter().any(|copy| copy.from == By::Variable.word());
    notes.flag(format!("{fact}.on_library_path"), by_variable);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::vendor::VENDORS;
    use std::ffi::OsString;

    fn touch(path: &Path) {
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, path.display().to_string()).expect("a file");
    }

    #[test]
    fn a_copy_of_another_environment_has_its_wheels_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let other = folder.path().join("other/lib/python3.12/site-packages");
        touch(&other.join("nvidia/nccl/lib/libnccl.so.2"));
        touch(&other.join("nvidia_nccl_cu12-2.20.5.dist-info/METADATA"));
        let path = other.join("nvidia/nccl/lib").into_os_string();
        let loader = Loader::new(folder.path(), &BTreeMap::from([(OsString::from("LD_LIBRARY_PATH"), path)]), VENDORS);
        let mut notes = Notes::default();
        read(&loader, VENDORS[0].description(), &Python::default(), None, &mut notes);
        assert_eq!(notes.facts.text("nccl.version"), Some("2.20.5"));
    }

    #[test]
    fn wheels_of_two_majors_side_by_side() {
        let folder = tempfile::tempdir().expect("a folder");
        let site = folder.path().join("site-packages");
        for name in ["libcudnn.so.8", "libcudnn.so.9"] {
            touch(&site.join("nvidia/cudnn/lib").join(name));
        }
        std::fs::create_dir_all(site.join("torch-2.8.0.dist-info")).expect("folders");
        let demands = "Name: torch\nRequires-Dist: nvidia-cudnn-cu12==9.10.2.21\n";
        std::fs::write(site.join("torch-2.8.0.dist-info/METADATA"), demands).expect("a file");
        let packages = [("torch", "2.8.0"), ("nvidia_cudnn_cu11", "8.9.6.50"), ("nvidia_cudnn_cu12", "9.10.2.21")];
        let packages = packages.map(|(name, version)| (name.to_owned(), version.to_owned()));
        let python = Python { sites: vec![site], packages: BTreeMap::from(packages) };
        let mut notes = Notes::default();
        let loader = Loader::new(folder.path(), &BTreeMap::new(), VENDORS);
        let chosen = read(&loader, VENDORS[0].description(), &python, None, &mut notes);
        let facts = notes.facts;
        assert_eq!(facts.get("cudnn.mixed_majors").map(|fact| &fact.value), Some(&crate::facts::Value::Bool(true)));
        assert_eq!(facts.text("cudnn.version"), Some("9.10.2.21"));
        assert!(chosen.libraries.get("cudnn").is_some_and(|path| path.ends_with("libcudnn.so.9")));
    }

    #[test]
    fn two_copies_of_different_majors() {
        let folder = tempfile::tempdir().expect("a folder");
        let site = folder.path().join("site-packages");
        touch(&site.join("nvidia/cudnn/lib/libcudnn.so.9"));
        let old = folder.path().join("old");
        touch(&old.join("libcudnn.so.8.9.7"));
        #[cfg(unix)]
        std::os::unix::fs::symlink("libcudnn.so.8.9.7", old.join("libcudnn.so.8")).expect("a link");
        let environment = BTreeMap::from([(OsString::from("LD_LIBRARY_PATH"), old.clone().into_os_string())]);
        let loader = Loader::new(folder.path(), &environment, VENDORS);
        let python = Python {
            sites: vec![site],
            packages: BTreeMap::from([("nvidia_cudnn_cu12".to_owned(), "9.10.2.21".to_owned())]),
        };
        let mut notes = Notes::default();
        let chosen = read(&loader, VENDORS[0].description(), &python, None, &mut notes);
        let facts = notes.facts;
        assert_eq!(facts.number("cudnn.copies"), Some(2.0));
        assert_eq!(facts.text("cudnn.version"), Some("9.10.2.21"));
        assert_eq!(facts.get("cudnn.mixed_majors").map(|fact| &fact.value), Some(&crate::facts::Value::Bool(true)));
        assert!(chosen.libraries.get("cudnn").is_some_and(|path| path.ends_with("nvidia/cudnn/lib/libcudnn.so.9")));
        assert_eq!(facts.why_unknown("nccl.version"), Some("no libnccl is reachable"));
    }
}
