//! A fault page, a recipe and a notice as the rest of the program sees them: checked and typed.

use super::schema::{Affected, Computed, Cost, EvidenceSpec, PageStatus, Prior, Severity, SignatureSpec, Weight};
use crate::condition::Condition;
use crate::pattern::Pattern;

/// A page of the book: one fault with its causes.
#[derive(Debug)]
pub struct FaultPage {
    /// The file's stem: `cudnn-no-engine`.
    pub id: String,
    /// The folder: `cudnn`.
    pub area: String,
    /// Path as shown: `kb/faults/cudnn/cudnn-no-engine.md`.
    pub path: String,
    /// The fault in words.
    pub title: String,
    /// Whether the page is used.
    pub status: PageStatus,
    /// How much a run loses by it.
    pub severity: Severity,
    /// Vendor codes that people look up.
    pub codes: Vec<String>,
    /// Ways to recognise it.
    pub signatures: Vec<SignatureSpec>,
    /// Causes in the order of the front matter.
    pub causes: Vec<Cause>,
    /// Where it exists.
    pub affects: Vec<Affected>,
    /// Former ids.
    pub aliases: Vec<String>,
    /// Addresses to read on.
    pub references: Vec<String>,
    /// The section "Meaning" as markdown.
    pub meaning: String,
    /// The fenced text of the section "Example".
    pub example: String,
    /// The items of the section "Lookalikes" as markdown.
    pub lookalikes: Vec<String>,
    /// The page's markdown after the front matter.
    pub body: String,
}

/// One cause of a fault.
#[derive(Debug)]
pub struct Cause {
    /// From the closed list of causes.
    pub id: String,
    /// In words, for this fault.
    pub title: String,
    /// How common it is, with nothing else known.
    pub prior: Prior,
    /// Evidence for or against it.
    pub evidence: Vec<Evidence>,
    /// Why it happens: the paragraphs before the first label.
    pub why: String,
    /// How to confirm it here.
    pub check: Check,
    /// What helps, cheapest first.
    pub fixes: Vec<Fix>,
    /// What does not help, and why, one item each, as markdown.
    pub dead_ends: Vec<String>,
}

/// One piece of evidence.
#[derive(Debug)]
pub struct Evidence {
    /// What it asks.
    pub question: Question,
    /// How much it says.
    pub weight: Weight,
    /// The reason as shown; may hold `{{ fact }}` placeholders.
    pub says: String,
}

/// What a piece of evidence asks. Each is compiled when a diagnosis first asks it, once for the book.
#[derive(Debug)]
pub enum Question {
    /// Whether a line of the whole text matches.
    Text(Pattern),
    /// Whether a line above the primary failure matches: what comes later cannot have caused it.
    Before(Pattern),
    /// Whether the primary error's message matches.
    Message(Pattern),
    /// Whether a function or file name of the failing traceback matches.
    Frame(Pattern),
    /// Whether a condition over facts holds.
    When(Condition),
}

impl Evidence {
    /// Takes over an item of the front matter; `None` when it asks nothing.
    pub(super) fn of(spec: EvidenceSpec) -> Option<Self> {
        let EvidenceSpec { text, before, message, frame, when, weight, says } = spec;
        let pattern = |kind: fn(Pattern) -> Question, source: Option<String>| Some(kind(Pattern::new(&source?)));
        let question = pattern(Question::Text, text)
            .or_else(|| pattern(Question::Before, before))
            .or_else(|| pattern(Question::Message, message))
            .or_else(|| pattern(Question::Frame, frame))
            .or_else(|| Some(Question::When(Condition::new(&when?))))?;
        Some(Self { question, weight, says })
    }
}

impl Cause {
    /// The conditions that its evidence rests on.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.evidence.iter().filter_map(|item| match &item.question {
            Question::When(condition) => Some(condition),
            _ => None,
        })
    }
}

/// A way to settle whether a cause is the one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Check {
    /// What to do, in words.
    pub says: String,
    /// The command or code to run, where there is one.
    pub command: Option<String>,
}

/// One thing that helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The recipe it comes from, where it is one: `reduce-batch`.
    pub recipe: Option<String>,
    /// What to do, in the imperative.
    pub title: String,
    /// An explanation in words.
    pub detail: String,
    /// Commands or code, one string per fenced block.
    pub commands: Vec<String>,
    /// What it costs.
    pub trade_offs: Vec<String>,
    /// How much effort it is; unknown for fixes written into a page.
    pub cost: Option<Cost>,
    /// Expression over facts; when true the fix is in force already.
    pub in_force: Option<Condition>,
    /// Where it makes sense.
    pub scope: FixScope,
    /// What is shown where the facts in it are known.
    pub computed: Option<Computed>,
    /// The page's own words beside a recipe's.
    pub own_words: String,
}

/// Where a fix makes sense: on platforms, by their names in `kb/wording/platforms.toml`, and for what the text shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FixScope {
    /// The run can be on one of these; no names allow all.
    pub only: Vec<String>,
    /// The run is on none of these.
    pub not: Vec<String>,
    /// Expressions over facts, and patterns of a line, of which one must hold for the fix to come early; none: always.
    pub when: Vec<Condition>,
    /// See `when`.
    pub text: Vec<Pattern>,
    /// Patterns of a line that shows that the fix is in force already or cannot be what is missing: it comes late then.
    pub moot: Vec<Pattern>,
    /// Expression over facts; when it is true the reader cannot do it, and it comes late.
    pub barred: Option<Condition>,
    /// The releases that the fix asks for: `torch <2.4`.
    pub version: Option<String>,
}

/// A fix that several pages share: `kb/fixes/<id>.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// The file's stem: `reduce-batch`.
    pub id: String,
    /// What to do, in the imperative.
    pub title: String,
    /// How much effort it is.
    pub cost: Cost,
    /// Expression over facts; when true the fix is in force already.
    pub in_force: Option<Condition>,
    /// Where it makes sense.
    pub scope: FixScope,
    /// What is shown where the facts in it are known.
    pub computed: Option<Computed>,
    /// How and why, as markdown.
    pub detail: String,
    /// Commands or code, one string per fenced block.
    pub commands: Vec<String>,
    /// What it costs.
    pub trade_offs: Vec<String>,
}

/// A line that looks alarming and is harmless.
#[derive(Debug, Clone)]
pub struct Notice {
    /// Its number among the built-in notices, where it is one.
    pub(crate) number: Option<u32>,
    /// The file's stem.
    pub id: String,
    /// What the line says, in one clause.
    pub title: String,
    /// Ways to recognise it.
    pub signatures: Vec<SignatureSpec>,
    /// Why it is harmless, as markdown.
    pub body: String,
}
