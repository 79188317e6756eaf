//! Where the dynamic loader finds a library: LD_LIBRARY_PATH, the cache written by ldconfig, the default folders.
//!
//! Reads the cache file directly: no process is started and no library is loaded. Common driver folders that the loader
//! does not search are checked too, because "installed, but not on the loader's path" is a useful answer.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::vendor::Vendor;

/// Searched by the loader after its cache.
#[cfg(not(windows))]
const DEFAULT: &[&str] = &["lib64", "usr/lib64", "lib", "usr/lib"];

/// Where driver packages install their libraries.
#[cfg(windows)]
const DEFAULT: &[&str] = &["Windows/System32"];

/// The loader's configuration on one machine.
pub(super) struct Loader {
    root: PathBuf,
    path: Vec<PathBuf>,
    /// Not searched by the loader, but common places for driver libraries.
    usual: Vec<&'static str>,
    cache: OnceLock<Vec<(String, PathBuf)>>,
}

/// A library file, and whether the loader finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) by: By,
}

/// How the loader reaches a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum By {
    Variable,
    /// From the cache of ldconfig.
    Cache,
    /// In a default folder.
    Default,
    /// Not at all: the file is in a common folder that the loader does not search.
    Nothing,
    /// Not at all: a package of the Python environment opens it by its path.
    Wheel,
}

impl Found {
    /// What a program would load: the bare name if the loader finds the file itself, otherwise the path.
    pub(super) fn to_load(&self) -> PathBuf {
        match (self.by, self.path.file_name()) {
            (By::Variable | By::Cache | By::Default, Some(name)) => PathBuf::from(name),
            _ => self.path.clone(),
        }
    }
}

impl By {
    /// A phrase for a finding.
    pub(super) fn word(self) -> &'static str {
        match self {
            By::Variable => "LD_LIBRARY_PATH",
            By::Cache => "ldconfig",
            By::Default => "the system's folders",
            By::Nothing => "a folder that the loader does not search",
            By::Wheel => "the wheels",
        }
    }
}

impl Loader {
    /// The loader of a process with this environment.
    pub(super) fn new(root: &Path, environment: &BTreeMap<OsString, OsString>, vendors: &[&dyn Vendor]) -> Self {
        let folders = vendors.iter().flat_map(|vendor| vendor.description().driver.folders_here());
        let variable = environment.get(&OsString::from("LD_LIBRARY_PATH"));
        let path = variable.map(|value| std::env::split_paths(value).collect()).unwrap_or_default();
        Self { root: root.to_owned(), path, usual: folders.map(String::as_str).collect(), cache: OnceLock::new() }
    }

    /// The first file with exactly this name, in the loader's order.
    pub(super) fn find(&self, name: &str) -> Option<Found> {
        let in_folders = |folders: &mut dyn Iterator<Item = PathBuf>, by| {
            folders.map(|folder| folder.join(name)).find(|path| path.exists()).map(|path| Found { path, by })
        };
        in_folders(&mut self.variable().iter().cloned(), By::Variable)
            .or_else(|| {
                let (_, path) = self.cached().iter().find(|(key, path)| key == name && path.exists())?;
                Some(Found { path: path.clone(), by: By::Cache })
            })
            .or_else(|| in_folders(&mut self.folders(DEFAULT), By::Default))
            .or_else(|| in_folders(&mut self.folders(&self.usual), By::Nothing))
    }

    /// Every file whose name belongs to a library stem: `libcudnn.so`, `libcudnn.so.9`.
    pub(super) fn all(&self, stem: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for folder in self.variable() {
            found.extend(libraries_in(folder, stem).into_iter().map(|path| Found { path, by: By::Variable }));
        }
        let cached = self.cached().iter().filter(|(key, path)| is_library(key, stem) && path.exists());
        found.extend(cached.map(|(_, path)| Found { path: path.clone(), by: By::Cache }));
        for folder in self.folders(DEFAULT) {
            found.extend(libraries_in(&folder, stem).into_iter().map(|path| Found { path, by: By::Default }));
        }
        found
    }

    /// The places searched, as a user would name them.
    pub(super) fn places(&self) -> Vec<String> {
        let mut places: Vec<String> = self.variable().iter().map(|folder| folder.display().to_string()).collect();
        places.push("/etc/ld.so.cache".to_owned());
        places.extend(DEFAULT.iter().chain(&self.usual).map(|folder| format!("/{folder}")));
        places
    }

    fn variable(&self) -> &[PathBuf] {
        &self.path
    }

