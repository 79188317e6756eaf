//! Libraries that do in their calls whatever a program can do: the limits are kept, the rest is told, and nothing is
//! left running.

use std::path::Path;
use std::time::{Duration, Instant};

use faultbook::machine::{self, Level, Options};

use super::machine::Machine;

/// Where something is done, and what.
const ACTS: &[&str] = &[
    "cuInit.do=hang",
    "cuInit.do=spin",
    "cuInit.do=fork",
    "cuInit.do=fork-and-hang",
    "cuInit.do=fork-and-abort",
    "cuInit.do=forks",
    "cuInit.do=session",
    "cuInit.do=daemon",
    "cuInit.do=daemon-and-hang",
    "cuInit.do=nameless-daemon",
    "cuInit.do=nameless-daemon-and-exit",
    "cuInit.do=heir-of-heirs",
    "cuInit.do=stubborn",
    "cuInit.do=reaper",
    "cuInit.do=other-group",
    "cuInit.do=close-all",
    "cuInit.do=close-output",
    "cuInit.do=output-to-pipe",
    "cuInit.do=garbage",
    "cuInit.do=one-long-line",
    "cuInit.do=chatter",
    "cuInit.do=complaints",
    "cuInit.do=forged",
    "cuInit.do=exit",
    "cuInit.do=exit-3",
    "cuInit.do=exit-at-once",
    "cuInit.do=segv",
    "cuInit.do=overflow",
    "cuInit.do=stop",
    "cuInit.do=alarm",
    "cuInit.do=kill-group",
    "cuInit.do=block-signals",
    "cuInit.do=no-death-with-parent",
    "cuInit.do=clear-environment",
    "cuInit.do=elsewhere",
    "cuInit.do=traced",
    "cuInit.do=no-files",
    "cuInit.do=threads",
    "cuInit.do=eats",
    "cuInit.do=reads",
    "nvmlInit_v2.do=daemon-and-hang",
    "nvmlInit_v2.do=close-all",
    "nvmlInit_v2.do=chatter",
    "nvmlDeviceGetName.do=fork-and-abort",
    "nvmlDeviceGetCount_v2.count=4294967295",
    "cuDeviceGetCount.count=2147483647",
    "cuDeviceGetCount.count=-1",
    "cuDeviceGetName.unterminated=1",
    "nvmlSystemGetDriverVersion.unterminated=1",
    "cuMemAlloc_v2.do=fork-and-hang",
];

/// How many are probed at once.
const AT_ONCE: usize = 6;

/// Time enough for everything that a probe waits for here, on a busy machine too.
const LIMIT: Duration = Duration::from_secs(25);

#[test]
fn nothing_is_left_running_and_the_answer_comes() {
    // Those that found a defect, and one of each other kind.
    let some = ["fork-and-hang", "nameless-daemon", "chatter", "close-all", "stop", "segv", "reaper", "count=-1"];
    all_hold(ACTS.iter().copied().filter(|act| act.starts_with("cu") && some.iter().any(|end| act.ends_with(end))));
}

#[test]
#[ignore = "takes minutes"]
fn nothing_is_left_running_by_any_library() {
    all_hold(ACTS.iter().copied());
}

fn all_hold(acts: impl Iterator<Item = &'static str> + Send) {
    let bad = std::sync::Mutex::new(Vec::new());
    let acts = std::sync::Mutex::new(acts);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(act) = acts.lock().unwrap().next() else { break };
                    let why = wrong(act, None).map(|why| format!("{act}: {why}"));
                    bad.lock().unwrap().extend(why);
                }
            });
        }
    });
    let bad = bad.into_inner().unwrap();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_probe_that_nobody_asked_for_leaves_nothing_either() {
    for act in ["cuInit.do=fork-and-hang", "cuInit.do=daemon-and-hang", "nvmlInit_v2.do=daemon-and-hang"] {
        assert_eq!(wrong(act, Some(Duration::from_millis(600))), None, "{act}");
    }
}

/// What is wrong with the probe of such a library.
fn wrong(act: &str, budget: Option<Duration>) -> Option<String> {
    let machine = Machine::with("healthy-h100").file("hostile.txt", act).deadline(1.0);
    let path = |name: &str| machine.folder.path().join(name);
    let pids = path("pids");
    let mut environment = machine.environment.clone();
    environment.insert("FAULTBOOK_FAKE".into(), path("hostile.txt").into());
    environment.insert("FAULTBOOK_FAKE_PIDS".into(), pids.clone().into());
    let options = Options { time: Duration::from_secs(3), environment, budget, ..machine.options() };
    let level = if budget.is_some() { Level::Quick } else { Level::Functional };
    let started = Instant::now();
    let outcome = machine::run(level, &options);
    let took = started.elapsed();
    let left = living(&pids);
    if took > LIMIT {
        return Some(format!("it took {took:?}"));
    }
    if outcome.facts.get("driver.present").is_none() || outcome.facts.get("device_nodes.cards").is_none() {
        return Some(format!("nothing is known of the machine: {:?}", outcome.facts));
    }
    (!left.is_empty()).then(|| format!("left running: {left:?}"))
}

/// Which of the processes in a file still run.
fn living(pids: &Path) -> Vec<String> {
    // What was killed needs a moment to die.
    std::thread::sleep(Duration::from_millis(300));
    let pids = std::fs::read_to_string(pids).unwrap_or_default();
    let state = |pid: &&str| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let runs = |pid: &&str| {
        !matches!(state(pid).rsplit_once(") "), None | Some((_, "Z" | "X"))) && !state(pid).contains(") Z ")
    };
    let left: Vec<String> = pids.lines().filter(runs).map(str::to_owned).collect();
    for pid in &left {
        // The test cleans up after a probe that does not.
        let _ = std::process::Command::new("kill").args(["-9", pid]).status();
    }
    left
}
