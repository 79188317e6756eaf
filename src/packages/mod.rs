//! The catalogue of packages (`kb/packages.csv`): software whose version is a fact, by every name it has.
//!
//! Log lines, listings, people's reports and the installed environment are all read with it, so that a package or a
//! spelling is one row of data.

mod imports;
pub mod source;

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use crate::literals::Literals;
pub(crate) use imports::distribution;
pub use source::{Kind, Package};

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/packages.postcard"));

/// The catalogue.
#[derive(Debug)]
pub struct Packages {
    rows: Vec<Row>,
    spellings: OnceLock<Spellings>,
}

pub(crate) type Row = Package<std::borrow::Cow<'static, str>>;

/// All spellings.
#[derive(Debug)]
struct Spellings {
    literals: Literals<'static>,
    /// The row of each of them.
    rows: Vec<usize>,
}

/// The built-in catalogue, decoded on the first call.
pub fn builtin() -> &'static Packages {
    static PACKAGES: LazyLock<Packages> = LazyLock::new(|| {
        let rows: Vec<Package<&'static str>> = postcard::from_bytes(BYTES).expect("the same build wrote these bytes");
        Packages::new(rows.into_iter().map(|row| row.map(std::borrow::Cow::Borrowed)).collect())
    });
    &PACKAGES
}

impl Packages {
    fn new(rows: Vec<Row>) -> Self {
        Self { rows, spellings: OnceLock::new() }
    }

    /// A catalogue from the text of a `packages.csv`; broken rows are left out.
    #[cfg(test)]
    pub(crate) fn from_csv(text: &str) -> Self {
        Self::new(source::read(text).0.into_iter().map(|row| row.map(std::borrow::Cow::Owned)).collect())
    }

    /// All rows in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }

    /// The package with that name in a listing of pip or conda.
    pub(crate) fn by_distribution(&self, name: &str) -> Option<&Row> {
        let name = normalised(name);
        self.rows.iter().find(|row| row.distributions().any(|pattern| fits(pattern, &name)))
    }

    /// The package that Python code imports under that name.
    pub(crate) fn by_import(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| names(&row.imports).any(|import| import == name))
    }

    /// The name that pip knows for an imported module; the module's own where neither the catalogue nor `kb/imports.csv` has one.
    pub(crate) fn pip_name<'m>(&'m self, module: &'m str) -> &'m str {
        let row = self.by_import(module);
        let named = row.and_then(|row| row.distributions().find(|name| !name.contains('*')));
        named.or_else(|| distribution(module)).unwrap_or(module)
    }

    /// The package that a label names, with or without "version": `PyTorch`, `cuDNN version`, `드라이버`.
    pub(crate) fn by_label(&self, label: &str) -> Option<&Row> {
        let label = label.to_lowercase();
        let plain = label.replace(" version", "").replace("version ", "");
        let same = |name: &str| {
            let name = name.to_lowercase();
            name == label || name == plain || name.replace(['-', '_', '.'], " ") == plain
        };
        self.rows.iter().find(|row| names(&row.spellings).chain(names(&row.labels)).any(same))
    }

    /// Every spelling in a text, the longest of several at one place, with the row and where the spelling is.
    pub(crate) fn spelled(&self, text: &str) -> impl Iterator<Item = (&Row, Range<usize>)> {
        let spellings = self.spellings.get_or_init(|| Spellings::new(&self.rows));
        let mut found: Vec<(Range<usize>, usize)> = Vec::new();
        spellings.literals.find(text, |number, place| found.push((place, spellings.rows[number])));
        found.sort_by_key(|(place, _)| (place.start, Reverse(place.end)));
        let mut end = 0;
        found.retain(|(place, _)| {
            let apart = place.start >= end;
            end = if apart { place.end } else { end };
            apart
        });
        found.into_iter().filter_map(|(place, row)| Some((self.rows.get(row)?, place)))
    }
}

impl Spellings {
    fn new(rows: &[Row]) -> Self {
        let named =
            || rows.iter().enumerate().flat_map(|(row, package)| names(&package.spellings).map(move |n| (row, n)));
        let literals = Literals::ignoring_case(named().map(|(_, name)| name));
        Self { literals, rows: named().map(|(row, _)| row).collect() }
    }
}

