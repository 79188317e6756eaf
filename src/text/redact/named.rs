//! Secrets with a name beside them: in assignments, headers, cookies, command-line flags, sentences.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::tokens::secret;
use super::{Cut, is_placeholder, lines, odd, random};
use crate::wording;

/// Every name, flag and header below contains one of these; other lines are skipped.
static HINTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let known = wording::secrets();
    let mut hints = known.names.hints.clone();
    let names = known.named.iter().flat_map(|kind| &kind.names);
    let lower = |name: &str| name.to_ascii_lowercase();
    hints.extend(names.filter(|name| !known.names.hints.iter().any(|hint| lower(name).contains(hint))));
    lines::words(&hints)
});

/// The names of the kinds of secrets in comparing form, sorted.
static KNOWN: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = wording::secrets().named.iter().flat_map(|kind| &kind.names);
    let mut names: Vec<String> = names.map(|name| comparable(name)).collect();
    names.retain(|name| !wording::secrets().names.doubtful.contains(&name.as_str()));
    names.sort_unstable();
    names
});

fn comparable(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

/// What a name implies about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// A secret, whatever it looks like.
    Surely,
    /// A secret if it looks like a password.
    Likely,
    /// A secret if it looks random.
    Perhaps,
}

/// Adds the secrets of a text that are named.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    for (start, line) in lines::with(text, &HINTS) {
        assigned(line, start, cuts);
        headers(line, start, cuts);
        cookies(line, start, cuts);
        flags(line, start, cuts);
        odd::hexadecimal(line, start, cuts);
        in_words(line, start, cuts);
    }
}

/// `API_KEY=...`, `"password": "..."`, `aws_secret_access_key = ...`, `'password' => '...'`, `<password>...<`.
fn assigned(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    let bytes = line.as_bytes();
    let mut done = 0;
    for at in memchr::memchr3_iter(b'=', b':', b'>', bytes) {
        if at < done {
            continue;
        }
        let before = line.get(..at).unwrap_or_default();
        // `>` assigns after `=` and at the end of a tag.
        let before = match bytes.get(at) {
            Some(b'>') => match before.strip_suffix('=') {
                Some(before) => before,
                None if before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').nth(1).is_some()
                    && before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').ends_with('<') =>
                {
                    before
                }
                None => continue,
            },
            _ => before,
        };
        // `==`, `://`, `::`, `:=` assign nothing.
        let before = before.trim_end_matches([' ', '\t', '"', '\'', '`', ']', '\\']);
        let after = line.get(at + 1..).unwrap_or_default();
        if after.starts_with(['=', ':', '>']) || after.starts_with("//") || before.ends_with([':', '=', '!', '<', '>'])
        {
            continue;
        }
        let length = before.bytes().rev().take_while(|b| b.is_ascii_alphanumeric() || b"_-".contains(b)).count();
        let name = before.get(before.len() - length..).unwrap_or_default();
        let Some(named) = secret_name(name) else { continue };
        done = value(line, at + 1, start, named, cuts).unwrap_or(done);
    }
}

/// What a name implies about its value, if anything.
pub(super) fn secret_name(name: &str) -> Option<Named> {
    if name.len() < 3 || name.len() > 80 {
        return None;
    }
    let plain = comparable(name);
    let known = &wording::secrets().names;
    let ends = |word: &str| plain.ends_with(word) || plain.strip_suffix('s').is_some_and(|one| one.ends_with(word));
    if known.sure.iter().any(|word| ends(word)) || KNOWN.binary_search(&plain).is_ok() {
        return Some(Named::Surely);
    }
    // HF_TOKEN and WANDB_KEY are names of variables, `pad_token` is a name of tokenizers.
    let shouted = name.bytes().all(|b| !b.is_ascii_lowercase()) && name.contains('_');
    // PWD is a folder, pwd= a password or a folder; `forward_pass` is neither.
    if matches!(plain.as_str(), "pwd" | "pass") {
        return Some(Named::Likely);
    }
    if plain.ends_with("pass") && !shouted {
        return None;
    }
    let perhaps = known.doubtful.iter().any(|word| ends(word));
    perhaps.then_some(if shouted && !plain.ends_with("pwd") { Named::Surely } else { Named::Perhaps })
}

