//! Secrets that are named in other ways: by words before them, in a dictionary, in the same word.

use std::sync::LazyLock;

use regex::Regex;

use super::named::words;
use super::tokens::secret;
use super::{Cut, is_placeholder, random};
use crate::wording;

/// Keys of 32 letters or more that are only hexadecimal, where the words before them say that they are keys: elsewhere
/// they are hashes.
pub(super) fn hexadecimal(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    let known = &wording::secrets().hexadecimal;
    let is_one_of = |words: &[&str], word: &str| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    let mut recent: [&str; 4] = [""; 4];
    for (at, word) in words(line) {
        let plain = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        if matches!(plain.len(), 32 | 40 | 64)
            && plain.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && recent.iter().any(|word| is_one_of(&known.keys, word))
            && !recent.iter().any(|word| is_one_of(&known.hashes, word))
            && random::entropy(plain.as_bytes()) >= 3.0
        {
            let from = start + at + word.find(plain).unwrap_or(0);
            cuts.push(secret(from..from + plain.len(), "a key", "REDACTED_SECRET"));
        }
        recent.rotate_left(1);
        recent[3] = plain;
    }
}

/// `cookies={'sessionid': '...', ...}`.
pub(super) fn dictionary(line: &str, at: usize, start: usize, cuts: &mut Vec<Cut>) {
    static PAIR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"["'][A-Za-z0-9_.-]{1,64}["']\s*:\s*["']([^"']{6,})["']"#).expect("a valid pattern")
    });
    let rest = line.get(at..).unwrap_or_default();
    let rest = rest.get(..rest.find('}').unwrap_or(rest.len())).unwrap_or_default();
    for value in PAIR.captures_iter(rest).filter_map(|pair| pair.get(1)) {
        if !is_placeholder(value.as_str()) {
            cuts.push(secret(start + at + value.start()..start + at + value.end(), "a cookie", "REDACTED_COOKIE"));
        }
    }
}

/// `mysql -u root -pPASSWORD`: clients of MySQL take the password in the same word.
pub(super) fn glued(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    let mut client = false;
    for (at, word) in words(line) {
        let name = word.rsplit('/').next().unwrap_or(word);
        client |= wording::secrets().commands.glued.contains(&name);
        let password = word.strip_prefix("-p").filter(|password| client && password.len() >= 3);
        if let Some(password) = password.filter(|password| !is_placeholder(password)) {
            let from = start + at + 2;
            cuts.push(secret(from..from + password.len(), "a secret given to a command", "REDACTED_SECRET"));
        }
    }
}
