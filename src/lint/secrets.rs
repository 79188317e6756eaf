//! Secrets in a text: tokens of the usual services by their shape, private keys, passwords in addresses, and long
//! random values assigned to names such as `api_key`. It finds; what to do about it is the caller's matter.
//!
//! Placeholders are no secrets: a value that says "example", repeats one letter or is a variable is left alone.

use std::ops::Range;

use super::finding::{Finding, Source};

/// A secret found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it opens: "a Hugging Face token".
    pub what: &'static str,
}

/// Findings for the secrets of a document.
pub(super) fn check(source: &Source<'_>) -> Vec<Finding> {
    let help = "revoke it first, then take it out: it stays in the history";
    let finding = |secret: Secret| source.finding(secret.range, "secret", secret.what.to_owned()).help(help);
    find(source.text).into_iter().map(finding).collect()
}

/// Which characters follow a prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    /// Letters and digits.
    Word,
    /// Letters, digits, `_` and `-`.
    Url,
    /// `0-9a-f`.
    Hex,
    /// `A-Z2-7`, `0-9`.
    Upper,
}

/// Prefix, letters, how many of them at least, what it is.
const TOKENS: &[(&str, Letters, usize, &str)] = &[
    ("hf_", Letters::Word, 30, "a Hugging Face token"),
    ("api_org_", Letters::Word, 30, "a Hugging Face organisation token"),
    ("wandb_v1_", Letters::Url, 40, "a Weights & Biases key"),
    ("sk-ant-", Letters::Url, 40, "an Anthropic key"),
    ("sk-proj-", Letters::Url, 40, "an OpenAI key"),
    ("sk-svcacct-", Letters::Url, 40, "an OpenAI key"),
    ("sk-or-v1-", Letters::Hex, 60, "an OpenRouter key"),
    ("sk-", Letters::Word, 40, "an OpenAI key"),
    ("AKIA", Letters::Upper, 16, "an AWS access key"),
    ("ASIA", Letters::Upper, 16, "an AWS access key"),
    ("ghp_", Letters::Word, 36, "a GitHub token"),
    ("gho_", Letters::Word, 36, "a GitHub token"),
    ("ghu_", Letters::Word, 36, "a GitHub token"),
    ("ghs_", Letters::Word, 36, "a GitHub token"),
    ("ghr_", Letters::Word, 36, "a GitHub token"),
    ("github_pat_", Letters::Url, 50, "a GitHub token"),
    ("glpat-", Letters::Url, 20, "a GitLab token"),
    ("xoxb-", Letters::Url, 30, "a Slack token"),
    ("xoxp-", Letters::Url, 30, "a Slack token"),
    ("xoxa-", Letters::Url, 30, "a Slack token"),
    ("xoxs-", Letters::Url, 30, "a Slack token"),
    ("xapp-", Letters::Url, 30, "a Slack token"),
    ("AIza", Letters::Url, 35, "a Google API key"),
    ("GOCSPX-", Letters::Url, 28, "a Google OAuth secret"),
    ("ya29.", Letters::Url, 40, "a Google access token"),
    ("npm_", Letters::Word, 36, "an npm token"),
    ("pypi-AgEI", Letters::Url, 50, "a PyPI token"),
    ("sk_live_", Letters::Word, 24, "a Stripe key"),
    ("rk_live_", Letters::Word, 24, "a Stripe key"),
    ("dop_v1_", Letters::Hex, 64, "a DigitalOcean token"),
    ("dapi", Letters::Hex, 32, "a Databricks token"),
    ("r8_", Letters::Word, 37, "a Replicate token"),
    ("gsk_", Letters::Word, 50, "a Groq key"),
    ("pplx-", Letters::Word, 48, "a Perplexity key"),
    ("nvapi-", Letters::Url, 60, "an NVIDIA API key"),
    ("dckr_pat_", Letters::Url, 27, "a Docker token"),
    ("hvs.", Letters::Url, 24, "a HashiCorp Vault token"),
    ("ntn_", Letters::Word, 40, "a Notion token"),
    ("lin_api_", Letters::Word, 40, "a Linear key"),
    ("sntrys_", Letters::Url, 40, "a Sentry token"),
    ("tskey-", Letters::Url, 30, "a Tailscale key"),
    ("rpa_", Letters::Word, 40, "a RunPod key"),
];