/// Adds the value that begins at `at`, if it is a secret, and says where it ends.
fn value(line: &str, at: usize, start: usize, named: Named, cuts: &mut Vec<Cut>) -> Option<usize> {
    let all = line.get(at..).unwrap_or_default();
    // The beginning of a long value says what it is.
    let rest = all.get(..all.floor_char_boundary(ENOUGH)).unwrap_or_default();
    let skipped = rest.trim_start_matches([' ', '\t']);
    // b'...', r"...".
    let skipped = match skipped.strip_prefix(['b', 'r', 'u', 'f']) {
        Some(inner) if inner.starts_with(['"', '\'']) => inner,
        _ => skipped,
    };
    let quote = skipped.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    // A quotation inside a quotation: \"...\".
    let (open, inner) = match quote {
        Some(_) => (1, skipped.get(1..).unwrap_or_default()),
        None => match skipped.strip_prefix("\\\"") {
            Some(inner) => (2, inner),
            None => (0, skipped),
        },
    };
    let closes = |inner: &str| match quote {
        Some(quote) => closing(inner, quote),
        None => inner.find(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | ')' | '}' | '&' | '\\' | '<')
        }),
    };
    let end = closes(inner);
    let value = inner.get(..end.unwrap_or(inner.len())).unwrap_or_default();
    let offset = at + (rest.len() - skipped.len()) + open;
    let from = start + offset;
    let digit = value.bytes().any(|b| b.is_ascii_digit());
    let letter = value.bytes().any(|b| b.is_ascii_alphabetic());
    let random = value.len() >= 16
        && digit
        && letter
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-+/=.~%".contains(&b))
        && !value.contains("//")
        && (value.matches('/').count() < 4 || random::is_key(value.as_bytes()))
        && random::entropy(value.as_bytes()) >= 3.0;
    // Code that reads a secret is not one: `password = os.environ["X"]`, `api_key: str`. Prose is not either:
    // "password: must be set".
    let code = value.contains(['(', '[', '{']) || (quote.is_none() && value.contains('.') && !random);
    let prose = quote.is_none()
        && value.bytes().all(|b| b.is_ascii_lowercase())
        && rest.trim().contains(' ')
        && at > 0
        && line.as_bytes().get(at - 1) == Some(&b':');
    // "PASS: test_3" is a test's result.
    let verdict = named == Named::Likely && quote.is_none() && line.as_bytes().get(at - 1) == Some(&b':');
    if value.len() < 4 || is_placeholder(value) || code || verdict {
        return None;
    }
    let sure = match named {
        Named::Surely => !prose,
        Named::Likely => value.len() >= 6 && digit && letter && !value.contains(['/', '\\', '%']),
        Named::Perhaps => false,
    };
    (random || sure).then(|| {
        let whole = line.get(offset..).unwrap_or_default();
        let length = end.unwrap_or_else(|| closes(whole).unwrap_or(whole.len()));
        cuts.push(secret(from..from + length, "a secret assigned to a name", "REDACTED_SECRET"));
        offset + length
    })
}

/// So much of a value is enough to judge it.
const ENOUGH: usize = 1024;

/// Where a quotation ends, with `\"` inside of it.
fn closing(inner: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    inner.char_indices().find_map(|(at, c)| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at)
    })
}

/// `Authorization: Bearer ...`, `authorization: ...`; `X-Api-Key: ...` is an assignment already.
fn headers(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    static FORMS: LazyLock<Regex> = LazyLock::new(|| {
        let value = r"([A-Za-z0-9_.+/=~\-]{8,})";
        let forms = format!(
            r#"(?i)\b(?:bearer|basic) {value}|authorization["']?\s*[=:,]\s*["']?(?:[a-z]{{3,16}} )?{value}|\btoken {value}"#
        );
        Regex::new(&forms).expect("a valid pattern")
    });
    for found in FORMS.captures_iter(line) {
        let Some((place, value)) = (1..=3).find_map(|group| Some((group, found.get(group)?))) else { continue };
        let text = value.as_str();
        let digit = text.bytes().any(|b| b.is_ascii_digit());
        let mixed = digit || text.ends_with('=') || place == 2 && text.bytes().any(|b| b.is_ascii_uppercase());
        // "token 3": words that follow one in prose are short or have a dot or dash in them.
        let is_value = match place {
            3 => text.len() >= 20 && digit && text.bytes().all(|b| b.is_ascii_alphanumeric()),
            1 => text.len() >= 12 && mixed,
            _ => mixed,
        };
        if is_value && !is_placeholder(text) {
            cuts.push(secret(start + value.start()..start + value.end(), "a secret in a header", "REDACTED_TOKEN"));
        }
    }
}

