//! People: e-mail addresses, and user names where a path, a prompt or an ssh target shows them.

use super::learned::Learned;
use super::{Cut, Kind, Word, is_stand_in};

/// Folders that hold the homes of people.
const HOMES: [&str; 8] =
    ["/home/", "/Users/", "\\Users\\", "\\\\Users\\\\", "/users/", "\\users\\", "/homes/", "/export/home/"];

/// Accounts of images and services: they say nothing about a person.
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

/// Adds the people of a text.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>, learned: &mut Learned) {
    for (start, line) in super::tokens::lines(text) {
        homes(line, start, cuts, learned);
        if line.contains('@') {
            signs(line, start, cuts, learned);
        }
    }
}

/// Whether a name belongs to nobody in particular.
pub(super) fn is_nobody(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    NOBODY.contains(&lower.as_str()) || is_stand_in(name)
}

pub(super) fn person(range: std::ops::Range<usize>, what: &'static str, left: &'static str) -> Cut {
    Cut { range, kind: Kind::Person, what, word: Word::Fixed(left) }
}

fn homes(line: &str, start: usize, cuts: &mut Vec<Cut>, learned: &mut Learned) {
    for home in HOMES {
        for (at, _) in line.match_indices(home) {
            let from = at + home.len();
            let rest = line.get(from..).unwrap_or_default();
            let end =
                rest.find(|c: char| c.is_whitespace() || "/\\\"'`:;,|<>()[]{}$*".contains(c)).unwrap_or(rest.len());
            let name = rest.get(..end).unwrap_or_default().trim_end_matches('.');
            // "C:\Users\Jane Doe\": a folder's name may hold a blank.
            let name = match (home.contains('\\'), rest.split(['\\', '"', '\'']).next()) {
                (true, Some(whole)) if whole.len() < 40 && rest.as_bytes().get(whole.len()) == Some(&b'\\') => whole,
                _ => name,
            };
            if name.is_empty() || is_nobody(name) || name == "Public" {
                continue;
            }
            learned.user(name);
            cuts.push(person(start + from..start + from + name.len(), "a user name in a path", "user"));
        }
    }
}

/// What an `@` joins: an e-mail address, `user@host:path`, a prompt.
fn signs(line: &str, start: usize, cuts: &mut Vec<Cut>, learned: &mut Learned) {
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
        let prompt =
            behind.starts_with(":~") || behind.starts_with(":/") || (lead.ends_with('[') && behind.starts_with(' '));
        let command = ["ssh ", "scp ", "rsync ", "sftp ", "mosh "].iter().any(|word| lead.contains(word));
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

/// Whether `name@host` is an address for mail, and not a decorator, a product of matrices or a version of a symbol.
fn is_mail(name: &str, host: &str, behind: &str) -> bool {
    /// Endings of the net's names that are longer than two letters.
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
    // ssh addresses of repositories have no reader: git@github.com:org/repo.
    let service = name == "git"
        || domain.split('.').any(|label| label == "example")
        || is_stand_in(name) && domain.contains("example");
    let code = behind.starts_with(['(', '[', '_']) || domain.contains("..");
    known && !service && !code && domain.bytes().any(|b| b.is_ascii_alphabetic())
}