/// Names whose assigned value is a secret when it looks random.
const NAMES: [&str; 13] = [
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "secret_key",
    "secret",
    "access_token",
    "auth_token",
    "token",
    "password",
    "passwd",
    "pwd",
    "credential",
];

/// All secrets of a text in the order of their places; none overlap.
pub fn find(text: &str) -> Vec<Secret> {
    let mut found: Vec<Secret> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        tokens(line, start, &mut found);
        address(line, start, &mut found);
        assigned(line, start, &mut found);
        web_token(line, start, &mut found);
        start += line.len();
    }
    private_keys(text, &mut found);
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    let mut end = 0;
    found.retain(|secret| {
        let keep = secret.range.start >= end;
        end = end.max(secret.range.end);
        keep
    });
    found
}

fn tokens(line: &str, start: usize, found: &mut Vec<Secret>) {
    for (prefix, letters, least, what) in TOKENS {
        for (at, _) in line.match_indices(prefix) {
            let before = line.get(..at).and_then(|before| before.chars().next_back());
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = line.get(at + prefix.len()..).unwrap_or_default();
            let length = rest.bytes().take_while(|byte| is_letter(*letters, *byte)).count();
            let value = rest.get(..length).unwrap_or_default();
            if length >= *least && is_random(value) {
                found.push(Secret { range: start + at..start + at + prefix.len() + length, what });
            }
        }
    }
}

fn is_letter(letters: Letters, byte: u8) -> bool {
    match letters {
        Letters::Word => byte.is_ascii_alphanumeric(),
        Letters::Url => byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-',
        Letters::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        Letters::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
    }
}

/// Shorter ones stand in documentation only.
const SHORTEST_PASSWORD: usize = 3;

/// Hosts that RFC 2606 keeps for documentation.
fn is_reserved(host: &str) -> bool {
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    ["example.com", "example.org", "example.net", "example", "invalid", "test"]
        .iter()
        .any(|name| host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.')))
}

/// `scheme://user:password@host`.
fn address(line: &str, start: usize, found: &mut Vec<Secret>) {
    for (at, _) in line.match_indices("://") {
        let begin = at + 3;
        let rest = line.get(begin..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '>' | ')'));
        let host = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let Some((user, at_host)) = host.rsplit_once('@') else { continue };
        let Some((name, password)) = user.split_once(':') else { continue };
        if password.chars().count() >= SHORTEST_PASSWORD && !is_placeholder(password) && !is_reserved(at_host) {
            let from = start + begin + name.len() + 1;
            found.push(Secret { range: from..from + password.len(), what: "a password in an address" });
        }
    }
}

/// `API_KEY=...`, `"password": "..."`, `wandb login ...`.
fn assigned(line: &str, start: usize, found: &mut Vec<Secret>) {
    if !line.contains(['=', ':']) && !line.contains("login") {
        return;
    }
    let lower = line.to_ascii_lowercase();
    for name in NAMES {
        for (at, _) in lower.match_indices(name) {
            let Some(rest) = line.get(at + name.len()..) else { continue };
            // `max_tokens`, `token_type_ids`: the name must end here.
            let Some(value) = rest.trim_start_matches(['"', '\'', '`', ' ']).strip_prefix(['=', ':']) else { continue };
            push_random(line, value, start, "a secret assigned to a name", found);
        }
    }
    if let Some(at) = lower.find("wandb login ").or_else(|| lower.find("huggingface-cli login --token ")) {
        let rest = line.get(at..).unwrap_or_default();
        let word = rest.split_whitespace().find(|word| word.len() >= 30).unwrap_or_default();
        push_random(line, word, start, "a key given to a login", found);
    }
}

