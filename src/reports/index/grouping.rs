//! Which reports of the catalogue are copies of which: asked only of those that a change may concern.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use tantivy::collector::DocSetCollector;
use tantivy::query::TermSetQuery;
use tantivy::schema::Value;
use tantivy::{Index, Searcher, TantivyDocument, Term};

use super::Error;
use super::catalogue::Catalogue;
use super::fields::Fields;
use super::reader::key_of;
use crate::reports::copies::{self, Member, Sketch};
use crate::reports::record::Record;

/// From one changed report in so many on, all are grouped again.
const FEW: usize = 8;

/// A hash that more reports have in common is that of a phrase of their template.
const WIDESPREAD: u64 = 64;

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

/// Notes in the catalogue which reports are copies of which, after these files were read or forgotten, which gave those
/// sketches; the others are in the index.
///
/// # Errors
/// When the index cannot be read.
pub(super) fn refresh(
    catalogue: &mut Catalogue,
    index: &Index,
    fields: Fields,
    before: &Before,
    changed: &HashSet<&Path>,
    sketches: HashMap<&Path, Sketch>,
) -> Result<(), Error> {
    let kept = Kept { searcher: index.reader()?.searcher(), fields };
    let listed = catalogue.listed();
    let places: Vec<usize> = if changed.len() * FEW > listed.len() {
        (0..listed.len()).collect()
    } else {
        let concerned = kept.alike(sketches.values())?;
        let mut groups: HashSet<&Path> = changed.iter().map(|path| before.group(path)).collect();
        let keys = listed.iter().map(|listed| listed.path.as_path());
        groups.extend(keys.filter(|path| concerned.contains(key_of(path).as_ref())).map(|path| before.group(path)));
        (0..listed.len()).filter(|at| groups.contains(before.group(&listed[*at].path))).collect()
    };
    let others: Vec<&Path> = places.iter().map(|at| listed[*at].path.as_path()).collect();
    let others = kept.sketches(others.into_iter().filter(|path| !sketches.contains_key(path)))?;
    let none = Sketch::default();
    let members = places.iter().map(|at| {
        let path = listed[*at].path.as_path();
        let sketch = sketches.get(path).or_else(|| others.get(key_of(path).as_ref())).unwrap_or(&none);
        Member::of(&Record::of(&catalogue.unpacked(*at)), sketch)
    });
    for group in copies::group(members.collect()) {
        let living = places[group.living];
        let path = catalogue.listed()[living].path.clone();
        catalogue.set_copy_of(living, None);
        for copy in group.copies {
            catalogue.set_copy_of(places[copy], Some(path.clone()));
        }
    }
    Ok(())
}

/// The index as it is written.
struct Kept {
    searcher: Searcher,
    fields: Fields,
}

impl Kept {
    /// The keys of reports that may be alike one of these.
    fn alike<'s>(&self, sketches: impl Iterator<Item = &'s Sketch>) -> Result<HashSet<String>, Error> {
        let marks: HashSet<String> = sketches.flat_map(Sketch::marks).collect();
        let term = |mark: &String| Term::from_field_text(self.fields.marks, mark);
        let is_telling = |mark: &&String| {
            let having = self.searcher.doc_freq(&term(mark)).unwrap_or(0);
            having > 1 && (having <= WIDESPREAD || !copies::is_of_a_phrase(mark))
        };
        let marks = marks.iter().filter(is_telling).map(term);
        Ok(self.documents(marks, |document| key_in(document, self.fields))?.collect())
    }

    /// The sketches of the reports at these paths, by their keys.
    fn sketches<'p>(&self, paths: impl Iterator<Item = &'p Path>) -> Result<HashMap<String, Sketch>, Error> {
        let keys = paths.map(|path| Term::from_field_text(self.fields.key, &key_of(path)));
        let found = self.documents(keys, |document| {
            let bytes = document.get_first(self.fields.sketch)?.as_bytes()?;
            Some((key_in(document, self.fields)?, postcard::from_bytes(bytes).ok()?))
        });
        Ok(found?.collect())
    }

    /// What is asked of the documents that have one of these terms.
    fn documents<T>(
        &self,
        terms: impl Iterator<Item = Term>,
        ask: impl Fn(&TantivyDocument) -> Option<T>,
    ) -> Result<impl Iterator<Item = T>, Error> {
        let mut found: Vec<_> =
            self.searcher.search(&TermSetQuery::new(terms), &DocSetCollector)?.into_iter().collect();
        // Neighbours are packed together.
        found.sort_unstable();
        let answers = found.into_iter().map(|address| Ok(ask(&self.searcher.doc(address)?)));
        let answers: Vec<Option<T>> = answers.collect::<Result<_, Error>>()?;
        Ok(answers.into_iter().flatten())
    }
}

/// The key of a document.
fn key_in(document: &TantivyDocument, fields: Fields) -> Option<String> {
    Some(document.get_first(fields.key)?.as_str()?.to_owned())
}
