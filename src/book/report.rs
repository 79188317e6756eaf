//! A bug report as the rest of the program sees it: what could be parsed, and the whole text.
//!
//! Everything is optional but the path and the text. Real reports vary in every way; the reader in `lenient` never
//! fails and loses nothing: what it does not understand stays in [`Report::text`].

use std::path::PathBuf;

use crate::facts::Facts;

/// A bug report, a diagnosis document or an article of the user's project.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Its path, as found.
    pub path: PathBuf,
    /// `BUG-20251110-003` in the spelling of the document, or the file stem where the document has no id.
    pub id: String,
    /// Other ids that refer to it (title, file name, `Bug ID:` line), normalised ones included.
    pub aliases: Vec<String>,
    /// The title without "Bug Report:" and the id.
    pub title: String,
    /// The status word as written.
    pub status: String,
    /// The severity word as written, lower case.
    pub severity: String,
    /// The date as written.
    pub date: String,
    /// Tags and category.
    pub tags: Vec<String>,
    /// The summary section, or the first paragraph.
    pub summary: String,
    /// Facts of its environment: `gpu.name`, `torch.version`, `run.batch_size`.
    pub environment: Facts,
    /// Error texts: fenced logs and error lines, one string each. Its signature, derived, not declared.
    pub errors: Vec<String>,
    /// Sections on fixes, prevention and other reports: what they quote is no error of this report.
    pub aside: Vec<String>,
    /// Frames named in it: `function file` pairs as words.
    pub frames: Vec<String>,
    /// Root causes in its own words, most likely first.
    pub root_causes: Vec<String>,
    /// Hypotheses in the order given.
    pub hypotheses: Vec<Hypothesis>,
    /// Solutions, resolutions, workarounds.
    pub solutions: Vec<Solution>,
    /// What was ruled out or did not help.
    pub dead_ends: Vec<String>,
    /// Test plan and test results.
    pub tasks: Vec<Task>,
    /// Prevention measures.
    pub prevention: Vec<String>,
    /// Ids of other reports that it mentions.
    pub related: Vec<String>,
    /// Whether its cause is still a supposition: a draft, or an open report with hypotheses alone. What it proposes may
    /// be Faultbook's own words, so it is no evidence for another failure.
    pub is_unconfirmed: bool,
    /// Paths of code named in it, with a line where given.
    pub code_paths: Vec<String>,
    /// The document as it is, front matter included.
    pub text: String,
}

/// A supposed cause with the author's own confidence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hypothesis {
    /// In the author's words.
    pub title: String,
    /// As written, from 0 to 1; several need not add up to 1.
    pub confidence: Option<f64>,
    /// Theory, evidence and test as the author wrote them, as markdown.
    pub detail: String,
}

/// A solution that the report proposes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solution {
    /// In the author's words, without "Solution 1:" and "(RECOMMENDED)".
    pub title: String,
    /// Whether it is a fix, a workaround or an example.
    pub kind: SolutionKind,
    /// Whether the report recommends it.
    pub recommended: bool,
    /// How and why, in the author's words.
    pub detail: String,
    /// Fenced commands, one string each.
    pub commands: Vec<String>,
    /// Items under "Benefits".
    pub benefits: Vec<String>,
    /// Items under "Trade-offs".
    pub trade_offs: Vec<String>,
}

/// What a report presents a solution as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SolutionKind {
    /// Proposed, or applied.
    #[default]
    Proposed,
    /// Helps until the cause is gone.
    Workaround,
    /// How a proposal is carried out, or another way named there.
    Implementation,
    /// Shown as an example.
    Example,
}

/// One box of a test plan, or one test that was run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Task {
    /// The phase or test heading above it.
    pub phase: String,
    /// What is to be done.
    pub text: String,
    /// Ticked, passed: true. Open, failed, running: false.
    pub done: bool,
}
