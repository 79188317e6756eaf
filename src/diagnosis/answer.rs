//! The one result type that every renderer takes: plain values without behaviour.
//!
//! Serialized, it is the JSON of `faultbook/diagnosis/2` (`render::json` adds the version): there is no copy in which a
//! field could be forgotten. A test compares the published schema with these types, so that no change goes unseen.

use serde::{Serialize, Serializer};

use super::picture::RunPicture;
use super::precedents::Solved;
use crate::book::cases::Case;
use crate::book::schema::Cost;
use crate::facts::{Facts, Source};
use crate::span::Span;

/// The answer to a pasted text.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diagnosis {
    /// What kind of answer it is.
    pub verdict: Verdict,
    /// The primary fault, if the book has a page for it.
    pub fault: Option<Fault>,
    /// What followed from the primary fault.
    pub cascade: Vec<Consequence>,
    /// The primary error as the text has it, known or not.
    pub error: Option<PrimaryError>,
    /// Causes of the fault, most probable first.
    pub causes: Vec<RankedCause>,
    /// What to do, the most useful first: the fixes of the causes that are still possible.
    pub actions: Vec<Action>,
    /// Resolved public cases of the fault whose clues resemble the text, the most alike first; three at most.
    pub like_cases: Vec<LikeCase>,
    /// The one check that would best distinguish the remaining causes.
    pub next_check: Option<NextCheck>,
    /// The project's own reports, best first.
    pub reports: Vec<ReportHit>,
    /// The nearest pages when the book has none for the error.
    pub nearest: Vec<NearPage>,
    /// Faults that print nothing and fit the versions and operations that the text names.
    pub silent: Vec<NearPage>,
    /// Harmless lines that look alarming.
    pub notices: Vec<NoticeHit>,
    /// What is known about run and machine.
    #[serde(rename = "facts")]
    pub environment: Facts,
    /// Whether and how the machine was probed.
    pub probe: Option<ProbeSummary>,
    /// Physical lines of the text.
    pub lines_read: u32,
    /// What the reader of the answer should know about how the text was read.
    pub notes: Vec<String>,
    /// The run over time; omitted unless it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<RunPicture>,
}

/// From this probability on a cause whose first action solved most known cases is nearly certain: on threads that nobody
/// of us had looked at, such first actions were the solution in 12 of 13 texts, and the others in 77 of 172.
const NEARLY_CERTAIN: f64 = 0.95;

/// Fewest known cases that bear an action out.
const BORNE_OUT: usize = 5;

impl Diagnosis {
    /// The first action, where both its cause and the known cases speak clearly for it.
    pub(crate) fn settled(&self) -> Option<&Action> {
        let (cause, action) = (self.causes.first()?, self.actions.first()?);
        let solved = action.solved.as_ref()?;
        let clearly = solved.of >= BORNE_OUT && 2 * solved.cases > solved.of;
        (clearly && cause.probability >= NEARLY_CERTAIN).then_some(action)
    }

    /// A process that did not end well failed, even where its output reports nothing.
    pub(crate) fn ended_badly(&mut self, how: &str) {
        if self.verdict != Verdict::NoError {
            return;
        }
        self.verdict = Verdict::UnlistedError;
        self.error = Some(PrimaryError {
            type_name: String::new(),
            message: format!("it ended with {how}, and its output reports no failure"),
            frame: None,
            span: Span::of_line(self.lines_read.max(1), 0),
            rank: None,
        });
    }
}

/// What kind of answer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A fault page matched.
    KnownFault,
    /// A page matched that describes an ordinary error: the program or its files are at fault, not the GPU, the driver
    /// or a library.
    OrdinaryError,
    /// A real error that has no page.
    UnlistedError,
    /// A healthy text.
    NoError,
}

impl Verdict {
    /// The word for it in every output format.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::KnownFault => "known-fault",
            Verdict::OrdinaryError => "ordinary-error",
            Verdict::UnlistedError => "unlisted-error",
            Verdict::NoError => "no-error",
        }
    }
}

/// The primary fault.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Fault {
    /// The page's id.
    pub id: String,
    /// The page's title.
    pub title: String,
    /// The page's path as shown.
    pub page: String,
    /// How sure the match is, from 0 to 1, calibrated.
    #[serde(serialize_with = "figure")]
    pub confidence: f64,
    /// Where in the text.
    pub span: Span,
    /// The words there.
    pub text: String,
    /// The rank that failed first, where known.
    pub rank: Option<u32>,
    /// Circumstances worth a line: phase, step, epoch.
    pub circumstances: Vec<String>,
    /// What it is easily confused with and how to distinguish them, as markdown, closest first.
    pub lookalikes: Vec<String>,
}

/// A fault that followed from another.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Consequence {
    /// The page's id.
    pub id: String,
    /// The page's title.
    pub title: String,
    /// Where in the text.
    pub span: Span,
    /// The words there.
    pub text: String,
    /// Why it counts as a consequence: "teardown", "the same chain", "other ranks".
    pub why: String,
}

/// The primary error as the text has it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PrimaryError {
    /// Exception type, signal or status word; may be empty.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The message without advice.
    pub message: String,
    /// The innermost frame in the user's own code, else the innermost frame.
    pub frame: Option<FrameRef>,
    /// Where in the text.
    pub span: Span,
    /// The rank, where known.
    pub rank: Option<u32>,
}

