//! Secrets that are named in other ways: inside of an address, words before them, in a dictionary, in the same word.

use std::sync::LazyLock;

use regex::Regex;

use super::named::{Named, secret_name, words};
use super::tokens::secret;
use super::{Cut, is_placeholder, random};

/// `password%3D...`, `token%3A...`: an assignment inside of an address.
pub(super) fn encoded(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    for (at, _) in line.match_indices('%') {
        let sign = line.get(at..at + 3).unwrap_or_default();
        if !["%3D", "%3d", "%3A", "%3a"].contains(&sign) {
            continue;
        }
        let before = line.get(..at).unwrap_or_default();
        let length =
            before.bytes().rev().take(80).take_while(|b| b.is_ascii_alphanumeric() || b"_-".contains(b)).count();
        // `%26password`: the digits of an escape before the name are none of its letters.
        let name = before.get(before.len() - length..).unwrap_or_default();
        let Some(named) = secret_name(name) else { continue };
        let rest = line.get(at + 3..).unwrap_or_default();
        let end = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_-.~".contains(b)).count();
        let value = rest.get(..end).unwrap_or_default();
        let random = value.len() >= 16 && random::entropy(value.as_bytes()) >= 3.0;
        if value.len() >= 4 && !is_placeholder(value) && (named == Named::Surely || random) {
            let from = start + at + 3;
            cuts.push(secret(from..from + end, "a secret assigned to a name", "REDACTED_SECRET"));
        }
    }
}

/// Keys of 32 letters or more that are only hexadecimal, where the words before them say that they are keys: elsewhere
/// they are hashes.
pub(super) fn hexadecimal(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    const KEYS: [&str; 6] = ["wandb", "key", "token", "secret", "credential", "credentials"];
    const HASHES: [&str; 10] =
        ["cache", "commit", "hash", "sha", "sha256", "md5", "digest", "checksum", "run", "revision"];
    let mut recent: [&str; 4] = [""; 4];
    for (at, word) in words(line) {
        let plain = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        if matches!(plain.len(), 32 | 40 | 64)
            && plain.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && recent.iter().any(|word| KEYS.contains(word))
            && !recent.iter().any(|word| HASHES.contains(word))
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
        client |= name.starts_with("mysql") || name.starts_with("mariadb");
        let password = word.strip_prefix("-p").filter(|password| client && password.len() >= 3);
        if let Some(password) = password.filter(|password| !is_placeholder(password)) {
            let from = start + at + 2;
            cuts.push(secret(from..from + password.len(), "a secret given to a command", "REDACTED_SECRET"));
        }
    }
}
