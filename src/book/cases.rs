//! Resolved public cases as `kb/cases` has them: facts about what failed, why, and what solved it.
//!
//! `build.rs` includes this file by path, so it depends on serde alone. The cases of a fault stay packed until its
//! causes are weighed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// One resolved public case of a fault, in our own terms.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case<'a> {
    /// The address of the public thread.
    #[serde(borrow)]
    pub at: Cow<'a, str>,
    /// Year and month of the report, `2024-05`; empty if unknown.
    #[serde(borrow)]
    pub date: Cow<'a, str>,
    /// The framework, in the words of the fact `run.framework`; `other` if it is none of them.
    #[serde(borrow)]
    pub framework: Cow<'a, str>,
    /// Software and versions, as far as known.
    #[serde(borrow)]
    pub versions: Cow<'a, str>,
    /// The GPU; empty if unknown.
    #[serde(borrow)]
    pub gpu: Cow<'a, str>,
    /// Where it ran, in the words of the fact `run.platform`; `unknown` if unknown.
    #[serde(borrow)]
    pub platform: Cow<'a, str>,
    /// What the run was doing.
    #[serde(borrow)]
    pub phase: Cow<'a, str>,
    /// What in the text points to the cause.
    #[serde(borrow)]
    pub clues: Vec<Cow<'a, str>>,
    /// Why it failed: an id of `kb/causes.csv`, or `unknown`.
    #[serde(borrow)]
    pub cause: Cow<'a, str>,
    /// The cause as a second person labelled it without seeing the first label; empty if nobody did.
    #[serde(borrow, default)]
    pub second: Cow<'a, str>,
    /// The ids of the actions that solved it; empty if the book has none of them.
    #[serde(borrow)]
    pub solved: Vec<Cow<'a, str>>,
    /// What solved it.
    #[serde(borrow)]
    pub how: Cow<'a, str>,
    /// Who confirmed that.
    pub sure: Sure,
    /// The error's type and message, where the fault is none of the book's.
    #[serde(borrow, default)]
    pub error: Cow<'a, str>,
}

/// Who confirmed what solved a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sure {
    /// The person who had the failure.
    Author,
    /// A maintainer of the software.
    Maintainer,
    /// Several people.
    Several,
}

/// What is known of one fault from others' runs. `build.rs` writes it with owned strings and bytes.
#[derive(Serialize, Deserialize)]
pub(crate) struct PackedCases<S, B> {
    /// The fault's id.
    pub(crate) fault: S,
    /// A `Vec<Case>` in postcard.
    pub(crate) cases: B,
    /// The causes that `kb/threads/open.jsonl` has posts of, and how many.
    pub(crate) posts: Vec<(S, u16)>,
}
