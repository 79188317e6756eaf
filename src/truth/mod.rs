//! What the book names and where a machine found it (`kb/truth.csv`, written by `tests/truth/check.py`). Only `check` and
//! `show` ask for it.

mod names;
pub mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

pub use names::{Printed, printed};
pub use source::{Kind, Row, Verdict};

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/truth.postcard"));

/// How many packages the line of a page names.
const SHOWN: usize = 3;

/// The table by name.
pub struct Truth<'t> {
    rows: BTreeMap<&'t str, Vec<Row<&'t str>>>,
    roots: BTreeSet<&'t str>,
}

/// The table, decoded on the first call.
pub fn builtin() -> &'static Truth<'static> {
    static TRUTH: LazyLock<Truth<'static>> =
        LazyLock::new(|| Truth::new(postcard::from_bytes(BYTES).expect("the same build wrote these bytes")));
    &TRUTH
}

impl<'t> Truth<'t> {
    fn new(table: Vec<Row<&'t str>>) -> Self {
        let mut rows: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut roots = BTreeSet::new();
        for row in table {
            roots.extend(row.name.split('.').next().filter(|_| row.kind == Kind::Attribute));
            rows.entry(row.name).or_default().push(row);
        }
        Self { rows, roots }
    }

    /// A table that was read from text.
    #[cfg(test)]
    pub(crate) fn of(rows: &'t [Row<String>]) -> Self {
        let borrowed = |row: &'t Row<String>| Row {
            name: row.name.as_str(),
            kind: row.kind,
            owner: row.owner.as_str(),
            first: row.first.as_str(),
            last: row.last.as_str(),
            date: row.date.as_str(),
            verdict: row.verdict,
            note: row.note.as_str(),
        };
        Self::new(rows.iter().map(borrowed).collect())
    }

    /// The rows of a name.
    pub fn rows(&self, name: &str) -> &[Row<&'t str>] {
        self.rows.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether the table should have this name: a dotted name counts if its first word is a package of the table.
    pub fn covers(&self, kind: Kind, name: &str) -> bool {
        kind != Kind::Attribute || name.split('.').next().is_some_and(|root| self.roots.contains(root))
    }

    /// The names that surely do not exist, under every program that has a row for them.
    pub fn missing(&self) -> impl Iterator<Item = &'t str> {
        let missing = self.rows.iter().filter(|(_, rows)| rows.iter().all(|row| row.verdict == Verdict::Missing));
        missing.map(|(name, _)| *name)
    }

    /// What the names of a page were looked up in: `torch 2.15, vllm 0.33; 2026-11`, the packages with most of its names first.
    /// `None` if no package was.
    pub fn checked(&self, body: &str) -> Option<String> {
        let mut packages: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
        let mut month = "";
        let names: BTreeSet<(Kind, &str)> =
            printed(body, 0).into_iter().filter_map(|found| Some((found.kind, body.get(found.range)?))).collect();
        for (kind, name) in names {
            let rows = self.rows(name).iter().filter(|row| row.kind == kind && row.verdict == Verdict::Exists);
            let Some(row) = rows.filter(|row| !row.owner.starts_with("deb:")).min_by_key(|row| row.owner) else {
                continue;
            };
            packages.entry(row.owner).or_insert((0, row.last)).0 += 1;
            month = month.max(row.date);
        }
        let mut packages: Vec<_> = packages.into_iter().collect();
        packages.sort_by_key(|(owner, (count, _))| (std::cmp::Reverse(*count), *owner));
        let shown: Vec<String> =
            packages.iter().take(SHOWN).map(|(owner, (_, version))| format!("{owner} {}", short(version))).collect();
        (!shown.is_empty()).then(|| format!("{}, {month}", shown.join(", ")))
    }
}

/// The first two numbers of a version.
fn short(version: &str) -> &str {
    version.match_indices('.').nth(1).map_or(version, |(at, _)| &version[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(
        name: &'static str,
        kind: Kind,
        owner: &'static str,
        last: &'static str,
        verdict: Verdict,
    ) -> Row<&'static str> {
        Row { name, kind, owner, first: "1.0", last, date: "2026-11", verdict, note: "" }
    }

    #[test]
    fn a_page_tells_what_its_names_were_looked_up_in() {
        let rows = vec![
            row("NCCL_DEBUG", Kind::Variable, "nvidia-nccl-cu13", "2.32.3", Verdict::Exists),
            row("torch.cuda.init", Kind::Attribute, "torch", "2.15.0", Verdict::Exists),
            row("torch.load", Kind::Attribute, "torch", "2.15.0", Verdict::Exists),
            row("torch.gone", Kind::Attribute, "torch", "2.1", Verdict::Gone),
            row("--gpus", Kind::Flag, "deb:docker-cli", "28.5", Verdict::Exists),
        ];
        let truth = Truth::new(rows);
        let body = "`NCCL_DEBUG=INFO`, `torch.load(...)`, `torch.cuda.init()`, `torch.gone`, `--gpus`";
        assert_eq!(truth.checked(body).as_deref(), Some("torch 2.15, nvidia-nccl-cu13 2.32, 2026-11"));
        assert_eq!(truth.checked("`--gpus` and NCCL_DEBUG in prose"), None);
        assert!(truth.covers(Kind::Attribute, "torch.new") && !truth.covers(Kind::Attribute, "model.to"));
    }

    #[test]
    fn nothing_in_the_table_is_known_not_to_exist() {
        assert_eq!(builtin().missing().collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
