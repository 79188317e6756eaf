//! Personal data: e-mail addresses, and user names where a path, a prompt or an ssh target shows them.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::learned::Learned;
use super::{Cut, Kind, Word, is_placeholder, lines};
use crate::wording;

/// Folders that hold the homes of people.
const HOMES: [&str; 8] =
    ["/home/", "/Users/", "\\Users\\", "\\\\Users\\\\", "/users/", "\\users\\", "/homes/", "\\home\\"];

/// Every form below contains one of these.
static HINTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    lines::words(&["home", "users/", "users\\", "@", "~", "user", "logname", "uid=", "rw", "r-", "author", "committer"])
});

/// Accounts of images and services: they identify nobody.
const NOBODY: [&str; 36] = [
    "user",
    "users",
    "root",
    "ubuntu",
    "ec2-user",
    "runner",
    "jovyan",
    "admin",
    "administrator",
    "public",
    "shared",
    "default",
    "vscode",
    "work",
    "workspace",
    "app",
    "docker",
    "nobody",
    "guest",
    "test",
    "build",
    "builder",
    "conda",
    "condauser",
    "appuser",
    "nonroot",
    "sagemaker-user",
    "azureuser",
    "opc",
    "debian",
    "centos",
    "username",
    "name",
    "me",
    "all",
    "someone",
];

/// Adds user names and e-mail addresses.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>, learned: &mut Learned) {
    for (start, line) in lines::with(text, &HINTS) {
        homes(line, start, cuts, learned);
        named(line, start, cuts, learned);
        listed(line, start, cuts, learned);
        if line.contains('@') {
            signs(line, start, cuts, learned);
        }
    }
    processes(text, cuts, learned);
    phones(text, cuts);
}

/// `uid=1001(alice)`, `-rw-r--r-- 1 alice staff`, `Author: Alice Smith <...>`.
fn listed(line: &str, start: usize, cuts: &mut Vec<Cut>, learned: &mut Learned) {
    static FORMS: LazyLock<Regex> = LazyLock::new(|| {
        let name = r"([a-z_][a-z0-9_.-]{2,31})";
        let forms = [
            format!(r"\b(?:uid|gid|euid|egid|groups)=\d+\({name}\)"),
            format!(r"^\s*[-dlbcps][-rwxsStT]{{9}}[.+@]?\s+\d+\s+{name}\s+\S+\s+\d"),
            r"^\s*(?:Author|Committer|Signed-off-by|Co-authored-by|Reported-by|Reviewed-by):\s+([^<>]{2,60}?)\s+<"
                .to_owned(),
        ];
        Regex::new(&forms.join("|")).expect("a valid pattern")
    });
    for found in FORMS.captures_iter(line) {
        let Some((place, name)) = (1..=3).find_map(|group| Some((group, found.get(group)?))) else { continue };
        let range = start + name.start()..start + name.end();
        if place == 3 {
            if !name.as_str().starts_with("REDACTED_") {
                cuts.push(person(range, "a person's name", "REDACTED_NAME"));
            }
        } else if !is_nobody(name.as_str()) {
            learned.user(name.as_str());
            cuts.push(person(range, "a user name", "user"));
        }
    }
}

/// The rows below the head of `ps aux` or `ps -ef`, which begin with a login.
fn processes(text: &str, cuts: &mut Vec<Cut>, learned: &mut Learned) {
    let mut in_list = false;
    let mut heads = memchr::memmem::find_iter(text.as_bytes(), " PID ").peekable();
    if heads.peek().is_none() {
        return;
    }
    for (start, line) in lines::all(text) {
        let mut words = line.split_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if matches!(first, "USER" | "UID") && second == "PID" {
            in_list = true;
            continue;
        }
        in_list &= !second.is_empty() && second.bytes().all(|byte| byte.is_ascii_digit());
        let login = first.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-+".contains(&byte));
        if in_list && login && first.len() >= 3 && !is_nobody(first) && !first.bytes().all(|b| b.is_ascii_digit()) {
            let from = start + line.find(first).unwrap_or(0);
            learned.user(first);
            cuts.push(person(from..from + first.len(), "a user name", "user"));
        }
    }
}

