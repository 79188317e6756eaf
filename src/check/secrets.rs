//! Secrets in a document: what redaction would remove as a secret, without its guesses.

use super::finding::{Finding, Source};
use crate::text::redact::{self, Secret};

/// Findings for the secrets of a document.
pub(super) fn check(source: &Source<'_>) -> Vec<Finding> {
    let help = "revoke it first, then remove it: it stays in the history";
    let finding = |secret: Secret| source.finding(secret.range, "secret", secret.what.to_owned()).help(help);
    find(source.text).into_iter().map(finding).collect()
}

/// The secrets of a text. Redaction removes more than secrets; a finding must be true, so what only shows how
/// something is written is left alone here.
fn find(text: &str) -> Vec<Secret> {
    let mut found = redact::secrets(text);
    found.retain(|secret| !is_only_shown(text, secret));
    found
}

/// Whether a password belongs to an example address of documentation, or a key has hardly any letters.
fn is_only_shown(text: &str, secret: &Secret) -> bool {
    /// Shorter ones occur in documentation only.
    const SHORTEST_PASSWORD: usize = 3;
    /// The smallest keys in use have this many letters.
    const SHORTEST_KEY: usize = 64;
    let words = text.get(secret.range.clone()).unwrap_or_default();
    match secret.what {
        "a password in an address" => {
            let host = text.get(secret.range.end..).unwrap_or_default().trim_start_matches('@');
            let end = host.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(host.len());
            words.chars().count() < SHORTEST_PASSWORD || is_reserved(host.get(..end).unwrap_or_default())
        }
        "a private key" => {
            let body = words.split_once("PRIVATE KEY-----").map_or(words, |(_, body)| body);
            let body = body.split("-----END ").next().unwrap_or_default();
            body.bytes().filter(u8::is_ascii_alphanumeric).count() < SHORTEST_KEY
        }
        _ => false,
    }
}

/// Hosts that RFC 2606 keeps for documentation.
fn is_reserved(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    ["example.com", "example.org", "example.net", "example", "invalid", "test"]
        .iter()
        .any(|name| host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.')))
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
        assert_eq!(whats("git clone https://me:s3cr3t!x@host.org/x.git"), ["a password in an address"]);
        assert_eq!(whats(&format!("export WANDB_API_KEY={}", made("", 40))), ["a secret assigned to a name"]);
        assert_eq!(whats(&format!("\"password\": \"{}\"", made("", 24))), ["a secret assigned to a name"]);
        assert_eq!(whats(&format!("wandb login {}", made("", 40))), ["a secret given to a command"]);
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
