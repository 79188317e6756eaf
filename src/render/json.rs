//! The answer for programs: schema `faultbook/diagnosis/1`, frozen and described in `schemas/diagnosis-1.json`.
//!
//! The types here are the contract, copied from [`Diagnosis`] field by field, so that the inside can change. What
//! the contract has no place for is not squeezed in; a field more means a new version. Absent things are `null`,
//! lists are never missing. Words are given as they are: escaping is JSON's, cleaning is for who shows them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::diagnosis::{self, Diagnosis};
use crate::facts::{self, Facts, Source};
use crate::span;

/// The name and version of the format.
pub const SCHEMA: &str = "faultbook/diagnosis/1";

/// The answer as one indented object with a line end.
pub fn render(diagnosis: &Diagnosis) -> String {
    let mut text = serde_json::to_string_pretty(&Answer::of(diagnosis)).expect("plain values with text keys");
    text.push('\n');
    text
}

/// The answer as one object in one line, for several answers in one stream.
pub fn render_line(diagnosis: &Diagnosis) -> String {
    let mut text = serde_json::to_string(&Answer::of(diagnosis)).expect("plain values with text keys");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    verdict: &'static str,
    fault: Option<Fault<'a>>,
    cascade: Vec<Consequence<'a>>,
    error: Option<PrimaryError<'a>>,
    causes: Vec<Cause<'a>>,
    next_check: Option<NextCheck<'a>>,
    reports: Vec<Report<'a>>,
    environment: BTreeMap<String, String>,
    probe: Option<Probe<'a>>,
}

#[derive(Serialize)]
struct Fault<'a> {
    id: &'a str,
    title: &'a str,
    page: &'a str,
    confidence: f64,
    span: Span,
    text: &'a str,
    rank: Option<u32>,
}

#[derive(Serialize)]
struct Consequence<'a> {
    id: &'a str,
    span: Span,
    text: &'a str,
}

#[derive(Serialize)]
struct PrimaryError<'a> {
    r#type: &'a str,
    message: &'a str,
    frame: Option<Frame<'a>>,
}

#[derive(Serialize)]
struct Frame<'a> {
    file: &'a str,
    line: u32,
    function: &'a str,
}

#[derive(Serialize)]
struct Cause<'a> {
    id: &'a str,
    title: &'a str,
    probability: f64,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_says: Option<&'a str>,
    reasons: Vec<Reason<'a>>,
    check: &'a str,
    fixes: Vec<Fix<'a>>,
    dead_ends: &'a [String],
}

#[derive(Serialize)]
struct Reason<'a> {
    r#for: bool,
    source: &'static str,
    says: &'a str,
    span: Option<Span>,
}

#[derive(Serialize)]
struct Fix<'a> {
    title: &'a str,
    commands: &'a [String],
    trade_offs: &'a [String],
}

#[derive(Serialize)]
struct NextCheck<'a> {
    says: &'a str,
    command: Option<&'a str>,
}

#[derive(Serialize)]
struct Report<'a> {
    id: &'a str,
    title: &'a str,
    path: &'a str,
    status: &'a str,
    score: f64,
    why: &'a [String],
}

#[derive(Serialize)]
struct Probe<'a> {
    level: &'a str,
    findings: &'a [String],
}

#[derive(Serialize)]
struct Span {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
}

impl<'a> Answer<'a> {
    fn of(diagnosis: &'a Diagnosis) -> Self {
        Self {
            schema: SCHEMA,
            verdict: diagnosis.verdict.word(),
            fault: diagnosis.fault.as_ref().map(Fault::of),
            cascade: diagnosis.cascade.iter().map(Consequence::of).collect(),
            error: diagnosis.error.as_ref().map(PrimaryError::of),
            causes: diagnosis.causes.iter().map(Cause::of).collect(),
            next_check: diagnosis
                .next_check
                .as_ref()
                .map(|check| NextCheck { says: &check.says, command: check.command.as_deref() }),
            reports: diagnosis.reports.iter().map(Report::of).collect(),
            environment: environment(&diagnosis.environment),
            probe: diagnosis.probe.as_ref().map(|probe| Probe { level: &probe.level, findings: &probe.findings }),
        }
    }
}

impl<'a> Fault<'a> {
    fn of(fault: &'a diagnosis::Fault) -> Self {
        Self {
            id: &fault.id,
            title: &fault.title,
            page: &fault.page,
            confidence: figure(fault.confidence),
            span: Span::of(fault.span),
            text: &fault.text,
            rank: fault.rank,
        }
    }
}

impl<'a> Consequence<'a> {
    fn of(echo: &'a diagnosis::Consequence) -> Self {
        Self { id: &echo.id, span: Span::of(echo.span), text: &echo.text }
    }
}

impl<'a> PrimaryError<'a> {
    fn of(error: &'a diagnosis::PrimaryError) -> Self {
        let frame = error.frame.as_ref();
        let frame = frame.map(|frame| Frame { file: &frame.file, line: frame.line, function: &frame.function });
        Self { r#type: &error.type_name, message: &error.message, frame }
    }
}

impl<'a> Cause<'a> {
    fn of(cause: &'a diagnosis::RankedCause) -> Self {
        let reason = |reason: &'a diagnosis::Reason| Reason {
            r#for: reason.supports,
            source: source_word(reason.source),
            says: &reason.says,
            span: reason.span.map(Span::of),
        };
        let fix = |fix: &'a diagnosis::ProposedFix| Fix {
            title: &fix.title,
            commands: &fix.commands,
            trade_offs: &fix.trade_offs,
        };
        Self {
            id: &cause.id,
            title: &cause.title,
            probability: figure(cause.probability),
            status: cause.status.word(),
            status_says: cause.status_says.as_deref(),
            reasons: cause.reasons.iter().map(reason).collect(),
            check: &cause.check,
            fixes: cause.fixes.iter().map(fix).collect(),
            dead_ends: &cause.dead_ends,
        }
    }
}

impl<'a> Report<'a> {
    fn of(report: &'a diagnosis::ReportHit) -> Self {
        Self {
            id: &report.id,
            title: &report.title,
            path: &report.path,
            status: &report.status,
            score: figure(report.score),
            why: &report.why,
        }
    }
}

impl Span {
    fn of(span: span::Span) -> Self {
        let place = |at: span::Position| Position { line: at.line, column: at.column };
        Self { start: place(span.start), end: place(span.end) }
    }
}

/// Facts by short names: `gpu` for `gpu.name`, `torch` for `torch.version`, others by their full name.
fn environment(known: &Facts) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    for (name, fact) in known.iter() {
        map.entry(short_name(name).to_owned()).or_insert_with(|| facts::words(name, &fact.value));
    }
    map
}

fn short_name(name: &str) -> &str {
    let short = name.strip_suffix(".version").or_else(|| name.strip_suffix(".name"));
    short.filter(|short| !short.is_empty() && !short.contains('.')).unwrap_or(name)
}

/// A figure as a reader can use it: no noise behind the third digit, and always a number.
fn figure(value: f64) -> f64 {
    let value = if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
    (value * 1000.0).round() / 1000.0
}

fn source_word(source: Source) -> &'static str {
    match source {
        Source::Catalogue => "catalogue",
        Source::Report => "report",
        Source::Text => "text",
        Source::Saved => "saved",
        Source::Probe => "probe",
    }
}
