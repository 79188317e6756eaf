//! Which releases of a package have which names: `kb/lifetimes.csv`, computed from the released wheels.
//!
//! There are tens of thousands of them, so nothing is decoded: `build.rs` writes the table as lines in the order of the
//! last part of the name, and a question finds its lines by searching.

use super::form::Missing;
use super::source::Kind;

/// A line is the last part of the name, its kind, the package, the path before the last part, the first release with it,
/// the first without it, and the distribution, separated by tabs. A newline begins and ends the text.
static LINES: &str = include_str!(concat!(env!("OUT_DIR"), "/lifetimes.txt"));

/// A name that came or went between two releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lifetime {
    /// The top-level module.
    pub package: &'static str,
    /// What the name belongs to, below the package: a module's path, a class, a function; empty for the package itself.
    pub owner: &'static str,
    /// The name itself.
    pub leaf: &'static str,
    /// The first release with the name; empty if it was there from the beginning.
    pub since: &'static str,
    /// The first release without it; empty if none.
    pub removed_in: &'static str,
    /// As pip names the package.
    pub distribution: &'static str,
}

impl Lifetime {
    /// The releases that have the name, as pip takes them.
    pub(super) fn pin(&self) -> String {
        let since = if self.since.is_empty() { String::new() } else { format!(">={}", self.since) };
        let end = if self.removed_in.is_empty() { String::new() } else { format!("<{}", self.removed_in) };
        let both = if since.is_empty() || end.is_empty() { "" } else { "," };
        format!("{}{since}{both}{end}", self.distribution)
    }
}

/// The name that a line reports. `near` tells whether a word is in the lines around, which must hold what the line
/// itself does not name.
pub(super) fn of(missing: &Missing<'_>, near: impl Fn(&str) -> bool) -> Option<Lifetime> {
    if missing.kind == Kind::Module {
        // A module is gone with the package that held it.
        let (root, path) = missing.name.split_once('.')?;
        let ends: Vec<usize> = path.match_indices('.').map(|(at, _)| at).chain([path.len()]).collect();
        return ends.into_iter().rev().map(|end| &path[..end]).find_map(|path| {
            let (owner, leaf) = path.rsplit_once('.').unwrap_or(("", path));
            named(leaf, Kind::Module).find(|known| known.package == super::root_of(root) && known.owner == owner)
        });
    }
    // A module is imported from its package like any other name.
    let modules = (missing.kind == Kind::Import).then(|| named(missing.name, Kind::Module));
    let known = || named(missing.name, missing.kind);
    known()
        .chain(modules.into_iter().flatten())
        .find(|known| known.is_meant(missing, &near))
        .or_else(|| only_one(known().filter(|known| known.is_telling() && known.has_owner(missing, &near))))
}

/// The name where no two packages have it.
fn only_one(mut known: impl Iterator<Item = Lifetime>) -> Option<Lifetime> {
    let first = known.next()?;
    known.all(|other| other.package == first.package).then_some(first)
}

fn named(leaf: &str, kind: Kind) -> impl Iterator<Item = Lifetime> {
    let start = format!("{leaf}\t{}\t", kind.word());
    let first = first_from(start.as_bytes());
    LINES[first..].lines().take_while(move |line| line.starts_with(&start)).filter_map(read)
}

/// Where the first line begins that is not before `start` in the order of the lines.
fn first_from(start: &[u8]) -> usize {
    let bytes = LINES.as_bytes();
    // All lines before `low` come before `start`, and none from `high` on does.
    let (mut low, mut high) = (1, bytes.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let line = memchr::memrchr(b'\n', &bytes[..middle]).map_or(low, |end| end + 1).max(low);
        let next = memchr::memchr(b'\n', &bytes[middle..]).map_or(bytes.len(), |end| middle + end + 1);
        if &bytes[line..next] < start { low = next } else { high = line }
    }
    low
}

fn read(line: &'static str) -> Option<Lifetime> {
    let mut cells = line.split('\t');
    let (leaf, _) = (cells.next()?, cells.next()?);
    let mut next = || cells.next();
    let (package, owner) = (next()?, next()?);
    Some(Lifetime { package, owner, leaf, since: next()?, removed_in: next()?, distribution: next()? })
}