impl<S: AsRef<str>> Package<S> {
    /// The first part of the fact's name: `torch`.
    pub fn group(&self) -> &str {
        self.fact.as_ref().split('.').next().unwrap_or_default()
    }

    /// Names in listings of package managers; a final `*` matches any ending.
    pub fn distributions(&self) -> impl Iterator<Item = &str> {
        names(self.distributions.as_ref())
    }

    /// What only the running package leaves in a line.
    pub(crate) fn traces(&self) -> impl Iterator<Item = &str> {
        names(self.traces.as_ref())
    }

    /// Whether it belongs to the Python environment.
    pub(crate) fn is_python(&self) -> bool {
        matches!(self.kind, Kind::Framework | Kind::Python)
    }

    fn map<T>(self, change: impl Fn(S) -> T) -> Package<T> {
        Package {
            fact: change(self.fact),
            kind: self.kind,
            imports: change(self.imports),
            distributions: change(self.distributions),
            spellings: change(self.spellings),
            labels: change(self.labels),
            traces: change(self.traces),
        }
    }
}

/// Whether a distribution's normalised name is the one of the catalogue.
pub fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// A distribution's name as the catalogue spells it.
pub(crate) fn normalised(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// The names in a field.
fn names(field: &str) -> impl Iterator<Item = &str> {
    field.split('|').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts;

    #[test]
    fn packages_are_found_by_all_their_names() {
        let packages = builtin();
        let fact = |row: Option<&Row>| row.map(|row| row.fact.to_string());
        for (name, expected) in [
            ("Torch", Some("torch.version")),
            ("tf_nightly", Some("tensorflow.version")),
            ("nvidia-cudnn-cu12", Some("cudnn.version")),
            ("cupy-cuda12x", Some("cupy.version")),
            ("flash_attn", Some("flash_attn.version")),
            ("torch-geometric", Some("torch_geometric.version")),
            ("torch-scatter", None),
        ] {
            assert_eq!(fact(packages.by_distribution(name)).as_deref(), expected, "{name}");
        }
        for (label, expected) in [
            ("PyTorch version", Some("torch.version")),
            ("파이토치", Some("torch.version")),
            ("nvidia driver version", Some("driver.version")),
            ("onnx runtime", Some("onnxruntime.version")),
            ("pl", Some("lightning.version")),
            ("author", None),
        ] {
            assert_eq!(fact(packages.by_label(label)).as_deref(), expected, "{label}");
        }
        assert_eq!(fact(packages.by_import("tf")).as_deref(), Some("tensorflow.version"));
        let found: Vec<String> = packages
            .spelled("CUDA used to build PyTorch: 12.8, torch 2")
            .map(|(row, _)| row.fact.to_string())
            .collect();
        assert_eq!(found, ["torch.cuda", "torch.version"]);
    }

    #[test]
    fn the_registry_of_facts_has_the_same_packages() {
        for row in builtin().iter() {
            assert!(facts::describe(&row.fact).is_some(), "{} is not in kb/facts.toml", row.fact);
        }
        // The toolkit on disk is known by its path and its compiler, not by a name before a version.
        for package in facts::packages().filter(|package| *package != "toolkit") {
            assert!(builtin().iter().any(|row| row.group() == package), "{package} is not in kb/packages.csv");
        }
    }

    #[test]
    fn every_name_belongs_to_one_package() {
        let (rows, broken) = source::read(include_str!("../../kb/packages.csv"));
        assert!(broken.is_empty(), "{broken:?}");
        let mut seen: Vec<(usize, String)> = Vec::new();
        for row in &rows {
            for (column, field) in
                [&row.imports, &row.distributions, &row.spellings, &row.labels].into_iter().enumerate()
            {
                for name in names(field) {
                    let name = (column, name.to_owned());
                    assert!(!seen.contains(&name), "{name:?} is there twice");
                    assert!(
                        column != 1 || name.1 == normalised(&name.1),
                        "{name:?} is spelled {}",
                        normalised(&name.1)
                    );
                    seen.push(name);
                }
            }
        }
        // A marker must not be part of many ordinary words.
        assert!(source::marks(&rows).iter().all(|mark| mark.len() > 2), "{:?}", source::marks(&rows));
    }
}
