//! How tokens are composed, in the notation of `kb/wording/secrets.toml`: literal text with runs of random characters.

use std::ops::Range;

/// A token's parts.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    parts: Vec<Part>,
    /// The literal part by which tokens of the shape are found.
    anchor: usize,
}

/// A part of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The same in every token.
    Literal(&'static str),
    /// So many characters of an alphabet, at least and at most.
    Run(Alphabet, usize, usize),
}

/// Characters that a service uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    Digit,
    Hex,
    Lower,
    Upper,
    Base32,
    Letter,
    Plain,
    Word,
    Url,
    Base64,
    Wide,
}

/// A token in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Its bytes.
    pub range: Range<usize>,
    /// Its last run.
    pub tail: Range<usize>,
    /// Its longest run.
    pub longest: Range<usize>,
    /// Whether all lengths are those that the service documents.
    pub documented: bool,
    /// The same, and the last one has an upper bound: nothing is missing at its end.
    pub exact: bool,
}

/// No token is longer, except for those with an open end.
const LONGEST: usize = 8192;

impl Alphabet {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "digit" => Self::Digit,
            "hex" => Self::Hex,
            "lower" => Self::Lower,
            "upper" => Self::Upper,
            "base32" => Self::Base32,
            "letter" => Self::Letter,
            "plain" => Self::Plain,
            "word" => Self::Word,
            "url" => Self::Url,
            "base64" => Self::Base64,
            "wide" => Self::Wide,
            _ => return None,
        })
    }

    /// Whether it has separators of words among its characters.
    pub(super) fn has_separators(self) -> bool {
        matches!(self, Self::Word | Self::Url | Self::Wide)
    }

    /// Whether a character may belong to a run inside of a token. Services change the case of their letters.
    fn reads(self, byte: u8) -> bool {
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Letter => byte.is_ascii_alphabetic(),
            Self::Lower | Self::Upper | Self::Base32 | Self::Plain => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Url => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Base64 => byte.is_ascii_alphanumeric() || b"+/".contains(&byte),
            Self::Wide => byte.is_ascii_alphanumeric() || b"_-.+/=~%".contains(&byte),
        }
    }

    /// Whether a character may belong to the last run: letters and digits never end a token.
    fn ends_with(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || self.reads(byte)
    }

    /// The characters of tokens that the tests generate.
    #[cfg(test)]
    pub(super) fn characters(self) -> &'static [u8] {
        match self {
            Self::Digit => b"0123456789",
            Self::Hex => b"0123456789abcdef",
            Self::Lower => b"abcdefghijklmnopqrstuvwxyz0123456789",
            Self::Upper => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            Self::Base32 => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            Self::Letter => b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            Self::Plain => b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            Self::Word => b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
            Self::Url => b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
            Self::Base64 => b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
            Self::Wide => b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
        }
    }
}

impl Shape {
    /// Reads the notation; nothing if it is wrong or has no literal part.
    pub(super) fn read(notation: &'static str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut rest = notation;
        while !rest.is_empty() {
            let literal = rest.find('{').unwrap_or(rest.len());
            if literal > 0 {
                parts.push(Part::Literal(rest.get(..literal)?));
            }
            rest = rest.get(literal..)?;
            if let Some(run) = rest.strip_prefix('{') {
                let (run, after) = run.split_once('}')?;
                rest = after;
                match run.split_once(' ') {
                    None if run == "uuid" => parts.extend(UUID),
                    None => return None,
                    Some((name, lengths)) => parts.push(run_of(Alphabet::named(name)?, lengths)?),
                }
            }
        }
        let literals = parts.iter().enumerate().filter_map(|(at, part)| match part {
            Part::Literal(text) => Some((text.len(), std::cmp::Reverse(at))),
            Part::Run(..) => None,
        });
        let anchor = literals.max().map(|(_, at)| at.0);
        // Without a literal the shape serves generated secrets only.
        Some(Self { parts, anchor: anchor.unwrap_or(usize::MAX) })
    }

