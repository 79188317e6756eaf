//! Faults of the system: the program is killed before each of its calls that change files, or that call and all after
//! it fail. Every file is what it was or what it becomes, the next run works, and nothing stays behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

use super::project;

/// Makes calls of the C library fail; see tests/faults/shim.rs.
fn shim() -> &'static Path {
    static SHIM: OnceLock<PathBuf> = OnceLock::new();
    SHIM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/shim.rs");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libfaults.so");
        let status = Command::new("rustc")
            .args(["--edition", "2021", "--crate-type", "cdylib", "-O", "-C", "panic=abort", "-o"])
            .args([&library, &source])
            .status()
            .expect("rustc must be there: it compiles the shim");
        assert!(status.success(), "the shim does not compile");
        library
    })
}

const NEW: &[&str] = &["new", "--no-probe", "--no-input", "--no-builtin", "--date", "2026-02-01 10:00", "train.log"];
const APPEND: &[&str] = &[
    "new",
    "--no-probe",
    "--no-input",
    "--no-builtin",
    "--date",
    "2026-02-01 10:00",
    "--append",
    "BUG-20260101-001",
    "train.log",
];
const STATUS: &[&str] = &["status", "--no-builtin", "BUG-20260101-001", "resolved"];
const FIX: &[&str] = &["check", "--fix"];
const INDEX_PAGE: &[&str] = &["index-page", "--no-builtin"];
const SAVE: &[&str] = &["probe", "--save", "facts.json"];
const INDEX: &[&str] = &["index", "--no-builtin"];

/// What happens to a call.
const FATES: [&str; 5] = ["kill", "cut", "full", "quota", "error"];

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: project() };
        let reports = place.at("p/reports");
        let crooked = fs::read_to_string(reports.join("r2.md")).expect("a report");
        fs::write(reports.join("r2.md"), crooked.replace("date: 2026-01-02", "date: 2026/01/02")).expect("a report");
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        // As the kernel names it.
        self.folder.path().canonicalize().expect("a folder").join(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_faultbook"));
        command.args(arguments).current_dir(self.at("p")).env("XDG_CACHE_HOME", self.at("cache"));
        command.env("HOME", self.at("")).env("TMPDIR", self.at("tmp"));
        fs::create_dir_all(self.at("tmp")).expect("a folder");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it runs")
    }

    /// Runs a command whose call of that number below a folder meets its fate; 0 for none. Returns how many there were.
    fn with_fault(&self, arguments: &[&str], under: &str, fate: &str, at: usize) -> (Output, usize) {
        let count = self.at("count");
        let output = self
            .command(arguments)
            .env("LD_PRELOAD", shim())
            .env("FAULTS_UNDER", self.at(under))
            .env("FAULTS_HOW", fate)
            .env("FAULTS_AT", at.to_string())
            .env("FAULTS_COUNT", &count)
            .output()
            .expect("it runs");
        (output, fs::read(&count).map_or(0, |calls| calls.len()))
    }

    /// All files of the project and what they hold.
    fn files(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.at("p")];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(self.at("p")).expect("it is below").to_string_lossy().into_owned();
                    found.insert(name, String::from_utf8_lossy(&fs::read(&path).expect("it reads")).into_owned());
                }
            }
        }
        found
    }
}

