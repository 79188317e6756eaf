//! All signatures of the book as one scanner: a single pass over the text for every literal at once, then the few
//! regexes of signatures whose literals occur on one line. Pure; a malformed regex never matches (`check` reports it).
//!
//! Regexes compile on first use, because most runs need none or two of several hundred.

mod anchors;
mod folded;
mod misread;
mod scanned;
mod translated;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::book::Book;
use crate::book::schema::{SignatureRole, SignatureSpec};
use crate::incident::{Role, contains_folded};
use crate::literals::Literals;
use crate::pattern::Pattern;
use crate::removed;
use crate::text::Transcript;
use crate::vendors;
pub(crate) use folded::{add, repairs};
use scanned::{PatternKind, ScannedLine, Surroundings};
pub(crate) use translated::translations;

/// What a signature belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// A fault page, by its index in the book.
    Fault(usize),
    /// A notice of harmless lines, by its index in the book.
    Notice(usize),
}

/// How a signature came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A row of a code table: the name of a status code, or its sentence in a line about CUDA.
    Code,
    /// Written by a page's author.
    Page,
}

/// One match of a signature on one line.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The page that the signature belongs to.
    pub owner: Owner,
    /// Index of the transcript line.
    pub line: usize,
    /// Where the first literal begins, in bytes of the line.
    pub at: usize,
    /// Length of the literals together: the longer, the more specific.
    pub specificity: usize,
    /// The line's role in the failure.
    pub standing: SignatureRole,
    /// Whether a run ends with it.
    pub fatal: bool,
    /// Who wrote the signature.
    pub origin: Origin,
}

/// Every signature of a book, ready to scan.
pub struct SignatureSet {
    /// The longest literal of each signature.
    literals: Literals,
    /// For each of these literals, the signatures that ask for it first.
    by_literal: Vec<Vec<usize>>,
    signatures: Vec<Signature>,
}

/// A signature with its lazily compiled patterns.
struct Signature {
    owner: Owner,
    origin: Origin,
    literals: Vec<String>,
    regex: Option<Pattern>,
    unless: Option<Pattern>,
    near: Option<Pattern>,
    without: Option<Pattern>,
    known_name: bool,
    standing: SignatureRole,
    fatal: bool,
    guard: Guard,
}

/// A condition that code-table signatures carry instead of a regex.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// None.
    Free,
    /// The literal must be a whole identifier.
    Word,
    /// The literal is a sentence that means something only after the name of a CUDA interface.
    AfterInterface,
}

impl Guard {
    /// Whether a literal at `place` of a line counts.
    fn allows(self, line: &mut ScannedLine<'_>, place: &Range<usize>) -> bool {
        match self {
            Guard::Free => true,
            Guard::Word => line.informs && is_word(line.text, place),
            Guard::AfterInterface => line.informs && line.interface_named_at().is_some_and(|end| end <= place.start),
        }
    }
}

/// Collects signatures; literals are shared between them.
#[derive(Default)]
pub(crate) struct Builder {
    signatures: Vec<Signature>,
}

impl Builder {
    /// Adds an author's signature.
    pub(crate) fn add(&mut self, owner: Owner, matter: &SignatureSpec) {
        let pattern = |source: &Option<String>| source.as_deref().map(Pattern::new);
        self.signatures.push(Signature {
            owner,
            origin: Origin::Page,
            literals: matter.contains.0.iter().map(|literal| literal.to_ascii_lowercase()).collect(),
            regex: pattern(&matter.regex),
            unless: pattern(&matter.unless),
            near: pattern(&matter.near),
            without: pattern(&matter.without),
            known_name: matter.known_name,
            standing: matter.standing,
            fatal: matter.fatal,
            guard: Guard::Free,
        });
    }

    /// Adds the name of a status code: it matches wherever it is a word of its own.
    pub(crate) fn add_code_name(&mut self, owner: Owner, name: &str) {
        self.add_code(owner, name, Guard::Word);
    }

    /// Adds the sentence that a library prints for a status code: it matches after the name of a CUDA interface.
    pub(crate) fn add_code_sentence(&mut self, owner: Owner, sentence: &str) {
        self.add_code(owner, sentence, Guard::AfterInterface);
    }

    fn add_code(&mut self, owner: Owner, literal: &str, guard: Guard) {
        self.signatures.push(Signature {
            owner,
            origin: Origin::Code,
            literals: vec![literal.to_ascii_lowercase()],
            regex: None,
            unless: None,
            near: None,
            without: None,
            known_name: false,
            standing: SignatureRole::Cause,
            fatal: true,
            guard,
        });
    }

