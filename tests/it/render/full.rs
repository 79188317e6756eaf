//! An answer in which every field holds something, and no two the same: no renderer may lose any of it.

use std::collections::BTreeSet;

use faultbook::book::schema::Cost;
use faultbook::diagnosis::{
    Action, CauseStatus, Consequence, Diagnosis, Fault, FrameRef, LikeCase, NearPage, NextCheck, NoticeHit,
    PrimaryError, ProbeSummary, RankedCause, Reason, ReportHit, Solved, Verdict,
};
use faultbook::facts::{Facts, Source};
use faultbook::render::{json, markdown};
use faultbook::span::{Position, Span};

/// Lines are numbers from 100 on, columns are smaller.
fn full() -> Diagnosis {
    let mut environment = Facts::default();
    environment.words_in_text("fact name", "fact value", 101);
    environment.set_unknown("unknown fact", "why it is unknown");
    Diagnosis {
        verdict: Verdict::KnownFault,
        fault: Some(Fault {
            id: "fault id".into(),
            title: "fault title".into(),
            page: "fault page".into(),
            confidence: 0.91,
            span: span(110),
            text: "fault text".into(),
            rank: Some(111),
            circumstances: vec!["circumstance".into()],
            lookalikes: vec!["lookalike".into()],
        }),
        cascade: vec![Consequence {
            id: "consequence id".into(),
            title: "consequence title".into(),
            span: span(120),
            text: "consequence text".into(),
            why: "consequence why".into(),
        }],
        error: Some(PrimaryError {
            type_name: "error type".into(),
            message: "error message".into(),
            frame: Some(FrameRef { file: "frame file".into(), line: 130, function: "frame function".into() }),
            span: span(131),
            rank: Some(132),
        }),
        causes: vec![RankedCause {
            id: "cause id".into(),
            title: "cause title".into(),
            probability: 0.61,
            tied: true,
            prior: 1.25,
            cases: 138,
            status: CauseStatus::Confirmed,
            status_says: Some("status".into()),
            reasons: vec![Reason {
                supports: true,
                source: Source::Text,
                says: "reason".into(),
                span: Some(span(140)),
                weight: 2.25,
            }],
            check: "cause check".into(),
            check_command: Some("cause check command".into()),
            fixes: vec![action("fix", "cause id", 160)],
            dead_ends: vec!["dead end".into()],
        }],
        actions: vec![action("action", "action cause", 170)],
        like_cases: vec![LikeCase {
            at: "case address".into(),
            with: "case framework".into(),
            clues: vec!["case clue".into()],
            cause: "case cause".into(),
            solved_by: "case solution".into(),
        }],
        next_check: Some(NextCheck { says: "next check".into(), command: Some("next check command".into()) }),
        reports: vec![ReportHit {
            id: "report id".into(),
            title: "report title".into(),
            path: "report path".into(),
            status: "report status".into(),
            score: 0.71,
            why: vec!["report why".into()],
            solution: Some("report solution".into()),
            command: Some("report command".into()),
            copies: vec!["report copy".into()],
        }],
        nearest: vec![NearPage { id: "near id".into(), title: "near title".into(), score: 0.81 }],
        silent: vec![NearPage { id: "silent id".into(), title: "silent title".into(), score: 0.82 }],
        notices: vec![NoticeHit { title: "notice title".into(), line: 150, count: 151 }],
        environment,
        probe: Some(ProbeSummary { level: "probe level".into(), findings: vec!["probe finding".into()] }),
        lines_read: 42,
        notes: vec!["note".into()],
        picture: None,
    }
}

fn action(name: &str, cause: &str, solved: usize) -> Action {
    Action {
        id: format!("{name} id"),
        title: format!("{name} title"),
        detail: format!("{name} detail"),
        commands: vec![format!("{name} command")],
        trade_offs: vec![format!("{name} trade-off")],
        cost: Some(Cost::Code),
        solved: Some(Solved {
            cases: solved,
            of: solved + 1,
            platform: Some(format!("{name} platform")),
            nearest: vec![format!("{name} address")],
        }),
        causes: vec![cause.into()],
        of_message: true,
    }
}

fn span(line: u32) -> Span {
    Span { start: Position { line, column: 1 }, end: Position { line, column: 2 } }
}

/// The texts and the numbers in a value, read from its `Debug` form: that holds every field, whatever a renderer does.
fn leaves(value: &Diagnosis) -> (BTreeSet<String>, BTreeSet<String>) {
    // A picture is there only on request, and drawn instead of listed: `render::plot` has tests of its own.
    let form = format!("{value:?}").replace("picture: None", "");
    for empty in ["None", "[]", "{}", "\"\""] {
        assert!(!form.contains(empty), "the sample leaves something out: {form}");
    }
    // No text of the sample holds a quote or an escape.
    let (mut texts, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    for (place, part) in form.split('"').enumerate() {
        if place % 2 == 1 {
            texts.insert(part.to_owned());
        } else {
            let words = part.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_'));
            numbers.extend(words.filter(|word| word.parse::<f64>().is_ok()).map(str::to_owned));
        }
    }
    (texts, numbers)
}

#[test]
fn json_holds_every_field() {
    let text = json::render(&full());
    let (texts, numbers) = leaves(&full());
    assert!(texts.len() > 50 && numbers.len() > 15, "{texts:?} {numbers:?}");
    let missing: Vec<_> = texts.iter().filter(|leaf| !text.contains(&format!("\"{leaf}\""))).collect();
    assert!(missing.is_empty(), "{missing:?} not in {text}");
    let shown: BTreeSet<&str> = text.split([' ', ',', '\n']).collect();
    let missing: Vec<_> = numbers.iter().filter(|leaf| !shown.contains(leaf.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?} not in {text}");
    for word in ["known-fault", "confirmed", "\"text\"", "\"for\": true"] {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn markdown_shows_every_text_and_line() {
    let text = markdown::render(&full());
    let (texts, numbers) = leaves(&full());
    let lines = numbers.iter().filter(|number| number.len() == 3 && !number.contains('.'));
    let missing: Vec<_> = texts.iter().chain(lines).filter(|leaf| !text.contains(leaf.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?} not in {text}");
}
