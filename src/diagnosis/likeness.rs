//! How alike a text's failures and a report are: messages line by line, then the names in their frames.
//!
//! Each failure of the text is looked for by itself, in any line of the report, because a report may be about several and
//! a message may be swallowed by a later one.

use std::collections::HashMap;

use super::evidence::{self, Evidence, LineKind};
use super::library::{Query, Search};
use super::primary::Candidate;
use crate::incident::{Frame, Incident, Kind, Role};
use crate::text::{Level, Transcript};

/// What the first failure counts, and others beside it.
const FIRST: f64 = 1.0;
const OTHER: f64 = 0.85;
/// A launcher's report that something else failed, and a failure without a message.
const FOLLOWED: f64 = 0.3;
/// A line that no parser took for a failure, and how much it must tell, at a warning's level or above and below that.
const LOOSE: f64 = 0.9;
const ALARMING_LEAST: f64 = 8.0;
const LOOSE_LEAST: f64 = 12.0;

/// The failures of a text, in comparing form.
pub(super) struct Failures {
    /// Every word, hashed, with its place in `masses`.
    words: HashMap<u32, usize>,
    /// How much each word tells.
    masses: Vec<f64>,
    failures: Vec<Failure>,
    query: Query,
}

/// One failure.
struct Failure {
    weight: f64,
    /// Its message, line by line.
    lines: Vec<Statement>,
    names: Vec<Name>,
    /// Of a line that no parser took for a failure: how much the words must tell that it shares with a report's.
    loose: Option<f64>,
}

/// A line of a message.
struct Statement {
    words: Vec<usize>,
    mass: f64,
}

/// A file or function of the writer's frames.
struct Name {
    name: String,
    hash: u32,
    weight: f64,
}

/// How alike they are.
pub(super) struct Likeness {
    /// Of the messages, from 0 to 1.
    pub(super) message: f64,
    /// The share of the own frames' names that the report has, where there are any.
    pub(super) frames: Option<f64>,
    /// The innermost name that the report has.
    pub(super) place: Option<String>,
}

impl Failures {
    /// The failures of a text; without any, its lines.
    pub(super) fn of(
        transcript: &Transcript,
        incident: &Incident,
        primary: Option<&Candidate>,
        search: &dyn Search,
    ) -> Self {
        let mut all = Self { words: HashMap::new(), masses: Vec::new(), failures: Vec::new(), query: Query::default() };
        let first = primary.and_then(|primary| primary.error);
        for (index, event) in incident.errors.iter().enumerate().take(MOST_ERRORS) {
            let weight = match event.kind {
                Kind::Launcher if first == Some(index) => OTHER,
                Kind::Launcher => FOLLOWED,
                _ if first == Some(index) => FIRST,
                // "Aborted (core dumped)": every program dies so.
                Kind::Signal => FOLLOWED,
                _ if event.message.trim().is_empty() => FOLLOWED,
                _ => OTHER,
            };
            let head = transcript.line(event.headline).text;
            let (first_line, rest) = event.message.split_once('\n').unwrap_or((&event.message, ""));
            let message = match head.contains(first_line) {
                true => format!("{head}\n{rest}"),
                false => format!("{head}\n{}", event.message),
            };
            all.add(&message, weight, names_of(&event.frames), None, search);
        }
        let stray = stray_frames(transcript, incident);
        if let Some(failure) = all.failures.iter_mut().max_by(|a, b| a.weight.total_cmp(&b.weight))
            && failure.names.is_empty()
        {
            failure.names = names_of(&stray);
            all.query.names.extend(failure.names.iter().map(|name| name.name.clone()));
        }
        if let Some(primary) = primary
            && first.is_none()
        {
            all.add(transcript.line(primary.line).text, FIRST, Vec::new(), None, search);
        }
        let any = incident.errors.iter().any(|event| event.kind != Kind::Launcher && !event.message.trim().is_empty());
        for (line, alarming) in loose_lines(transcript, incident, !any) {
            let least = if alarming { ALARMING_LEAST } else { LOOSE_LEAST };
            all.add(line, LOOSE, Vec::new(), Some(least), search);
        }
        all
    }

