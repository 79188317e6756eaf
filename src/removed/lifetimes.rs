//! Which releases of a package have which names: `kb/lifetimes.csv`, computed from the released wheels.
//!
//! There are tens of thousands of them, so nothing is decoded: `build.rs` writes the table as lines in the order of the
//! last part of the name, and a question finds its lines by searching.

use memchr::memmem;

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
    let leaf = missing.name.rsplit('.').next()?;
    named(leaf, missing.kind).find(|known| known.is_meant(missing, &near))
}

fn named(leaf: &str, kind: Kind) -> impl Iterator<Item = Lifetime> {
    let start = format!("\n{leaf}\t{}\t", kind.word());
    let first = memmem::find(LINES.as_bytes(), start.as_bytes()).map_or(LINES.len(), |at| at + 1);
    LINES[first..].lines().take_while(move |line| line.starts_with(&start[1..])).filter_map(read)
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
        let below = |path: &'_ str| {
            let (root, rest) = path.split_once('.').unwrap_or((path, ""));
            (super::root_of(root) == self.package).then(|| rest.to_owned())
        };
        match missing.kind {
            Kind::Module => {
                let name =
                    if self.owner.is_empty() { self.leaf.to_owned() } else { format!("{}.{}", self.owner, self.leaf) };
                below(missing.name).is_some_and(|path| path == name)
            }
            Kind::Import => below(missing.owner)
                .is_some_and(|path| path == self.owner || path.starts_with(self.owner) && is_within(&path, self.owner)),
            Kind::Attribute | Kind::Argument => {
                let named = missing.owner.rsplit('.').next().is_some_and(|owner| owner == self.owner);
                (named || missing.owner.is_empty() && near(self.owner)) && near(self.package)
            }
        }
    }
}

/// Whether a module lies below a package, which exports its names too.
fn is_within(path: &str, package: &str) -> bool {
    package.is_empty() || path[package.len()..].starts_with('.')
}