/// Takes the random value at the beginning of `value`, which is a part of `line`.
fn push_random(line: &str, value: &str, start: usize, what: &'static str, found: &mut Vec<Secret>) {
    let value = value.trim_start_matches([' ', '"', '\'', '`', '=']);
    let end = value.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | ')' | '}' | '&'));
    let value = value.get(..end.unwrap_or(value.len())).unwrap_or_default();
    let mixed = value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic());
    let plain = value.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=_-.~".contains(&b));
    // A path, a version or an address is long and mixed too.
    let path = value.contains("//") || value.starts_with(['/', '.']) || value.matches('/').count() > 3;
    if value.len() >= 20 && mixed && plain && !path && is_random(value) {
        let at = value.as_ptr() as usize - line.as_ptr() as usize;
        found.push(Secret { range: start + at..start + at + value.len(), what });
    }
}

/// A JSON web token: three base64 parts, the first of which is `{"alg":...` or `{"typ":...`.
fn web_token(line: &str, start: usize, found: &mut Vec<Secret>) {
    for (at, _) in line.match_indices("eyJ") {
        let rest = line.get(at..).unwrap_or_default();
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_-.".contains(b)).count();
        let value = rest.get(..length).unwrap_or_default().trim_end_matches('.');
        let parts: Vec<&str> = value.split('.').collect();
        if parts.len() == 3 && parts.iter().all(|part| part.len() >= 10) {
            found.push(Secret { range: start + at..start + at + value.len(), what: "a JSON web token" });
        }
    }
}

/// Everything between the lines that begin and end a private key.
fn private_keys(text: &str, found: &mut Vec<Secret>) {
    for (at, _) in text.match_indices("-----BEGIN ") {
        let rest = text.get(at..).unwrap_or_default();
        // The whole key may stand on one line, with `\n` written out.
        let line = rest.lines().next().unwrap_or_default();
        let Some(first) = line.find("PRIVATE KEY-----").and_then(|at| line.get(..at + "PRIVATE KEY-----".len())) else {
            continue;
        };
        let body = rest.get(first.len()..).unwrap_or_default();
        let last = |end: usize| {
            let tail = body.get(end + "-----END ".len()..).unwrap_or_default();
            let line = tail.lines().next().unwrap_or_default();
            end + "-----END ".len() + line.find("-----").map_or(line.len(), |dashes| dashes + 5)
        };
        let end = body.find("-----END ").map_or_else(|| key_lines(body), last);
        let inside = body.get(..body.find("-----END ").unwrap_or(end)).unwrap_or_default();
        let letters = inside.bytes().filter(|b| b.is_ascii_alphanumeric()).count();
        if letters >= 64 && !is_placeholder(inside) {
            found.push(Secret { range: at..at + first.len() + end, what: "a private key" });
        }
    }
}

/// The length of the lines that a key without its end consists of: base64 and the headers above it.
fn key_lines(body: &str) -> usize {
    let is_key = |line: &str| {
        let words = line.trim();
        words.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=\\".contains(&b)) || words.contains(": ")
    };
    let lines = body.split_inclusive('\n').take_while(|line| is_key(line));
    body.get(..lines.map(str::len).sum()).map_or(0, |key| key.trim_end().len())
}

/// Whether a value is written by a machine: many different characters, and no word that marks an example.
fn is_random(value: &str) -> bool {
    if is_placeholder(value) {
        return false;
    }
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let entropy: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum();
    // Hexadecimal digits reach 4 bits at most, sixteen letters of an AWS key about 3.4; words of prose stay below 3
    // only when they repeat themselves, so digits are asked for where there is room for them.
    entropy >= 3.0 && (value.len() < 24 || value.bytes().any(|b| b.is_ascii_digit()))
}

