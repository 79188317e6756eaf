//! What a step leaves behind: a driver's library may fork, and what it forked must not outlive the step.
//!
//! A step is the head of a process group, which is killed as a whole. What left the group (a daemon) becomes a child of
//! this program, which is a subreaper on Linux, and is known by the mark in its environment.

use std::process::{Child, Command};

/// A variable in the environment of every step: the number of the process that started it.
pub(super) const MARK: &str = "FAULTBOOK_PROBE_OF";

pub(super) use imp::{Family, own_group};

#[cfg(unix)]
mod imp {
    use std::io;
    use std::os::unix::process::CommandExt as _;
    #[cfg(target_os = "linux")]
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

    /// A step with everything that it started.
    pub(in super::super) struct Family(Option<Pid>);

    impl Family {
        /// Starts a step. Nobody looks for strays between its start and the note that it is none.
        pub(in super::super) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
            #[cfg(target_os = "linux")]
            let mut steps = STEPS.lock().unwrap_or_else(PoisonError::into_inner);
            let child = command.spawn()?;
            let head = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            #[cfg(target_os = "linux")]
            steps.extend(head.map(|head| head.as_raw_nonzero().get()));
            Ok((child, Self(head)))
        }

        /// Kills what is left of it.
        pub(in super::super) fn end(self) {
            let Some(head) = self.0 else { return };
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

        pub(super) fn end(head: Pid) {
            for round in 0..ROUNDS {
                let steps = STEPS.lock().unwrap_or_else(PoisonError::into_inner);
                let strays: Vec<Pid> = children()
                    .filter(|pid| !steps.contains(pid) && is_marked(*pid))
                    .filter_map(Pid::from_raw)
                    .collect();
                for pid in &strays {
                    let _ = kill_process(*pid, Signal::KILL);
                    let _ = waitpid(Some(*pid), WaitOptions::NOHANG);
                }
                drop(steps);
                if strays.is_empty() {
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

    pub(in super::super) struct Family;

    impl Family {
        pub(in super::super) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
            Ok((command.spawn()?, Self))
        }

        pub(in super::super) fn end(self) {}
    }
}
