//! The alternatives of a pattern, each with literals of which every match of it contains one, read from its source: an
//! alternative none of whose needles is in a text need not be compiled, which costs more than reading a whole traceback.
//! One that is nothing but words is never compiled.
//!
//! The reader knows the syntax that the book uses. What it does not know has no needles, and is compiled.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

use super::LazyRegex;

/// Shorter needles are in too many lines.
const SHORTEST: usize = 3;

/// From this length on a needle is rare, and fewer needles are better than longer ones.
const RARE: usize = 6;

/// A pattern matches where one of its alternatives does.
#[derive(Debug)]
pub(crate) struct Alternative {
    /// In lower case, to be looked for whatever the case of ASCII letters; none if none are known.
    pub(crate) needles: Vec<String>,
    test: Test,
}

/// What a text that contains a needle must match.
#[derive(Debug)]
enum Test {
    Words(Words),
    Regex(LazyRegex),
}

impl Alternative {
    /// Whether a text that contains a needle matches.
    pub(crate) fn confirms(&self, text: &str) -> bool {
        match &self.test {
            Test::Words(words) => words.are_in(text),
            Test::Regex(regex) => regex.is_match(text),
        }
    }
}

/// The alternatives of a pattern; those without needles are one.
pub(super) fn alternatives(source: &str) -> Vec<Alternative> {
    let Ok(all) = Reader::new(source).top() else {
        return vec![Alternative { needles: Vec::new(), test: Test::Regex(LazyRegex::new(source.to_owned())) }];
    };
    let mut known = Vec::new();
    let mut others: Vec<String> = Vec::new();
    for one in all {
        match (one.sequence.needles, one.sequence.words) {
            (Some(needles), Some(words)) => known.push(Alternative { needles, test: Test::Words(words) }),
            (Some(needles), None) => {
                known.push(Alternative { needles, test: Test::Regex(LazyRegex::new(one.source)) });
            }
            (None, _) => others.push(one.source),
        }
    }
    if !others.is_empty() {
        // The flags of one do not hold for the others.
        let source = if others.len() == 1 { others.concat() } else { format!("(?:{})", others.join(")|(?:")) };
        known.push(Alternative { needles: Vec::new(), test: Test::Regex(LazyRegex::new(source)) });
    }
    known
}

/// An alternative that is nothing but words.
#[derive(Debug, Default)]
struct Words {
    text: String,
    ignore_case: bool,
    /// Whether a word begins with them, or ends with them.
    begin: bool,
    end: bool,
}

impl Words {
    fn are_in(&self, text: &str) -> bool {
        let (text, words) = (text.as_bytes(), self.text.as_bytes());
        let Some(&first) = words.first() else { return true };
        let equal = |place: &[u8]| if self.ignore_case { place.eq_ignore_ascii_case(words) } else { place == words };
        memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text).any(|start| {
            let end = start + words.len();
            text.get(start..end).is_some_and(equal)
                && (!self.begin || is_border(text, start))
                && (!self.end || is_border(text, end))
        })
    }
}

/// Whether one of the bytes beside a place belongs to a word, as `\b` has it.
fn is_border(text: &[u8], place: usize) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    is_word(place.checked_sub(1).and_then(|before| text.get(before))) != is_word(text.get(place))
}

/// Syntax that the reader does not know.
struct Unknown;

/// Of which every match contains one; `None` if there is no such literal.
type Needles = Option<Vec<String>>;

