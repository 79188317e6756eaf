//! Hostile folders and caches: the answer comes all the same, and it is right.

use std::fs;
use std::path::{Path, PathBuf};

use super::{project, report, run, says};

/// Every file of the cache that has something in it, in the order of names.
fn cached(folder: &Path) -> Vec<PathBuf> {
    let mut open = vec![folder.join("cache")];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if entry.metadata().is_ok_and(|about| about.len() > 0) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_damaged_cache_heals() {
    let folder = project();
    let at = folder.path();
    let ask = || [says(at, &["search", "quuxology"]), says(at, &["diagnose", "--no-probe", "train.log"])];
    let right = ask();
    assert!(right[0].contains("BUG-20260103-001") && right[1].contains("BUG-20260103-001"), "{right:?}");
    // The engine makes up the rest of its names.
    for (name, place) in [("catalogue.postcard", 0.5), (".store", 0.9), (".pos", 0.001), ("meta.json", 0.5)] {
        let is_named = |path: &PathBuf| path.to_string_lossy().ends_with(name);
        let path = cached(at).into_iter().find(is_named).unwrap_or_else(|| panic!("no {name}"));
        let mut bytes = fs::read(&path).expect("it is there");
        let byte = (bytes.len() as f64 * place) as usize;
        bytes[byte] ^= 0x04;
        fs::write(&path, bytes).expect("it is written");
        assert_eq!(ask(), right, "byte {byte} of {}", path.display());
    }
}

#[test]
fn a_lock_that_is_never_released_is_not_waited_for() {
    let folder = project();
    let at = folder.path();
    says(at, &["index"]);
    let locks: Vec<fs::File> = fs::read_dir(at.join("cache/faultbook"))
        .expect("a cache")
        .flatten()
        .filter_map(|entry| fs::File::options().write(true).open(entry.path().join("lock")).ok())
        .collect();
    assert!(!locks.is_empty());
    locks.iter().for_each(|lock| lock.lock().expect("it is free"));
    fs::write(at.join("p/reports/r4.md"), report("BUG-20260104-001", 4)).expect("a report");
    assert!(says(at, &["search", "zorg4"]).contains("BUG-20260104-001"));
}

#[cfg(unix)]
#[test]
fn a_link_to_everything_is_named_and_not_followed() {
    let folder = project();
    let at = folder.path();
    std::os::unix::fs::symlink("/", at.join("p/reports/all")).expect("a link");
    fs::create_dir(at.join("elsewhere")).expect("a folder");
    fs::write(at.join("elsewhere/r5.md"), report("BUG-20260105-001", 5)).expect("a report");
    for name in ["other", "other2"] {
        std::os::unix::fs::symlink(at.join("elsewhere"), at.join("p/reports").join(name)).expect("a link");
    }
    let output = run(at, &["list"]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("4 bug reports") && out.contains("BUG-20260105-001"), "{out}");
    assert!(err.contains("reports/all: a link to /, which contains this folder, was not followed"), "{err}");
    assert!(err.contains("reports/other2: another link to"), "{err}");
}

#[cfg(unix)]
#[test]
fn an_edit_is_seen_that_changes_neither_size_nor_time() {
    let folder = project();
    let at = folder.path();
    assert!(says(at, &["search", "zorg1"]).contains("BUG-20260101-001"));
    let path = at.join("p/reports/r1.md");
    let text = fs::read_to_string(&path).expect("it is there").replace("zorg1", "plix7");
    let time = fs::metadata(&path).and_then(|about| about.modified()).expect("a time");
    fs::write(&path, text).expect("it is written");
    fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(time)).expect("a time");
    assert!(says(at, &["search", "plix7"]).contains("BUG-20260101-001"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_not_utf8_has_its_reports() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = project();
    let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"o\xffdd"));
    fs::create_dir(&odd).expect("a folder");
    fs::rename(folder.path().join("p"), odd.join("p")).expect("it moves");
    assert!(says(&odd, &["search", "zorg2"]).contains("BUG-20260102-001"));
    assert!(says(&odd, &["diagnose", "--no-probe", "train.log"]).contains("BUG-20260103-001"));
}

#[test]
fn a_change_leaves_nothing_behind() {
    let folder = project();
    let at = folder.path();
    let tmp = at.join("tmp");
    fs::create_dir(&tmp).expect("a folder");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_faultbook"))
        .args(["status", "BUG-20260101-001", "resolved"])
        .current_dir(at.join("p"))
        .env("XDG_CACHE_HOME", at.join("cache"))
        .env("TMPDIR", &tmp)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_dir(&tmp).expect("a folder").count(), 0, "a lock stays in the folder for temporary files");
    assert_eq!(fs::read_dir(at.join("p/reports")).expect("a folder").count(), 3);
}