/// A place in source code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FrameRef {
    /// The file as written.
    pub file: String,
    /// Its line, 0 when unknown.
    pub line: u32,
    /// The function, empty when unknown.
    pub function: String,
}

/// One cause with its probability and status.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RankedCause {
    /// From the closed list.
    pub id: String,
    /// In words, for this fault.
    pub title: String,
    /// Calibrated probability, 0 to 1.
    #[serde(serialize_with = "figure")]
    pub probability: f64,
    /// Whether the text does not separate it from the likeliest cause; of that one, whether there is such a cause.
    pub tied: bool,
    /// How common the cause is before any evidence, in log-odds.
    pub prior: f64,
    /// The known public cases of the fault that had this cause.
    pub cases: usize,
    /// What the probe shows about it.
    pub status: CauseStatus,
    /// Why the status is what it is, if known.
    pub status_says: Option<String>,
    /// Reasons for and against, strongest first.
    pub reasons: Vec<Reason>,
    /// How to confirm it here.
    pub check: String,
    /// The command for it.
    pub check_command: Option<String>,
    /// What helps, cheapest first, adapted to the text; fixes in force are left out.
    pub fixes: Vec<Action>,
    /// What does not help, and why.
    pub dead_ends: Vec<String>,
}

/// What the probe shows about a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CauseStatus {
    /// A measured value settles it.
    Confirmed,
    /// A measured value supports it.
    Supported,
    /// A measured value rules it out.
    Refuted,
    /// Not measured, or not measurable.
    Unverified,
}

impl CauseStatus {
    /// The word for it in every output format.
    pub fn word(self) -> &'static str {
        match self {
            CauseStatus::Confirmed => "confirmed",
            CauseStatus::Supported => "supported",
            CauseStatus::Refuted => "refuted",
            CauseStatus::Unverified => "unverified",
        }
    }
}

/// One reason.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reason {
    /// For the cause (true) or against it.
    #[serde(rename = "for")]
    pub supports: bool,
    /// Where it comes from.
    pub source: Source,
    /// In words.
    pub says: String,
    /// Where in the text.
    pub span: Option<Span>,
    /// How far it moved the cause, in log-odds.
    pub weight: f64,
}

/// Something to do about the failure. In the list of actions it appears once, in the words of its likeliest cause; among
/// the fixes of a cause it is in the words of that cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Action {
    /// The same in every answer: a recipe's id (`reduce-batch`), else the page, the cause, and the words of the title up to
    /// the first full stop, comma or colon, six at most (`xid#hardware-fault#check-power-and-cooling`).
    pub id: String,
    /// What to do, in the imperative.
    pub title: String,
    /// How and why, as markdown.
    pub detail: String,
    /// Commands, adapted to the text where it allows.
    pub commands: Vec<String>,
    /// What it costs.
    pub trade_offs: Vec<String>,
    /// How much effort it is; `null` if the page does not say.
    pub cost: Option<Cost>,
    /// How often it solved known public cases; `null` if it solved none.
    pub solved: Option<Solved>,
    /// Ids of all causes that it helps against, the likeliest first.
    pub causes: Vec<String>,
    /// Whether it is for this very message and not for every one of its kind.
    pub of_message: bool,
}

/// A resolved public case, in our own terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LikeCase {
    /// The address of the thread.
    pub at: String,
    /// Framework, versions, GPU and platform, as far as known.
    pub with: String,
    /// What in the text pointed to the cause.
    pub clues: Vec<String>,
    /// The cause: an id of `kb/causes.csv`, or `unknown`.
    pub cause: String,
    /// What solved it.
    pub solved_by: String,
}

impl From<&Case<'_>> for LikeCase {
    fn from(case: &Case<'_>) -> Self {
        let known = [&case.framework, &case.versions, &case.gpu, &case.platform].map(|part| part.as_ref());
        let known: Vec<&str> = known.into_iter().filter(|part| !matches!(*part, "" | "unknown" | "other")).collect();
        Self {
            at: case.at.to_string(),
            with: known.join(", "),
            clues: case.clues.iter().map(|clue| clue.to_string()).collect(),
            cause: case.cause.to_string(),
            solved_by: case.how.to_string(),
        }
    }
}

/// The next best check.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NextCheck {
    /// What to do.
    pub says: String,
    /// The command.
    pub command: Option<String>,
}

/// A matching report of the project.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportHit {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its path.
    pub path: String,
    /// Its status word.
    pub status: String,
    /// Likeness, 0 to 1.
    #[serde(serialize_with = "figure")]
    pub score: f64,
    /// In which ways it is alike.
    pub why: Vec<String>,
    /// Its recommended (else first) solution.
    pub solution: Option<String>,
    /// That solution's first command.
    pub command: Option<String>,
    /// Where copies of it lie; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
}

/// A page that resembles the error.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NearPage {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Likeness, or the probability that a told problem is about it, 0 to 1.
    #[serde(serialize_with = "figure")]
    pub score: f64,
}

/// A harmless line.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NoticeHit {
    /// What it means, in one clause.
    pub title: String,
    /// Physical line of its first appearance.
    pub line: u32,
    /// How often it appears.
    pub count: usize,
}

/// How the machine was probed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProbeSummary {
    /// `quick`, `functional`, `stress` or `saved`.
    pub level: String,
    /// One sentence per finding.
    pub findings: Vec<String>,
}

/// Rounds a figure for readers: no noise after the third digit, and always a number from 0 to 1.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn figure<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let value = if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
    serializer.serialize_f64((value * 1000.0).round() / 1000.0)
}
