//! Where a project ends. Settings and links come with a project's files, which somebody else may have written: they may
//! lead a reader anywhere, but nothing is written outside of the project unless the user named the folder.

use std::path::{Component, Path, PathBuf};

use super::files::upward;
use crate::reports::Error;

/// The folder that holds everything of the project: its git root, or `here` where there is none.
pub(crate) fn of(here: &Path) -> PathBuf {
    upward(here).pop().unwrap_or_else(|| here.to_owned())
}

/// Whether a path, which need not be there yet, really lies in the project.
pub(crate) fn hold(bounds: &Path, path: &Path) -> bool {
    let Ok(bounds) = bounds.canonicalize() else { return false };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for there in path.ancestors() {
        let Ok(real) = there.canonicalize() else { continue };
        let missing = path.strip_prefix(there).unwrap_or(Path::new(""));
        // A way up out of a folder that is not there yet leads nobody knows where.
        return real.starts_with(&bounds) && !missing.components().any(|part| part == Component::ParentDir);
    }
    false
}

/// Whether something may be written at a path that the user did not name.
///
/// # Errors
/// When it lies outside of the project that contains `here`.
pub(crate) fn may_write(here: &Path, path: &Path) -> Result<(), Error> {
    let bounds = of(here);
    match hold(&bounds, path) {
        true => Ok(()),
        false => Err(Error::Elsewhere { path: path.to_owned(), bounds }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_ends_at_its_git_root() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("project");
        let inner = project.join("a/b");
        std::fs::create_dir_all(&inner).expect("folders");
        std::fs::create_dir_all(project.join(".git")).expect("a folder");
        for (path, inside) in [
            ("docs/bugs", true),
            ("../bugs", true),
            ("../../bugs", true),
            ("../../../bugs", false),
            ("none/../../../../bugs", false),
            ("/tmp", false),
        ] {
            assert_eq!(may_write(&inner, &inner.join(path)).is_ok(), inside, "{path}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_out_of_the_project_does_not_belong_to_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("project");
        std::fs::create_dir_all(project.join(".git")).expect("folders");
        std::os::unix::fs::symlink(folder.path(), project.join("bugs")).expect("a link");
        assert!(may_write(&project, &project.join("bugs/x.md")).is_err());
    }
}
