//! Where there is no unix pty: standard input is shared, both outputs go through pipes. The child sees no terminal.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use super::{Environment, Error, Outcome, Stream};

pub(super) fn run(
    program: &OsString,
    arguments: &[OsString],
    added: &Environment<'_>,
    read: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Outcome, Error> {
    let started = Command::new(program)
        .args(arguments)
        .envs(added.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child =
        started.map_err(|source| Error::Start { program: program.to_string_lossy().into_owned(), source })?;
    let (send, receive) = mpsc::channel();
    let mut threads = Vec::new();
    if let Some(pipe) = child.stdout.take() {
        let send = send.clone();
        threads.push(thread::spawn(move || pass(pipe, &mut io::stdout(), Stream::Output, &send)));
    }
    if let Some(pipe) = child.stderr.take() {
        threads.push(thread::spawn(move || pass(pipe, &mut io::stderr(), Stream::Error, &send)));
    }
    for (stream, bytes) in receive {
        read(stream, &bytes);
    }
    threads.into_iter().for_each(|thread| drop(thread.join()));
    let status = child.wait().map_err(|source| Error::Watch { what: "its end was missed", source })?;
    Ok(Outcome::of(status, false, false))
}

fn pass(mut from: impl Read, to: &mut impl Write, stream: Stream, send: &mpsc::Sender<(Stream, Vec<u8>)>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let bytes = buffer.get(..count).unwrap_or_default();
        let written = to.write_all(bytes).and_then(|()| to.flush());
        if send.send((stream, bytes.to_vec())).is_err() || written.is_err() {
            return;
        }
    }
}
