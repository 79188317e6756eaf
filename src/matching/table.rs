//! Signatures in one table that is used where it is: `build.rs`, which includes this file by path, packs those of the
//! book; a team's own pages get theirs at start. A signature is decoded when its longest literal is found.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{SignatureRole, SignatureSpec};
use crate::literals::Literals;
use crate::numbers::Numbers;

/// How a signature came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Origin {
    /// A row of a code table: the name of a status code, or its sentence in a line about CUDA.
    Code,
    /// Written by a page's author.
    Page,
}

/// A condition that code-table signatures carry instead of a regex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Guard {
    /// None.
    Free,
    /// The literal must be a whole identifier.
    Word,
    /// The literal is a sentence that means something only after the name of a CUDA interface.
    AfterInterface,
}

/// A signature, with its literals in lower case.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PackedSignature {
    pub(crate) spec: SignatureSpec,
    pub(crate) origin: Origin,
    pub(crate) guard: Guard,
}

impl PackedSignature {
    /// An author's signature.
    pub(crate) fn of_page(spec: &SignatureSpec) -> Self {
        let mut spec = spec.clone();
        spec.contains.0.iter_mut().for_each(|literal| literal.make_ascii_lowercase());
        Self { spec, origin: Origin::Page, guard: Guard::Free }
    }

    /// A row of a code table.
    #[allow(dead_code, reason = "only a build asks")]
    pub(crate) fn of_code(literal: &str, guard: Guard) -> Self {
        let mut spec = SignatureSpec { standing: SignatureRole::Cause, fatal: true, ..SignatureSpec::default() };
        spec.contains.0.push(literal.to_ascii_lowercase());
        Self { spec, origin: Origin::Code, guard }
    }

    /// An event of the kernel log as people name it, `Xid 79`. What they quote of the log itself says more.
    #[allow(dead_code, reason = "only a build asks")]
    pub(crate) fn of_event(name: &str) -> Self {
        let signature = Self::of_code(name, Guard::Word);
        Self { spec: SignatureSpec { standing: SignatureRole::Symptom, ..signature.spec }, ..signature }
    }
}

/// All signatures by their longest literals.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SignatureTable<'a> {
    /// The longest literal of each signature.
    #[serde(borrow)]
    pub(crate) literals: Literals<'a>,
    /// For each of these literals where its signatures begin in `by_literal`; the end of the last one.
    #[serde(borrow)]
    firsts: Numbers<'a>,
    /// The signatures that ask for a literal first, literal by literal.
    #[serde(borrow)]
    by_literal: Numbers<'a>,
    /// For each signature the number of its owner.
    #[serde(borrow)]
    owners: Numbers<'a>,
    /// For each signature where it begins in `bytes`; the end of the last one.
    #[serde(borrow)]
    starts: Numbers<'a>,
    /// All signatures, packed.
    #[serde(borrow)]
    bytes: Cow<'a, [u8]>,
}

impl SignatureTable<'static> {
    /// The table of these signatures, each with the number of its owner.
    pub(crate) fn new(signatures: &[(u32, PackedSignature)]) -> Self {
        let mut literals: Vec<&str> = Vec::new();
        let mut index: HashMap<&str, usize> = HashMap::new();
        let mut by_literal: Vec<Vec<u32>> = Vec::new();
        let (mut bytes, mut starts) = (Vec::new(), vec![0]);
        for (number, (_, signature)) in (0..).zip(signatures) {
            bytes.extend(postcard::to_stdvec(signature).unwrap_or_default());
            starts.push(place(bytes.len()));
            // The longest literal is the rarest; the others are looked for on its line only.
            let Some(literal) = signature.spec.contains.0.iter().max_by_key(|literal| literal.len()) else { continue };
            let at = *index.entry(literal).or_insert_with(|| {
                literals.push(literal);
                by_literal.push(Vec::new());
                literals.len() - 1
            });
            by_literal[at].push(number);
        }
        let mut end = 0;
        let ends = by_literal.iter().map(|numbers| {
            end += numbers.len();
            place(end)
        });
        Self {
            literals: Literals::ignoring_case(literals),
            firsts: std::iter::once(0).chain(ends).collect(),
            by_literal: by_literal.iter().flatten().copied().collect(),
            owners: signatures.iter().map(|(owner, _)| *owner).collect(),
            starts: starts.into_iter().collect(),
            bytes: bytes.into(),
        }
    }
}

#[allow(dead_code, reason = "a build only makes tables")]
impl SignatureTable<'_> {
    /// How many signatures there are.
    pub(crate) fn len(&self) -> usize {
        self.owners.len()
    }

    /// How many literals there are.
    pub(crate) fn literal_count(&self) -> usize {
        self.firsts.len().saturating_sub(1)
    }

    /// The signatures that ask for a literal first.
    pub(crate) fn of_literal(&self, literal: usize) -> impl Iterator<Item = usize> {
        let (first, end) = (self.firsts.get(literal), self.firsts.get(literal + 1));
        (first.unwrap_or(0)..end.unwrap_or(0)).filter_map(|at| Some(self.by_literal.get(at as usize)? as usize))
    }

    /// The number of a signature's owner.
    pub(crate) fn owner(&self, number: usize) -> Option<usize> {
        Some(self.owners.get(number)? as usize)
    }

    /// The signature of that number.
    pub(crate) fn signature(&self, number: usize) -> Option<PackedSignature> {
        let (start, end) = (self.starts.get(number)? as usize, self.starts.get(number + 1)? as usize);
        postcard::from_bytes(self.bytes.get(start..end)?).ok()
    }
}

fn place(number: usize) -> u32 {
    u32::try_from(number).expect("a book of a few megabytes at most")
}

/// The signatures of the built-in book.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PackedSignatures<'a> {
    #[serde(borrow)]
    pub(crate) owners: Vec<PackedOwner<'a>>,
    #[serde(borrow)]
    pub(crate) table: SignatureTable<'a>,
}

/// What a signature of the built-in book belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PackedOwner<'a> {
    /// A built-in page, by its number.
    Fault(u32),
    /// A built-in notice, by its number.
    Notice(u32),
    /// The page of a code, by its id: a team's own page may have it.
    Code(&'a str),
}
