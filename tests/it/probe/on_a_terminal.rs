//! On a real pty: a diagnosis probes the machine by itself, within its time budget, and leaves nothing behind.

use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, open};

use super::machine::fake;

const NO_ENGINE: &str = "RuntimeError: FIND was unable to find an engine to execute this computation\n";

/// A text whose causes no machine can be asked about: an exception of the user's own.
const OF_THE_TEXT: &str = "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    raise Broken()\nBroken: by hand\n";

/// What was shown on a pty, how it ended, and how long it took; the slowest parts of a test machine are not counted
/// twice, since every time is compared with one of the same machine.
fn seen(arguments: &[&str], scenario: &str, text: &str) -> (String, Option<i32>, Duration) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("train.log"), text).unwrap();
    let (mut pty, pts) = open().unwrap();
    pty.resize(Size::new(60, 100)).unwrap();
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fake-driver/scenarios/{scenario}.txt"));
    assert!(scenario.exists(), "{}", scenario.display());
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_faultbook"))
        .args(arguments)
        .current_dir(folder.path())
        .env("XDG_CACHE_HOME", folder.path().join("cache"))
        .env("HOME", folder.path())
        .env("NO_COLOR", "1")
        .env("LD_LIBRARY_PATH", fake())
        .env("FAULTBOOK_FAKE", scenario)
        .env_remove("CUDA_VISIBLE_DEVICES")
        .env_remove("VIRTUAL_ENV")
        .env_remove("CONDA_PREFIX")
        .spawn(pts)
        .unwrap();
    let mut bytes = Vec::new();
    // The end of the other side is an error on a pty of Linux.
    let _ = pty.read_to_end(&mut bytes);
    let code = child.wait().unwrap().code();
    (String::from_utf8_lossy(&bytes).into_owned(), code, started.elapsed())
}

/// Steps of a probe that still run with this scenario.
fn left_behind(scenario: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes
        .filter(|process| {
            let read = |file: &str| std::fs::read(process.path().join(file)).unwrap_or_default();
            let holds = |bytes: &[u8], words: &str| bytes.windows(words.len()).any(|part| part == words.as_bytes());
            holds(&read("cmdline"), "__probe-step") && holds(&read("environ"), &format!("/{scenario}.txt"))
        })
        .count()
}

#[test]
fn a_diagnosis_asks_by_itself_and_no_probe_turns_it_off() {
    let (text, code, _) = seen(&["train.log"], "consumer-nearly-full", NO_ENGINE);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("This machine, asked just now (quick)"), "{text}");
    assert!(text.contains("410.0 MiB of 12.0 GiB"), "{text}");
    assert!(text.contains("supported"), "{text}");
    let (text, code, _) = seen(&["train.log", "--no-probe"], "consumer-nearly-full", NO_ENGINE);
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("This machine") && !text.contains("410.0 MiB"), "{text}");
}

#[test]
fn a_cause_that_no_machine_knows_asks_nothing() {
    let (text, _, _) = seen(&["train.log"], "consumer-nearly-full", OF_THE_TEXT);
    assert!(!text.contains("This machine"), "{text}");
}

/// Whether NVML or cuInit hangs or is slow: the answer is there within 300 ms more than without asking, and says that
/// there was no answer instead of calling it a fault.
#[test]
fn a_driver_that_hangs_costs_no_more_than_promised() {
    const PROBE_BUDGET: Duration = Duration::from_millis(300);
    /// A machine that is busy with something else makes single times longer, never shorter.
    const TRIES: usize = 12;
    for (scenario, says) in [("init-hang", "from cuInit"), ("nvml-hang", "from NVML"), ("slow", "from NVML, cuInit")] {
        let mut costs = (0..TRIES).map(|_| {
            let without = seen(&["train.log", "--no-probe"], "healthy-h100", NO_ENGINE).2;
            seen(&["train.log"], scenario, NO_ENGINE).2.saturating_sub(without)
        });
        assert!(costs.any(|cost| cost <= PROBE_BUDGET), "{scenario}: more than {PROBE_BUDGET:?} in {TRIES} tries");
        let (text, code, _) = seen(&["train.log"], scenario, NO_ENGINE);
        assert_eq!(code, Some(0), "{text}");
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("no answer within") && flat.contains(says), "{scenario}: {text}");
        assert!(!flat.contains("does not initialize"), "{scenario}: {text}");
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(left_behind(scenario), 0, "{scenario}");
    }
}

#[test]
fn a_watch_takes_its_own_place() {
    let (text, code, _) = seen(&["probe", "--watch", "--every", "0.1", "--count", "3"], "two-cards", "");
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(text.matches("\u{1b}[H").count(), 3, "{text:?}");
    assert!(text.contains("GPU 1") && text.contains("clock") && text.contains("press Ctrl-C to stop"), "{text}");
}
