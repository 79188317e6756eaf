//! What several test binaries need: the built-in book opened once, a text's diagnosis, the labelled texts, and a record
//! of the checks that were left out.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use faultbook::book::Book;
use faultbook::diagnosis::Diagnosis;
use faultbook::diagnosis::{self, Measured};
use faultbook::incident;
use faultbook::reports::knowledge::{Knowledge, Places};
use faultbook::text;

/// How long a test waits for what must come: no test may fail because the machine is busy. What must be ended sleeps for
/// longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// The built-in book, without any reports.
pub(crate) fn knowledge() -> &'static Knowledge {
    static KNOWLEDGE: OnceLock<Knowledge> = OnceLock::new();
    KNOWLEDGE.get_or_init(|| {
        let places = Places { reports: Vec::new(), roots: Vec::new(), cache: None, rebuild: false };
        Knowledge::new(Book::new(true), places, Box::new(|_, _| {}))
    })
}

/// The diagnosis of a text by the built-in book alone.
pub(crate) fn diagnose(text: &[u8]) -> Diagnosis {
    let transcript = text::read(text);
    let incident = incident::read(&transcript);
    diagnosis::diagnose(&transcript, &incident, knowledge().library(), &Measured::default())
}

/// How long this thread has had a processor, which other processes do not lengthen; where the system does not say, the
/// time of the clock.
pub(crate) fn processor_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse().ok());
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

/// A labelled text of tests/corpus, by its path: the folder is the fault, the word before `.txt` the cause.
pub(crate) struct Case {
    /// The expected fault; `None` in `_negative`.
    pub(crate) fault: Option<String>,
    /// The expected cause, where the text settles one.
    pub(crate) cause: Option<String>,
    /// Whether nothing is wrong in the text.
    pub(crate) healthy: bool,
    /// Whether one author wrote the text together with the evidence that decides it: right by construction, so that
    /// it stays out of every figure.
    pub(crate) made_with_evidence: bool,
}

impl Case {
    /// Reads the labels off a path.
    pub(crate) fn of(path: &std::path::Path) -> Self {
        let part = |name: Option<&std::ffi::OsStr>| name.and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let folder = part(path.parent().and_then(|folder| folder.file_name()));
        let stem = part(path.file_stem());
        let label = stem.rsplit_once('.').map(|(_, label)| label.to_owned());
        let negative = folder == "_negative";
        Self {
            fault: (!negative).then_some(folder),
            healthy: label.as_deref() == Some("healthy"),
            made_with_evidence: ["cause-", "msg-"].iter().any(|with| stem.starts_with(with)),
            cause: label
                .filter(|label| !negative && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')),
        }
    }
}

/// Every labelled text, in the order of paths.
pub(crate) fn texts() -> Vec<PathBuf> {
    let folders = fs::read_dir("tests/corpus").expect("the corpus is there").flatten();
    let mut files: Vec<PathBuf> = folders
        .filter_map(|folder| fs::read_dir(folder.path()).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    files
}

/// A number of a text's own: a sample chosen by it does not change for the others when a text is added.
pub(crate) fn number_of(text: &str) -> usize {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes()) as usize
}

/// Checks that a run of `cargo test` left out because a file or a tool was missing.
///
/// A test harness captures what passing tests print, so each check writes a line to a file of this run, and the binary
/// that runs last prints them all.
pub(crate) mod left_out {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;
    use std::path::PathBuf;

    /// Notes that a check was left out, and why.
    pub(crate) fn note(check: &str, why: &str) {
        let file = OpenOptions::new().create(true).append(true).open(list());
        let written = file.and_then(|mut file| file.write_all(format!("{check}: {why}\n").as_bytes()));
        written.expect("the list of what was left out can be written");
    }

    /// Prints what was left out in this run, and forgets it.
    #[expect(clippy::print_stdout, reason = "people should see it at the end of a run")]
    pub(crate) fn tell() {
        let text = fs::read_to_string(list()).unwrap_or_default();
        let _ = fs::remove_file(list());
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        println!("checks left out for want of a file or a tool: {}", lines.len());
        lines.iter().for_each(|line| println!("  LEFT OUT  {line}"));
    }

    /// The list belongs to the process that started the test binaries.
    fn list() -> PathBuf {
        #[cfg(unix)]
        let run = std::os::unix::process::parent_id();
        #[cfg(not(unix))]
        let run = 0;
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("left-out-{run}.txt"))
    }
}
