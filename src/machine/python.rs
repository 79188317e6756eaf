//! The project's Python environment, read without starting Python: which interpreter, which packages, which pins.
//!
//! An environment is a folder; its packages are folders named `name-version.dist-info`. Starting the interpreter would
//! take half a second and run the user's start-up code, and importing a broken torch crashes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::note::Notes;
use super::{packages, wheel};

/// The environment that the project uses.
#[derive(Debug, Clone, Default)]
pub(super) struct Python {
    /// Folders with installed packages, in the order of `sys.path`.
    pub(super) sites: Vec<PathBuf>,
    /// Installed distributions: normalised name to version; the first folder wins.
    pub(super) packages: BTreeMap<String, String>,
}

/// How the interpreter was chosen, for the answer.
struct Choice {
    prefix: PathBuf,
    why: &'static str,
    executable: Option<PathBuf>,
}

/// What the choice depends on.
pub(super) struct Question<'a> {
    /// `/` except in tests.
    pub(super) root: &'a Path,
    pub(super) project: &'a Path,
    /// `--python`.
    pub(super) asked: Option<&'a Path>,
    pub(super) environment: &'a BTreeMap<OsString, OsString>,
}

impl Question<'_> {
    fn variable(&self, name: &str) -> Option<PathBuf> {
        let value = self.environment.get(&OsString::from(name))?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    }
}

/// Records `python.*`, `<package>.version`, pins and what the wheels say.
pub(super) fn read(question: &Question<'_>, notes: &mut Notes) -> Python {
    let Some(choice) = choose(question) else {
        let why = match question.asked {
            Some(path) => format!("{} is not a Python interpreter or environment", path.display()),
            None => "no Python environment found (no virtual environment here, no python3 on PATH)".to_owned(),
        };
        for name in ["python.version", "torch.version", "torch.cuda", "torch.arch_list"] {
            notes.set_unknown(name, why.clone());
        }
        return Python::default();
    };
    notes.text("python.prefix", choice.prefix.display().to_string());
    notes.text("python.chosen_by", choice.why);
    let version = version_of(&choice);
    if let Some(version) = &version {
        notes.text("python.version", version.clone());
    }
    let sites = sites(&choice, version.as_deref(), question);
    let mut python = Python { packages: BTreeMap::new(), sites };
    for site in &python.sites {
        for (name, version) in packages::distributions(site) {
            python.packages.entry(name).or_insert(version);
        }
    }
    for site in &python.sites {
        wheel::read(site, notes);
    }
    packages::write(&python, notes);
    python
}

