//! Names that a package removed, renamed or does not have yet, and the errors that report them: a table with what to use
//! instead (`kb/removed.csv`), and one that is computed from the released wheels (`kb/lifetimes.csv`).
//!
//! Only names of known packages count: a missing name of the user's own module is no matter of versions.

mod form;
mod lifetimes;
pub mod source;

use std::sync::LazyLock;

use crate::packages;
pub(crate) use form::Missing;
use lifetimes::Lifetime;
pub use source::{Kind, Row};

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/removed.postcard"));

/// The table, decoded on the first call.
pub fn builtin() -> &'static [Row<&'static str>] {
    static ROWS: LazyLock<Vec<Row<&'static str>>> =
        LazyLock::new(|| postcard::from_bytes(BYTES).expect("the same build wrote these bytes"));
    &ROWS
}

/// A missing name of a known package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known<'t> {
    /// The top-level module.
    pub package: &'t str,
    /// The missing name as the line gives it; the table's where the package's own sentence does not.
    pub name: &'t str,
    /// What it is.
    pub kind: Kind,
    /// Which releases have the name, where the tables tell.
    pub change: Option<Change>,
}

/// Which releases have a name, and what to use instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// As pip names the package; `Python` for the standard library.
    pub distribution: &'static str,
    /// The first release without the name; empty if none.
    pub removed_in: &'static str,
    /// The first release with it; empty if it was there from the beginning.
    pub since: &'static str,
    /// What to use instead, as markdown; may be empty.
    pub replacement: &'static str,
    /// Software that is known to use the name; may be empty.
    pub users: &'static str,
    /// The releases that have it, as pip takes them.
    pub pin: String,
    /// The version of Python to use, where its own library lost or gained the name.
    pub python: Option<String>,
}

impl From<&Row<&'static str>> for Change {
    fn from(row: &Row<&'static str>) -> Self {
        let Row { removed_in, since, replacement, users, .. } = *row;
        let (distribution, pin, python) = (row.distribution(), row.pin.to_owned(), row.python());
        Self { distribution, removed_in, since, replacement, users, pin, python }
    }
}

impl From<Lifetime> for Change {
    fn from(known: Lifetime) -> Self {
        let Lifetime { distribution, removed_in, .. } = known;
        // Of a name that came and went, code that is too old for the package is the usual asker.
        let since = if removed_in.is_empty() { known.since } else { "" };
        Self { distribution, removed_in, since, replacement: "", users: "", pin: known.pin(), python: None }
    }
}

/// What a line says is missing from a known package. `near` tells whether a word is in the lines around: some forms name
/// no package.
pub(crate) fn known<'t>(line: &'t str, near: impl Fn(&str) -> bool) -> Option<Known<'t>> {
    let told = builtin().iter().find(|row| !row.message.is_empty() && line.contains(row.message));
    if let Some(row) = told {
        return Some(Known { package: row.package, name: row.leaf(), kind: row.kind, change: Some(row.into()) });
    }
    let missing = Missing::of(line)?;
    let rows: Vec<_> = builtin().iter().filter(|row| row.describes(&missing)).collect();
    let row = match (rows.as_slice(), missing.names_owner()) {
        ([row], true) => Some(*row),
        (rows, named) => {
            let nearest = rows.iter().find(|row| near(row.package) || row.owner().is_some_and(&near));
            nearest.or(rows.first().filter(|_| named)).copied()
        }
    };
    let lifetime = if row.is_none() { lifetimes::of(&missing, &near) } else { None };
    let package = match (row, lifetime, missing.root()) {
        (Some(row), ..) => row.package,
        (None, Some(known), _) => known.package,
        (None, None, Some(root)) => root,
        (None, None, None) => return None,
    };
    let change = row.map(Change::from).or(lifetime.map(Change::from));
    Some(Known { package, name: missing.name, kind: missing.kind, change })
}

/// The package behind the name under which it is usually imported.
fn root_of(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, package)| package)
}

