//! Lines that report a failure in words that no parser and no page knows: "the verdict is not in the book" instead of
//! "no failure found". Consulted only where nothing else was found, so that the usual answer does not pay for it.
//!
//! The words are in `kb/wording/failures.toml`. A line counts unless the run visibly survived it: its writer makes
//! further steps, or a later line says that the run came to a good end.

use std::sync::LazyLock;

use super::{Incident, Role, advice, is_conditional, is_written, position};
use crate::literals::Literals;
use crate::pattern::Pattern;
use crate::text::{Level, Line, Transcript};
use crate::wording;

/// A line that reports a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FailureLine {
    /// Index of the transcript line.
    pub(crate) line: usize,
    /// What its words hint at.
    pub(crate) symptom: Option<Meant>,
}

/// What words of a symptom mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meant {
    /// The page.
    pub(crate) fault: &'static str,
    /// The cause on that page that they speak for.
    pub(crate) cause: Option<&'static str>,
}

/// How sure it is that a line reports a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    Warning,
    Likely,
    Certain,
}

/// More lines than these are not read: those of a longer text that carry an alarm, and its last ones.
const MOST_LINES: usize = 4000;
/// The beginning of a line that is read.
const MOST_BYTES: usize = 1000;
/// A run that makes so many steps after a line survived it.
const STEPS: usize = 4;
/// A writer that logs so many lines of information after a warning goes on.
const INFORMS: usize = 2;

/// The words of `kb/wording/failures.toml` as patterns.
struct Words {
    never: Pattern,
    certain: Pattern,
    likely: Pattern,
    harmless: Pattern,
    goes_on: Pattern,
    ended_well: Pattern,
    pauses: Pattern,
    symptoms: Vec<Symptom>,
}

/// The words of a symptom, or of a title.
pub(super) struct Symptom {
    pub(super) row: &'static wording::Symptom<&'static str>,
    pattern: Pattern,
    unless: Option<Pattern>,
}

impl Symptom {
    pub(super) fn new(row: &'static wording::Symptom<&'static str>) -> Self {
        let pattern = |pattern| Pattern::any_of(&[pattern]);
        Self { row, pattern: pattern(row.pattern), unless: row.unless.map(pattern) }
    }

    pub(super) fn is_named(&self, text: &str) -> bool {
        self.pattern.is_match(text) && !self.unless.as_ref().is_some_and(|unless| unless.is_match(text))
    }
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let words = wording::failures();
    Words {
        never: Pattern::any_of(&words.never),
        certain: Pattern::any_of(&words.certain),
        likely: Pattern::any_of(&words.likely),
        harmless: Pattern::any_of(&words.harmless),
        goes_on: Pattern::any_of(&words.goes_on),
        ended_well: Pattern::any_of(&words.ended_well),
        pauses: Pattern::any_of(&words.pauses),
        symptoms: words.symptom.iter().map(Symptom::new).collect(),
    }
});

/// The line that reports a failure best, if any does. `explained` says whether a page or notice accounts for a line.
pub(crate) fn reported(
    transcript: &Transcript,
    incident: &Incident,
    explained: impl Fn(usize) -> bool,
) -> Option<FailureLine> {
    let reports = |line: &Line<'_>| match incident.roles.get(line.index).copied().unwrap_or(Role::Text) {
        _ if explained(line.index) => None,
        // Advice may follow a message on its line.
        Role::Advice => symptom(head(line.text)).map(|_| Severity::Likely),
        Role::Frame => None,
        role if role.may_be_evidence() => severity(line),
        _ => None,
    };
    let printed = |line: &Line<'_>| {
        !line.text.trim().is_empty() && incident.roles.get(line.index).is_none_or(|role| *role != Role::Answer)
    };
    let lines = selected(transcript).into_iter().rev().map(|index| transcript.line(index)).filter(printed);
    let mut survivors = Survival::default();
    let mut best: Option<(Severity, usize)> = None;
    for line in lines {
        match reports(&line) {
            Some(severity) if !survivors.survived(severity) => {
                if best.is_none_or(|(worst, _)| severity >= worst) {
                    best = Some((severity, line.index));
                }
            }
            Some(_) => {}
            None => survivors.see(&line),
        }
    }
    let Some((_, line)) = best else {
        let (line, gone) = unfinished_bar(transcript.lines().rev().filter(printed))?;
        let stopped = Meant { fault: wording::failures().stopped, cause: None };
        return Some(FailureLine { line, symptom: gone.then_some(stopped) });
    };
    let text = head(transcript.line(line).text);
    Some(FailureLine { line, symptom: symptom(text) })
}

/// Whether a line with such words counts no failure at all.
pub(crate) fn counts_none(text: &str) -> bool {
    WORDS.never.is_match(head(text))
}

/// Whether a line sounds like a failure and is none: it counts none, or says what is done instead.
pub(crate) fn is_harmless(text: &str) -> bool {
    WORDS.never.is_match(head(text)) || WORDS.harmless.is_match(head(text)) && !WORDS.certain.is_match(head(text))
}

/// The same of a line that has the words of a known error, of which most harmless words may be a part: "expected one of",
/// "please install", "instead of".
pub(crate) fn is_survived(text: &str) -> bool {
    WORDS.goes_on.is_match(head(text)) && !WORDS.certain.is_match(head(text))
}

