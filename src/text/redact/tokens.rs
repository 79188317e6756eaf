//! Keys and tokens recognised by their shape: those of common services, JSON web tokens, and long random values without
//! a name.
//!
//! Prefixes and lengths follow what the services document and the rules of gitleaks (MIT), which collects them.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::{Cut, Kind, Word, begins_word, is_placeholder, random};

/// Which characters a token consists of after its prefix.
#[derive(Clone, Copy)]
enum Letters {
    /// Letters and digits.
    Plain,
    /// Letters, digits, `_`, `-`.
    Url,
    /// Letters, digits, `_`, `-`, `.`, `+`, `/`, `=`.
    Wide,
}

/// Prefix, character set, minimal length, what it is, its replacement.
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
    ("glcbt-", Letters::Url, 16, "a GitLab token", "REDACTED_GITLAB_TOKEN"),
    ("glptt-", Letters::Url, 16, "a GitLab token", "REDACTED_GITLAB_TOKEN"),
    ("gloas-", Letters::Url, 16, "a GitLab secret", "REDACTED_GITLAB_TOKEN"),
    ("glsoat-", Letters::Url, 16, "a GitLab token", "REDACTED_GITLAB_TOKEN"),
    ("glagent-", Letters::Url, 16, "a GitLab token", "REDACTED_GITLAB_TOKEN"),
    ("discord.com/api/webhooks/", Letters::Wide, 40, "a Discord webhook", "REDACTED_WEBHOOK"),
    ("discordapp.com/api/webhooks/", Letters::Wide, 40, "a Discord webhook", "REDACTED_WEBHOOK"),
    ("lsv2_pt_", Letters::Url, 30, "a LangSmith key", "REDACTED_API_KEY"),
    ("lsv2_sk_", Letters::Url, 30, "a LangSmith key", "REDACTED_API_KEY"),
    ("fw_", Letters::Plain, 22, "a Fireworks key", "REDACTED_API_KEY"),
    ("xai-", Letters::Plain, 60, "an xAI key", "REDACTED_API_KEY"),
    ("tvly-", Letters::Url, 24, "a Tavily key", "REDACTED_API_KEY"),
    ("key-", Letters::Plain, 32, "a Mailgun key", "REDACTED_API_KEY"),
    ("shpat_", Letters::Plain, 32, "a Shopify token", "REDACTED_API_KEY"),
    ("PMAK-", Letters::Url, 40, "a Postman key", "REDACTED_API_KEY"),
    ("sntryu_", Letters::Plain, 40, "a Sentry token", "REDACTED_API_KEY"),
    ("sbp_", Letters::Plain, 40, "a Supabase token", "REDACTED_API_KEY"),
    ("pk-lf-", Letters::Url, 30, "a Langfuse key", "REDACTED_API_KEY"),
    ("vercel_", Letters::Plain, 24, "a Vercel token", "REDACTED_API_KEY"),
    ("NRAK-", Letters::Plain, 25, "a New Relic key", "REDACTED_API_KEY"),
    ("doo_v1_", Letters::Plain, 40, "a DigitalOcean token", "REDACTED_API_KEY"),
    ("dor_v1_", Letters::Plain, 40, "a DigitalOcean token", "REDACTED_API_KEY"),
    ("AGE-SECRET-KEY-1", Letters::Plain, 50, "an age key", "REDACTED_PRIVATE_KEY"),
];

static PREFIXES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let built = AhoCorasick::builder().match_kind(MatchKind::Standard).build(TOKENS.iter().map(|token| token.0));
    built.expect("short literals")
});

/// Adds tokens whose shape a service defines.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    by_prefix(text, cuts);
    web_tokens(text, cuts);
    bot_tokens(text, cuts);
}

pub(super) fn secret(range: std::ops::Range<usize>, what: &'static str, left: &'static str) -> Cut {
    Cut { range, kind: Kind::Secret, what, word: Word::Fixed(left) }
}

fn by_prefix(text: &str, cuts: &mut Vec<Cut>) {
    let mut all: Vec<_> = PREFIXES.find_overlapping_iter(text).collect();
    // `sk-ant-` precedes `sk-` in the table, because it is more specific.
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
        let end = found.end() + length;
        let next = wrapped(text, end, letters).filter(|next| {
            let tail = [tail, text.as_bytes().get(next.clone()).unwrap_or_default()].concat();
            length >= 6 && tail.len() >= least && is_mixed(&tail) && random::is_tail(&tail)
        });
        if (length >= least && random::is_tail(tail) || next.is_some()) && !is_placeholder(whole) {
            cuts.push(secret(found.start()..end, what, left));
            cuts.extend(next.map(|next| secret(next, what, left)));
        }
    }
}

