//! What a step leaves behind: a driver's library may fork, and what it forked must not outlive the step.
//!
//! A step is the head of a process group, which is killed as a whole. What left the group (a daemon) becomes a child of
//! this program, which is a subreaper on Linux, and is known by two marks: a variable, and how ready the kernel is to
//! kill it when memory runs out, which a new environment does not change.

use std::process::{Child, Command};

/// A variable in the environment of every step: the number of the process that started it.
pub(super) const MARK: &str = "FAULTBOOK_PROBE_OF";

pub(super) use imp::{Family, Running, mark_step, own_group};

#[cfg(unix)]
mod imp {
    use std::io;
    use std::os::unix::process::CommandExt as _;
    use std::sync::{Mutex, PoisonError};

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::{Child, Command};

    /// The steps that are running now; all other marked children are strays.
    #[cfg(target_os = "linux")]
    static STEPS: Mutex<Vec<i32>> = Mutex::new(Vec::new());

    /// Puts a step into a process group of its own.
    pub(in super::super) fn own_group(command: &mut Command) {
        command.process_group(0);
        #[cfg(target_os = "linux")]
        {
            // Without it, what leaves the group is out of reach.
            let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        }
    }

    /// Marks this process, a step, and all that it will start.
    pub(in super::super) fn mark_step() {
        #[cfg(target_os = "linux")]
        linux::mark();
    }

    /// The steps of one probe that run now; `None` once the probe is over and no other may start.
    #[derive(Debug)]
    pub(in super::super) struct Running(Mutex<Option<Vec<Pid>>>);

    impl Default for Running {
        fn default() -> Self {
            Self(Mutex::new(Some(Vec::new())))
        }
    }

    impl Running {
        /// Kills the steps that still run, with everything that they started.
        pub(in super::super) fn end(&self) {
            let heads = self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
            for head in &heads {
                // It may have ended.
                let _ = kill_process_group(*head, Signal::KILL);
            }
            #[cfg(target_os = "linux")]
            linux::end_all(&heads);
        }
    }

    /// A step with everything that it started.
    pub(in super::super) struct Family<'r> {
        head: Option<Pid>,
        running: &'r Running,
    }

    impl<'r> Family<'r> {
        /// Starts a step. Nobody looks for strays between its start and the note that it is none.
        pub(in super::super) fn start(command: &mut Command, running: &'r Running) -> io::Result<(Child, Self)> {
            let mut open = running.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(heads) = open.as_mut() else { return Err(io::Error::other("the probe is over")) };
            #[cfg(target_os = "linux")]
            let mut steps = STEPS.lock().unwrap_or_else(PoisonError::into_inner);
            let child = command.spawn()?;
            let head = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            #[cfg(target_os = "linux")]
            steps.extend(head.map(|head| head.as_raw_nonzero().get()));
            heads.extend(head);
            Ok((child, Self { head, running }))
        }

        /// Kills what is left of it.
        pub(in super::super) fn end(self) {
            let Some(head) = self.head else { return };
            if let Some(heads) = self.running.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                heads.retain(|other| *other != head);
            }
            // There may be nobody left.
            let _ = kill_process_group(head, Signal::KILL);
            #[cfg(target_os = "linux")]
            linux::end(head);
        }
    }

    #[cfg(target_os = "linux")]
    mod linux {
        use std::fs;
        use std::sync::PoisonError;
        use std::time::Duration;

        use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

        use super::STEPS;

        /// A killed process hands its own children on, so there are several rounds.
        const ROUNDS: usize = 20;

        /// How much readier the kernel is to kill a step than this program.
        const READIER: i32 = 137;

        pub(super) fn mark() {
            if let Some(own) = readiness("self") {
                // Whoever may not change it has the variable as its only mark.
                let _ = fs::write("/proc/self/oom_score_adj", (own + READIER).min(MOST_READY).to_string());
            }
        }

        /// As ready as the kernel can be.
        const MOST_READY: i32 = 1000;

        fn readiness(process: &str) -> Option<i32> {
            fs::read_to_string(format!("/proc/{process}/oom_score_adj")).ok()?.trim().parse().ok()
        }

        /// Ends what killed steps leave; short, because somebody waits for the answer.
        pub(super) fn end_all(heads: &[Pid]) {
            const ROUNDS: usize = 10;
            for _ in 0..ROUNDS {
                let found = end_strays();
                if !found && heads.iter().all(|head| is_gone(*head)) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        }

        /// Whether a process handed its children on.
        fn is_gone(pid: Pid) -> bool {
            let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
            stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['Z', 'X']))
        }

        /// Kills the strays that there are now; whether there were any.
        fn end_strays() -> bool {
            let steps = STEPS.lock().unwrap_or_else(PoisonError::into_inner);
            let strays: Vec<Pid> =
                children().filter(|pid| !steps.contains(pid) && is_marked(*pid)).filter_map(Pid::from_raw).collect();
            for pid in &strays {
                let _ = kill_process(*pid, Signal::KILL);
                let _ = waitpid(Some(*pid), WaitOptions::NOHANG);
            }
            !strays.is_empty()
        }

        pub(super) fn end(head: Pid) {
            for round in 0..ROUNDS {
                if !end_strays() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(if round == 0 { 1 } else { 5 }));
            }
            let mut steps = STEPS.lock().unwrap_or_else(PoisonError::into_inner);
            steps.retain(|step| *step != head.as_raw_nonzero().get());
        }

        /// The children of all threads of this process.
        fn children() -> impl Iterator<Item = i32> {
            let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
            threads
                .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
                .flat_map(|pids| pids.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>())
        }

        /// Whether a step left this child.
        fn is_marked(pid: i32) -> bool {
            let mark = format!("{}={}", super::super::MARK, std::process::id());
            let own = readiness("self").filter(|own| *own < MOST_READY);
            if own.is_some() && own.map(|own| (own + READIER).min(MOST_READY)) == readiness(&pid.to_string()) {
                return true;
            }
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        }
    }
}

#[cfg(not(unix))]
mod imp {
    use std::io;

    use super::{Child, Command};

    pub(in super::super) fn own_group(_command: &mut Command) {}

    pub(in super::super) fn mark_step() {}

    #[derive(Debug, Default)]
    pub(in super::super) struct Running;

    impl Running {
        pub(in super::super) fn end(&self) {}
    }

    pub(in super::super) struct Family;

    impl Family {
        pub(in super::super) fn start(command: &mut Command, _running: &Running) -> io::Result<(Child, Self)> {
            Ok((command.spawn()?, Self))
        }

        pub(in super::super) fn end(self) {}
    }
}