/// The environment: the one requested, the active one, the project's, conda's, the one on PATH.
fn choose(question: &Question<'_>) -> Option<Choice> {
    if let Some(asked) = question.asked {
        return of_path(asked, "--python");
    }
    let variables = [("VIRTUAL_ENV", "VIRTUAL_ENV"), ("UV_PROJECT_ENVIRONMENT", "UV_PROJECT_ENVIRONMENT")];
    for (variable, why) in variables {
        if let Some(prefix) = question.variable(variable).map(|path| question.project.join(path))
            && is_prefix(&prefix)
        {
            return Some(Choice { prefix, why, executable: None });
        }
    }
    const DEEPEST: usize = 6;
    for folder in question.project.ancestors().take(DEEPEST) {
        for name in [".venv", "venv", "env"] {
            let prefix = folder.join(name);
            if prefix.join("pyvenv.cfg").exists() {
                return Some(Choice { prefix, why: "the project's virtual environment", executable: None });
            }
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    if let Some(prefix) = question.variable("CONDA_PREFIX").filter(|prefix| is_prefix(prefix)) {
        return Some(Choice { prefix, why: "CONDA_PREFIX", executable: None });
    }
    let path = question.environment.get(&OsString::from("PATH"))?;
    std::env::split_paths(path).find_map(|folder| {
        ["python3", "python", "python.exe"].iter().find_map(|name| of_path(&folder.join(name), "PATH"))
    })
}

/// The environment that an interpreter or a folder belongs to.
fn of_path(path: &Path, why: &'static str) -> Option<Choice> {
    if path.is_dir() {
        return is_prefix(path).then(|| Choice { prefix: path.to_owned(), why, executable: None });
    }
    let is_interpreter = |name: &str| name.starts_with("python") || name.starts_with("pypy");
    if !path.is_file() || !path.file_name().and_then(|name| name.to_str()).is_some_and(is_interpreter) {
        return None;
    }
    // The unresolved path comes first: in a virtual environment the interpreter is a link to one outside.
    let outer = path.parent().and_then(Path::parent).filter(|prefix| prefix.join("pyvenv.cfg").exists());
    if let Some(prefix) = outer {
        return Some(Choice { prefix: prefix.to_owned(), why, executable: Some(path.to_owned()) });
    }
    let real = behind_shim(path).or_else(|| std::fs::canonicalize(path).ok())?;
    let prefix = real.parent()?.parent()?.to_owned();
    is_prefix(&prefix).then_some(Choice { prefix, why, executable: Some(real) })
}

/// The interpreter behind a pyenv shim, if pyenv's settings name one version.
fn behind_shim(path: &Path) -> Option<PathBuf> {
    let base = path.parent().filter(|folder| folder.ends_with("shims"))?.parent()?;
    let version = std::fs::read_to_string(base.join("version")).ok()?;
    let real = base.join("versions").join(version.lines().next()?.trim()).join("bin/python3");
    std::fs::canonicalize(real).ok()
}

fn is_prefix(path: &Path) -> bool {
    path.join("pyvenv.cfg").exists() || path.join("conda-meta").is_dir() || !lib_folders(path).is_empty()
}

/// `lib/python3.11` and similar folders inside a prefix, newest first.
fn lib_folders(prefix: &Path) -> Vec<(String, PathBuf)> {
    let mut folders: Vec<(u32, String, PathBuf)> = Vec::new();
    for lib in ["lib", "lib64"] {
        let Ok(entries) = std::fs::read_dir(prefix.join(lib)) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name();
            let Some(version) = name.to_str().and_then(|name| name.strip_prefix("python")) else { continue };
            let Some(minor) = version.strip_prefix("3.").and_then(|minor| minor.trim_end_matches('t').parse().ok())
            else {
                continue;
            };
            folders.push((minor, version.to_owned(), entry.path()));
        }
    }
    folders.sort_by_key(|(minor, _, _)| std::cmp::Reverse(*minor));
    folders.into_iter().map(|(_, version, path)| (version, path)).collect()
}

/// The version from `pyvenv.cfg`, conda's metadata, the interpreter's name, or the folder's name.
fn version_of(choice: &Choice) -> Option<String> {
    let settings = std::fs::read_to_string(choice.prefix.join("pyvenv.cfg")).unwrap_or_default();
    let set = |key: &str| {
        settings.lines().find_map(|line| {
            let (name, value) = line.split_once('=')?;
            (name.trim() == key).then(|| value.trim().to_owned())
        })
    };
    if let Some(version) = set("version").or_else(|| set("version_info")) {
        let parts: Vec<&str> = version.split('.').take(3).collect();
        return Some(parts.join("."));
    }
    if let Ok(records) = std::fs::read_dir(choice.prefix.join("conda-meta")) {
        let version = records.filter_map(Result::ok).find_map(|record| {
            let name = record.file_name().into_string().ok()?;
            let version = name.strip_prefix("python-")?.split('-').next()?.to_owned();
            version.starts_with(|first: char| first.is_ascii_digit()).then_some(version)
        });
        if version.is_some() {
            return version;
        }
    }
    // pyenv and uv keep each version in a folder of that name: 3.11.7, cpython-3.12.4-linux-x86_64-gnu.
    let folder = choice.prefix.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let full = folder.split('-').find(|part| part.starts_with("3.") && part.matches('.').count() == 2);
    if let Some(full) = full {
        return Some(full.to_owned());
    }
    let name = choice.executable.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    let named = name.and_then(|name| name.strip_prefix("python")).filter(|version| version.starts_with("3."));
    named.map(str::to_owned).or_else(|| lib_folders(&choice.prefix).into_iter().next().map(|(version, _)| version))
}

/// The folders that contain installed packages.
fn sites(choice: &Choice, version: Option<&str>, question: &Question<'_>) -> Vec<PathBuf> {
    let minor: Option<String> = version.map(|version| version.split('.').take(2).collect::<Vec<_>>().join("."));
    let settings = std::fs::read_to_string(choice.prefix.join("pyvenv.cfg")).unwrap_or_default();
    let is_venv = !settings.is_empty();
    let mut sites = Vec::new();
    for (folder_version, folder) in lib_folders(&choice.prefix) {
        if minor.as_deref().is_none_or(|minor| folder_version.trim_end_matches('t') == minor) {
            sites.extend([folder.join("site-packages"), folder.join("dist-packages")]);
        }
    }
    sites.push(choice.prefix.join("Lib").join("site-packages"));
    let system_too = settings.lines().any(|line| {
        line.split_once('=').is_some_and(|(name, value)| {
            name.trim() == "include-system-site-packages" && value.trim().eq_ignore_ascii_case("true")
        })
    });
    if !is_venv || system_too {
        if let (Some(home), Some(minor)) = (question.variable("HOME"), &minor)
            && question.variable("PYTHONNOUSERSITE").is_none()
        {
            sites.insert(0, home.join(format!(".local/lib/python{minor}/site-packages")));
        }
        let base = if system_too { base_of(&settings) } else { Some(choice.prefix.clone()) };
        if let (Some(base), Some(minor)) = (base, &minor) {
            sites.push(base.join(format!("lib/python{minor}/site-packages")));
            if base == question.root.join("usr") {
                sites.push(question.root.join(format!("usr/local/lib/python{minor}/dist-packages")));
                sites.push(question.root.join("usr/lib/python3/dist-packages"));
            }
        }
    }
    if let Some(extra) = question.environment.get(&OsString::from("PYTHONPATH")) {
        let extra: Vec<PathBuf> = std::env::split_paths(extra).filter(|path| path.is_absolute()).collect();
        sites.splice(0..0, extra);
    }
    let mut unique = Vec::new();
    for site in sites.into_iter().filter(|site| site.is_dir()) {
        let real = std::fs::canonicalize(&site).unwrap_or(site);
        if !unique.contains(&real) {
            unique.push(real);
        }
    }
    unique
}

/// The prefix of the interpreter that a virtual environment was created from.
fn base_of(settings: &str) -> Option<PathBuf> {
    let home = settings.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "home").then(|| PathBuf::from(value.trim()))
    })?;
    home.parent().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Machine {
        folder: tempfile::TempDir,
    }

    impl Machine {
        fn new(files: &[(&str, &str)]) -> Self {
            let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
            Self { folder: crate::machine::files::folder(&files) }
        }

        fn path(&self, path: &str) -> PathBuf {
            self.folder.path().join(path)
        }

        fn read(&self, asked: Option<&str>, variables: &[(&str, PathBuf)]) -> crate::facts::Facts {
            let environment =
                variables.iter().map(|(name, value)| (OsString::from(name), value.clone().into_os_string())).collect();
            let asked = asked.map(|path| self.path(path));
            let mut notes = Notes::default();
            let question = Question {
                root: self.folder.path(),
                project: &self.path("project"),
                asked: asked.as_deref(),
                environment: &environment,
            };
            read(&question, &mut notes);
            notes.facts
        }
    }

    const TORCH: &str = "lib/python3.11/site-packages/torch/version.py";

    fn venv(place: &str, version: &str) -> Vec<(String, String)> {
        let text = format!("__version__ = '{version}+cu128'\ncuda: Optional[str] = '12.8'\n");
        vec![
            (format!("{place}/pyvenv.cfg"), "home = /usr/bin\nversion_info = 3.11.7.final.0\n".to_owned()),
            (format!("{place}/{TORCH}"), text),
            (
                format!("{place}/lib/python3.11/site-packages/torch-{version}.dist-info/METADATA"),
                "Name: torch\nRequires-Dist: nvidia-cudnn-cu12==9.10.2.21; platform_system == \"Linux\"\n\
                 Requires-Dist: sympy>=1.13.3\n"
                    .to_owned(),
            ),
            (
                format!("{place}/lib/python3.11/site-packages/nvidia_cudnn_cu12-9.1.0.70.dist-info/METADATA"),
                String::new(),
            ),
        ]
    }

    fn machine(files: &[(String, String)]) -> Machine {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        Machine::new(&files)
    }

    #[test]
    fn the_projects_environment_and_its_broken_pin() {
        let machine = machine(&venv("project/.venv", "2.8.0"));
        let facts = machine.read(None, &[]);
        assert_eq!(facts.text("torch.version"), Some("2.8.0+cu128"));
        assert_eq!(facts.text("python.version"), Some("3.11.7"));
        let broken = facts.get("torch.broken_pins").map(|fact| format!("{:?}", fact.value)).unwrap_or_default();
        assert!(broken.contains("9.10.2.21 is required, but 9.1.0.70 is installed"), "{broken}");
        assert!(facts.why_unknown("jax.version").is_some());
    }

    #[test]
    fn the_active_one_wins_and_the_one_asked_for_wins_over_it() {
        let mut files = venv("project/.venv", "2.8.0");
        files.extend(venv("other", "2.6.0"));
        files.extend(venv("third", "2.5.1"));
        let machine = machine(&files);
        let active = [("VIRTUAL_ENV", machine.path("other"))];
        assert_eq!(machine.read(None, &active).text("torch.version"), Some("2.6.0+cu128"));
        assert_eq!(machine.read(Some("third"), &active).text("torch.version"), Some("2.5.1+cu128"));
    }

    #[test]
    fn a_file_beside_the_libraries_is_no_interpreter() {
        let machine = Machine::new(&[("etc/passwd", ""), ("lib/python3.11/os.py", "")]);
        let facts = machine.read(Some("etc/passwd"), &[]);
        assert!(facts.why_unknown("python.version").is_some_and(|why| why.contains("is not a Python interpreter")));
    }

    #[test]
    fn conda_and_plain_interpreters() {
        let machine = Machine::new(&[
            ("conda/conda-meta/python-3.10.14-h955ad1f_1.json", "{}"),
            ("conda/lib/python3.10/site-packages/jaxlib-0.4.30.dist-info/METADATA", ""),
            ("usr/bin/python3.12", ""),
            ("usr/lib/python3.12/os.py", ""),
            ("usr/lib/python3/dist-packages/numpy-1.26.4.dist-info/METADATA", ""),
        ]);
        let facts = machine.read(None, &[("CONDA_PREFIX", machine.path("conda"))]);
        assert_eq!(facts.text("python.version"), Some("3.10.14"));
        assert_eq!(facts.text("jaxlib.version"), Some("0.4.30"));
        let facts = machine.read(Some("usr/bin/python3.12"), &[]);
        assert_eq!(facts.text("python.version"), Some("3.12"));
        assert_eq!(facts.text("numpy.version"), Some("1.26.4"));
    }

    #[test]
    fn nothing_there_is_a_reason() {
        let machine = Machine::new(&[]);
        assert!(machine.read(None, &[]).why_unknown("torch.version").is_some_and(|why| why.contains("no Python")));
        let facts = machine.read(Some("nowhere"), &[]);
        assert!(facts.why_unknown("python.version").is_some_and(|why| why.contains("nowhere")));
    }
}