impl Lifetime {
    fn is_meant(&self, missing: &Missing<'_>, near: &impl Fn(&str) -> bool) -> bool {
        match missing.kind {
            Kind::Module => false,
            Kind::Import => {
                let (root, path) = missing.owner.split_once('.').unwrap_or((missing.owner, ""));
                super::root_of(root) == self.package && path.starts_with(self.owner) && is_within(path, self.owner)
            }
            Kind::Attribute | Kind::Argument => self.has_owner(missing, near) && near(self.package),
        }
    }

    fn has_owner(&self, missing: &Missing<'_>, near: &impl Fn(&str) -> bool) -> bool {
        let named = missing.owner.rsplit('.').next().is_some_and(|owner| owner == self.owner);
        named || missing.owner.is_empty() && near(self.owner)
    }

    /// Whether no other program is likely to have an argument of that name of a class or function of that name:
    /// `every_n_epochs` of `ModelCheckpoint`.
    fn is_telling(&self) -> bool {
        const LONG: usize = 8;
        self.owner.len() >= LONG && self.leaf.contains('_')
    }
}

/// Whether a module is that package or lies below it, for the package exports its names too.
fn is_within(path: &str, package: &str) -> bool {
    package.is_empty() || matches!(path.as_bytes().get(package.len()), None | Some(b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin(line: &str, around: &str) -> Option<String> {
        of(&Missing::of(line)?, |word| around.contains(word)).map(|known| known.pin())
    }

    #[test]
    fn names_that_came_and_went() {
        for (line, around, expected) in [
            (
                "Trainer.__init__() got an unexpected keyword argument 'distributed_backend'",
                "import pytorch_lightning as pl",
                "pytorch-lightning<1.5",
            ),
            (
                "ModelCheckpoint.__init__() got an unexpected keyword argument 'every_n_epochs'",
                "import mine",
                "pytorch-lightning>=1.4",
            ),
            (
                "__init__() got an unexpected keyword argument 'every_n_epochs'",
                "checkpoint = ModelCheckpoint(every_n_epochs=1)",
                "pytorch-lightning>=1.4",
            ),
            ("cannot import name 'FluxPipeline' from 'diffusers' (/x)", "", "diffusers>=0.30"),
            ("module 'mmdet.core' has no attribute 'Fp16OptimizerHook'", "", "mmdet<2.10"),
            ("module 'np' has no attribute 'Tester'", "", "numpy<1.22"),
            ("No module named 'keras.src.engine.base_layer'", "", "keras>=2.13,<3.0"),
            ("cannot import name 'wrappers' from 'gensim.models' (/x)", "", "gensim<4.0"),
            ("module 'werkzeug.urls' has no attribute 'url_encode'", "", "werkzeug<3.0"),
        ] {
            assert_eq!(pin(line, around).as_deref(), Some(expected), "{line}");
        }
        for (line, around) in [
            // Another program's class of the same name, and a package that is not the one of the table.
            ("Trainer.__init__() got an unexpected keyword argument 'distributed_backend'", "import mine"),
            ("cannot import name 'FluxPipeline' from 'mine' (/x)", "diffusers"),
            ("No module named 'keras'", ""),
            ("cannot import name 'NeverThere' from 'diffusers' (/x)", ""),
        ] {
            assert_eq!(pin(line, around), None, "{line}");
        }
    }

    #[test]
    fn every_line_is_found() {
        for line in LINES.lines().skip(1).step_by(997).chain(LINES.lines().skip(1).take(2)).chain(LINES.lines().last())
        {
            assert_eq!(LINES[first_from(line.as_bytes())..].lines().next(), Some(line));
        }
        assert_eq!(first_from(b"\x7f"), LINES.len());
    }

    #[test]
    fn rows_are_versions_and_come_once() {
        let mut seen = std::collections::HashSet::new();
        for line in LINES.lines().skip(1) {
            let known = read(line).expect(line);
            let is_version = |text: &str| text.split('.').all(|part| part.parse::<u32>().is_ok());
            assert!(!known.since.is_empty() || !known.removed_in.is_empty(), "{line}");
            assert!([known.since, known.removed_in].iter().all(|text| text.is_empty() || is_version(text)), "{line}");
            let kind = line.split('\t').nth(1);
            assert!(seen.insert((known.package, known.owner, known.leaf, kind)), "{line} is there twice");
        }
    }
}