/// Whether a line says that a run came to a good end.
pub(super) fn ends_well(text: &str) -> bool {
    WORDS.ended_well.is_match(text)
}

/// Whether a line says that a process came to a bad end.
pub(super) fn ends_badly(text: &str) -> bool {
    WORDS.certain.is_match(text) && !WORDS.never.is_match(text)
}

/// The symptom that a line names.
fn symptom(text: &str) -> Option<Meant> {
    named(text, |_| true)
}

/// The symptom that the message of an error names.
pub(crate) fn symptom_of_message(message: &str) -> Option<Meant> {
    named(head(message), |symptom| !symptom.line_only)
}

fn named(text: &str, counts: impl Fn(&wording::Symptom<&'static str>) -> bool) -> Option<Meant> {
    let found = WORDS.symptoms.iter().find(|symptom| counts(symptom.row) && symptom.is_named(text))?;
    Some(Meant { fault: found.row.fault, cause: found.row.cause })
}

/// The lines that are read.
fn selected(transcript: &Transcript) -> Vec<usize> {
    if transcript.len() <= MOST_LINES {
        return (0..transcript.len()).collect();
    }
    let alarms = Literals::ignoring_case(&wording::alarms().alarms);
    let alarming = |line: &Line<'_>| line.prefix.level >= Some(Level::Error) || alarms.is_in(head(line.text));
    let tail = transcript.len() - MOST_LINES / 2;
    let mut lines: Vec<usize> = transcript
        .lines()
        .rev()
        .skip(MOST_LINES / 2)
        .filter(alarming)
        .map(|line| line.index)
        .take(MOST_LINES / 2)
        .collect();
    lines.reverse();
    lines.extend(tail..transcript.len());
    lines
}

/// Whether a line by itself reports a failure.
fn severity(line: &Line<'_>) -> Option<Severity> {
    // What a library advises below its message proves nothing.
    let words = advice::without(head(line.text));
    let text = words.as_ref();
    if line.prefix.level.is_none() && is_written(text) || is_conditional(text) {
        return None;
    }
    if WORDS.never.is_match(text) {
        // "exit status 137. The log has no error": each statement for itself.
        return text.split(". ").flat_map(|part| part.split(", ")).any(ends_badly).then_some(Severity::Certain);
    }
    if WORDS.certain.is_match(text) {
        return Some(Severity::Certain);
    }
    let level = line.prefix.level;
    if matches!(level, Some(Level::Debug | Level::Info)) {
        return None;
    }
    let grave = level >= Some(Level::Error) && text.chars().filter(|c| c.is_alphanumeric()).count() >= 3;
    let reports = || WORDS.likely.is_match(text) || symptom(text).is_some();
    let harmless = if is_thrown(text) { &WORDS.goes_on } else { &WORDS.harmless };
    if !(grave || reports()) || harmless.is_match(text) {
        return None;
    }
    Some(if level == Some(Level::Warning) { Severity::Warning } else { Severity::Likely })
}

/// Whether a line begins with the name of an exception, in any letter case: its message may say "please use" or "expected".
fn is_thrown(text: &str) -> bool {
    let (name, message) = text.split_once(": ").unwrap_or_default();
    let ends = |ending: &str| {
        let start = name.len().saturating_sub(ending.len());
        start > 0 && name.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };
    // `td_error: 0.4` and `on_error: warn` are a metric and a setting.
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    is_name && message.contains(' ') && (ends("error") || ends("exception"))
}

/// What the lines below the present one show of the run.
#[derive(Default)]
struct Survival {
    ended_well: bool,
    steps: usize,
    informs: usize,
}

impl Survival {
    /// Notes a line that reports no failure.
    fn see(&mut self, line: &Line<'_>) {
        let text = head(line.text);
        self.ended_well = self.ended_well || WORDS.ended_well.is_match(text);
        self.steps += usize::from(position::is_step(text));
        self.informs += usize::from(line.prefix.level == Some(Level::Info));
    }

    /// Whether the run went on after a failure.
    fn survived(&self, severity: Severity) -> bool {
        self.ended_well || self.steps >= STEPS || severity == Severity::Warning && self.informs >= INFORMS
    }
}

/// The last line, where it is a progress bar that never became full, and whether the shell said below it that the program is gone.
/// Without that, the bar is below the output of a run.
fn unfinished_bar<'t>(upwards: impl Iterator<Item = Line<'t>>) -> Option<(usize, bool)> {
    /// A bar alone is a question about speed.
    const LINES_ABOVE: usize = 3;
    let mut paused = false;
    let mut upwards = upwards.skip_while(|line| {
        let is_pause = WORDS.pauses.is_match(line.text);
        paused |= is_pause;
        is_pause
    });
    let last = upwards.next()?;
    let percent = last.text.split_once("%|")?.0;
    let digits = percent.len() - percent.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let percent: u32 = percent[percent.len() - digits..].parse().ok()?;
    let above = upwards.filter(|line| !line.text.contains("%|")).take(LINES_ABOVE).count();
    (percent < 100 && (paused || above == LINES_ABOVE)).then_some((last.index, paused))
}

fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text)
}
