//! All signatures of the book as one scanner: a single pass over the text for every literal at once, then the few
//! regexes of signatures whose literals occur on one line. Pure; a malformed regex never matches (`check` reports it).
//!
//! Regexes compile on first use, because most runs need none or two of several hundred.

mod anchors;
mod folded;
mod hits;
mod misread;
mod scanned;
mod table;
mod translated;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use crate::book::Book;
use crate::book::schema::{SignatureRole, SignatureSpec};
use crate::incident::{Role, contains_folded};
use crate::pattern::Pattern;
use crate::removed;
use crate::text::Transcript;
pub(crate) use folded::{add, repairs};
use hits::Hits;
pub use hits::{Hit, Owner};
use scanned::{PatternKind, ScannedLine, Surroundings};
pub use table::Origin;
use table::{Guard, PackedOwner, PackedSignature, PackedSignatures, SignatureTable};
pub(crate) use translated::translations;

/// Every signature of a book, ready to scan.
pub struct SignatureSet {
    /// The signatures of a team's own pages, and those of the built-in ones.
    parts: Vec<Part>,
}

/// The signatures of one table.
struct Part {
    table: SignatureTable<'static>,
    /// The owners that the table numbers; `None` for those that are not in the book.
    owners: Vec<Option<Owner>>,
    /// The signatures that were needed so far.
    signatures: Vec<OnceLock<Box<Signature>>>,
    /// How many signatures the parts before it have.
    before: usize,
}

/// A signature with its lazily compiled patterns.
struct Signature {
    literals: Vec<String>,
    regex: Option<Pattern>,
    unless: Option<Pattern>,
    near: Option<Pattern>,
    without: Option<Pattern>,
    known_name: bool,
    standing: SignatureRole,
    fatal: bool,
    origin: Origin,
    guard: Guard,
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
    owners: Vec<Option<Owner>>,
    signatures: Vec<(u32, PackedSignature)>,
}

impl Builder {
    /// Adds an author's signature.
    pub(crate) fn add(&mut self, owner: Owner, spec: &SignatureSpec) {
        self.push(owner, PackedSignature::of_page(spec));
    }

    fn push(&mut self, owner: Owner, signature: PackedSignature) {
        if self.owners.last() != Some(&Some(owner)) {
            self.owners.push(Some(owner));
        }
        let number = u32::try_from(self.owners.len() - 1).expect("fewer pages than a disk has files");
        self.signatures.push((number, signature));
    }

    /// Builds the scanner.
    pub(crate) fn build(self) -> SignatureSet {
        SignatureSet { parts: vec![self.part()] }
    }

    fn part(self) -> Part {
        Part::new(SignatureTable::new(&self.signatures), self.owners, 0)
    }
}

/// Those that `build.rs` packed.
fn builtin() -> PackedSignatures<'static> {
    static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/signatures.postcard"));
    postcard::from_bytes(BYTES).expect("the same build wrote these bytes")
}

impl SignatureSet {
    /// The scanner for a book: its pages, its notices, and the code tables for codes that belong to one of its pages.
    pub fn of_book(book: &Book) -> Self {
        let mut own = Builder::default();
        let (mut faults, mut notices) = (HashMap::new(), HashMap::new());
        for (index, entry) in book.faults.iter().enumerate() {
            match entry.builtin_number() {
                Some(number) => drop(faults.insert(number, Owner::Fault(index))),
                None => entry.matter().signatures.iter().for_each(|spec| own.add(Owner::Fault(index), spec)),
            }
        }
        for (index, notice) in book.notices.iter().enumerate() {
            match notice.number {
                Some(number) => drop(notices.insert(number, Owner::Notice(index))),
                None => notice.signatures.iter().for_each(|spec| own.add(Owner::Notice(index), spec)),
            }
        }
        let PackedSignatures { owners, table } = builtin();
        let owners = owners.into_iter().map(|owner| match owner {
            PackedOwner::Fault(number) => faults.get(&number).copied(),
            PackedOwner::Notice(number) => notices.get(&number).copied(),
            PackedOwner::Code(id) => book.find(id).map(Owner::Fault),
        });
        let own = own.part();
        let builtin = Part::new(table, owners.collect(), own.table.len());
        Self { parts: vec![own, builtin] }
    }

    /// All matches in the order of lines, without those on lines that a notice explains and on quoted code or advice.
    pub fn scan(&self, transcript: &Transcript, roles: &[Role]) -> Vec<Hit> {
        let mut hits = Hits::default();
        let mut surroundings = Surroundings::new(transcript, roles);
        for part in self.parts.iter().filter(|part| part.table.len() > 0 && !transcript.is_empty()) {
            part.scan(transcript, roles, &mut surroundings, &mut hits);
        }
        let Hits { mut found, cancelled } = hits;
        // On one line: in the order in which the literals end, the longer first.
        found.sort_unstable_by_key(|(length, number, hit)| (hit.line, hit.owner, hit.at + length.0, *length, *number));
        let mut hits: Vec<Hit> = found.into_iter().map(|(.., hit)| hit).collect();
        // The author of a page knows when a code on a line does not mean the fault; a code table does not.
        hits.retain(|hit| hit.origin == Origin::Page || !cancelled.contains(&(hit.line, hit.owner)));
        let explained: HashSet<usize> =
            hits.iter().filter(|hit| matches!(hit.owner, Owner::Notice(_))).map(|hit| hit.line).collect();
        hits.retain(|hit| matches!(hit.owner, Owner::Notice(_)) || !explained.contains(&hit.line));
        hits.shrink_to_fit();
        hits
    }
}

