//! Literals of which every match of a pattern contains one, read from its source: where none of them is, the pattern need
//! not be compiled, which costs more than reading a whole traceback.
//!
//! The reader knows the syntax that the book uses. What it does not know has no needles, and is compiled.

use std::iter::Peekable;
use std::str::Chars;

/// Shorter needles are in too many lines.
const SHORTEST: usize = 3;

/// From this length on a needle is rare, and fewer needles are better than longer ones.
const RARE: usize = 6;

/// The needles in lower case, to be looked for whatever the case of ASCII letters; `None` if none are known.
pub(super) fn needles(source: &str) -> Option<Vec<String>> {
    let mut reader = Reader { rest: source.chars().peekable() };
    let found = reader.alternatives().ok()?;
    reader.rest.next().is_none().then_some(found)?
}

/// Syntax that the reader does not know.
struct Unknown;

/// Of which every match contains one; `None` if there is no such literal.
type Needles = Option<Vec<String>>;

/// One element of a pattern.
enum Item {
    /// A character.
    Literal(char),
    /// A place between characters, or flags.
    Border,
    /// Anything else.
    Part(Needles),
}

/// How often an element occurs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    Once,
    AtLeastOnce,
    Any,
}

/// Reads a pattern from left to right.
struct Reader<'s> {
    rest: Peekable<Chars<'s>>,
}

impl Reader<'_> {
    /// Alternatives up to a closing parenthesis or the end: a match contains a needle of one of them.
    fn alternatives(&mut self) -> Result<Needles, Unknown> {
        let mut all = self.sequence()?;
        while self.rest.next_if_eq(&'|').is_some() {
            let next = self.sequence()?;
            all = all.zip(next).map(|(mut all, next)| {
                all.extend(next);
                all
            });
        }
        Ok(all)
    }

    /// Elements one after the other: a match contains all of them, so that the best needles count.
    fn sequence(&mut self) -> Result<Needles, Unknown> {
        let mut best: Needles = None;
        let mut run = String::new();
        while self.rest.peek().is_some_and(|next| !matches!(next, '|' | ')')) {
            let item = self.item()?;
            let times = self.times()?;
            match item {
                Item::Border => {}
                Item::Literal(letter) => {
                    if times != Times::Any {
                        run.push(letter.to_ascii_lowercase());
                    }
                    if times != Times::Once {
                        keep_better(&mut best, vec![std::mem::take(&mut run)]);
                    }
                }
                Item::Part(needles) => {
                    keep_better(&mut best, vec![std::mem::take(&mut run)]);
                    if let Some(needles) = needles.filter(|_| times != Times::Any) {
                        keep_better(&mut best, needles);
                    }
                }
            }
        }
        keep_better(&mut best, vec![run]);
        Ok(best)
    }

    fn item(&mut self) -> Result<Item, Unknown> {
        Ok(match self.rest.next().ok_or(Unknown)? {
            '\\' => self.escape()?,
            '[' => self.class()?,
            '(' => self.group()?,
            '.' => Item::Part(None),
            '^' | '$' => Item::Border,
            '*' | '+' | '?' | '{' => return Err(Unknown),
            letter => Item::Literal(letter),
        })
    }

    fn escape(&mut self) -> Result<Item, Unknown> {
        Ok(match self.rest.next().ok_or(Unknown)? {
            // What follows in braces belongs to it.
            'b' | 'B' if self.rest.peek() == Some(&'{') => return Err(Unknown),
            'b' | 'B' | 'A' | 'z' | '<' | '>' => Item::Border,
            'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 'r' | 't' | 'f' | 'v' | 'a' => Item::Part(None),
            letter if letter.is_ascii_punctuation() || letter == ' ' => Item::Literal(letter),
            _ => return Err(Unknown),
        })
    }

    /// A class of characters, after its opening bracket.
    fn class(&mut self) -> Result<Item, Unknown> {
        let mut depth = 1;
        self.class_beginning();
        while depth > 0 {
            match self.rest.next().ok_or(Unknown)? {
                '\\' => drop(self.rest.next()),
                '[' => {
                    depth += 1;
                    self.class_beginning();
                }
                ']' => depth -= 1,
                _ => {}
            }
        }
        Ok(Item::Part(None))
    }

    /// A bracket that closes nothing may be the first of its class.
    fn class_beginning(&mut self) {
        self.rest.next_if_eq(&'^');
        self.rest.next_if_eq(&']');
    }

    /// A group, after its opening parenthesis.
    fn group(&mut self) -> Result<Item, Unknown> {
        if self.rest.next_if_eq(&'?').is_some() {
            loop {
                match self.rest.next().ok_or(Unknown)? {
                    ':' => break,
                    ')' => return Ok(Item::Border),
                    'i' | 's' | 'm' | '-' => {}
                    _ => return Err(Unknown),
                }
            }
        }
        let needles = self.alternatives()?;
        self.rest.next_if_eq(&')').ok_or(Unknown)?;
        Ok(Item::Part(needles))
    }

    /// How often the element that was read occurs.
    fn times(&mut self) -> Result<Times, Unknown> {
        let mut times = Times::Once;
        while let Some(mark) = self.rest.next_if(|next| matches!(next, '?' | '*' | '+' | '{')) {
            let fewest = match mark {
                '+' => Times::AtLeastOnce,
                '{' => self.fewest()?,
                _ => Times::Any,
            };
            // After a repetition a question mark asks for the shortest match.
            self.rest.next_if_eq(&'?');
            times = if times == Times::Any { times } else { fewest };
        }
        Ok(times)
    }

    /// The number of repetitions, after its opening brace.
    fn fewest(&mut self) -> Result<Times, Unknown> {
        let mut fewest = String::new();
        let mut bounds = 0;
        loop {
            match self.rest.next().ok_or(Unknown)? {
                '}' => break,
                ',' => bounds += 1,
                digit if digit.is_ascii_digit() && bounds == 0 => fewest.push(digit),
                digit if digit.is_ascii_digit() => {}
                _ => return Err(Unknown),
            }
        }
        Ok(if fewest.bytes().all(|digit| digit == b'0') { Times::Any } else { Times::AtLeastOnce })
    }
}

