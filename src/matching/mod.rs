//! All signatures of the book as one scanner: a single pass over the text for every literal at once, then the few
//! regexes of the signatures whose literals stand on one line. Pure; a bad regex never hits (the linter names it).
//!
//! The surprising thing: regexes compile at their first use, because most runs need none or two of several hundred.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::book::Book;
use crate::book::schema::{NEAR, SignatureRole, SignatureSpec};
use crate::incident::Role;
use crate::pattern::Pattern;
use crate::text::{Level, Transcript};

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

/// One signature that holds on one line.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Whose signature it is.
    pub owner: Owner,
    /// Index of the transcript line.
    pub line: usize,
    /// Where the first literal stands, in bytes of the line.
    pub at: usize,
    /// Length of the literals together: the longer, the more specific.
    pub specificity: usize,
    /// What the line is to the failure.
    pub standing: SignatureRole,
    /// Whether a run ends with it.
    pub fatal: bool,
    /// Who wrote the signature.
    pub origin: Origin,
}

/// Every signature of a book, ready to scan.
pub struct SignatureSet {
    automaton: AhoCorasick,
    /// For each literal of the automaton, the signatures that ask for it first.
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
    AfterCuda,
}

/// Collects signatures; literals are shared between them.
#[derive(Default)]
pub struct Builder {
    signatures: Vec<Signature>,
}

impl Builder {
    /// Adds an author's signature.
    pub fn add(&mut self, owner: Owner, matter: &SignatureSpec) {
        let pattern = |source: &Option<String>| source.as_deref().map(Pattern::new);
        self.signatures.push(Signature {
            owner,
            origin: Origin::Page,
            literals: matter.contains.0.iter().map(|literal| literal.to_ascii_lowercase()).collect(),
            regex: pattern(&matter.regex),
            unless: pattern(&matter.unless),
            near: pattern(&matter.near),
            without: pattern(&matter.without),
            standing: matter.standing,
            fatal: matter.fatal,
            guard: Guard::Free,
        });
    }

    /// Adds the name of a status code: it hits wherever it stands as a whole word.
    pub fn add_code_name(&mut self, owner: Owner, name: &str) {
        self.add_code(owner, name, Guard::Word);
    }

    /// Adds the sentence that a library prints for a status code: it hits in lines that name CUDA before it.
    pub fn add_code_sentence(&mut self, owner: Owner, sentence: &str) {
        self.add_code(owner, sentence, Guard::AfterCuda);
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
            standing: SignatureRole::Cause,
            fatal: true,
            guard,
        });
    }

    /// Builds the scanner.
    pub fn build(self) -> SignatureSet {
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
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(&literals)
            .expect("a few hundred short literals fit an automaton");
        SignatureSet { automaton, by_literal, signatures: self.signatures }
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
        for code in book.codes().iter().filter(|code| !code.is_xid()) {
            let Some(fault) = code.fault().and_then(|id| book.find(id)) else { continue };
            if code.name().len() >= SHORTEST_SENTENCE {
                builder.add_code_name(Owner::Fault(fault), code.name());
            }
            if code.library.starts_with("cuda-") && code.message().len() >= SHORTEST_SENTENCE {
                builder.add_code_sentence(Owner::Fault(fault), code.message());
            }
        }
        builder.build()
    }

    /// All hits in the order of lines, without those on lines that a notice explains and on quoted code or advice.
    pub fn scan(&self, transcript: &Transcript, roles: &[Role]) -> Vec<Hit> {
        // An automaton that folds case itself takes four times as long to build.
        let text = transcript.text().to_ascii_lowercase();
        let mut hits: Vec<Hit> = Vec::new();
        let mut line = 0;
        let mut seen: Vec<usize> = Vec::new();
        let mut cancelled: Vec<(usize, Owner)> = Vec::new();
        for found in self.automaton.find_overlapping_iter(&text) {
            let at = found.start();
            if transcript.is_empty() {
                break;
            }
            if !transcript.range_of(line).contains(&at) {
                line = transcript.line_at(at);
                seen.clear();
            }
            let range = transcript.range_of(line);
            // A literal that runs over the end of its line is not on one line.
            if found.end() > range.end || !searched(roles.get(line)) {
                continue;
            }
            for &signature in &self.by_literal[found.pattern().as_usize()] {
                if seen.contains(&signature) {
                    continue;
                }
                let place = at - range.start..found.end() - range.start;
                match self.signatures[signature].on_line(transcript, roles, line, place) {
                    Outcome::Hit(hit) => {
                        seen.push(signature);
                        hits.push(hit);
                    }
                    Outcome::Cancelled => cancelled.push((line, self.signatures[signature].owner)),
                    Outcome::Silent => {}
                }
            }
        }
        // The author of a page knows when a code on a line does not mean the fault; a code table does not.
        hits.retain(|hit| hit.origin == Origin::Page || !cancelled.contains(&(hit.line, hit.owner)));
        let explained: BTreeSet<usize> =
            hits.iter().filter(|hit| matches!(hit.owner, Owner::Notice(_))).map(|hit| hit.line).collect();
        hits.retain(|hit| matches!(hit.owner, Owner::Notice(_)) || !explained.contains(&hit.line));
        hits.sort_by_key(|hit| (hit.line, hit.owner));
        hits
    }
}

