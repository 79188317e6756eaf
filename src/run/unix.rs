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
use super::{Error, Outcome, Stream};

/// How long the output may be silent, once the child is gone, before what still holds it open is left to itself.
const QUIET: Duration = Duration::from_millis(150);
/// How long it may go on altogether.
const DRAIN: Duration = Duration::from_secs(5);
/// What is left of a command that was told to end has this long to do so.
const GRACE: Duration = Duration::from_secs(2);
/// Most keys kept for a child that does not read them.
const MOST_KEYS: usize = 1 << 20;

/// Whose signals reach the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The child leads a session on a pty: keys become signals there, ours are handed on to its group.
    Pty,
    /// The child leads a group: all signals are handed on to that.
    Group,
    /// The child shares our group, because it reads our terminal: keys reach it without us.
    Shared,
}

pub(super) fn run(
    program: &OsString,
    arguments: &[OsString],
    read: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Outcome, Error> {
    let watch = |what| move |source| Error::Watch { what, source };
    // Before the child exists, or its end could be missed.
    let signals = Signals::listen().map_err(watch("no signal handlers"))?;
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    let (keys, shows, complains) = (stdin.is_terminal(), stdout.is_terminal(), stderr.is_terminal());
    let mut command = Command::new(program);
    command.args(arguments);

    let mut sources = Vec::with_capacity(2);
    let mut keyboard = None;
    let screen = if shows { stdout.as_fd() } else { stderr.as_fd() };
    let (child, pty, reach) = if shows || complains {
        let (pty, pts) = pty::open().map_err(|error| watch("no pty")(io::Error::other(error)))?;
        let alone = keys && shows && complains;
        terminal::copy(screen, &pty, &pts, alone);
        let mut command = pty::Command::from(command);
        if !keys {
            command = command.stdin(Stdio::inherit());
        }
        if !shows {
            command = command.stdout(Stdio::piped());
        }
        if !complains {
            command = command.stderr(Stdio::piped());
        }
        let mut child = command.spawn(pts).map_err(|error| start(program, error))?;
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
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
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
        interrupted: false,
        gone: false,
    };
    watcher.watch(read);
    watcher.clear_up();
    drop(watcher.keyboard.take());
    let interrupted = watcher.interrupted;
    drop(watcher);
    end(child, interrupted)
}

fn end(mut child: Child, interrupted: bool) -> Result<Outcome, Error> {
    let status = child.wait().map_err(|source| Error::Watch { what: "its end was missed", source })?;
    Ok(Outcome::of(status, interrupted))
}

fn name(program: &OsString) -> String {
    program.to_string_lossy().into_owned()
}

fn start(program: &OsString, error: pty_process::Error) -> Error {
    let source = match error {
        pty_process::Error::Io(source) => source,
        other => io::Error::other(other),
    };
    Error::Start { program: name(program), source }
}

fn pipes(child: &mut Child) -> impl Iterator<Item = (Source, Stream)> + use<> {
    let output = child.stdout.take().map(|pipe| (Source::Output(pipe), Stream::Output));
    let error = child.stderr.take().map(|pipe| (Source::Error(pipe), Stream::Error));
    output.into_iter().chain(error)
}

/// Everything that goes on while the child lives.
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
            let (woken, refused) = self.wait();
            if refused {
                return;
            }
            // From the back, because a source that ended is taken out.
            for wake in woken.into_iter().rev() {
                match wake {
                    Wake::Source(index) => {
                        let turn =
                            self.sources.get_mut(index).map(|(from, stream)| pass(from, *stream, &mut buffer, read));
                        match (turn, &mut since_end) {
                            (Some(Turn::Passed), Some((_, last))) => *last = Instant::now(),
                            (Some(Turn::Ended), _) => drop(self.sources.remove(index)),
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
            self.gone = self.gone || has_ended(self.pid);
        }
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
        // A child that closed its streams and lives on is told of by its signal; without streams, look now and then.
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
                    // The kernel tells the child.
                    let _ = terminal::resize(self.screen, pty);
                }
            }
            Arrived::Key(signal) => {
                self.interrupted = true;
                if self.reach != Reach::Shared || !terminal::has_foreground(io::stdin()) {
                    self.send(signal);
                }
            }
            Arrived::End(signal) => {
                self.interrupted = true;
                self.send(signal);
            }
            Arrived::Other(signal) => self.send(signal),
            Arrived::Pause => {
                self.send(Signal::TSTP);
                if let Some(keyboard) = &mut self.keyboard {
                    keyboard.leave();
                }
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

    /// Hands a signal on.
    fn send(&self, signal: Signal) {
        // The child may have ended just now.
        let _ = match self.reach {
            Reach::Pty | Reach::Group => process::kill_process_group(self.pid, signal),
            Reach::Shared => process::kill_process(self.pid, signal),
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

    /// Ends what is left of a command that was told to end: workers that nobody would ever stop.
    fn clear_up(&mut self) {
        if !self.interrupted || self.reach == Reach::Shared {
            return;
        }
        self.send(Signal::TERM);
        self.send(Signal::CONT);
        let start = Instant::now();
        // Whoever still holds a stream is still there.
        let mut buffer = vec![0; CHUNK];
        while !self.sources.is_empty() && start.elapsed() < GRACE {
            let (woken, refused) = self.wait();
            if refused {
                break;
            }
            for wake in woken.into_iter().rev() {
                if let Wake::Source(index) = wake
                    && let Some((source, stream)) = self.sources.get_mut(index)
                    && pass(source, *stream, &mut buffer, &mut |_, _| {}) == Turn::Ended
                {
                    drop(self.sources.remove(index));
                }
            }
        }
        self.send(Signal::KILL);
    }
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