/// Keeps the needles that are rarer, as far as their lengths tell.
fn keep_better(best: &mut Needles, candidates: Vec<String>) {
    let rarity = |needles: &Vec<String>| {
        let shortest = needles.iter().map(String::len).min().unwrap_or(0);
        (shortest.min(RARE), std::cmp::Reverse(needles.len()), shortest)
    };
    let worth = rarity(&candidates);
    if worth.0 >= SHORTEST && best.as_ref().is_none_or(|best| rarity(best) < worth) {
        *best = Some(candidates);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pattern::Pattern;

    #[test]
    fn needles_are_what_no_match_lacks() {
        for (source, expected) in [
            ("(?i)Out of Memory|OOM-kill", Some(&["out of memory", "oom-kill"][..])),
            (r"\bXid \(PCI:[^)]+\): *(48|64)\b", Some(&["xid (pci:"])),
            (r"python3\.[5-7]|pytorch[ =]?1", Some(&["python3.", "pytorch"])),
            ("colou?r(ed)? printer", Some(&[" printer"])),
            ("abcd{0,2}|xyz+", Some(&["abc", "xyz"])),
            ("(alpha|beta)+ .*", Some(&["alpha", "beta"])),
            ("alpha|", None),
            (r"\d+ ?个", Some(&["个"])),
            ("ab|[]x]alpha", None),
            (r"(?x) alpha", None),
            (r"alpha\x41", None),
            ("(alpha", None),
        ] {
            let found = needles(source);
            assert_eq!(
                found.as_deref().map(|all| all.iter().map(String::as_str).collect::<Vec<_>>()),
                expected.map(<[&str]>::to_vec),
                "{source}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_match_is_lost(
            parts in prop::collection::vec(
                prop::sample::select(&["abc", "cab", "a?", "(ab|ba)", "(?:abc|cba)?", "[ab]", "[^a]", ".", r"\b", "+", "*?", "{2}", "{0,2}", "(?i)", "|", r"\w", " ", "bca", "(", ")"][..]), 1..8),
            text in "[abcABC ]{0,24}",
        ) {
            let pattern = Pattern::new(&parts.concat());
            prop_assert_eq!(pattern.is_match(&text), pattern.confirms(&text), "{:?}", needles(pattern.source()));
        }
    }
}
