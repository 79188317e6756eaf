//! Recomposed threads (`kb/threads/open.jsonl`, `tests/threads`): whether the fault, the cause and the first action are what
//! solved the failure.

use std::{fs, thread};

use faultbook::diagnosis::{Action, Diagnosis, Verdict};
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

#[derive(Deserialize)]
struct Thread {
    input: String,
    fault: String,
    #[serde(default)]
    cause: String,
    #[serde(default)]
    alt_fault: Vec<String>,
    #[serde(default)]
    alt_cause: Vec<String>,
    #[serde(default)]
    healthy: bool,
    #[serde(default)]
    accept: Vec<String>,
}

/// Hits among the texts that a figure is about.
#[derive(Default)]
struct Share {
    hits: u32,
    of: u32,
}

impl Share {
    fn count(&mut self, hit: bool) {
        self.of += 1;
        self.hits += u32::from(hit);
    }

    fn add(&mut self, other: &Self) {
        self.hits += other.hits;
        self.of += other.of;
    }

    fn value(&self) -> f64 {
        f64::from(self.hits) / f64::from(self.of.max(1))
    }
}

/// The figures, as percentages of the texts that each is about.
#[derive(Default)]
struct Figures {
    fault: Share,
    cause_first: Share,
    cause_in_three: Share,
    action_first: Share,
    action_in_three: Share,
    action_anywhere: Share,
    /// A failure that was called none.
    missed: Share,
}

impl Figures {
    /// Those of a file, on two processors: it takes longer than any other test, and ends last.
    fn of(path: &str) -> Self {
        const AT_ONCE: usize = 2;
        let text = fs::read_to_string(path).expect("the threads read");
        let every_other = |first: usize| {
            let mut figures = Self::default();
            for line in text.lines().skip(first).step_by(AT_ONCE) {
                let thread: Thread = serde_json::from_str(line).expect("a thread is JSON");
                figures.count(&thread, &crate::support::diagnose(thread.input.as_bytes()));
            }
            figures
        };
        thread::scope(|scope| {
            let every_other = &every_other;
            let parts: Vec<_> = (0..AT_ONCE).map(|first| scope.spawn(move || every_other(first))).collect();
            let mut figures = Self::default();
            parts.into_iter().for_each(|part| figures.add(&part.join().expect("the other half is counted")));
            figures
        })
    }

    fn add(&mut self, other: &Self) {
        self.fault.add(&other.fault);
        self.cause_first.add(&other.cause_first);
        self.cause_in_three.add(&other.cause_in_three);
        self.action_first.add(&other.action_first);
        self.action_in_three.add(&other.action_in_three);
        self.action_anywhere.add(&other.action_anywhere);
        self.missed.add(&other.missed);
    }

    fn count(&mut self, thread: &Thread, answer: &Diagnosis) {
        if !thread.healthy {
            self.missed.count(answer.verdict == Verdict::NoError);
        }
        if !thread.accept.is_empty() {
            let patterns: Vec<Regex> = thread.accept.iter().map(|pattern| accepted(pattern)).collect();
            let accepted = |action: &Action| accepts(&patterns, action);
            let place = answer.actions.iter().position(accepted);
            self.action_first.count(place == Some(0));
            self.action_in_three.count(place.is_some_and(|place| place < 3));
            self.action_anywhere.count(place.is_some());
        }
        if thread.fault == "none" {
            return;
        }
        let is_fault = |id: &str| thread.fault == id || thread.alt_fault.iter().any(|other| other == id);
        self.fault.count(answer.fault.as_ref().is_some_and(|fault| is_fault(&fault.id)));
        if thread.cause != "unknown" && !thread.cause.is_empty() {
            let is_cause = |id: &str| thread.cause == id || thread.alt_cause.iter().any(|other| other == id);
            let place = answer.causes.iter().position(|cause| is_cause(&cause.id));
            self.cause_first.count(place == Some(0));
            self.cause_in_three.count(place.is_some_and(|place| place < 3));
        }
    }

    fn print(&self) -> String {
        let shares = [
            ("fault", &self.fault),
            ("cause first", &self.cause_first),
            ("cause among three", &self.cause_in_three),
            ("first action solves it", &self.action_first),
            ("among three actions", &self.action_in_three),
            ("any action", &self.action_anywhere),
            ("missed", &self.missed),
        ];
        let line = |(name, share): (&str, &Share)| format!("{:.3} of {:3}  {name}\n", share.value(), share.of);
        shares.into_iter().map(line).collect()
    }
}

fn accepted(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).case_insensitive(true).build().expect("an accepted wording is a regex")
}

fn accepts(patterns: &[Regex], action: &Action) -> bool {
    let text = format!("{}\n{}\n{}\n{}", action.id, action.title, action.detail, action.commands.join("\n"));
    patterns.iter().any(|pattern| pattern.is_match(&text))
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are for people")]
fn what_was_reached_is_kept() {
    let figures = Figures::of("kb/threads/open.jsonl");
    println!("{}", figures.print());
    for (name, share, least) in [
        ("fault", &figures.fault, 0.893),
        ("cause first", &figures.cause_first, 0.715),
        ("first action", &figures.action_first, 0.57),
        ("three actions", &figures.action_in_three, 0.73),
        ("any action", &figures.action_anywhere, 0.84),
    ] {
        assert!(share.value() >= least, "{name}: {:.3}, {least} was reached before", share.value());
    }
    assert!(figures.missed.value() <= 0.025, "missed: {:.3}", figures.missed.value());
}

#[test]
#[ignore = "prints the figures of the texts that nobody looks at"]
#[expect(clippy::print_stdout, reason = "the figures are for people")]
fn frozen() {
    for file in ["frozen", "frozen-8", "frozen-9", "frozen-10", "frozen-11"] {
        println!("{file}\n{}", Figures::of(&format!("tests/threads/{file}.jsonl")).print());
    }
}