#[test]
fn names_lead_to_no_other_folder() {
    let folder = project();
    let at = folder.path();
    fs::write(at.join("outside.md"), "SECRET\n").expect("a file");
    let templates = at.join("p/.faultbook/templates");
    fs::create_dir_all(&templates).expect("a folder");
    fs::write(templates.join("ours.md"), "{% include \"../../../outside.md\" %}").expect("a template");
    let outside = at.join("outside").to_string_lossy().into_owned();
    let new = ["new", "train.log", "--no-input", "--no-probe", "--stdout"];
    let up = "../../../outside";
    for arguments in [
        [&new[..], &["--template", up]].concat(),
        [&new[..], &["--template", &outside]].concat(),
        [&new[..], &["--template", "ours"]].concat(),
        [&new[..4], &["--append", "../../outside"]].concat(),
        vec!["show", "../outside"],
        vec!["status", "../outside.md", "resolved"],
    ] {
        let output = run(at, &arguments);
        assert!(output.status.code().is_some_and(|code| code > 0), "{arguments:?}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("SECRET"), "{arguments:?}");
    }
    for pattern in ["../../out/{id}.md", "/tmp/out/{id}.md", "{id}/../../../y.md"] {
        let settings = format!("[reports]\npaths = [\"reports\"]\nfile_name = \"{pattern}\"\n");
        fs::write(at.join("p/faultbook.toml"), settings).expect("settings");
        let output = run(at, &new[..4]);
        assert!(String::from_utf8_lossy(&output.stderr).contains("must end in .md and stay inside the folder"));
    }
    assert_eq!(fs::read_to_string(at.join("outside.md")).expect("it is there"), "SECRET\n");
}

#[test]
fn settings_lead_no_writer_out_of_the_project() {
    let folder = project();
    let at = folder.path();
    let outside = at.join("outside");
    fs::create_dir(&outside).expect("a folder");
    let text = report("BUG-20260109-001", 9).replace("date: 2026-01-09", "date: 2026/01/09");
    fs::write(outside.join("r9.md"), &text).expect("a report");
    let new: &[&str] = &["new", "train.log", "--no-input", "--no-probe", "--no-builtin"];
    let append = [new, &["--append", "BUG-20260109-001"]].concat();
    let status: &[&str] = &["status", "BUG-20260109-001", "resolved"];
    let fix: &[&str] = &["check", "--fix"];
    let index_page: &[&str] = &["index-page"];
    let written = || fs::read_dir(&outside).expect("a folder").count();
    for (settings, commands) in [
        ("[reports]\npaths = [\"reports\"]\nfolder = \"../outside\"\n", &[new][..]),
        ("[reports]\npaths = [\"reports\"]\nfolder = \"none/../../outside\"\n", &[new]),
        ("[reports]\npaths = [\"../outside\"]\n", &[new, &append, status, fix, index_page]),
    ] {
        fs::write(at.join("p/faultbook.toml"), settings).expect("settings");
        for arguments in commands {
            let output = run(at, arguments);
            let err = String::from_utf8_lossy(&output.stderr);
            assert!(err.contains("is outside the project"), "{settings} {arguments:?}: {err}");
            assert_eq!(output.status.code(), Some(2), "{settings} {arguments:?}: {err}");
        }
        assert_eq!(written(), 1, "{settings}");
        assert_eq!(fs::read_to_string(outside.join("r9.md")).expect("it is there"), text);
    }
    // They are read all the same, and what the user names is written to.
    assert!(says(at, &["search", "--no-builtin", "zorg9"]).contains("BUG-20260109-001"));
    says(at, &["status", "--reports", "../outside", "BUG-20260109-001", "resolved"]);
    says(at, &[new, &["--reports", "../outside"]].concat());
    assert_eq!(written(), 2);
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_named_and_nothing_is_written_through_it() {
    let folder = project();
    let at = folder.path();
    fs::create_dir(at.join("elsewhere")).expect("a folder");
    for (n, name) in [(5, "elsewhere/r5.md"), (6, "r6.md")] {
        fs::write(at.join(name), report(&format!("BUG-2026010{n}-001"), n)).expect("a report");
    }
    std::os::unix::fs::symlink(at.join("elsewhere"), at.join("p/reports/linked")).expect("a link");
    std::os::unix::fs::symlink(at.join("r6.md"), at.join("p/reports/r6.md")).expect("a link");
    let output = run(at, &["list"]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("5 bug reports"), "{out}");
    assert_eq!(err.matches("a link out of the project, to ").count(), 2, "{err}");
    for id in ["BUG-20260105-001", "BUG-20260106-001"] {
        let output = run(at, &["status", id, "resolved"]);
        assert!(String::from_utf8_lossy(&output.stderr).contains("is outside the project"), "{id}");
    }
}

#[test]
#[ignore = "takes a minute"]
fn ten_thousand_reports_in_one_folder() {
    let folder = project();
    let at = folder.path();
    for n in 0..10_000 {
        let text = report(&format!("BUG-20260201-{n:05}"), 1).replace("zorg1", &format!("plex{n}"));
        fs::write(at.join(format!("p/reports/many{n}.md")), text).expect("a report");
    }
    assert!(says(at, &["search", "plex7777"]).contains("BUG-20260201-07777"));
    assert!(says(at, &["list"]).contains("10,003 bug reports"));
}
