//! Who wrote a line and when, read off one line alone: what a scan asks of the lines that it does not parse.

use super::prefix::strip;
use super::prefix::time::{self, Form, Stamp};
use super::prefix::weak::Weak;

/// What precedes the words of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Heading<'l> {
    pub(crate) stamp: Option<Stamp>,
    /// Whether the stamp names its time zone, or counts from 1970.
    pub(crate) is_zoned: bool,
    pub(crate) rank: Option<u32>,
    /// The machine that wrote it, in logs of systems and of NCCL.
    pub(crate) host: Option<&'l str>,
    /// The pod, container, worker or process.
    pub(crate) source: Option<&'l str>,
}

/// Reads the prefixes of a line.
pub(crate) fn heading(line: &str) -> Heading<'_> {
    /// More layers are in no log.
    const LAYERS: usize = 4;
    let mut heading = Heading::default();
    let mut text = line.trim_start();
    for _ in 0..LAYERS {
        if heading.host.is_none() {
            heading.host = host(text);
        }
        let Some(head) = strip(text, &Weak::default()).filter(|head| head.rest.len() < text.len()) else { break };
        if let Some(stamp) = head.stamp.filter(|_| heading.stamp.is_none()) {
            heading.stamp = Some(stamp);
            heading.is_zoned = time::stamp(text.trim_start_matches('[')).is_some_and(|(_, form, length)| {
                let written = text.trim_start_matches('[').get(..length).unwrap_or_default();
                matches!(form, Form::Platform | Form::Epoch)
                    || written.contains('+')
                    || written.ends_with(|c: char| c.is_ascii_uppercase())
            });
        }
        heading.rank = head.rank.map(|(rank, _)| rank).or(heading.rank);
        heading.source = head.source.or(heading.source);
        text = head.rest;
    }
    heading
}

/// `Nov 21 03:15:22 HOST kernel: `, `2026-11-21T03:15:22Z HOST python[123]: `, `HOST:98011:98011 [0] NCCL WARN`.
fn host(text: &str) -> Option<&str> {
    let is_name = |word: &str| {
        word.len() < 64
            && word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
    };
    if let Some((_, Form::Syslog | Form::Platform, length)) = time::stamp(text) {
        let mut words = text.get(length..)?.split(' ').filter(|word| !word.is_empty());
        let (host, tag) = (words.next()?, words.next()?);
        return (is_name(host) && tag.ends_with(':')).then_some(host);
    }
    let (host, rest) = text.split_once(':')?;
    let is_nccl = rest.get(..rest.floor_char_boundary(40)).is_some_and(|head| head.contains("] NCCL "));
    (is_nccl && is_name(host)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_writer_of_a_line() {
        for (line, rank, host, zoned) in [
            ("[rank3]: RuntimeError: x", Some(3), None, false),
            ("2026-11-21T02:46:41.074Z [rank7]: x", Some(7), None, true),
            ("Nov 21 03:15:22 gpu-7 kernel: NVRM: Xid", None, Some("gpu-7"), false),
            ("2026-11-21T03:15:22+00:00 gpu-7 python[1]: x", None, Some("gpu-7"), true),
            ("gpu-7:98011:98011 [0] NCCL WARN x", None, Some("gpu-7"), false),
            ("2026-11-21 02:46:41 INFO: x", None, None, false),
            ("RuntimeError: x", None, None, false),
        ] {
            let heading = heading(line);
            assert_eq!((heading.rank, heading.host, heading.is_zoned), (rank, host, zoned), "{line}");
            assert_eq!(heading.stamp.is_some(), line.contains(":46:") || line.contains(":15:"), "{line}");
        }
    }
}
