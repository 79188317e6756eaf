//! Network addresses: IPv4, IPv6, MAC. Versions with four parts look like IPv4 addresses and are kept.

use super::{Cut, Kind, Word, lines};
use crate::wording;

/// Adds the addresses of a text.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    for (start, line) in lines::all(text) {
        if has(line, b'.', 3) {
            version_four(line, start, cuts);
        }
        // A double colon replaces the groups that are left out.
        if has(line, b':', 5) || memchr::memmem::find(line.as_bytes(), b"::").is_some() {
            colons(line, start, cuts);
        }
        if has(line, b'-', 5) {
            dashes(line, start, cuts);
        }
    }
}

/// Whether a byte occurs in a line at least this many times.
fn has(line: &str, byte: u8, times: usize) -> bool {
    memchr::memchr_iter(byte, line.as_bytes()).nth(times - 1).is_some()
}

fn address(range: std::ops::Range<usize>, what: &'static str) -> Cut {
    Cut { range, kind: Kind::Host, what, word: Word::Address, exact: false }
}

/// How far before its repetition a version is looked for.
const NEAR: usize = 2000;

fn version_four(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(begin) = bytes.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)).map(|n| at + n) {
        let length =
            bytes.get(begin..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        at = begin + length;
        let run = line.get(begin..at).unwrap_or_default();
        let word = run.trim_end_matches('.');
        let Some(octets) = octets(word) else { continue };
        let before = line.get(..begin).unwrap_or_default();
        let after = line.get(begin + word.len()..).unwrap_or_default();
        // pip prints a version twice: "Requirement already satisfied: x==9.1.0.70 in ... (9.1.0.70)".
        let near = before.get(before.ceil_char_boundary(before.len().saturating_sub(NEAR))..).unwrap_or_default();
        let again = near.contains("==") && near.contains(&format!("=={word}"));
        if is_local(octets) || again || is_version(before, after, octets) {
            continue;
        }
        cuts.push(address(start + begin..start + begin + word.len(), "an IP address"));
    }
}

fn octets(word: &str) -> Option<[u8; 4]> {
    let mut out = [0; 4];
    let mut parts = word.split('.');
    for octet in &mut out {
        let part = parts.next()?;
        // "01" is a part of a version or a date.
        if part.len() > 3 || (part.len() > 1 && part.starts_with('0')) {
            return None;
        }
        *octet = part.parse().ok()?;
    }
    parts.next().is_none().then_some(out)
}

/// Addresses that every machine has, and those made for examples.
fn is_local(octets: [u8; 4]) -> bool {
    matches!(octets, [127 | 255, ..] | [0, 0, 0, 0] | [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _])
}

/// Whether the context shows that four numbers are a version: `nvidia-cublas-cu12==12.4.5.8`,
/// `6.6.87.2-microsoft`, `libcudnn.so.9.1.0.70`.
fn is_version(before: &str, after: &str, octets: [u8; 4]) -> bool {
    let stop = after.strip_prefix('.').is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
    if after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.')) && !stop {
        // "10.0.0.5-eth0" is an address followed by a name; kernels and wheels are versions.
        let private = matches!(octets, [10, ..] | [192, 168, ..] | [172, 16..=31, ..]);
        return !private || !after.starts_with('-') || after.starts_with("-py");
    }
    // A port or a mask follows addresses only.
    let port = after.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if port
        || after.starts_with('/') && after.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        return false;
    }
    let glued = before
        .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '=' | '-' | '_' | '.' | '<' | '>' | '~' | '^' | '+'));
    if glued {
        // `addr=10.0.0.5`, `--ip=1.2.3.4` assign; `==` and `>=` compare versions.
        let assigns = before.ends_with('=') && !before.ends_with("==") && !before.ends_with([':', '<', '>', '~', '!']);
        let compares = before.strip_suffix('=').is_some_and(|b| b.ends_with(['=', '<', '>', '~', '!']));
        return compares || !assigns || names_version(before);
    }
    names_version(before)
}

/// Whether the words just before are a package's name or "version".
fn names_version(before: &str) -> bool {
    let mut words = before.rsplit(|c: char| c.is_whitespace() || matches!(c, ':' | '=' | '"' | '\'' | '(' | ',' | '|'));
    let near: Vec<String> = words.by_ref().filter(|word| !word.is_empty()).take(2).map(str::to_lowercase).collect();
    let known = wording::redaction();
    let is_package = |word: &String| {
        known.version_parts.iter().any(|part| word.contains(part))
            || ["cu11", "cu12", "cu13"].iter().any(|tag| word.ends_with(tag))
            || known.version_words.contains(&word.as_str())
    };
    near.iter().any(is_package)
}

/// IPv6 and hardware addresses: groups between colons.
fn colons(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    let bytes = line.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b':';
    let mut at = 0;
    while let Some(begin) = bytes.get(at..).and_then(|rest| rest.iter().position(|b| is_part(*b))).map(|n| at + n) {
        let length = bytes.get(begin..).unwrap_or_default().iter().take_while(|b| is_part(**b)).count();
        at = begin + length;
        let run = line.get(begin..at).unwrap_or_default();
        let word = if run.ends_with("::") { run } else { run.trim_end_matches(':') };
        let before = line.get(..begin).and_then(|before| before.chars().next_back());
        let after = line.get(begin + word.len()..).and_then(|after| after.chars().next());
        let joined = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '<'));
        if word.matches(':').count() < 2 || joined(before) || joined(after) {
            continue;
        }
        if is_hardware(word) {
            cuts.push(address(start + begin..start + begin + word.len(), "a hardware address"));
        } else if is_version_six(word) {
            cuts.push(address(start + begin..start + begin + word.len(), "an IPv6 address"));
        }
    }
}

/// `00-1b-44-11-3a-b7`, as Windows writes hardware addresses.
fn dashes(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut at = 0;
    for piece in line.split_inclusive(|c| !is_part(c)) {
        let word = piece.trim_end_matches(|c| !is_part(c));
        if word.len() == 17 && is_hardware(&word.replace('-', ":")) && !word.contains('_') {
            cuts.push(address(start + at..start + at + word.len(), "a hardware address"));
        }
        at += piece.len();
    }
}

fn is_hardware(word: &str) -> bool {
    let groups: Vec<&str> = word.split(':').collect();
    groups.len() == 6
        && groups.iter().all(|group| group.len() == 2 && group.bytes().all(|b| b.is_ascii_hexdigit()))
        && word.bytes().any(|b| b.is_ascii_alphabetic())
}

/// At least one double colon or eight groups, and a group that occurs in no time of day and no C++ name.
fn is_version_six(word: &str) -> bool {
    let groups: Vec<&str> = word.split(':').collect();
    let filled: Vec<&&str> = groups.iter().filter(|group| !group.is_empty()).collect();
    if groups.iter().any(|group| group.len() > 4) || filled.len() < 2 {
        return false;
    }
    let shape = word.matches("::").count() == 1 && !word.contains(":::") || groups.len() == 8 && filled.len() == 8;
    let first = filled.first().map_or("", |group| **group);
    let routed = first.len() >= 2
        && first.len() <= 4
        && (first.starts_with("fe8")
            || first.starts_with("fd")
            || first.starts_with("fc")
            || (first.len() == 4 && first.starts_with(['2', '3'])));
    shape && (routed || (filled.len() >= 4 && word.bytes().any(|b| b.is_ascii_digit())))
}
