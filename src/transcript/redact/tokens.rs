//! Keys and tokens: of the usual services by their shape, private keys, web tokens, passwords in addresses and in
//! assignments, and long random values beside no name at all.
//!
//! Prefixes and lengths follow what the services document and the rules of gitleaks (MIT), which collects them.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::{Cut, Kind, Word, begins_word, is_stand_in, random};

/// Which characters a token is made of behind its prefix.
#[derive(Clone, Copy)]
enum Letters {
    /// Letters and digits.
    Plain,
    /// Letters, digits, `_`, `-`.
    Url,
    /// Letters, digits, `_`, `-`, `.`, `+`, `/`, `=`.
    Wide,
}

/// Prefix, letters, how many at least, what it is, what is left.
const TOKENS: &[(&str, Letters, usize, &str, &str)] = &[
    ("hf_", Letters::Plain, 20, "a Hugging Face token", "REDACTED_HF_TOKEN"),
    ("api_org_", Letters::Plain, 20, "a Hugging Face token", "REDACTED_HF_TOKEN"),
    ("wandb_v1_", Letters::Url, 30, "a Weights & Biases key", "REDACTED_WANDB_KEY"),
    ("local-", Letters::Plain, 40, "a Weights & Biases key", "REDACTED_WANDB_KEY"),
    ("sk-ant-", Letters::Url, 20, "an Anthropic key", "REDACTED_ANTHROPIC_KEY"),
    ("sk-or-v1-", Letters::Url, 32, "an OpenRouter key", "REDACTED_API_KEY"),
    ("sk-", Letters::Url, 20, "an OpenAI key", "REDACTED_OPENAI_KEY"),
    ("sess-", Letters::Plain, 40, "an OpenAI session key", "REDACTED_OPENAI_KEY"),
    ("AKIA", Letters::Plain, 16, "an AWS access key", "REDACTED_AWS_KEY"),
    ("ASIA", Letters::Plain, 16, "an AWS access key", "REDACTED_AWS_KEY"),
    ("ABIA", Letters::Plain, 16, "an AWS access key", "REDACTED_AWS_KEY"),
    ("ghp_", Letters::Plain, 30, "a GitHub token", "REDACTED_GITHUB_TOKEN"),
    ("gho_", Letters::Plain, 30, "a GitHub token", "REDACTED_GITHUB_TOKEN"),
    ("ghu_", Letters::Plain, 30, "a GitHub token", "REDACTED_GITHUB_TOKEN"),
    ("ghs_", Letters::Plain, 30, "a GitHub token", "REDACTED_GITHUB_TOKEN"),
    ("ghr_", Letters::Plain, 30, "a GitHub token", "REDACTED_GITHUB_TOKEN"),
    ("github_pat_", Letters::Url, 30, "a GitHub token", "REDACTED_GITHUB_TOKEN"),
    ("glpat-", Letters::Url, 16, "a GitLab token", "REDACTED_GITLAB_TOKEN"),
    ("gldt-", Letters::Url, 16, "a GitLab token", "REDACTED_GITLAB_TOKEN"),
    ("glrt-", Letters::Url, 16, "a GitLab token", "REDACTED_GITLAB_TOKEN"),
    ("xoxb-", Letters::Url, 20, "a Slack token", "REDACTED_SLACK_TOKEN"),
    ("xoxp-", Letters::Url, 20, "a Slack token", "REDACTED_SLACK_TOKEN"),
    ("xoxa-", Letters::Url, 20, "a Slack token", "REDACTED_SLACK_TOKEN"),
    ("xoxs-", Letters::Url, 20, "a Slack token", "REDACTED_SLACK_TOKEN"),
    ("xapp-", Letters::Url, 20, "a Slack token", "REDACTED_SLACK_TOKEN"),
    ("hooks.slack.com/services/", Letters::Wide, 20, "a Slack webhook", "REDACTED_SLACK_WEBHOOK"),
    ("AIza", Letters::Url, 30, "a Google API key", "REDACTED_GOOGLE_KEY"),
    ("GOCSPX-", Letters::Url, 20, "a Google secret", "REDACTED_GOOGLE_KEY"),
    ("ya29.", Letters::Url, 20, "a Google token", "REDACTED_GOOGLE_KEY"),
    ("npm_", Letters::Plain, 30, "an npm token", "REDACTED_NPM_TOKEN"),
    ("pypi-", Letters::Url, 40, "a PyPI token", "REDACTED_PYPI_TOKEN"),
    ("sk_live_", Letters::Plain, 16, "a Stripe key", "REDACTED_STRIPE_KEY"),
    ("sk_test_", Letters::Plain, 16, "a Stripe key", "REDACTED_STRIPE_KEY"),
    ("rk_live_", Letters::Plain, 16, "a Stripe key", "REDACTED_STRIPE_KEY"),
    ("whsec_", Letters::Wide, 24, "a webhook secret", "REDACTED_SECRET"),
    ("dop_v1_", Letters::Plain, 40, "a DigitalOcean token", "REDACTED_API_KEY"),
    ("dapi", Letters::Plain, 32, "a Databricks token", "REDACTED_API_KEY"),
    ("r8_", Letters::Plain, 30, "a Replicate token", "REDACTED_API_KEY"),
    ("gsk_", Letters::Plain, 30, "a Groq key", "REDACTED_API_KEY"),
    ("pplx-", Letters::Plain, 30, "a Perplexity key", "REDACTED_API_KEY"),
    ("nvapi-", Letters::Url, 30, "an NVIDIA API key", "REDACTED_NVIDIA_KEY"),
    ("dckr_pat_", Letters::Url, 20, "a Docker token", "REDACTED_DOCKER_TOKEN"),
    ("hvs.", Letters::Url, 20, "a Vault token", "REDACTED_VAULT_TOKEN"),
    ("rpa_", Letters::Plain, 30, "a RunPod key", "REDACTED_API_KEY"),
    ("lin_api_", Letters::Plain, 30, "a Linear key", "REDACTED_API_KEY"),
    ("sntrys_", Letters::Wide, 30, "a Sentry token", "REDACTED_API_KEY"),
    ("tskey-", Letters::Url, 20, "a Tailscale key", "REDACTED_API_KEY"),
    ("SG.", Letters::Wide, 50, "a SendGrid key", "REDACTED_API_KEY"),
    ("co_", Letters::Plain, 40, "an API key", "REDACTED_API_KEY"),
    ("ATATT3", Letters::Wide, 40, "an Atlassian token", "REDACTED_API_KEY"),
];