    fn folders(&self, names: &[&'static str]) -> impl Iterator<Item = PathBuf> {
        names.iter().map(|name| self.root.join(name))
    }

    fn cached(&self) -> &[(String, PathBuf)] {
        self.cache.get_or_init(|| {
            let bytes = std::fs::read(self.root.join("etc/ld.so.cache")).unwrap_or_default();
            let entries = read_cache(&bytes);
            let under_root = |path: String| self.root.join(path.trim_start_matches('/'));
            entries.into_iter().map(|(name, path)| (name, under_root(path))).collect()
        })
    }
}

/// Files in a folder whose names belong to a library stem, sorted by name.
pub(super) fn libraries_in(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| is_library(name, stem)))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
}

/// `libcudart.so`, `libcudart.so.12`, and the names with a hash that repaired wheels use: `libcudart-a7b20f20.so.11.0`.
fn is_library(name: &str, stem: &str) -> bool {
    let Some(rest) = name.strip_prefix("lib").and_then(|name| name.strip_prefix(stem)) else { return false };
    let rest = match rest.strip_prefix('-') {
        Some(hashed) => {
            let Some((hash, _)) = hashed.split_once(".so") else { return false };
            if hash.len() < 6 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return false;
            }
            &hashed[hash.len()..]
        }
        None => rest,
    };
    rest == ".so" || rest.starts_with(".so.")
}

/// Names and paths in a cache of ldconfig, for this machine's architecture.
fn read_cache(bytes: &[u8]) -> Vec<(String, String)> {
    const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
    const HEADER: usize = 48;
    const ENTRY: usize = 24;
    let Some(start) = memchr::memmem::find(bytes, MAGIC) else { return Vec::new() };
    let cache = bytes.get(start..).unwrap_or_default();
    let word = |at: usize| -> Option<u32> { Some(u32::from_le_bytes(cache.get(at..at + 4)?.try_into().ok()?)) };
    let string = |at: u32| -> Option<String> {
        let rest = cache.get(usize::try_from(at).ok()?..)?;
        let end = memchr::memchr(0, rest)?;
        Some(String::from_utf8_lossy(rest.get(..end)?).into_owned())
    };
    let count = word(MAGIC.len()).unwrap_or(0);
    let count = usize::try_from(count).unwrap_or(0).min(cache.len() / ENTRY);
    let entry = |index: usize| -> Option<(String, String)> {
        let at = HEADER + index * ENTRY;
        let flags = word(at)?;
        let own = if cfg!(target_arch = "x86_64") { flags & 0xff00 == 0x0300 } else { true };
        own.then_some(())?;
        Some((string(word(at + 4)?)?, string(word(at + 8)?)?))
    };
    (0..count).filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::vendor::VENDORS;

    #[test]
    fn this_machine_has_a_cache_with_the_c_library() {
        let bytes = std::fs::read("/etc/ld.so.cache").unwrap_or_default();
        if !bytes.is_empty() {
            assert!(read_cache(&bytes).iter().any(|(name, path)| name == "libc.so.6" && path.starts_with('/')));
        }
    }

    #[test]
    fn damaged_caches_are_empty_not_fatal() {
        assert!(read_cache(b"").is_empty());
        assert!(read_cache(b"glibc-ld.so.cache1.1\xff\xff\xff\xff").is_empty());
        let mut bytes = b"glibc-ld.so.cache1.1".to_vec();
        bytes.extend([0xff; 200]);
        assert!(read_cache(&bytes).is_empty());
    }

    #[test]
    fn names_of_libraries() {
        assert!(is_library("libcudnn.so.9", "cudnn"));
        assert!(is_library("libcudart-a7b20f20.so.11.0", "cudart"));
        assert!(!is_library("libcudnn_ops.so.9", "cudnn"));
        assert!(!is_library("libcublasLt.so.12", "cublas"));
        assert!(!is_library("libcuda-something.so", "cuda"));
    }

    #[test]
    fn the_variable_comes_before_the_system() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = folder.path().join("first");
        for place in [first.clone(), folder.path().join("usr/lib/wsl/lib")] {
            std::fs::create_dir_all(&place).expect("folders");
            std::fs::write(place.join("libcuda.so.1"), "").expect("a file");
        }
        let none = BTreeMap::new();
        let found = Loader::new(folder.path(), &none, VENDORS).find("libcuda.so.1").expect("found");
        assert_eq!(found.by, By::Nothing);
        let variable = BTreeMap::from([(OsString::from("LD_LIBRARY_PATH"), first.clone().into_os_string())]);
        let found = Loader::new(folder.path(), &variable, VENDORS).find("libcuda.so.1").expect("found");
        assert_eq!(found, Found { path: first.join("libcuda.so.1"), by: By::Variable });
    }
}