impl Missing<'_> {
    /// Whether the line names the package, the class or the function.
    fn names_owner(&self) -> bool {
        !self.owner.is_empty() || self.kind == Kind::Module
    }
}

impl<'t> Missing<'t> {
    /// The known package that the line itself names; a package that is not installed at all lacks no name.
    fn root(&self) -> Option<&'t str> {
        let path = match self.kind {
            Kind::Import => self.owner,
            Kind::Module => self.name.contains('.').then_some(self.name)?,
            Kind::Attribute | Kind::Argument => return None,
        };
        let root = path.split('.').next()?;
        let listed = || builtin().iter().any(|row| row.package == root);
        (packages::builtin().by_import(root).is_some() || listed()).then_some(root)
    }
}

impl Row<&'static str> {
    /// The name itself, without what it belongs to; a module's whole path below its package.
    fn leaf(&self) -> &'static str {
        match self.kind {
            Kind::Module => self.name,
            _ => self.name.rsplit('.').next().unwrap_or(self.name),
        }
    }

    /// The module, class or function that the name belongs to.
    fn owner(&self) -> Option<&'static str> {
        let (path, _) = self.name.rsplit_once('.')?;
        path.rsplit('.').next()
    }

    /// Whether a line reports this name.
    fn describes(&self, missing: &Missing<'_>) -> bool {
        let below = |path: &str| match path.split_once('.') {
            Some((root, below)) => (root == self.package).then(|| below.to_owned()),
            None => (path == self.package).then(String::new),
        };
        match (self.kind, missing.kind) {
            (Kind::Module, Kind::Module) if self.name == self.package => {
                missing.name.split('.').next() == Some(self.name)
            }
            (Kind::Module, Kind::Module) => {
                let Some(path) = below(missing.name) else { return false };
                path.strip_prefix(self.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
            (Kind::Module | Kind::Import, Kind::Import) => {
                let leaf = self.name.rsplit('.').next();
                let same_package = missing.owner.is_empty()
                    || ALIASES.contains(&(missing.owner, self.package))
                    || below(missing.owner).is_some();
                same_package && leaf == Some(missing.name)
            }
            (Kind::Attribute, Kind::Attribute) | (Kind::Argument, Kind::Argument) => {
                let owner = missing.owner.rsplit('.').next().unwrap_or_default();
                self.leaf() == missing.name && (owner.is_empty() || self.owner() == Some(owner))
            }
            _ => false,
        }
    }

    /// The distribution that has the name: `pillow`; `Python` for the standard library.
    pub(crate) fn distribution(&self) -> &'static str {
        match self.pin.split(['<', '>', '=', '!', '~']).next() {
            Some("python") => "Python",
            Some("") | None => self.package,
            Some(name) => name,
        }
    }

    /// The Python version to use where the standard library lost or gained the name: the last before, or the first with it.
    pub(crate) fn python(&self) -> Option<String> {
        let range = self.pin.strip_prefix("python")?;
        let Some(end) = range.strip_prefix('<') else { return Some(range.trim_start_matches(">=").to_owned()) };
        let (major, minor) = end.split_once('.')?;
        Some(format!("{major}.{}", minor.parse::<u32>().ok()?.checked_sub(1)?))
    }
}