/// Names whose value is a secret whatever it looks like. Compared in lower case without `_` and `-`.
const NAMES: [&str; 17] = [
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesskey",
    "accesskeyid",
    "secretkey",
    "secretaccesskey",
    "clientsecret",
    "privatekey",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "sessiontoken",
    "bearertoken",
    "secret",
    "credential",
];

/// Names whose value is one only when it looks random: they name harmless things as well.
const DOUBTFUL: [&str; 6] = ["token", "auth", "key", "pwd", "pat", "sig"];

static PREFIXES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let built = AhoCorasick::builder().match_kind(MatchKind::Standard).build(TOKENS.iter().map(|token| token.0));
    built.expect("short literals")
});

/// Adds the secrets of a text.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    explained(text, cuts);
    unnamed(text, cuts);
}

/// Adds those that have a name or a shape of their own.
pub(super) fn explained(text: &str, cuts: &mut Vec<Cut>) {
    by_prefix(text, cuts);
    private_keys(text, cuts);
    web_tokens(text, cuts);
    passwords_in_addresses(text, cuts);
    for (start, line) in lines(text) {
        assigned(line, start, cuts);
        headers(line, start, cuts);
        flags(line, start, cuts);
    }
}

/// Lines with their offsets.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end_matches(['\n', '\r']))
    })
}

pub(super) fn secret(range: std::ops::Range<usize>, what: &'static str, left: &'static str) -> Cut {
    Cut { range, kind: Kind::Secret, what, word: Word::Fixed(left) }
}

fn by_prefix(text: &str, cuts: &mut Vec<Cut>) {
    let mut all: Vec<_> = PREFIXES.find_overlapping_iter(text).collect();
    // `sk-ant-` stands before `sk-` in the table and says more.
    all.sort_by_key(|found| found.pattern());
    for found in all {
        let Some((_, letters, least, what, left)) = TOKENS.get(found.pattern().as_usize()).copied() else { continue };
        if !begins_word(text, found.start()) {
            continue;
        }
        let rest = text.as_bytes().get(found.end()..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_letter(letters, **byte)).count();
        let tail = rest.get(..length).unwrap_or_default();
        let whole = text.get(found.start()..found.end() + length).unwrap_or_default();
        if length >= least && random::is_tail(tail) && !is_stand_in(whole) {
            cuts.push(secret(found.start()..found.end() + length, what, left));
        }
    }
}

fn is_letter(letters: Letters, byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || match letters {
            Letters::Plain => false,
            Letters::Url => b"_-".contains(&byte),
            Letters::Wide => b"_-.+/=".contains(&byte),
        }
}

