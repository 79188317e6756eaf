//! Finding and reading report folders: usual places, odd files, broken links.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::fs;
use std::path::Path;

use faultbook::hint::Hint as _;
use faultbook::reports::config;
use faultbook::reports::files::{report_files, reports, usual_places};

fn write(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn usual_places_are_looked_for_up_to_the_git_root() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    for path in [
        "p/.git/HEAD",
        "p/docs/a/b/bug_reports/x.md",
        "p/docs/bugs/y.md",
        "p/.faultbook/reports/z.md",
        "p/src/deep/bug_reports/w.md",
        "bug_reports/outside.md",
        "p/docs/bug_reports/bug_reports/v.md",
    ] {
        write(root, path, "x");
    }
    let found: Vec<_> = usual_places(&root.join("p/src/deep"))
        .iter()
        .map(|p| p.strip_prefix(root).unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        found,
        [
            "p/src/deep/bug_reports",
            "p/docs/bug_reports",
            "p/docs/bugs",
            "p/.faultbook/reports",
            "p/docs/a/b/bug_reports"
        ]
    );
    assert_eq!(usual_places(&root.join("nowhere")), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_folder_is_read_whatever_lies_in_it() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    write(root, "a.md", "# BUG-2025-001: one\n");
    write(root, "b.markdown", "# BUG-2025-002: two\n");
    write(root, "c.txt", "---\ntitle: three\n---\n");
    write(root, "d.txt", "just a log\n");
    write(root, "e.log", "x");
    write(root, "README.md", "x");
    write(root, "sub/f.MD", [0xff, 0xfe, b'#', 0, b' ', 0, b'f', 0]);
    write(root, "sub/g.md", [b'#', b' ', 0xbf, 0xc0, 0xb7, 0xf9]);
    write(root, "sub/h.md", [b'#', b' ', 0xff, 0xff, b'x']);
    write(root, "huge.md", vec![b'x'; 5 * 1024 * 1024]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root, root.join("sub/loop")).unwrap();
        std::os::unix::fs::symlink(root.join("gone.md"), root.join("dangling.md")).unwrap();
    }
    let (found, notes) = reports(root).unwrap();
    let names: Vec<_> =
        found.iter().map(|r| r.path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/")).collect();
    assert_eq!(names, ["a.md", "b.markdown", "c.txt", "sub/f.MD", "sub/g.md", "sub/h.md"]);
    assert_eq!((found[3].title.as_str(), found[4].title.as_str()), ("f", "오류"));
    // The note names the path; what it says does not say it again.
    assert!(notes.iter().all(|note| !note.message.contains("dangling")), "{notes:?}");
    let notes: Vec<_> = notes.iter().map(|n| n.path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert!(notes.contains(&"huge.md".to_owned()), "{notes:?}");
    #[cfg(unix)]
    assert!(notes.contains(&"loop".to_owned()) && notes.contains(&"dangling.md".to_owned()), "{notes:?}");
    let one = report_files(&root.join("d.txt")).unwrap().0;
    assert_eq!((one.len(), &one[0].path), (1, &root.join("d.txt")));
    let error = report_files(&root.join("nowhere")).unwrap_err();
    assert!(error.to_string().contains("nowhere") && error.hint().is_some());
}

#[test]
fn the_nearest_configuration_holds() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    write(root, ".git/HEAD", "x");
    write(root, "a/b/c.txt", "x");
    assert_eq!(config::nearest(&root.join("a/b")).unwrap(), None);
    write(root, "faultbook.toml", "[reports]\npaths = [\"notes\"]\n");
    let config = config::nearest(&root.join("a/b")).unwrap().unwrap();
    assert_eq!(config.reports, [root.join("notes")]);
    write(root, "a/faultbook.toml", "[reports]\npats = []\n");
    assert!(config::nearest(&root.join("a/b")).unwrap_err().to_string().contains(":2:1: "));
}