/// Where a token goes on that a line break cut: in the first word of the next line.
fn wrapped(text: &str, end: usize, letters: Letters) -> Option<std::ops::Range<usize>> {
    const FRONTS: [&str; 4] = ["\n", "\\\n", "\r\n", "\\\r\n"];
    let rest = text.get(end..)?;
    let front = FRONTS.iter().find(|front| rest.starts_with(**front))?;
    let line = rest.get(front.len()..)?;
    let begin = end + front.len() + (line.len() - line.trim_start_matches([' ', '>', '|']).len());
    let length = text.as_bytes().get(begin..)?.iter().take(512).take_while(|byte| is_letter(letters, **byte)).count();
    let word = text.as_bytes().get(begin..begin + length)?;
    (length >= 4 && is_mixed(word)).then_some(begin..begin + length)
}

/// Whether there are characters of two kinds at least: a word of prose has one, or a capital at its beginning.
fn is_mixed(word: &[u8]) -> bool {
    let kinds = [u8::is_ascii_digit, u8::is_ascii_lowercase, u8::is_ascii_uppercase];
    let inner = word.get(1..).unwrap_or_default();
    kinds.iter().filter(|is| inner.iter().any(is)).count() >= 2
}

/// Tokens of Discord's bots: the bot's number in base64, a time stamp, a signature.
fn bot_tokens(text: &str, cuts: &mut Vec<Cut>) {
    const STAMP: usize = 6;
    let bytes = text.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-');
    for dot in memchr::memchr_iter(b'.', bytes) {
        if bytes.get(dot + STAMP + 1) != Some(&b'.') {
            continue;
        }
        let front = bytes.get(..dot).unwrap_or_default().iter().rev().take(30).take_while(is_part).count();
        let stamp = bytes.get(dot + 1..).unwrap_or_default().iter().take(STAMP).take_while(is_part).count();
        let back = bytes.get(dot + STAMP + 2..).unwrap_or_default().iter().take(64).take_while(is_part).count();
        let token = bytes.get(dot - front..dot + STAMP + 2 + back).unwrap_or_default();
        if (23..=28).contains(&front)
            && stamp == STAMP
            && back >= 27
            && matches!(token.first(), Some(b'M' | b'N' | b'O'))
            && random::entropy(token) >= 4.0
        {
            let range = dot - front..dot + STAMP + 2 + back;
            cuts.push(secret(range, "a Discord bot token", "REDACTED_API_KEY"));
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

/// Long random values without a name.
pub(super) fn unnamed(text: &str, cuts: &mut Vec<Cut>) {
    joined_by_slashes(text, cuts);
    for Range { start: begin, end } in
        runs(text.as_bytes(), 32, |byte| byte.is_ascii_alphanumeric() || b"_-+".contains(&byte))
    {
        if end - begin <= 512 {
            let value = text.get(begin..end).unwrap_or_default();
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

/// The runs of at least so many letters of an alphabet. Such a run has a letter at every so many bytes: what lies between is
/// looked at only around those.
fn runs(bytes: &[u8], least: usize, is_part: impl Fn(u8) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(last) = bytes.get(at + least - 1) {
            if !is_part(*last) {
                at += least;
                continue;
            }
            let step = at + least - 1;
            let before = bytes.get(at..step).unwrap_or_default().iter().rev();
            let begin = step - before.take_while(|byte| is_part(**byte)).count();
            let rest = bytes.get(begin..).unwrap_or_default().iter();
            at = begin + rest.take_while(|byte| is_part(**byte)).count();
            if at - begin >= least {
                return Some(begin..at);
            }
        }
        None
    })
}

/// The same in base64, where a slash is a letter: keys of cloud services.
fn joined_by_slashes(text: &str, cuts: &mut Vec<Cut>) {
    const MAX_LENGTH: usize = 8192;
    let bytes = text.as_bytes();
    for Range { start: begin, end } in
        runs(bytes, 40, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
    {
        let value = bytes.get(begin..end).unwrap_or_default();
        let slashes = value.iter().filter(|byte| **byte == b'/').count();
        // A path has a word between its slashes; a hash of a lock file says what it is.
        let longest = value.split(|byte| *byte == b'/').map(<[u8]>::len).max().unwrap_or(0);
        let is_hash =
            text.get(..begin).is_some_and(|before| before.ends_with("sha512-") || before.ends_with("sha256-"));
        if value.len() <= MAX_LENGTH
            && (1..=value.len() / 16).contains(&slashes)
            && longest >= 10
            && !is_hash
            && begins_word(text, begin)
            && random::is_key(value)
        {
            let padding = bytes.get(end..).unwrap_or_default().iter().take_while(|byte| **byte == b'=').count();
            cuts.push(secret(begin..end + padding, "a long random value", "REDACTED_SECRET"));
        }
    }
}