    fn add(&mut self, message: &str, weight: f64, names: Vec<Name>, loose: Option<f64>, search: &dyn Search) {
        /// A message with more lines is a dump.
        const LINES: usize = 24;
        let mut lines = Vec::new();
        for line in message.lines().filter(|line| !evidence::is_frame(line)).take(LINES) {
            let words: Vec<usize> = evidence::statement(line).into_iter().map(|word| self.word(word, search)).collect();
            let mass: f64 = words.iter().map(|word| self.masses[*word]).sum();
            if mass > 0.0 {
                lines.push(Statement { words, mass });
            }
        }
        self.query.names.extend(names.iter().map(|name| name.name.clone()));
        if !lines.is_empty() || !names.is_empty() {
            self.failures.push(Failure { weight, lines, names, loose });
        }
    }

    fn word(&mut self, word: String, search: &dyn Search) -> usize {
        let next = self.masses.len();
        let place = *self.words.entry(evidence::hash(&word)).or_insert(next);
        if place == next {
            self.masses.push(search.rarity(&word));
            self.query.words.push(word);
        }
        place
    }

    /// What reports are looked up by.
    pub(super) fn query(&self) -> &Query {
        &self.query
    }

    /// Compares them with a report.
    pub(super) fn compare(&self, report: &Evidence) -> Likeness {
        let lines: Vec<Line> = report.lines.iter().filter_map(|line| self.line(line.kind, &line.words)).collect();
        /// A report with less of a failure's message is not about that failure.
        const ALIKE: f64 = 0.3;
        let mut best = Likeness { message: 0.0, frames: None, place: None };
        let mut others = 0.0_f64;
        let mut first = 0.0;
        for failure in &self.failures {
            let message = failure.weight * self.message(failure, &lines);
            let (frames, place) = failure.frames(report);
            others = others.max(message.min(best.message));
            best.message = best.message.max(message);
            // The frames decide between reports of the same message: those of the failure that is most alike with them, which
            // need not be the one whose message is.
            let worth = message * (1.0 + 0.25 * frames.unwrap_or(0.0));
            if frames.is_some() && message >= ALIKE && worth > first {
                first = worth;
                (best.frames, best.place) = (frames, place);
            }
        }
        if others > 0.6 {
            best.message = (best.message + 0.03).min(1.0);
        }
        best
    }

    fn line(&self, kind: LineKind, words: &[u32]) -> Option<Line> {
        let shared: Vec<usize> = words.iter().filter_map(|word| self.words.get(word).copied()).collect();
        let weight = match kind {
            LineKind::Error => 1.0,
            LineKind::Prose => 0.92,
            LineKind::Aside => 0.55,
        };
        (!shared.is_empty()).then_some(Line { weight, shared, words: words.len() })
    }

    /// How much of a failure's message the report has.
    fn message(&self, failure: &Failure, lines: &[Line]) -> f64 {
        let Some((head, _)) = failure.lines.split_first() else { return 0.0 };
        let of = |statement: &Statement| {
            lines.iter().map(|line| self.statement(statement, line, failure.loose)).fold(0.0, f64::max)
        };
        let head = of(head);
        let (mut mass, mut all, mut any) = (0.0, 0.0, 0.0_f64);
        for line in &failure.lines {
            let alike = of(line);
            mass += line.mass;
            all += alike * line.mass;
            any = any.max(alike);
        }
        // Reports quote the line that tells most, which need not be the first.
        (0.94 * head).max(all / mass).max(0.75 * any)
    }

    /// How alike two lines are: one of them has the words of the other, and these tell something.
    fn statement(&self, statement: &Statement, line: &Line, loose: Option<f64>) -> f64 {
        /// What a word of the report's line that the text does not have counts.
        const MORE: f64 = 3.0;
        /// Words that tell so much make a line nearly certain when they tell three times as much.
        const TELLING: f64 = 6.0;
        let (mut shared, mut words) = (0.0, 0);
        for word in line.shared.iter().filter(|word| statement.words.contains(word)) {
            shared += self.masses[*word];
            words += 1;
        }
        if words == 0 {
            return 0.0;
        }
        let covered = shared / statement.mass;
        let precise = shared / (shared + MORE * (line.words - words) as f64);
        if loose.is_some_and(|least| covered < 0.8 || precise < 0.5 || shared < least) {
            return 0.0;
        }
        let (most, least) = (covered.max(precise), covered.min(precise));
        most * (0.55 + 0.45 * least) * (1.0 - (-shared / TELLING).exp()) * line.weight
    }
}