    /// Builds the scanner.
    pub(crate) fn build(self) -> SignatureSet {
        let mut literals: Vec<&str> = Vec::new();
        let mut index: HashMap<&str, usize> = HashMap::new();
        let mut by_literal: Vec<Vec<usize>> = Vec::new();
        for (i, signature) in self.signatures.iter().enumerate() {
            // The longest literal is the rarest; the others are looked for on its line only.
            let Some(literal) = signature.literals.iter().max_by_key(|literal| literal.len()) else { continue };
            let at = *index.entry(literal).or_insert_with(|| {
                literals.push(literal);
                by_literal.push(Vec::new());
                literals.len() - 1
            });
            by_literal[at].push(i);
        }
        SignatureSet { literals: Literals::ignoring_case(literals), by_literal, signatures: self.signatures }
    }
}

impl SignatureSet {
    /// The scanner for a book: its pages, its notices, and the code tables for codes that belong to one of its pages.
    pub fn of_book(book: &Book) -> Self {
        /// Shorter sentences ("unknown error") appear in too many texts.
        const SHORTEST_SENTENCE: usize = 12;
        let mut builder = Builder::default();
        for (index, entry) in book.faults.iter().enumerate() {
            for signature in &entry.matter.signatures {
                builder.add(Owner::Fault(index), signature);
            }
        }
        for (index, notice) in book.notices.iter().enumerate() {
            for signature in &notice.signatures {
                builder.add(Owner::Notice(index), signature);
            }
        }
        let speaks = |table: &str| {
            vendors::all().iter().any(|vendor| vendor.sentences.signatures.iter().any(|one| one == table))
        };
        for code in book.codes().iter().filter(|code| !code.is_event()) {
            let Some(fault) = code.fault().and_then(|id| book.find(id)) else { continue };
            if code.name().len() >= SHORTEST_SENTENCE {
                builder.add_code_name(Owner::Fault(fault), code.name());
            }
            if speaks(&code.library) && code.message().len() >= SHORTEST_SENTENCE {
                builder.add_code_sentence(Owner::Fault(fault), code.message());
            }
        }
        builder.build()
    }

    /// All matches in the order of lines, without those on lines that a notice explains and on quoted code or advice.
    pub fn scan(&self, transcript: &Transcript, roles: &[Role]) -> Vec<Hit> {
        let mut hits: Vec<(Reverse<usize>, usize, Hit)> = Vec::new();
        let mut cancelled: HashSet<(usize, Owner)> = HashSet::new();
        let mut surroundings = Surroundings::new(transcript, roles);
        // For each signature the line that it was tried on last: a literal may occur on a line thousands of times.
        let mut tried: Vec<Option<usize>> = vec![None; self.signatures.len()];
        let mut line: Option<ScannedLine<'_>> = None;
        self.literals.find(transcript.text(), |literal, place| {
            if transcript.is_empty() {
                return;
            }
            let line = match &mut line {
                Some(line) if line.range.contains(&place.start) => line,
                line => line.insert(ScannedLine::new(transcript, roles, place.start)),
            };
            // A literal that runs over the end of its line is not on one line.
            if place.end > line.range.end || !line.searched {
                return;
            }
            let place = place.start - line.range.start..place.end - line.range.start;
            for &number in &self.by_literal[literal] {
                let signature = &self.signatures[number];
                if tried[number] == Some(line.index) || !signature.guard.allows(line, &place) {
                    continue;
                }
                tried[number] = Some(line.index);
                match signature.on_line(line, &mut surroundings, number) {
                    Outcome::Hit => {
                        hits.push((Reverse(place.len()), number, signature.hit(line.index, place.start)));
                    }
                    Outcome::Cancelled => drop(cancelled.insert((line.index, signature.owner))),
                    Outcome::Silent => {}
                }
            }
        });
        // On one line: in the order in which the literals end, the longer first.
        hits.sort_by_key(|(length, number, hit)| (hit.line, hit.owner, hit.at + length.0, *length, *number));
        let mut hits: Vec<Hit> = hits.into_iter().map(|(.., hit)| hit).collect();
        // The author of a page knows when a code on a line does not mean the fault; a code table does not.
        hits.retain(|hit| hit.origin == Origin::Page || !cancelled.contains(&(hit.line, hit.owner)));
        let explained: HashSet<usize> =
            hits.iter().filter(|hit| matches!(hit.owner, Owner::Notice(_))).map(|hit| hit.line).collect();
        hits.retain(|hit| matches!(hit.owner, Owner::Notice(_)) || !explained.contains(&hit.line));
        hits
    }
}