/// The names under which packages are usually imported, as their own messages print them.
const ALIASES: [(&str, &str); 4] = [("np", "numpy"), ("pd", "pandas"), ("tf", "tensorflow"), ("plt", "matplotlib")];

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str, around: &str) -> Option<(String, String)> {
        let known = known(line, |word| around.contains(word))?;
        Some((known.package.to_owned(), known.change.map(|change| change.pin).unwrap_or_default()))
    }

    #[test]
    fn names_of_known_packages() {
        for (line, package, pin) in [
            (
                "cannot import name 'cached_download' from 'huggingface_hub' (/x)",
                "huggingface_hub",
                "huggingface_hub<0.26",
            ),
            ("cannot import name 'HfFolder' from 'huggingface_hub.hf_api'", "huggingface_hub", "huggingface_hub<1.0"),
            ("cannot import name 'functional_tensor' from 'torchvision.transforms'", "torchvision", "torchvision<0.17"),
            ("module 'numpy' has no attribute 'bool'.", "numpy", "numpy<1.24"),
            ("`np.Inf` was removed in the NumPy 2.0 release. Use `np.inf` instead.", "numpy", "numpy<2.0"),
            ("module 'PIL.Image' has no attribute 'ANTIALIAS'", "PIL", "pillow<10.0"),
            (
                "Trainer.__init__() got an unexpected keyword argument 'gpus'",
                "pytorch_lightning",
                "pytorch-lightning<2.0",
            ),
            ("No module named 'torch._six'", "torch", "torch<2.0"),
            ("No module named 'torchtext.legacy.data'", "torchtext", "torchtext>=0.9,<0.12"),
            ("cannot import name 'builder' from 'google.protobuf.internal'", "google", "protobuf>=3.20"),
            ("No module named 'keras.engine.topology'", "keras", "keras<2.13"),
            ("No module named 'pkg_resources'", "pkg_resources", "setuptools<82"),
            ("No module named 'distutils.core'", "distutils", "python<3.12"),
            ("cannot import name 'Mapping' from 'collections'", "collections", "python<3.10"),
            ("'DynamicCache' object has no attribute 'seen_tokens'", "transformers", "transformers<4.54"),
            ("Dataset scripts are no longer supported, but found a.py", "datasets", "datasets<4.0"),
            // Not in the table, of a package that the catalogue knows.
            ("cannot import name 'is_nowhere' from 'transformers.utils'", "transformers", ""),
            ("No module named 'transformers.nowhere'", "transformers", ""),
        ] {
            assert_eq!(found(line, ""), Some((package.to_owned(), pin.to_owned())), "{line}");
        }
        for line in [
            "cannot import name 'HfFolder' from 'utils'",
            "module 'config' has no attribute 'bool'",
            "'NoneType' object has no attribute 'shape'",
            "'Net' object has no attribute 'seen_tokens'",
            "Net.__init__() got an unexpected keyword argument 'gpus'",
            // Not installed, which is another matter.
            "No module named 'torch'",
            "No module named 'utils.torch'",
            // Modules of one's own, named like those that packages removed.
            "No module named 'tasks'",
            "No module named 'legacy.data'",
        ] {
            assert_eq!(found(line, "numpy transformers"), None, "{line}");
        }
    }

    #[test]
    fn old_pythons_name_no_class() {
        let line = "TypeError: __init__() got an unexpected keyword argument 'eval_strategy'";
        assert_eq!(found(line, ""), None);
        let pin = found(line, "args = TrainingArguments(").map(|(_, pin)| pin);
        assert_eq!(pin.as_deref(), Some("transformers>=4.41"));
    }

    #[test]
    fn rows_hold_together() {
        let (rows, broken) = source::read(include_str!("../../kb/removed.csv"));
        assert!(broken.is_empty(), "{broken:?}");
        let mut seen = std::collections::BTreeSet::new();
        for row in &rows {
            let name = format!("{}.{} ({})", row.package, row.name, row.kind.word());
            let bound =
                if row.removed_in.is_empty() { format!(">={}", row.since) } else { format!("<{}", row.removed_in) };
            assert!(row.pin.ends_with(&bound) && bound.len() > 2, "{name}: {} is not {bound}", row.pin);
            assert!(row.source.starts_with("https://"), "{name} has no source");
            assert!(seen.insert(name.clone()), "{name} is there twice");
        }
    }

    #[test]
    fn python_of_the_standard_library() {
        let python = |name| builtin().iter().find(|row| row.name == name).and_then(Row::python);
        assert_eq!(python("distutils").as_deref(), Some("3.11"));
        assert_eq!(python("StrEnum").as_deref(), Some("3.11"));
        assert_eq!(python("bool"), None);
    }
}