/// `+1 415 555 0123`, `(415) 555-0123`.
fn phones(text: &str, cuts: &mut Vec<Cut>) {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)|\d{1,4})(?:[ .-]\d{2,4}){2,4}|\(\d{3}\) ?\d{3}-\d{4})")
            .expect("a valid pattern")
    });
    for at in memchr::memchr2_iter(b'+', b'(', text.as_bytes()) {
        let next = text.as_bytes().get(at + 1);
        if !next.is_some_and(u8::is_ascii_digit) || !super::begins_word(text, at) {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let head = rest.get(..rest.floor_char_boundary(32)).unwrap_or_default();
        let Some(found) = FORM.find(head) else { continue };
        let digits = found.as_str().bytes().filter(u8::is_ascii_digit).count();
        if (10..=15).contains(&digits) && super::ends_word(text, at + found.end()) {
            cuts.push(person(at..at + found.end(), "a phone number", "REDACTED_PHONE"));
        }
    }
}

/// `USER=alice7`, `'LOGNAME': 'alice7'`, `user: alice7`, `~alice7/ocr`.
fn named(line: &str, start: usize, cuts: &mut Vec<Cut>, learned: &mut Learned) {
    static FORMS: LazyLock<Regex> = LazyLock::new(|| {
        let name = "([A-Za-z][A-Za-z0-9._-]{2,31})";
        let forms = [
            format!(r#"\b(?:USER|LOGNAME|USERNAME|SLURM_JOB_USER|SUDO_USER)["']?\s*[=:]\s*["']?{name}"#),
            format!(r#"\b[Uu]ser(?:name)?["']?\s*[=:]\s*["']?{name}(?:["',;\s)]|$)"#),
            format!(r#"(?:^|[\s"'=:(])~{name}/"#),
        ];
        Regex::new(&forms.join("|")).expect("a valid pattern")
    });
    for found in FORMS.captures_iter(line) {
        let Some((place, name)) = (1..=3).find_map(|group| Some((group, found.get(group)?))) else { continue };
        let login = name.as_str().trim_end_matches(['.', '-']);
        // "user: str" and "user=admin" name nobody; what has a digit in it is a login.
        let telling = place != 2 || login.bytes().any(|b| b.is_ascii_digit());
        if telling && !is_nobody(login) {
            learned.user(login);
            cuts.push(person(start + name.start()..start + name.start() + login.len(), "a user name", "user"));
        }
    }
}

/// Whether a name identifies nobody.
pub(super) fn is_nobody(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    NOBODY.contains(&lower.as_str()) || is_placeholder(name)
}

pub(super) fn person(range: std::ops::Range<usize>, what: &'static str, left: &'static str) -> Cut {
    Cut { range, kind: Kind::Person, what, word: Word::Fixed(left), exact: false }
}

/// No folder of a home has a longer name.
const LONGEST_NAME: usize = 300;

fn homes(line: &str, start: usize, cuts: &mut Vec<Cut>, learned: &mut Learned) {
    for home in HOMES {
        for (at, _) in line.match_indices(home) {
            let from = at + home.len();
            let rest = line.get(from..).unwrap_or_default();
            let rest = rest.get(..rest.floor_char_boundary(LONGEST_NAME)).unwrap_or_default();
            let end =
                rest.find(|c: char| c.is_whitespace() || "/\\\"'`:;,|<>()[]{}$*".contains(c)).unwrap_or(rest.len());
            let name = rest.get(..end).unwrap_or_default().trim_end_matches('.');
            // "C:\Users\Jane Doe\": a folder's name may contain a space.
            let name = match (home.contains('\\'), rest.split(['\\', '"', '\'']).next()) {
                (true, Some(whole)) if whole.len() < 40 && rest.as_bytes().get(whole.len()) == Some(&b'\\') => whole,
                _ => name,
            };
            // No name begins with a dash, but a marker such as `-----END` may follow a folder without a line between.
            if name.is_empty() || name.starts_with('-') || is_nobody(name) || name == "Public" {
                continue;
            }
            learned.user(name);
            cuts.push(person(start + from..start + from + name.len(), "a user name in a path", "user"));
        }
    }
}

/// What an `@` joins: an e-mail address, `user@host:path`, a prompt.
fn signs(line: &str, start: usize, cuts: &mut Vec<Cut>, learned: &mut Learned) {
    // Where the first command that takes `user@host` ends.
    let remote = &wording::secrets().commands.remote;
    let command = remote.iter().filter_map(|word| Some(line.find(word)? + word.len())).min().unwrap_or(usize::MAX);
    for at in memchr::memchr_iter(b'@', line.as_bytes()) {
        let before = line.get(..at).unwrap_or_default();
        let after = line.get(at + 1..).unwrap_or_default();
        let length = before.bytes().rev().take_while(|b| b.is_ascii_alphanumeric() || b"._%+-".contains(b)).count();
        let name = before.get(before.len() - length..).unwrap_or_default().trim_start_matches(['.', '-', '+', '%']);
        let length = after.bytes().take_while(|b| b.is_ascii_alphanumeric() || b".-".contains(b)).count();
        let host = after.get(..length).unwrap_or_default().trim_end_matches(['.', '-']);
        if name.is_empty() || host.is_empty() {
            continue;
        }
        let behind = after.get(host.len()..).unwrap_or_default();
        let from = start + at - name.len();
        if is_mail(name, host, behind) {
            cuts.push(person(from..start + at + 1 + host.len(), "an e-mail address", "REDACTED_EMAIL"));
            continue;
        }
        // `alice@gpu17:~/ocr$`, `[alice@gpu17 ocr]$`, `ssh alice@gpu17`.
        let lead = before.get(..before.len() - name.len()).unwrap_or_default();
        let prompt = behind.starts_with(":~")
            || behind.starts_with(":/")
            || (lead.ends_with('[') && behind.starts_with(' '))
            || lead.ends_with("host: ");
        let command = command <= lead.len();
        let word = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && host.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !(prompt || command) || !word || name == "git" {
            continue;
        }
        if !is_nobody(name) {
            learned.user(name);
            cuts.push(person(from..start + at, "a user name", "user"));
        }
        if learned.host(host) {
            cuts.push(super::hosts::host(start + at + 1..start + at + 1 + host.len()));
        }
    }
}

/// Whether `name@host` is an address for mail, and not a decorator, a matmul or a symbol's version.
fn is_mail(name: &str, host: &str, behind: &str) -> bool {
    /// Top-level domains that are longer than two letters.
    const ENDINGS: [&str; 32] = [
        "com",
        "org",
        "net",
        "edu",
        "gov",
        "mil",
        "int",
        "info",
        "biz",
        "dev",
        "app",
        "tech",
        "cloud",
        "xyz",
        "online",
        "site",
        "name",
        "pro",
        "email",
        "systems",
        "science",
        "research",
        "academy",
        "university",
        "local",
        "internal",
        "lan",
        "corp",
        "labs",
        "llc",
        "company",
        "localdomain",
    ];
    let Some((domain, ending)) = host.rsplit_once('.') else { return false };
    let lower = ending.to_ascii_lowercase();
    let country = ending.len() == 2 && ending.bytes().all(|b| b.is_ascii_lowercase());
    let known = country || ENDINGS.contains(&lower.as_str());
    // ssh addresses of repositories are not mailboxes: git@github.com:org/repo.
    let service = name == "git"
        || domain.split('.').any(|label| label == "example")
        || is_placeholder(name) && domain.contains("example");
    let code = behind.starts_with(['(', '[', '_']) || domain.contains("..");
    known && !service && !code && domain.bytes().any(|b| b.is_ascii_alphabetic())
}