/// Whether a signature matches a line that contains its longest literal.
enum Outcome {
    /// It matches.
    Hit,
    /// It would match, but its `unless` shows that the line means something else.
    Cancelled,
    /// It does not match.
    Silent,
}

impl Signature {
    /// Whether this signature, number `number` of its set, matches a line that contains its longest literal.
    fn on_line(&self, line: &ScannedLine<'_>, surroundings: &mut Surroundings<'_>, number: usize) -> Outcome {
        if let Some(outcome) = self.allows(line.text) {
            return outcome;
        }
        if self.known_name && removed::known(line.text, |word| surroundings.mention(line.index, word)).is_none() {
            return Outcome::Silent;
        }
        let mut any = |kind, pattern: &Pattern| surroundings.any(line.index, (number, kind), pattern);
        if self.near.as_ref().is_some_and(|near| !any(PatternKind::Near, near))
            || self.without.as_ref().is_some_and(|without| any(PatternKind::Without, without))
        {
            return Outcome::Silent;
        }
        Outcome::Hit
    }

    /// What the words of the line itself decide, if they do.
    fn allows(&self, text: &str) -> Option<Outcome> {
        if self.literals.len() > 1 && !self.literals.iter().all(|literal| contains_folded(text, literal)) {
            return Some(Outcome::Silent);
        }
        if self.regex.as_ref().is_some_and(|regex| !regex.is_match(text)) {
            return Some(Outcome::Silent);
        }
        self.unless.as_ref().is_some_and(|unless| unless.is_match(text)).then_some(Outcome::Cancelled)
    }

    fn hit(&self, line: usize, at: usize) -> Hit {
        Hit {
            owner: self.owner,
            line,
            at,
            specificity: self.literals.iter().map(String::len).sum(),
            standing: self.standing,
            fatal: self.fatal,
            origin: self.origin,
        }
    }
}

/// Whether the bytes before and after `place` are not part of an identifier.
fn is_word(text: &str, place: &Range<usize>) -> bool {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bytes = text.as_bytes();
    !bytes[..place.start].last().is_some_and(part) && !bytes.get(place.end).is_some_and(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::schema::OneOrMany;
    use crate::incident;
    use crate::text;

    fn matter(contains: &[&str]) -> SignatureSpec {
        SignatureSpec {
            contains: OneOrMany(contains.iter().map(ToString::to_string).collect()),
            fatal: true,
            ..SignatureSpec::default()
        }
    }

    fn lines_hit(build: impl FnOnce(&mut Builder), text: &str) -> Vec<usize> {
        let mut builder = Builder::default();
        build(&mut builder);
        let transcript = text::read(text.as_bytes());
        let roles = vec![incident::Role::Text; transcript.len()];
        builder.build().scan(&transcript, &roles).iter().map(|hit| hit.line).collect()
    }

    #[test]
    fn all_literals_must_stand_on_one_line() {
        let text = "worker died\nwhile allocating: WORKER died of it\n";
        assert_eq!(lines_hit(|b| b.add(Owner::Fault(0), &matter(&["worker", "allocating"])), text), [1]);
    }

    #[test]
    fn unless_and_near_look_at_the_line_and_around_it() {
        let mut signature = matter(&["no room left"]);
        signature.unless = Some("ignored".into());
        signature.near = Some("^tensor".into());
        let text = "tensor of 4\nno room left\nno room left, ignored\n";
        assert_eq!(lines_hit(|b| b.add(Owner::Fault(0), &signature), text), [1]);
        assert!(lines_hit(|b| b.add(Owner::Fault(0), &signature), "no room left\n").is_empty());
    }

    #[test]
    fn a_code_name_is_a_whole_word_and_a_sentence_needs_cuda_before_it() {
        let text = "X_STATUS_BAD_PARAM_SIZE\nX_STATUS_BAD_PARAM;\ninvalid argument\ncudaMalloc: invalid argument\n";
        assert_eq!(lines_hit(|b| b.add_code_name(Owner::Fault(0), "X_STATUS_BAD_PARAM"), text), [1]);
        assert_eq!(lines_hit(|b| b.add_code_sentence(Owner::Fault(0), "invalid argument"), text), [3]);
    }

    #[test]
    fn a_bad_regex_never_hits() {
        let mut signature = matter(&["no room left"]);
        signature.regex = Some("(".into());
        assert!(lines_hit(|b| b.add(Owner::Fault(0), &signature), "no room left\n").is_empty());
    }
}