/// A line of the report, with the words that the text has too.
struct Line {
    weight: f64,
    shared: Vec<usize>,
    words: usize,
}

impl Failure {
    fn frames(&self, report: &Evidence) -> (Option<f64>, Option<String>) {
        let all: f64 = self.names.iter().map(|name| name.weight).sum();
        if all == 0.0 {
            return (None, None);
        }
        let found = || self.names.iter().filter(|name| report.names.contains(&name.hash));
        let place = found().max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|name| name.name.clone());
        (Some(found().map(|name| name.weight).sum::<f64>() / all), place)
    }
}

/// A text with more errors repeats them.
const MOST_ERRORS: usize = 40;

/// Frames that no error has: of a traceback that lost its first line, or of another thread.
fn stray_frames(transcript: &Transcript, incident: &Incident) -> Vec<Frame> {
    const MOST: usize = 12;
    let known = |at: usize| incident.errors.iter().any(|event| event.frames.iter().any(|frame| frame.at == at));
    let from = transcript.len().saturating_sub(2000);
    let lines = (from..transcript.len()).rev().filter(|at| !known(*at));
    let mut frames: Vec<Frame> = lines.filter_map(|at| frame(transcript.line(at).text, at)).take(MOST).collect();
    frames.reverse();
    frames
}

/// `File "models/fpn.py", line 51, in forward`.
fn frame(line: &str, at: usize) -> Option<Frame> {
    let (file, rest) = line.split_once("File \"")?.1.split_once("\", line ")?;
    let function = rest.rsplit(" in ").next().unwrap_or_default().trim().to_owned();
    Some(Frame { file: file.to_owned(), line: 0, function, at })
}

/// The names in an error's own frames: the innermost frame tells most.
fn names_of(frames: &[Frame]) -> Vec<Name> {
    const FRAMES: usize = 6;
    let mut out: Vec<Name> = Vec::new();
    let mut weight = 1.0;
    for frame in frames.iter().rev().filter(|frame| frame.is_own()).take(FRAMES) {
        let file = frame.file.rsplit(['/', '\\']).next().unwrap_or(&frame.file);
        for (name, share) in [(file, 1.0), (frame.function.as_str(), 0.6)] {
            let known = out.iter().any(|known| known.name == name);
            if name.len() > 2 && !known && !evidence::is_generic_name(name) {
                out.push(Name { name: name.to_owned(), hash: evidence::hash(name), weight: weight * share });
            }
        }
        weight *= 0.5;
    }
    out
}

/// Lines that no parser took for a failure and that may be one all the same: those at a warning's level or above, and
/// where no failure was found any line that is not repeated, as progress is. With each, whether it is of such a level.
fn loose_lines<'t>(transcript: &'t Transcript, incident: &Incident, all: bool) -> Vec<(&'t str, bool)> {
    const MOST: usize = 40;
    let taken = |index: usize| incident.errors.iter().any(|event| event.lines.contains(&index));
    let mut seen: HashMap<Vec<String>, (usize, &'t str, bool)> = HashMap::new();
    // The last lines of a long log are nearest to its end.
    let from = transcript.len().saturating_sub(2000);
    for index in from..transcript.len() {
        let line = transcript.line(index);
        let role = incident.roles.get(index).copied().unwrap_or(Role::Text);
        let alarming = line.prefix.level >= Some(Level::Warning) || role == Role::Error;
        if !(all || alarming) || !matches!(role, Role::Text | Role::Error) || taken(index) {
            continue;
        }
        let words = evidence::statement(line.text);
        if words.len() >= 3 {
            let entry = seen.entry(words).or_insert((index, line.text, alarming));
            entry.2 |= alarming;
            if entry.0 != index && !alarming {
                entry.1 = "";
            }
        }
    }
    let mut lines: Vec<(usize, &str, bool)> = seen.into_values().filter(|(_, text, _)| !text.is_empty()).collect();
    lines.sort_unstable();
    lines.into_iter().rev().take(MOST).map(|(_, text, alarming)| (text, alarming)).collect()
}
