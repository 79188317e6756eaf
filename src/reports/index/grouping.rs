//! Which reports of the catalogue are copies of which: asked only of those that a change may concern.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalogue::Catalogue;
use super::reader::Sources;
use crate::reports::budget;
use crate::reports::copies::{self, Sketch};
use crate::reports::record::Record;

/// What finds the copies of each report, by its path.
pub(super) type Sketches = HashMap<PathBuf, Sketch>;

/// From one changed report in so many on, all are grouped again.
const FEW: usize = 8;

/// The groups before a change: of each copy the report that it is a copy of.
pub(super) struct Before(HashMap<PathBuf, PathBuf>);

impl Before {
    pub(super) fn of(catalogue: &Catalogue) -> Self {
        let copies = catalogue.listed().iter();
        Self(copies.filter_map(|listed| Some((listed.path.clone(), listed.copy_of.clone()?))).collect())
    }

    /// What all reports of a group have in common.
    fn group<'p>(&'p self, path: &'p Path) -> &'p Path {
        self.0.get(path).map_or(path, PathBuf::as_path)
    }
}

/// Notes in the catalogue which reports are copies of which, after these files were read or forgotten.
pub(super) fn refresh(
    catalogue: &mut Catalogue,
    sketches: &mut Sketches,
    sources: &Sources<'_>,
    before: &Before,
    changed: &HashSet<&Path>,
) {
    for listed in catalogue.listed() {
        if !sketches.contains_key(&listed.path) {
            // A process may have been killed between the two files.
            let (read, path) = (Arc::clone(&sources.read), listed.path.clone());
            let sketch = budget::within(sources.per_file, move || read(&path).map(|report| copies::sketch(&report)));
            sketches.insert(listed.path.clone(), sketch.ok().flatten().unwrap_or_default());
        }
    }
    let none = Sketch::default();
    let paths: Vec<&Path> = catalogue.listed().iter().map(|listed| listed.path.as_path()).collect();
    let all: Vec<&Sketch> = paths.iter().map(|path| sketches.get(*path).unwrap_or(&none)).collect();
    let places: Vec<usize> = if changed.len() * FEW > all.len() {
        (0..all.len()).collect()
    } else {
        let concerned = copies::concerned(&all, |at| changed.contains(paths[at]));
        let concerned = concerned.into_iter().map(|at| paths[at]).chain(changed.iter().copied());
        let groups: HashSet<&Path> = concerned.map(|path| before.group(path)).collect();
        (0..all.len()).filter(|at| groups.contains(before.group(paths[*at]))).collect()
    };
    let records: Vec<Record> = places.iter().map(|at| Record::of(catalogue.entry(*at))).collect();
    let pairs: Vec<(&Record, &Sketch)> = records.iter().zip(places.iter().map(|at| all[*at])).collect();
    let groups = copies::group(&pairs);
    for group in groups {
        let living = records.get(group.living).map(|record| record.path.clone());
        catalogue.set_copy_of(places[group.living], None);
        for copy in group.copies {
            catalogue.set_copy_of(places[copy], living.clone());
        }
    }
}
