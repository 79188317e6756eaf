//! The pasted text with its failure, consequences and evidence marked, in parts that a browser can show.
//!
//! A long text is not sent whole: what is marked and what surrounds it, the beginning and the end; what was left out
//! has an address of its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::book::Book;
use crate::diagnosis::Diagnosis;
use crate::facts::Source;
use crate::incident::Incident;
use crate::interfaces::web::book::codes::address;
use crate::interfaces::web::book::names;
use crate::render::clean;
use crate::span::Span;
use crate::text::Transcript;

/// Texts up to so many lines and bytes are shown whole.
const WHOLE_LINES: usize = 6_000;
const WHOLE_BYTES: usize = 1 << 20;

/// Of longer ones: the lines around a mark, at the beginning, and at the end.
const AROUND: usize = 40;
const HEAD: usize = 60;
const TAIL: usize = 120;

/// Lines of one part, which a browser leaves unrendered while it is out of sight.
const PART: usize = 100;

/// Columns of a line; the rest is counted.
const WIDEST: usize = 2_000;

/// A text as shown.
#[derive(Debug, Default)]
pub(super) struct LogView {
    pub parts: Vec<Part>,
    /// Lines of the whole text.
    pub total: usize,
}

/// A stretch of lines, or of lines left out.
#[derive(Debug)]
pub(super) enum Part {
    Lines(Vec<LineView>),
    /// The first and the last line that are left out.
    Gap(usize, usize),
}

/// One line.
#[derive(Debug)]
pub(super) struct LineView {
    /// From 1.
    pub number: usize,
    pub text: String,
    /// `failure`, `follows`, `for`, `against`, `harmless`, or empty.
    pub kind: &'static str,
    /// What is marked and where the answer speaks of it.
    pub marks: Vec<Mark>,
    /// The status codes that it names.
    pub codes: Vec<CodeLink>,
    /// The rank that wrote the line, where its prefix says so.
    pub rank: Option<u32>,
}

/// A status code that a line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeLink {
    /// `Xid 79`.
    pub label: String,
    /// Where it is explained, below the root.
    pub address: String,
}

/// What the margin of a text shows, by line.
pub(super) struct Margin {
    marks: BTreeMap<usize, Vec<Mark>>,
    codes: BTreeMap<usize, Vec<CodeLink>>,
}

impl Margin {
    /// That of an answer.
    pub(super) fn new(diagnosis: &Diagnosis, incident: &Incident, transcript: &Transcript, book: &Book) -> Self {
        Self { marks: marks(diagnosis), codes: codes(incident, transcript, book) }
    }

    /// The codes that a line names.
    pub(super) fn codes(&self, line: usize) -> &[CodeLink] {
        self.codes.get(&line).map_or(&[], Vec::as_slice)
    }
}

/// Why a line is marked.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub kind: Kind,
    /// In words, for the margin.
    pub label: String,
    /// The id of the place in the answer.
    pub target: String,
}

/// Kinds of marks, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Failure,
    Follows,
    For,
    Against,
    Harmless,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Failure => "failure",
            Kind::Follows => "follows",
            Kind::For => "for",
            Kind::Against => "against",
            Kind::Harmless => "harmless",
        }
    }
}

/// The marks of an answer, by line.
fn marks(diagnosis: &Diagnosis) -> BTreeMap<usize, Vec<Mark>> {
    let mut marks: BTreeMap<usize, Vec<Mark>> = BTreeMap::new();
    let mut put = |span: Span, kind: Kind, label: String, target: String| {
        let line = span.start.line as usize;
        let at_line = marks.entry(line).or_default();
        if !at_line.iter().any(|mark: &Mark| mark.kind == kind && mark.target == target) {
            at_line.push(Mark { kind, label, target });
        }
    };
    if let Some(fault) = &diagnosis.fault {
        put(fault.span, Kind::Failure, "the failure".to_owned(), "answer".to_owned());
    } else if let Some(error) = &diagnosis.error {
        put(error.span, Kind::Failure, "the failure".to_owned(), "answer".to_owned());
    }
    for (index, consequence) in diagnosis.cascade.iter().enumerate() {
        put(consequence.span, Kind::Follows, "follows from it".to_owned(), format!("follows-{}", index + 1));
    }
    for (index, cause) in diagnosis.causes.iter().enumerate() {
        for reason in cause.reasons.iter().filter(|reason| reason.source == Source::Text) {
            let Some(span) = reason.span else { continue };
            let (kind, word) = if reason.supports { (Kind::For, "for") } else { (Kind::Against, "against") };
            put(span, kind, format!("speaks {word} cause {}", index + 1), format!("cause-{}", index + 1));
        }
    }
    for notice in &diagnosis.notices {
        let span = Span::of_line(notice.line, 0);
        put(span, Kind::Harmless, "harmless".to_owned(), "harmless".to_owned());
    }
    marks.values_mut().for_each(|at_line| at_line.sort_by_key(|mark| mark.kind));
    marks
}