/// Whether a value stands for one: a variable, stars, "your-token", "xxxx", "example".
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let marks = [
        "example",
        "xxxx",
        "your",
        "placeholder",
        "redacted",
        "****",
        "....",
        "0000000",
        "1234567",
        "abcdef",
        "changeme",
        "dummy",
    ];
    value.starts_with(['$', '<', '{', '*', '%', '['])
        || marks.iter().any(|mark| lower.contains(mark))
        || matches!(
            lower.as_str(),
            "password" | "pass" | "passwd" | "pwd" | "secret" | "token" | "user" | "x" | "xxx" | "***" | "..."
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Composed at run time, so that no scanner takes this file for a leak.
    fn made(prefix: &str, length: usize) -> String {
        let letters = b"q7Zk2LmX9vT4bNpR8sWy3GdHj6Fc5Va1Ue0Qo";
        let tail: String = (0..length).map(|i| char::from(letters[(i * 7 + i / 5) % letters.len()])).collect();
        format!("{prefix}{tail}")
    }

    fn whats(text: &str) -> Vec<&'static str> {
        find(text).into_iter().map(|secret| secret.what).collect()
    }

    #[test]
    fn tokens_are_known_by_their_shape() {
        for (prefix, length, what) in [
            ("hf_", 34, "a Hugging Face token"),
            ("ghp_", 36, "a GitHub token"),
            ("sk-ant-api03-", 60, "an Anthropic key"),
            ("sk-proj-", 60, "an OpenAI key"),
            ("glpat-", 20, "a GitLab token"),
            ("AIza", 35, "a Google API key"),
        ] {
            let token = made(prefix, length);
            let text = format!("login with {token}, then\nrun `{token}`");
            assert_eq!(whats(&text), [what, what], "{prefix}");
            assert_eq!(find(&text)[0].range, 11..11 + token.len());
        }
        assert_eq!(whats(&format!("AKIA{}", made("", 16).to_uppercase())), ["an AWS access key"]);
    }

    #[test]
    fn keys_addresses_and_assignments() {
        let key = format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{}\n{}\n-----END RSA PRIVATE KEY-----\n",
            made("", 64),
            made("", 64)
        );
        assert_eq!(whats(&key), ["a private key"]);
        assert_eq!(find(&key)[0].range.end, key.len() - 1);
        let one_line = format!("key = \"{}\" # mine", key.trim_end().replace('\n', "\\n"));
        assert_eq!(find(&one_line)[0].range, 7..one_line.len() - 8);
        let cut =
            format!("{}\nThe words below a key that was cut off.\n", key.rsplit_once("-----END").expect("an end").0);
        assert_eq!(find(&cut)[0].range.end, cut.find("\nThe words").expect("words") - 1);
        assert_eq!(whats("git clone https://me:s3cr3t!x@host.org/x.git"), ["a password in an address"]);
        assert_eq!(whats(&format!("export WANDB_API_KEY={}", made("", 40))), ["a secret assigned to a name"]);
        assert_eq!(whats(&format!("\"password\": \"{}\"", made("", 24))), ["a secret assigned to a name"]);
        assert_eq!(whats(&format!("wandb login {}", made("", 40))), ["a key given to a login"]);
        assert_eq!(whats(&format!("eyJ{}.{}.{}", made("", 20), made("", 30), made("", 30))), ["a JSON web token"]);
    }

    #[test]
    fn what_only_looks_like_one_is_left_alone() {
        for text in [
            "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "HF_TOKEN=your_token_here_your_token_here",
            "postgres://user:password@localhost/db, redis://:$PASS@host, http://u:<pw>@h",
            "https://host/a:b@c",
            "max_tokens: 4096, tokenizer=AutoTokenizer.from_pretrained('meta-llama/Llama-3.1-8B-Instruct')",
            "pad_token = tokenizer.eos_token_id",
            "torch.backends.cudnn.benchmark_limit_for_hf_models_and_more_of_them",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "token: https://example.org/settings/tokens/new?scopes=read1",
            "AKIAIOSFODNN7EXAMPLE",
            "https://abc:xyz@example.com http://u:hunter42@db.example.org:80/x https://a:b@host",
            "key=\"-----BEGIN PRIVATE KEY-----\\nXXXX\\nXXXX\\n-----END PRIVATE KEY-----\"\nand many words of a text below it, which are no part of any key at all, surely",
            "commit 3f2a9c1b7d8e4f5a6b7c8d9e0f1a2b3c4d5e6f70",
            "sk-learn, sk-image-0.25.2",
        ] {
            assert_eq!(whats(text), [""; 0], "{text}");
        }
    }
}