/// One element of a pattern.
enum Item {
    /// A character.
    Literal(char),
    /// The beginning or the end of a word.
    WordBorder,
    /// Another place between characters.
    Border,
    /// Flags, for what follows.
    Flags,
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

/// Elements one after the other.
struct Sequence {
    needles: Needles,
    /// The whole sequence, if it is nothing but words.
    words: Option<Words>,
    /// What is in parentheses, if that is the whole sequence besides flags.
    group: Option<Range<usize>>,
}

/// An alternative at the top of a pattern.
struct Top {
    /// With the flags that hold for it.
    source: String,
    sequence: Sequence,
}

/// Reads a pattern from left to right.
struct Reader<'s> {
    source: &'s str,
    rest: Peekable<CharIndices<'s>>,
    ignore_case: bool,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str) -> Self {
        Self { source, rest: source.char_indices().peekable(), ignore_case: false }
    }

    fn place(&mut self) -> usize {
        self.rest.peek().map_or(self.source.len(), |(place, _)| *place)
    }

    fn take_if(&mut self, wanted: char) -> bool {
        self.rest.next_if(|(_, next)| *next == wanted).is_some()
    }

    fn letter(&mut self) -> Result<char, Unknown> {
        self.rest.next().map(|(_, letter)| letter).ok_or(Unknown)
    }

    /// The alternatives of the whole pattern.
    fn top(mut self) -> Result<Vec<Top>, Unknown> {
        let mut all = Vec::new();
        let mut flags = String::new();
        loop {
            let start = self.place();
            let mut own_flags = String::new();
            let sequence = self.sequence(Some(&mut own_flags))?;
            let end = self.place();
            match sequence.group.clone() {
                Some(group) => {
                    let inner = format!("{flags}{own_flags}{}", &self.source[group]);
                    all.extend(Reader::new(&inner).top()?);
                }
                None => all.push(Top { source: format!("{flags}{}", &self.source[start..end]), sequence }),
            }
            flags.push_str(&own_flags);
            if !self.take_if('|') {
                break;
            }
        }
        if self.rest.next().is_none() { Ok(all) } else { Err(Unknown) }
    }

    /// Alternatives up to a closing parenthesis: a match contains a needle of one of them.
    fn alternatives(&mut self) -> Result<Needles, Unknown> {
        let mut all = self.sequence(None)?.needles;
        while self.take_if('|') {
            let next = self.sequence(None)?.needles;
            all = all.zip(next).map(|(mut all, next)| {
                all.extend(next);
                all
            });
        }
        Ok(all)
    }

    /// Elements one after the other: a match contains all of them, so that the best needles count. Flags are added to
    /// `flags`.
    fn sequence(&mut self, mut flags: Option<&mut String>) -> Result<Sequence, Unknown> {
        let mut best: Needles = None;
        let mut run = String::new();
        let mut words = Some(Words { ignore_case: self.ignore_case, ..Words::default() });
        let (mut group, mut elements) = (None, 0);
        while self.rest.peek().is_some_and(|(_, next)| !matches!(next, '|' | ')')) {
            let start = self.place();
            let item = self.item()?;
            let end = self.place();
            let times = self.times()?;
            if matches!(item, Item::Flags) {
                // They hold for what follows, and not for the parentheses before them.
                group = None;
            } else {
                elements += 1;
                group = self.inner(start..end).filter(|_| elements == 1 && times == Times::Once);
            }
            words = words.filter(|_| times == Times::Once).and_then(|words| words.and(&item, self.ignore_case));
            match item {
                Item::Flags if times != Times::Once => return Err(Unknown),
                Item::Flags => flags.iter_mut().for_each(|flags| flags.push_str(&self.source[start..end])),
                Item::Border | Item::WordBorder => {}
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
        Ok(Sequence { needles: best, words, group })
    }

    /// What is in the parentheses of an element.
    fn inner(&self, element: Range<usize>) -> Option<Range<usize>> {
        let text = &self.source[element.clone()];
        let open = if text.starts_with("(?:") { "(?:" } else { "(" };
        let inner = text.strip_prefix(open)?.strip_suffix(')')?;
        (!inner.starts_with('?')).then(|| element.start + open.len()..element.end - 1)
    }

    fn item(&mut self) -> Result<Item, Unknown> {
        Ok(match self.letter()? {
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
        Ok(match self.letter()? {
            // What follows in braces belongs to it.
            'b' | 'B' if self.rest.peek().is_some_and(|(_, next)| *next == '{') => return Err(Unknown),
            'b' => Item::WordBorder,
            'B' | 'A' | 'z' | '<' | '>' => Item::Border,
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
            match self.letter()? {
                '\\' => drop(self.letter()?),
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
        self.take_if('^');
        self.take_if(']');
    }

    /// A group or flags, after the opening parenthesis.
    fn group(&mut self) -> Result<Item, Unknown> {
        let outside = self.ignore_case;
        if self.take_if('?') {
            let mut on = true;
            loop {
                match self.letter()? {
                    ':' => break,
                    ')' => return Ok(Item::Flags),
                    'i' => self.ignore_case = on,
                    's' | 'm' => {}
                    '-' => on = false,
                    _ => return Err(Unknown),
                }
            }
        }
        let needles = self.alternatives()?;
        self.ignore_case = outside;
        if self.take_if(')') { Ok(Item::Part(needles)) } else { Err(Unknown) }
    }

    /// How often the element that was read occurs.
    fn times(&mut self) -> Result<Times, Unknown> {
        let mut times = Times::Once;
        while let Some((_, mark)) = self.rest.next_if(|(_, next)| matches!(next, '?' | '*' | '+' | '{')) {
            let fewest = match mark {
                '+' => Times::AtLeastOnce,
                '{' => self.fewest()?,
                _ => Times::Any,
            };
            // After a repetition a question mark asks for the shortest match.
            self.take_if('?');
            times = if times == Times::Any { times } else { fewest };
        }
        Ok(times)
    }

    /// The number of repetitions, after its opening brace.
    fn fewest(&mut self) -> Result<Times, Unknown> {
        let mut fewest = String::new();
        let mut bounds = 0;
        loop {
            match self.letter()? {
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

impl Words {
    /// With another element; `None` if it is none of words.
    fn and(mut self, item: &Item, ignore_case: bool) -> Option<Self> {
        match item {
            Item::Literal(letter) if !self.end => self.text.push(*letter),
            Item::WordBorder if self.text.is_empty() => self.begin = true,
            Item::WordBorder => self.end = true,
            Item::Flags if self.text.is_empty() => self.ignore_case = ignore_case,
            _ => return None,
        }
        Some(self)
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
mod tests;