/// `Cookie: session=...; theme=...`, `Set-Cookie: sid=...; Path=/`.
fn cookies(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    static HEADER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(?i)\b(?:set-)?cookies?["']?\s*[:=]\s*["']?"#).expect("a valid pattern"));
    let Some(header) = HEADER.find(line) else { return };
    let mut at = header.end();
    if line.get(at..).is_some_and(|rest| rest.starts_with('{')) {
        return odd::dictionary(line, at, start, cuts);
    }
    for piece in line.get(at..).unwrap_or_default().split_inclusive(';') {
        let pair = piece.trim_end_matches([';', ' ', '"', '\'']);
        if let Some((name, value)) = pair.split_once('=') {
            let value = value.split(char::is_whitespace).next().unwrap_or_default();
            let harmless = &wording::secrets().cookies.attributes;
            if value.len() >= 6
                && !harmless.contains(&name.trim().to_ascii_lowercase().as_str())
                && !is_placeholder(value)
            {
                let from = start + at + name.len() + 1;
                cuts.push(secret(from..from + value.len(), "a cookie", "REDACTED_COOKIE"));
            }
        }
        at += piece.len();
    }
}

/// "API key 3f9a... is not valid", "password is hunter2", `login x password y`.
fn in_words(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    static FORMS: LazyLock<Regex> = LazyLock::new(|| {
        let value = r#"["'`(]?([A-Za-z0-9_+/=!#$%^&*~-]{4,})"#;
        let forms = [
            format!(r"(?i)\b(?:api|access|secret)[ _-]?key(?: is| was| provided| used)?:? {value}"),
            format!(r"(?i)\bpass(?:word|wd|phrase)(?: is| was|:) {value}"),
            format!(r"(?i)(?:^\s*|\blogin \S+ )password {value}\s*$"),
        ];
        Regex::new(&forms.join("|")).expect("a valid pattern")
    });
    for found in FORMS.captures_iter(line) {
        let Some((place, value)) = (1..=3).find_map(|group| Some((group, found.get(group)?))) else { continue };
        let text = value.as_str();
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let is_value = match place {
            1 => text.len() >= 20 && digits >= 3 && random::entropy(text.as_bytes()) >= 3.0,
            2 => digits > 0 && digits < text.len(),
            _ => true,
        };
        if is_value && !is_placeholder(text) {
            cuts.push(secret(
                start + value.start()..start + value.end(),
                "a secret named in a sentence",
                "REDACTED_SECRET",
            ));
        }
    }
}

/// `--password x`, `--api-key x`, `wandb login x`, `sshpass -p x`, `curl -u name:x`; `--token=x` is an assignment
/// already.
fn flags(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    let (login, sshpass, curl) = (line.contains("login"), line.contains("sshpass"), line.contains("curl "));
    if line.contains("mysql") || line.contains("mariadb") {
        odd::glued(line, start, cuts);
    }
    if !line.contains("--") && !login && !sshpass && !curl {
        return;
    }
    let mut words = words(line).peekable();
    while let Some((_, word)) = words.next() {
        let named = word.strip_prefix("--").filter(|name| !name.contains('=')).and_then(secret_name);
        let password = word == "-p" && (login || sshpass);
        let asks = named.is_some() || password || login && matches!(word, "login" | "--relogin");
        let user = curl && matches!(word, "-u" | "--user");
        let Some((at, next)) = words.peek().copied().filter(|_| asks || user) else { continue };
        let plain = next.trim_matches(['"', '\'', '`', ',']);
        let plain = match plain.split_once(':') {
            Some((_, password)) if user => password,
            _ if user => continue,
            _ => plain,
        };
        let sure = named == Some(Named::Surely) || password || user;
        let random =
            plain.len() >= 16 && plain.bytes().any(|b| b.is_ascii_digit()) && random::entropy(plain.as_bytes()) >= 3.0;
        if !plain.starts_with('-') && plain.len() >= 4 && !is_placeholder(plain) && (sure || random) {
            let from = start + at + next.rfind(plain).unwrap_or(0);
            cuts.push(secret(from..from + plain.len(), "a secret given to a command", "REDACTED_SECRET"));
        }
    }
}

/// Words with their offsets.
pub(super) fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_whitespace().map(move |word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}
