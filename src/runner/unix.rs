//! The loop between a terminal and a child: bytes out, keys in, signals through, until the child is gone.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pty_process::blocking as pty;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{self, Pid, Signal, WaitId, WaitIdOptions};

use super::signals::{Arrived, Signals};
use super::streams::{CHUNK, Source, Turn, pass};
use super::terminal::{self, Keyboard};
use super::writer::Writer;
use super::{Environment, Error, Outcome, Stream, jobs, session};

/// How long the output may be silent, once the child is gone, before what still holds it open is left to itself.
const QUIET: Duration = Duration::from_millis(150);
/// The longest wait in total.
const DRAIN: Duration = Duration::from_secs(5);
/// How long the rest of a command has to end after a request to.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// Most keys kept for a child that does not read them.
const MOST_KEYS: usize = 1 << 20;

/// Whose signals reach the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The child leads a session on a pty: keys become signals there; ours are passed on to the leader, and by it to
    /// the command.
    Pty,
    /// The child leads a group: all signals are passed on to it.
    Group,
    /// The child shares our group, because it reads our terminal: keys reach it without us.
    Shared,
}

pub(super) fn run(
    program: &OsString,
    arguments: &[OsString],
    added: &Environment<'_>,
    read: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Outcome, Error> {
    let watch = |what| move |source| Error::Watch { what, source };
    // Before the child exists, or its end could be missed.
    let signals = Signals::listen().map_err(watch("no signal handlers"))?;
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    let (keys, shows, complains) = (stdin.is_terminal(), stdout.is_terminal(), stderr.is_terminal());
    let mut sources = Vec::with_capacity(2);
    let mut keyboard = None;
    let screen = if shows { stdout.as_fd() } else { stderr.as_fd() };
    let (mut child, pty, reach) = if shows || complains {
        let (pty, pts) = pty::open().map_err(|error| watch("no pty")(io::Error::other(error)))?;
        let alone = keys && shows && complains;
        terminal::copy(screen, &pty, &pts, alone);
        let mut leader = session::leader(program, arguments).map_err(watch("this program cannot be found"))?;
        leader.envs(added.iter().copied());
        let mut command = pty::Command::from(leader);
        if !keys {
            command = command.stdin(Stdio::inherit());
        }
        if !shows {
            command = command.stdout(Stdio::piped());
        }
        if !complains {
            command = command.stderr(Stdio::piped());
        }
        let mut child = command.spawn(pts).map_err(|error| watch("no pty")(io::Error::other(error)))?;
        let stream = if shows { Stream::Output } else { Stream::Error };
        sources.push((Source::of_pty(&pty).map_err(watch("no pty"))?, stream));
        sources.extend(pipes(&mut child));
        // Keys must not wait for a child that reads none while it writes.
        let flags = fcntl_getfl(&pty).unwrap_or(OFlags::empty());
        let _ = fcntl_setfl(&pty, flags | OFlags::NONBLOCK);
        if keys {
            keyboard = Keyboard::take(stdin.as_fd(), alone);
        }
        (child, Some(pty), Reach::Pty)
    } else {
        let mut command = Command::new(program);
        command.args(arguments).envs(added.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if !keys {
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(|source| Error::Start { program: name(program), source })?;
        sources.extend(pipes(&mut child));
        (child, None, if keys { Reach::Shared } else { Reach::Group })
    };
    let mut watcher = Watcher {
        pid: Pid::from_child(&child),
        signals,
        sources,
        pty,
        screen,
        keyboard,
        typed: VecDeque::new(),
        reach,
        writer: Writer::start(),
        interrupted: false,
        gone: false,
    };
    watcher.watch(read);
    watcher.clear_up();
    // Written while the terminal is still as the child had it.
    watcher.writer.flush(DRAIN);
    drop(watcher.keyboard.take());
    let (interrupted, unread) = (watcher.interrupted, watcher.writer.was_left());
    let led = watcher.reach == Reach::Pty;
    drop(watcher);
    let status = child.wait().map_err(watch("its end was missed"))?;
    match session::refusal(status).filter(|_| led) {
        Some(source) => Err(Error::Start { program: name(program), source }),
        None => Ok(Outcome::of(status, interrupted, unread)),
    }
}

fn name(program: &OsString) -> String {
    program.to_string_lossy().into_owned()
}

fn pipes(child: &mut Child) -> impl Iterator<Item = (Source, Stream)> + use<> {
    let output = child.stdout.take().map(|pipe| (Source::Output(pipe), Stream::Output));
    let error = child.stderr.take().map(|pipe| (Source::Error(pipe), Stream::Error));
    output.into_iter().chain(error)
}

/// The state of the loop while the child runs.
struct Watcher<'fd> {
    pid: Pid,
    signals: Signals,
    sources: Vec<(Source, Stream)>,
    pty: Option<pty::Pty>,
    screen: BorrowedFd<'fd>,
    keyboard: Option<Keyboard<'fd>>,
    /// Keys that the pty has not taken yet.
    typed: VecDeque<u8>,
    reach: Reach,
    writer: Writer,
    interrupted: bool,
    /// Whether the child has ended; it is not waited for yet, so that its number stays its own.
    gone: bool,
}

/// What a file is polled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wake {
    Signal,
    Source(usize),
    Keys,
    Room,
}

impl Watcher<'_> {
    /// Passes on until the child is gone and its streams are empty.
    fn watch(&mut self, read: &mut dyn FnMut(Stream, &[u8])) {
        let mut buffer = vec![0; CHUNK];
        let mut since_end: Option<(Instant, Instant)> = None;
        loop {
            if self.gone {
                let (end, last) = *since_end.get_or_insert((Instant::now(), Instant::now()));
                if self.sources.is_empty() || last.elapsed() > QUIET || end.elapsed() > DRAIN {
                    return;
                }
            }
            // A shell does not say that it gave the foreground to a job that ran in the background.
            if let Some(keyboard) = self.keyboard.as_mut().filter(|keyboard| !keyboard.is_raw()) {
                keyboard.enter();
            }
            let (woken, refused) = self.wait();
            if refused {
                return;
            }
            let mut news = woken.is_empty() || woken.contains(&Wake::Signal);
            // From the back, because a source that ended is taken out.
            for wake in woken.into_iter().rev() {
                match wake {
                    Wake::Source(index) => {
                        let turn = self
                            .sources
                            .get_mut(index)
                            .map(|(from, stream)| pass(from, *stream, &mut buffer, &self.writer, read));
                        match (turn, &mut since_end) {
                            (Some(Turn::Passed), Some((_, last))) => *last = Instant::now(),
                            (Some(Turn::Ended), _) => {
                                drop(self.sources.remove(index));
                                news = true;
                            }
                            _ => {}
                        }
                    }
                    Wake::Keys => self.take_keys(),
                    Wake::Room => self.give_keys(),
                    Wake::Signal => {
                        for arrived in self.signals.arrived() {
                            self.react(arrived);
                        }
                    }
                }
            }
            // Asked only when there may be news: with every chunk it would cost as much as passing that on.
            if !self.gone && news {
                self.look_at_child();
            }
        }
    }

    /// Whether the child has ended or stopped.
    fn look_at_child(&mut self) {
        self.gone = has_ended(self.pid);
        if !self.gone && self.reach == Reach::Pty && has_stopped(self.pid) {
            self.pause();
        }
    }

    /// Stops with the command, as the shell outside expects of a job, until the shell continues it.
    fn pause(&mut self) {
        if jobs::is_orphaned() {
            // Nothing could continue us: the kernel would not stop a command there either.
            self.send(Signal::CONT);
            return;
        }
        // What it wrote before it stopped must appear above the shell's message.
        self.writer.flush(QUIET);
        if let Some(keyboard) = &mut self.keyboard {
            keyboard.leave();
        }
        let _ = process::kill_process(process::getpid(), Signal::STOP);
    }

    /// Waits for something to happen; the second value says that waiting itself failed.
    fn wait(&self) -> (Vec<Wake>, bool) {
        let mut wakes = vec![Wake::Signal];
        let mut files = vec![PollFd::new(&self.signals, PollFlags::IN)];
        if let (Some(keyboard), Some(pty), false) = (&self.keyboard, &self.pty, self.gone) {
            if keyboard.is_raw() && self.typed.len() < MOST_KEYS {
                wakes.push(Wake::Keys);
                files.push(PollFd::from_borrowed_fd(keyboard.fd(), PollFlags::IN));
            }
            if !self.typed.is_empty() {
                wakes.push(Wake::Room);
                files.push(PollFd::new(pty, PollFlags::OUT));
            }
        }
        for (index, (source, _)) in self.sources.iter().enumerate() {
            wakes.push(Wake::Source(index));
            files.push(PollFd::new(source, PollFlags::IN));
        }
        // The end of a child that closed its streams arrives as a signal; without streams, poll.
        let pause = if self.gone { QUIET } else { Duration::from_millis(500) };
        let pause = Timespec::try_from(pause).ok();
        match poll(&mut files, pause.as_ref()) {
            Ok(_) => {
                let woken = wakes.into_iter().zip(&files).filter(|(_, file)| !file.revents().is_empty());
                (woken.map(|(wake, _)| wake).collect(), false)
            }
            Err(rustix::io::Errno::INTR) => (vec![Wake::Signal], false),
            Err(_) => (Vec::new(), true),
        }
    }

    fn react(&mut self, arrived: Arrived) {
        match arrived {
            Arrived::Child => {}
            Arrived::Window => {
                if let Some(pty) = &self.pty {
                    // The kernel signals the child.
                    let _ = terminal::resize(self.screen, pty);
                }
            }
            Arrived::Key(signal) => {
                self.interrupted = true;
                if self.reach != Reach::Shared || !jobs::has_foreground(io::stdin()) {
                    self.send(signal);
                }
            }
            Arrived::End(signal) => {
                self.interrupted = true;
                self.send(signal);
            }
            Arrived::Other(signal) => self.send(signal),
            // On a pty the command stops first, if it does: that is seen like its own Ctrl-Z.
            Arrived::Pause if self.reach == Reach::Pty => self.send(Signal::TSTP),
            Arrived::Pause => {
                self.send(Signal::TSTP);
                let _ = process::kill_process(process::getpid(), Signal::STOP);
            }
            Arrived::Resume => {
                if let Some(keyboard) = &mut self.keyboard {
                    keyboard.enter();
                }
                if let Some(pty) = &self.pty {
                    let _ = terminal::resize(self.screen, pty);
                }
                self.send(Signal::CONT);
            }
        }
    }

    /// Passes a signal on.
    fn send(&self, signal: Signal) {
        // The child may have ended just now.
        let _ = match self.reach {
            Reach::Group => process::kill_process_group(self.pid, signal),
            Reach::Pty | Reach::Shared => process::kill_process(self.pid, signal),
        };
    }

    fn take_keys(&mut self) {
        let Some(keyboard) = &mut self.keyboard else { return };
        let mut buffer = [0; 4096];
        match rustix::io::read(keyboard.fd(), &mut buffer) {
            Ok(0) => self.keyboard = None,
            Ok(count) => {
                self.typed.extend(buffer.get(..count).unwrap_or_default());
                self.give_keys();
            }
            Err(_) => {}
        }
    }

    fn give_keys(&mut self) {
        let Some(pty) = &self.pty else { return };
        while let (front @ [_, ..], _) = self.typed.as_slices() {
            match rustix::io::write(pty, front) {
                Ok(count) => drop(self.typed.drain(..count)),
                Err(_) => return,
            }
        }
    }

    /// Ends what is left of a command after its end was requested: workers that nothing else would stop. On a pty the
    /// leader of the session does that.
    fn clear_up(&mut self) {
        if !self.interrupted || self.reach != Reach::Group {
            return;
        }
        self.send(Signal::TERM);
        self.send(Signal::CONT);
        let start = Instant::now();
        // A process that still has a stream open is still running.
        let mut buffer = vec![0; CHUNK];
        while !self.sources.is_empty() && start.elapsed() < GRACE {
            let (woken, refused) = self.wait();
            if refused {
                break;
            }
            for wake in woken.into_iter().rev() {
                if let Wake::Source(index) = wake
                    && let Some((source, stream)) = self.sources.get_mut(index)
                    && pass(source, *stream, &mut buffer, &self.writer, &mut |_, _| {}) == Turn::Ended
                {
                    drop(self.sources.remove(index));
                }
            }
        }
        self.send(Signal::KILL);
    }
}

/// Whether the child has stopped since the last call.
fn has_stopped(pid: Pid) -> bool {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
    process::waitid(WaitId::Pid(pid), options).is_ok_and(|status| status.is_some_and(|status| status.stopped()))
}

/// Whether the child has ended, without taking its status.
fn has_ended(pid: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    match process::waitid(WaitId::Pid(pid), options) {
        Ok(status) => status.is_some(),
        Err(rustix::io::Errno::INTR) => false,
        Err(_) => true,
    }
}