    /// Its parts.
    #[cfg(test)]
    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The text by which its tokens are found.
    pub(super) fn anchor(&self) -> Option<&'static str> {
        match self.parts.get(self.anchor)? {
            Part::Literal(text) => Some(text),
            Part::Run(..) => None,
        }
    }

    /// How many characters of its tokens are fixed.
    pub(super) fn fixed(&self) -> usize {
        let fixed = |part: &Part| if let Part::Literal(text) = part { text.len() } else { 0 };
        self.parts.iter().map(fixed).sum()
    }

    /// The alphabet of its last run.
    pub(super) fn last(&self) -> Option<Alphabet> {
        self.parts.iter().rev().find_map(|part| if let Part::Run(alphabet, ..) = part { Some(*alphabet) } else { None })
    }

    /// The token whose anchor is at `at`. Its last run may be of another length, but of at least `least` characters.
    pub(super) fn find(&self, text: &[u8], at: usize, least: Option<usize>) -> Option<Found> {
        let mut begin = at;
        let mut runs: Vec<Range<usize>> = Vec::new();
        for part in self.parts.get(..self.anchor)?.iter().rev() {
            match *part {
                Part::Literal(literal) => {
                    begin = begin.checked_sub(literal.len())?;
                    text.get(begin..)?.starts_with(literal.as_bytes()).then_some(())?;
                }
                Part::Run(alphabet, from, to) => {
                    let before = text.get(..begin)?.iter().rev().take(to);
                    let length = before.take_while(|byte| alphabet.reads(**byte)).count();
                    (length >= from).then_some(())?;
                    runs.push(begin - length..begin);
                    begin -= length;
                }
            }
        }
        let mut end = at + self.anchor()?.len();
        let (mut documented, mut exact) = (true, true);
        let after = self.parts.get(self.anchor + 1..)?;
        for (place, part) in after.iter().enumerate() {
            let rest = text.get(end..)?;
            match *part {
                Part::Literal(literal) => {
                    rest.starts_with(literal.as_bytes()).then_some(())?;
                    end += literal.len();
                }
                Part::Run(alphabet, from, to) if place + 1 < after.len() => {
                    let length = rest.iter().take(to).take_while(|byte| alphabet.reads(**byte)).count();
                    (length >= from).then_some(())?;
                    runs.push(end..end + length);
                    end += length;
                }
                Part::Run(alphabet, from, to) => {
                    let length = rest.iter().take(LONGEST).take_while(|byte| alphabet.ends_with(**byte)).count();
                    documented = (from..=to).contains(&length);
                    exact = documented && to < LONGEST;
                    (documented || length >= least.unwrap_or(from)).then_some(())?;
                    runs.push(end..end + length);
                    end += length;
                }
            }
        }
        if matches!(self.parts.last(), Some(Part::Literal(_))) && text.get(end).is_some_and(u8::is_ascii_alphanumeric) {
            return None;
        }
        let longest = runs.iter().max_by_key(|run| run.len())?.clone();
        let tail = runs.iter().max_by_key(|run| run.start)?.clone();
        Some(Found { range: begin..end, tail, longest, documented, exact })
    }
}

const UUID: [Part; 9] = [
    Part::Run(Alphabet::Hex, 8, 8),
    Part::Literal("-"),
    Part::Run(Alphabet::Hex, 4, 4),
    Part::Literal("-"),
    Part::Run(Alphabet::Hex, 4, 4),
    Part::Literal("-"),
    Part::Run(Alphabet::Hex, 4, 4),
    Part::Literal("-"),
    Part::Run(Alphabet::Hex, 12, 12),
];

/// `20`, `20-40`, `20-`.
fn run_of(alphabet: Alphabet, lengths: &str) -> Option<Part> {
    let (from, to) = match lengths.split_once('-') {
        None => (lengths.parse().ok()?, lengths.parse().ok()?),
        Some((from, "")) => (from.parse().ok()?, LONGEST),
        Some((from, to)) => (from.parse().ok()?, to.parse().ok()?),
    };
    (from <= to).then_some(Part::Run(alphabet, from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(notation: &'static str, text: &str, least: Option<usize>) -> Option<(String, bool)> {
        let shape = Shape::read(notation).expect("a shape");
        let at = text.find(shape.anchor().expect("a literal")).expect("the anchor");
        shape.find(text.as_bytes(), at, least).map(|found| (text[found.range].to_owned(), found.exact))
    }

    #[test]
    fn tokens_are_found_around_their_anchor() {
        let whole = |text: &str, exact| Some((text.to_owned(), exact));
        assert_eq!(found("ab_{plain 4}", "x ab_1aB2.", None), whole("ab_1aB2", true));
        assert_eq!(found("ab_{plain 4}", "ab_1aB2c", None), whole("ab_1aB2c", false));
        assert_eq!(found("ab_{plain 4}", "ab_1aB", None), None);
        assert_eq!(found("ab_{plain 4}", "ab_1aB", Some(3)), whole("ab_1aB", false));
        assert_eq!(found("{digit 2-3}:AA{url 3}", "(12:AAx_y)", None), whole("12:AAx_y", true));
        assert_eq!(found("{hex 4}-us{digit 1-2}", "key a1b2-us12", None), whole("a1b2-us12", true));
        assert_eq!(found("k{url 3}ZZ", "kabcZZ", None), whole("kabcZZ", true));
        assert_eq!(found("k{url 3}ZZ", "kabcZZ1", None), None);
        let uuid = "id-01234567-89ab-cdef-0123-456789abcdef";
        assert_eq!(found("id-{uuid}", uuid, None), whole(uuid, true));
    }

    #[test]
    fn the_notation_is_checked() {
        assert!(Shape::read("ab_{plain}").is_none() && Shape::read("ab_{other 3}").is_none());
        assert!(Shape::read("ab_{plain 4-2}").is_none() && Shape::read("ab_{plain 4").is_none());
        assert!(Shape::read("{hex 32}").is_some_and(|shape| shape.anchor().is_none()));
    }
}