/// Everything from the line that begins a private key to the line that ends it, or to where its letters end.
fn private_keys(text: &str, cuts: &mut Vec<Cut>) {
    for (at, _) in text.match_indices("-----BEGIN ") {
        let rest = text.get(at..).unwrap_or_default();
        let (first, body) = rest.split_once('\n').unwrap_or((rest, ""));
        if !first.contains("PRIVATE KEY") || is_stand_in(body.lines().next().unwrap_or_default().trim()) {
            continue;
        }
        // A key in JSON stands on one line, with its line breaks written out.
        let end = match rest.find("-----END ") {
            Some(end) => {
                let after = rest.get(end + 9..).unwrap_or_default();
                end + 9 + after.find("-----").map_or(0, |dashes| dashes + 5)
            }
            None => {
                let is_base64 = |line: &&str| {
                    !line.trim().is_empty()
                        && line.trim().bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b))
                };
                first.len() + body.split_inclusive('\n').take_while(is_base64).map(str::len).sum::<usize>()
            }
        };
        cuts.push(secret(at..at + end.max(first.len()), "a private key", "REDACTED_PRIVATE_KEY"));
    }
}

/// JSON web tokens: two or three base64 parts, the first of which begins with `{"`.
fn web_tokens(text: &str, cuts: &mut Vec<Cut>) {
    for (at, _) in text.match_indices("eyJ").filter(|(at, _)| begins_word(text, *at)) {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_-.".contains(b)).count();
        let value = text.get(at..at + length).unwrap_or_default().trim_end_matches('.');
        if value.len() >= 40 && value.split('.').filter(|part| part.len() >= 10).count() >= 2 {
            cuts.push(secret(at..at + value.len(), "a JSON web token", "REDACTED_WEB_TOKEN"));
        }
    }
}

/// `scheme://user:password@host`, `scheme://token@host`.
fn passwords_in_addresses(text: &str, cuts: &mut Vec<Cut>) {
    for (at, _) in text.match_indices("://") {
        let begin = at + 3;
        let rest = text.get(begin..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>'));
        let authority = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let Some((user, _)) = authority.rsplit_once('@') else { continue };
        match user.split_once(':') {
            Some((name, password)) => {
                if !is_stand_in(password) {
                    let from = begin + name.len() + 1;
                    cuts.push(secret(from..from + password.len(), "a password in an address", "REDACTED_PASSWORD"));
                }
                if !name.is_empty() && !is_stand_in(name) && name != "oauth2" && name != "git" {
                    cuts.push(Cut {
                        range: begin..begin + name.len(),
                        kind: Kind::Person,
                        what: "a user name in an address",
                        word: Word::Fixed("REDACTED_USER"),
                    });
                }
            }
            None if user.len() >= 16 && !is_stand_in(user) => {
                cuts.push(secret(begin..begin + user.len(), "a token in an address", "REDACTED_TOKEN"));
            }
            None => {}
        }
    }
}

/// `API_KEY=...`, `"password": "..."`, `aws_secret_access_key = ...`.
fn assigned(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    let bytes = line.as_bytes();
    for at in memchr::memchr2_iter(b'=', b':', bytes) {
        // `==`, `://`, `::`, `:=` assign nothing.
        let before = line.get(..at).unwrap_or_default().trim_end_matches([' ', '\t', '"', '\'', '`', ']', '\\']);
        let after = line.get(at + 1..).unwrap_or_default();
        if after.starts_with(['=', ':']) || after.starts_with("//") || before.ends_with([':', '=', '!', '<', '>']) {
            continue;
        }
        let length = before.bytes().rev().take_while(|b| b.is_ascii_alphanumeric() || b"_-".contains(b)).count();
        let name = before.get(before.len() - length..).unwrap_or_default();
        let Some(sure) = is_secret_name(name) else { continue };
        value(line, at + 1, start, sure, cuts);
    }
}

/// Whether a value of that name is a secret: surely, perhaps, or not.
fn is_secret_name(name: &str) -> Option<bool> {
    if name.len() < 3 || name.len() > 80 {
        return None;
    }
    let plain: String = name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect();
    let ends = |word: &str| plain.ends_with(word) || plain.strip_suffix('s').is_some_and(|one| one.ends_with(word));
    if NAMES.iter().any(|word| ends(word)) {
        return Some(true);
    }
    // HF_TOKEN and WANDB_KEY are names of variables, `pad_token` is a name of tokenizers.
    let shouted = name.bytes().all(|b| !b.is_ascii_lowercase()) && name.contains('_');
    DOUBTFUL.iter().any(|word| ends(word)).then_some(shouted && !plain.ends_with("pwd"))
}

/// Takes the value that begins at `at`, where it is one.
fn value(line: &str, at: usize, start: usize, sure: bool, cuts: &mut Vec<Cut>) {
    let rest = line.get(at..).unwrap_or_default();
    let skipped = rest.trim_start_matches([' ', '\t']);
    let quote = skipped.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    // A quotation inside a quotation: \"...\".
    let (open, inner) = match quote {
        Some(_) => (1, skipped.get(1..).unwrap_or_default()),
        None => match skipped.strip_prefix("\\\"") {
            Some(inner) => (2, inner),
            None => (0, skipped),
        },
    };
    let end = match quote {
        Some(quote) => inner.find(quote),
        None => inner
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | ')' | '}' | '&' | '\\')),
    };
    let value = inner.get(..end.unwrap_or(inner.len())).unwrap_or_default();
    let from = start + at + (rest.len() - skipped.len()) + open;
    let random = value.len() >= 16
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-+/=.~".contains(&b))
        && !value.contains("//")
        && value.matches('/').count() < 4
        && random::entropy(value.as_bytes()) >= 3.0;
    // Code that reads a secret is none: `password = os.environ["X"]`, `api_key: str`. Prose is none: "password: must be set".
    let code = value.contains(['(', '[', '{']) || (quote.is_none() && value.contains('.') && !random);
    let prose = quote.is_none()
        && value.bytes().all(|b| b.is_ascii_lowercase())
        && rest.trim().contains(' ')
        && at > 0
        && line.as_bytes().get(at - 1) == Some(&b':');
    if value.len() < 4 || is_stand_in(value) || code {
        return;
    }
    if random || (sure && !prose) {
        cuts.push(secret(from..from + value.len(), "a secret assigned to a name", "REDACTED_SECRET"));
    }
}

