//! Keys and tokens recognised by their shape: those of `kb/wording/secrets.toml`, JSON web tokens, and long random values
//! without a name.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::shapes::{Found, Shape};
use super::{Cut, Kind, Word, begins_word, is_placeholder, random};
use crate::wording;

/// A shape with what it is a shape of.
struct Rule {
    shape: Shape,
    what: &'static str,
    left: &'static str,
    least: Option<usize>,
}

/// All shapes, and the scanner of their anchors, in the same order.
struct Rules {
    rules: Vec<Rule>,
    anchors: AhoCorasick,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let mut rules = Vec::new();
    for token in &wording::secrets().token {
        let shapes = token.shapes.iter().filter_map(|notation| Shape::read(notation));
        rules.extend(shapes.map(|shape| Rule {
            shape,
            what: token.what,
            left: token.left.unwrap_or("REDACTED_API_KEY"),
            least: token.least.map(usize::from),
        }));
    }
    rules.retain(|rule| rule.shape.anchor().is_some());
    let anchors = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(rules.iter().filter_map(|rule| rule.shape.anchor()))
        .expect("short literals");
    Rules { rules, anchors }
});

/// Adds tokens whose shape a service defines.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    shaped(text, cuts);
    web_tokens(text, cuts);
    bot_tokens(text, cuts);
}

pub(super) fn secret(range: Range<usize>, what: &'static str, left: &'static str) -> Cut {
    Cut { range, kind: Kind::Secret, what, word: Word::Fixed(left), exact: false }
}

fn shaped(text: &str, cuts: &mut Vec<Cut>) {
    let rules = &*RULES;
    let mut all = Vec::new();
    for anchor in rules.anchors.find_overlapping_iter(text) {
        let place = anchor.pattern().as_usize();
        let Some(rule) = rules.rules.get(place) else { continue };
        let Some(found) = rule.shape.find(text.as_bytes(), anchor.start(), rule.least) else { continue };
        if begins_word(text, found.range.start) && is_token(text, rule, &found) {
            all.push((place, Cut { exact: found.exact, ..secret(found.range, rule.what, rule.left) }));
        }
    }
    // The more specific rules precede the general ones, and an exact length says more than any.
    all.sort_by_key(|(place, cut)| (!cut.exact, *place));
    cuts.extend(all.into_iter().map(|(_, cut)| cut));
}

/// Whether this is the name of a kind of token that shows what it is.
pub(super) fn is_kind(what: &str) -> bool {
    RULES.rules.iter().any(|rule| rule.what == what) || what == "a JSON web token"
}

/// Whether what has a token's shape is random enough for one: the less of it is fixed, the more.
fn is_token(text: &str, rule: &Rule, found: &Found) -> bool {
    /// So many fixed characters occur in no other word.
    const TELLING: usize = 5;
    let bytes = text.as_bytes();
    let tail = bytes.get(found.tail.clone()).unwrap_or_default();
    let longest = bytes.get(found.longest.clone()).unwrap_or_default();
    let token = text.get(found.range.clone()).unwrap_or_default();
    let separated = rule.shape.last().is_some_and(super::shapes::Alphabet::has_separators);
    if is_placeholder(token) || separated && random::is_words(longest) {
        return false;
    }
    let limit = match longest.len() {
        0..16 => 1.0,
        16..32 => 2.0,
        _ => 2.5,
    };
    let fixed = rule.shape.fixed();
    let marked = rule.shape.anchor().is_some_and(|anchor| !anchor.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let telling = fixed >= TELLING || fixed >= 3 && marked && !separated;
    match found.documented && telling {
        true => random::entropy(longest) >= limit,
        false => random::is_tail(if found.documented { longest } else { tail }),
    }
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
                && !is_integrity(text, begin)
            {
                let range = begin + offset..begin + offset + word.len();
                cuts.push(secret(range, "a long random value", "REDACTED_SECRET"));
            }
        }
    }
}

/// Whether a place is in a hash of a lock file, which says what it is: `sha512-...==`.
fn is_integrity(text: &str, at: usize) -> bool {
    const LONGEST: usize = 96;
    let bytes = text.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/-".contains(byte);
    let before = bytes.get(..at).unwrap_or_default().iter().rev().take(LONGEST).take_while(is_part).count();
    let word = bytes.get(at - before..).unwrap_or_default();
    [&b"sha1-"[..], b"sha256-", b"sha384-", b"sha512-"].iter().any(|hash| word.starts_with(hash))
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
        // A path has words between its slashes.
        let longest = value.split(|byte| *byte == b'/').max_by_key(|piece| piece.len()).unwrap_or_default();
        if value.len() <= MAX_LENGTH
            && (1..=value.len() / 10).contains(&slashes)
            && longest.len() >= 10
            && longest.iter().any(u8::is_ascii_lowercase)
            && longest.iter().any(u8::is_ascii_uppercase)
            && !is_integrity(text, begin)
            && begins_word(text, begin)
            && random::is_key(value)
        {
            let padding = bytes.get(end..).unwrap_or_default().iter().take_while(|byte| **byte == b'=').count();
            cuts.push(secret(begin..end + padding, "a long random value", "REDACTED_SECRET"));
        }
    }
}