impl Part {
    fn new(table: SignatureTable<'static>, owners: Vec<Option<Owner>>, before: usize) -> Self {
        let signatures = (0..table.len()).map(|_| OnceLock::new()).collect();
        Self { table, owners, signatures, before }
    }

    /// The signatures of the book that ask for a literal first, each with its number and its owner.
    fn of_literal(&self, literal: usize) -> impl Iterator<Item = (usize, Owner)> {
        self.table.of_literal(literal).filter_map(|number| {
            let owner = self.owners.get(self.table.owner(number)?).copied()??;
            Some((number, owner))
        })
    }

    fn signature(&self, number: usize) -> &Signature {
        let decode = || self.table.signature(number).expect("the table was made by the same program");
        self.signatures[number].get_or_init(|| Box::new(Signature::new(decode())))
    }

    fn scan<'t>(
        &self,
        transcript: &'t Transcript,
        roles: &[Role],
        surroundings: &mut Surroundings<'_>,
        hits: &mut Hits,
    ) {
        // For each signature the line that it was tried on last: a literal may occur on a line thousands of times.
        let mut tried: Vec<Option<usize>> = vec![None; self.signatures.len()];
        let mut line: Option<ScannedLine<'t>> = None;
        self.table.literals.find(transcript.text(), |literal, place| {
            let line = match &mut line {
                Some(line) if line.range.contains(&place.start) => line,
                line => line.insert(ScannedLine::new(transcript, roles, place.start)),
            };
            // A literal that runs over the end of its line is not on one line.
            if place.end > line.range.end || !line.searched {
                return;
            }
            let place = place.start - line.range.start..place.end - line.range.start;
            for (number, owner) in self.of_literal(literal) {
                let signature = self.signature(number);
                if tried[number] == Some(line.index) || !signature.guard.allows(line, &place) {
                    continue;
                }
                tried[number] = Some(line.index);
                let number = self.before + number;
                match signature.on_line(line, surroundings, number) {
                    Outcome::Hit => {
                        let hit = signature.hit(owner, line.index, place.start);
                        hits.add(Reverse(small(place.len())), small(number), hit);
                    }
                    Outcome::Cancelled => drop(hits.cancelled.insert((line.index, owner))),
                    Outcome::Silent => {}
                }
            }
        });
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
    fn new(packed: PackedSignature) -> Self {
        let PackedSignature { spec, origin, guard } = packed;
        let pattern = |source: Option<String>| source.as_deref().map(Pattern::new);
        Self {
            literals: spec.contains.0,
            regex: pattern(spec.regex),
            unless: pattern(spec.unless),
            near: pattern(spec.near),
            without: pattern(spec.without),
            known_name: spec.known_name,
            standing: spec.standing,
            fatal: spec.fatal,
            origin,
            guard,
        }
    }

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

    fn hit(&self, owner: Owner, line: usize, at: usize) -> Hit {
        Hit {
            owner,
            line,
            at: small(at),
            specificity: small(self.literals.iter().map(String::len).sum()),
            standing: self.standing,
            fatal: self.fatal,
            origin: self.origin,
        }
    }
}

/// A number of signatures, or of bytes of a line, both of which are far below a thousand million: a text can have a
/// million hits.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
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

    fn code(builder: &mut Builder, literal: &str, guard: Guard) {
        builder.push(Owner::Fault(0), PackedSignature::of_code(literal, guard));
    }

    #[test]
    fn a_code_name_is_a_whole_word_and_a_sentence_needs_cuda_before_it() {
        let text = "X_STATUS_BAD_PARAM_SIZE\nX_STATUS_BAD_PARAM;\ninvalid argument\ncudaMalloc: invalid argument\n";
        assert_eq!(lines_hit(|b| code(b, "X_STATUS_BAD_PARAM", Guard::Word), text), [1]);
        assert_eq!(lines_hit(|b| code(b, "invalid argument", Guard::AfterInterface), text), [3]);
    }

    #[test]
    fn of_the_signatures_of_a_page_that_say_the_same_of_a_line_the_most_specific_hits() {
        let survived = SignatureSpec { fatal: false, ..matter(&["no room"]) };
        let build = |b: &mut Builder| {
            for signature in [matter(&["no room"]), matter(&["no room left"]), survived.clone()] {
                b.add(Owner::Fault(0), &signature);
            }
            b.add(Owner::Fault(1), &matter(&["room"]));
            b.add(Owner::Notice(0), &matter(&["no place"]));
            b.add(Owner::Notice(0), &matter(&["no place left"]));
        };
        let mut builder = Builder::default();
        build(&mut builder);
        let transcript = text::read(b"there is no room left\nno place left\n");
        let hits = builder.build().scan(&transcript, &[incident::Role::Text; 2]);
        let shown: Vec<_> = hits.iter().map(|hit| (hit.line, hit.owner, hit.specificity, hit.fatal)).collect();
        let (page, other, notice) = (Owner::Fault(0), Owner::Fault(1), Owner::Notice(0));
        let room = [(0, page, 7, false), (0, page, 12, true), (0, other, 4, true)];
        assert_eq!(shown, [room.as_slice(), &[(1, notice, 8, true), (1, notice, 13, true)]].concat());
    }

    #[test]
    fn a_bad_regex_never_hits() {
        let mut signature = matter(&["no room left"]);
        signature.regex = Some("(".into());
        assert!(lines_hit(|b| b.add(Owner::Fault(0), &signature), "no room left\n").is_empty());
    }
}
