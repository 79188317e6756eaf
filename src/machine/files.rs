//! Temporary folders that imitate a machine, for the tests of the readers.

use super::note::Notes;
use crate::facts::Facts;

pub(super) fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, bytes) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, bytes).expect("a file");
    }
    folder
}

/// The facts that a reader records from such a folder.
pub(super) fn facts_of(files: &[(&str, &[u8])], read: impl Fn(&std::path::Path, &mut Notes)) -> Facts {
    let folder = folder(files);
    let mut notes = Notes::default();
    read(folder.path(), &mut notes);
    notes.facts
}