/// Tries a fate at every call; what was wrong.
fn tried(arguments: &[&str], under: &str, fates: &[&str], step: usize) -> Vec<String> {
    let undisturbed = Place::new();
    let before = undisturbed.files();
    let (output, calls) = undisturbed.with_fault(arguments, under, "none", 0);
    assert!(calls > 2 && output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {calls} {output:?}");
    let after = undisturbed.files();
    let mut wrong = Vec::new();
    for fate in fates {
        for at in (1..=calls).step_by(step) {
            let place = Place::new();
            let (output, _) = place.with_fault(arguments, under, fate, at);
            let mut add = |what: String| wrong.push(format!("{arguments:?}, {fate} at call {at} of {calls}: {what}"));
            let complaint = String::from_utf8_lossy(&output.stderr);
            if complaint.contains("this is a bug") {
                add(format!("a panic: {complaint}"));
            }
            let now = place.files();
            for (name, text) in &before {
                if now.get(name) != Some(text) && now.get(name) != after.get(name) {
                    add(format!("{name} is neither old nor new: {:?}", now.get(name)));
                }
            }
            let killed = matches!(*fate, "kill" | "cut");
            for (name, text) in now.iter().filter(|(name, _)| !before.contains_key(*name)) {
                let whole = after.get(name) == Some(text) || name == "facts.json" && text.trim_end().ends_with('}');
                let hidden = name.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
                // What cannot be removed is hidden, and the next run removes it.
                let unremoved = killed || *fate == "error";
                if !(whole || unremoved && hidden) {
                    add(format!("{name} is there"));
                }
            }
            if !killed && output.status.code().is_none() {
                add("it died".to_owned());
            }
            let again = place.run(arguments);
            if again.status.code().is_none_or(|code| code > 1) {
                add(format!("the next run failed: {}", String::from_utf8_lossy(&again.stderr)));
            }
            let left: Vec<String> = place.files().into_keys().filter(|name| name.contains("/.")).collect();
            if left.iter().any(|name| !name.starts_with(".git")) {
                add(format!("left behind: {left:?}"));
            }
            let found = place.run(&["search", "--no-builtin", "zorg3"]);
            if !String::from_utf8_lossy(&found.stdout).contains("BUG-20260103-001") {
                add(format!("a search finds nothing: {}", String::from_utf8_lossy(&found.stderr)));
            }
            if fs::read_dir(place.at("tmp")).expect("a folder").count() > 0 {
                add("the folder for temporary files is not empty".to_owned());
            }
        }
    }
    wrong
}

fn holds(cases: &[(&[&str], &str, &[&str], usize)]) {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = cases.iter().map(|case| scope.spawn(move || tried(case.0, case.1, case.2, case.3))).collect();
        all.into_iter().flat_map(|one| one.join().expect("it ends")).collect()
    });
    assert!(wrong.is_empty(), "{} faults were not survived: {wrong:#?}", wrong.len());
}

#[test]
fn a_killed_writer_and_a_full_disk_leave_whole_files_and_nothing_else() {
    holds(&[(NEW, "p", &["kill", "full"], 1), (STATUS, "p", &["kill", "full"], 1)]);
}

#[test]
#[ignore = "takes minutes"]
fn every_command_survives_every_fault_at_every_call() {
    let all: Vec<(&[&str], &str, &[&str], usize)> = [NEW, APPEND, STATUS, FIX, INDEX_PAGE, SAVE]
        .into_iter()
        .map(|arguments| (arguments, "p", &FATES[..], 1))
        .chain([(INDEX, "cache", &FATES[..], 9)])
        .collect();
    holds(&all);
}

#[test]
fn a_home_that_cannot_be_written_and_reports_that_vanish_stop_no_answer() {
    let place = Place::new();
    // A file where the folder of caches would be: nobody can write there, not even root.
    fs::write(place.at("cache"), "").expect("a file");
    let found =
        |place: &Place| String::from_utf8_lossy(&place.run(&["search", "--no-builtin", "zorg3"]).stdout).into_owned();
    assert!(found(&place).contains("BUG-20260103-001"));
    fs::remove_file(place.at("cache")).expect("it goes");
    assert!(found(&place).contains("BUG-20260103-001"));
    fs::remove_file(place.at("p/reports/r1.md")).expect("it goes");
    std::thread::scope(|scope| {
        let vanishing = scope.spawn(|| {
            for _ in 0..200 {
                let (from, to) = (place.at("p/reports/r2.md"), place.at("p/r2.away"));
                let _ = fs::rename(&from, &to).and_then(|()| fs::rename(&to, &from));
            }
        });
        while !vanishing.is_finished() {
            assert!(found(&place).contains("BUG-20260103-001"));
        }
    });
}

#[test]
fn writers_and_readers_at_once() {
    many(8, 4);
}

#[test]
#[ignore = "takes minutes"]
fn a_hundred_writers_and_thirty_readers_at_once() {
    many(100, 30);
}

/// So many processes write and read at once: every report gets a number of its own and is whole.
fn many(writers: usize, readers: usize) {
    let place = &Place::new();
    std::thread::scope(|scope| {
        for _ in 0..writers {
            scope.spawn(|| {
                let output = place.run(NEW);
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            });
        }
        for _ in 0..readers {
            scope.spawn(|| {
                let output = place.run(&["search", "--no-builtin", "zorg3"]);
                assert!(String::from_utf8_lossy(&output.stdout).contains("BUG-20260103-001"), "{output:?}");
            });
        }
    });
    let reports: Vec<String> =
        place.files().into_iter().filter(|(name, _)| name.contains("BUG-")).map(|one| one.1).collect();
    assert_eq!(reports.len(), writers);
    let ids: std::collections::BTreeSet<&str> =
        reports.iter().filter_map(|text| text.lines().find(|line| line.contains("BUG-20260201-"))).collect();
    assert_eq!(ids.len(), writers);
    assert!(place.files().keys().all(|name| !name.contains("/.")), "{:?}", place.files().keys());
}