/// `Authorization: Bearer ...`, `X-Api-Key: ...` is an assignment already.
fn headers(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    for scheme in ["Bearer ", "bearer ", "Basic ", "Token "] {
        for (at, _) in line.match_indices(scheme).filter(|(at, _)| begins_word(line, *at)) {
            let from = at + scheme.len();
            let rest = line.get(from..).unwrap_or_default();
            let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_-.+/=~".contains(b)).count();
            let value = rest.get(..length).unwrap_or_default();
            let mixed = value.bytes().any(|b| b.is_ascii_digit()) || value.ends_with('=');
            if length >= 12 && mixed && !is_stand_in(value) {
                cuts.push(secret(start + from..start + from + length, "a secret in a header", "REDACTED_TOKEN"));
            }
        }
    }
}

/// `--password x`, `--api-key x`, `wandb login x`, `-e TOKEN=x` is an assignment already.
fn flags(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    if !line.contains("--") && !line.contains("login") && !line.contains("sshpass") {
        return;
    }
    let mut words = words(line).peekable();
    while let Some((_, word)) = words.next() {
        let asks = match word.strip_prefix("--") {
            Some(name) if !name.contains('=') => is_secret_name(name).is_some(),
            _ => {
                matches!(word, "login" | "--relogin" | "--token" | "-p" if line.contains("login") || line.contains("sshpass"))
            }
        };
        let Some((at, next)) = words.peek().copied().filter(|_| asks) else { continue };
        let plain = next.trim_matches(['"', '\'', '`', ',']);
        let sure = word.starts_with("--") && is_secret_name(word.trim_start_matches('-')) == Some(true);
        let random =
            plain.len() >= 16 && plain.bytes().any(|b| b.is_ascii_digit()) && random::entropy(plain.as_bytes()) >= 3.0;
        if !plain.starts_with('-') && plain.len() >= 4 && !is_stand_in(plain) && (sure || random) {
            let from = start + at + next.find(plain).unwrap_or(0);
            cuts.push(secret(from..from + plain.len(), "a secret given to a command", "REDACTED_SECRET"));
        }
    }
}

/// Words with their offsets.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_whitespace().map(move |word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// Long random values that no name explains.
fn unnamed(text: &str, cuts: &mut Vec<Cut>) {
    let bytes = text.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+".contains(&byte);
    let mut at = 0;
    while let Some(begin) = bytes.get(at..).and_then(|rest| rest.iter().position(|b| is_part(*b))).map(|n| at + n) {
        let length = bytes.get(begin..).unwrap_or_default().iter().take_while(|b| is_part(**b)).count();
        at = begin + length;
        if (32..=512).contains(&length) {
            let value = text.get(begin..at).unwrap_or_default();
            let word = value.trim_matches(['-', '_', '+']);
            let offset = value.find(word).unwrap_or(0);
            if random::is_key(word.as_bytes())
                && !value.starts_with("_Z")
                && !value.contains("REDACTED_")
                && begins_word(text, begin)
            {
                let range = begin + offset..begin + offset + word.len();
                cuts.push(secret(range, "a long random value", "REDACTED_SECRET"));
            }
        }
    }
}