/// The status codes that errors name and the book explains.
fn codes(incident: &Incident, transcript: &Transcript, book: &Book) -> BTreeMap<usize, Vec<CodeLink>> {
    let mut codes: BTreeMap<usize, Vec<CodeLink>> = BTreeMap::new();
    for named in incident.errors.iter().flat_map(|error| &error.codes) {
        let Some(code) = names::code(book, &named.name, named.library) else { continue };
        let link = CodeLink { label: clean::line(&code.label()), address: address(code) };
        let at_line = codes.entry(transcript.line(named.at).number as usize).or_default();
        if !at_line.contains(&link) {
            at_line.push(link);
        }
    }
    codes
}

/// The text with marks; from line `from` on if one is asked for.
pub(super) fn view(text: &str, transcript: &Transcript, margin: &Margin, from: Option<usize>) -> LogView {
    let lines: Vec<&str> = lines(text);
    let mut ranks: BTreeMap<u32, u32> =
        transcript.lines().filter_map(|line| Some((line.number, line.prefix.rank?))).collect();
    // One rank alone is in the answer already.
    if ranks.values().collect::<BTreeSet<_>>().len() < 2 {
        ranks.clear();
    }
    let shown = shown(&lines, text.len(), &margin.marks, from);
    let mut parts = Vec::new();
    let mut next = 0;
    for range in shown {
        if range.start > next {
            parts.push(Part::Gap(next + 1, range.start));
        }
        for start in range.clone().step_by(PART) {
            let end = (start + PART).min(range.end);
            let line = |index: usize| {
                let number = index + 1;
                let marks = margin.marks.get(&number).cloned().unwrap_or_default();
                LineView {
                    number,
                    text: shortened(lines.get(index).copied().unwrap_or_default()),
                    kind: marks.first().map_or("", |mark| mark.kind.word()),
                    marks,
                    codes: margin.codes(number).to_vec(),
                    rank: u32::try_from(number).ok().and_then(|number| ranks.get(&number).copied()),
                }
            };
            parts.push(Part::Lines((start..end).map(line).collect()));
        }
        next = range.end;
    }
    if next < lines.len() {
        parts.push(Part::Gap(next + 1, lines.len()));
    }
    LogView { parts, total: lines.len() }
}

/// Physical lines, without the empty one after the last line break.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Which lines are shown: indices from 0, ascending, not touching each other.
fn shown(
    lines: &[&str],
    bytes: usize,
    marks: &BTreeMap<usize, Vec<Mark>>,
    from: Option<usize>,
) -> Vec<std::ops::Range<usize>> {
    let total = lines.len();
    if let Some(from) = from {
        let start = from.saturating_sub(1).min(total);
        return std::iter::once(start..(start + WHOLE_LINES).min(total)).collect();
    }
    if total <= WHOLE_LINES && bytes <= WHOLE_BYTES {
        return std::iter::once(0..total).collect();
    }
    let mut wanted = vec![0..HEAD.min(total), total.saturating_sub(TAIL)..total];
    wanted.extend(marks.keys().map(|line| line.saturating_sub(1 + AROUND)..(line + AROUND).min(total)));
    wanted.retain(|range| range.start < range.end);
    wanted.sort_by_key(|range| range.start);
    let mut joined: Vec<std::ops::Range<usize>> = Vec::new();
    for range in wanted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// A line as it can be shown: without what steers a terminal, and of a progress bar its last state.
fn shortened(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let last = line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or(line);
    let shown = clean::spaced(last);
    match shown.char_indices().nth(WIDEST) {
        None => shown,
        Some((at, _)) => format!("{} ... {} more characters", &shown[..at], shown[at..].chars().count()),
    }
}