/// What a signature says of a line that holds its longest literal.
enum Outcome {
    /// It holds.
    Hit(Hit),
    /// It would hold, but its `unless` says that the line means something else.
    Cancelled,
    /// It does not hold.
    Silent,
}

/// Whether signatures look at a line of this role.
fn searched(role: Option<&Role>) -> bool {
    role.is_none_or(|role| role.may_be_evidence() && *role != Role::Header)
}

impl Signature {
    /// What this signature says of line `index`, whose longest literal stands at `place`.
    fn on_line(&self, transcript: &Transcript, roles: &[Role], index: usize, place: Range<usize>) -> Outcome {
        let line = transcript.line(index);
        let guarded = match self.guard {
            Guard::Free => true,
            Guard::Word => is_word(line.text, &place),
            Guard::AfterCuda => names_cuda(&line.text[..place.start]),
        };
        if !guarded || (self.guard != Guard::Free && line.prefix.level.is_some_and(|level| level < Level::Info)) {
            return Outcome::Silent;
        }
        if self.literals.len() > 1 {
            let lower = line.text.to_ascii_lowercase();
            if !self.literals.iter().all(|literal| lower.contains(literal.as_str())) {
                return Outcome::Silent;
            }
        }
        if self.regex.as_ref().is_some_and(|regex| !regex.is_match(line.text)) {
            return Outcome::Silent;
        }
        if self.unless.as_ref().is_some_and(|unless| unless.is_match(line.text)) {
            return Outcome::Cancelled;
        }
        let around = index.saturating_sub(NEAR)..(index + NEAR + 1).min(transcript.len());
        // An answer of ours speaks of faults that it was not.
        let around = around.filter(|i| roles.get(*i) != Some(&Role::Answer));
        let any = |pattern: &Pattern| around.clone().any(|i| pattern.is_match(transcript.line(i).text));
        if self.near.as_ref().is_some_and(|near| !any(near)) || self.without.as_ref().is_some_and(any) {
            return Outcome::Silent;
        }
        Outcome::Hit(Hit {
            owner: self.owner,
            line: index,
            at: place.start,
            specificity: self.literals.iter().map(String::len).sum(),
            standing: self.standing,
            fatal: self.fatal,
            origin: self.origin,
        })
    }
}

/// Whether the bytes before and after `place` are not part of an identifier.
fn is_word(text: &str, place: &Range<usize>) -> bool {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bytes = text.as_bytes();
    !bytes[..place.start].last().is_some_and(part) && !bytes.get(place.end).is_some_and(part)
}

/// Whether the words before a sentence name a CUDA interface: "CUDA error: ", "cudaMalloc failed: ", "GPUassert: ".
fn names_cuda(before: &str) -> bool {
    let lower = before.to_ascii_lowercase();
    ["cuda", "gpuassert", "cuinit", "cumem", "custream", "cumodule", "culaunch", "cuctx", "nvml"]
        .iter()
        .any(|name| lower.contains(name))
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
