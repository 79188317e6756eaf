//! Puts a folder of reports together: a style, mistakes, and mess that means nothing.

use super::{mistakes, styles};

/// A line of a report, with what is wrong with it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Rules that must report it.
    pub(crate) rules: Vec<&'static str>,
    /// What replaces it when it is fixed; `None` if nothing does.
    pub(crate) fixed: Option<Vec<String>>,
    /// Rules that report the first line of its replacement.
    pub(crate) left: Vec<&'static str>,
}

impl Line {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// A report under construction.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    /// Its path from the root.
    pub(crate) path: String,
    /// Its number, which its id ends with.
    pub(crate) number: usize,
    /// Its id.
    pub(crate) id: String,
    pub(crate) lines: Vec<Line>,
    /// Whether its bytes are valid UTF-8; others are checked and never written.
    pub(crate) utf8: bool,
}

impl Draft {
    /// The place of the first line that begins so.
    pub(crate) fn at(&self, beginning: &str) -> Option<usize> {
        self.lines.iter().position(|line| line.text.starts_with(beginning))
    }

    /// The place of a line of the front matter.
    pub(crate) fn key(&self, beginning: &str) -> Option<usize> {
        let end = self.lines.iter().skip(1).position(|line| line.text == "---" || line.text.starts_with('#'))?;
        self.at(beginning).filter(|at| self.lines[0].text == "---" && *at <= end)
    }

    /// Whether a line has no mistake yet.
    pub(crate) fn is_free(&self, at: usize) -> bool {
        self.lines.get(at).is_some_and(|line| line.rules.is_empty() && line.fixed.is_none())
    }
}

/// A file before or after fixing.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) bytes: Vec<u8>,
    pub(crate) findings: Vec<(&'static str, u64)>,
}

/// A report with everything that is to be expected of it.
#[derive(Debug)]
pub(crate) struct Composed {
    pub(crate) path: String,
    pub(crate) before: State,
    pub(crate) after: State,
}

/// Numbers that look random and are always the same.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn throw(&mut self, below: usize) -> usize {
        // Knuth's MMIX generator; the upper bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % below.max(1)
    }
}

/// A folder of so many reports.
pub(crate) fn folder(count: usize) -> Vec<Composed> {
    let mut dice = Dice(20_251_110);
    let mut all: Vec<Composed> = (0..count).map(|number| one(number, &mut dice)).collect();
    all.extend(pairs());
    all.push(Composed {
        path: "docs/bug_reports/BUG-20251230-901.md".to_owned(),
        before: State { bytes: Vec::new(), findings: vec![("no-front-matter", 1), ("missing-section", 1)] },
        after: State { bytes: Vec::new(), findings: vec![("no-front-matter", 1), ("missing-section", 1)] },
    });
    all
}

fn one(number: usize, dice: &mut Dice) -> Composed {
    let mut draft = styles::draft(number);
    // Every mistake comes up in turn, alone and with others; each fourth report is sound.
    if !number.is_multiple_of(4) {
        mistakes::make(&mut draft, number / 4 * 3 + number % 4 - 1, dice);
        if number % 40 == 15 {
            // The only style with a table of contents.
            mistakes::make(&mut draft, mistakes::CONTENTS, dice);
        }
        for _ in 0..dice.throw(3) {
            let which = dice.throw(mistakes::COUNT);
            mistakes::make(&mut draft, which, dice);
        }
    }
    let mess = Mess { crlf: dice.throw(4) == 0, mark: dice.throw(6) == 0, cut: dice.throw(5) == 0 };
    composed(draft, &mess)
}

/// A report and its copy in the archive.
fn pairs() -> Vec<Composed> {
    let mut out = Vec::new();
    for number in 910..916 {
        for (index, name) in ["first", "second"].into_iter().enumerate() {
            let mut draft = styles::draft(number);
            draft.path = format!("docs/bug_reports/{}-{name}.md", draft.id);
            if index == 1 {
                draft.path = format!("docs/bug_reports/archive/{}-{name}.md", draft.id);
            }
            if let Some(at) = draft.at("bug_id: ").filter(|_| index == 1) {
                draft.lines[at].rules.push("copied-report");
            }
            out.push(composed(draft, &Mess { crlf: number % 2 == 0, mark: false, cut: false }));
        }
    }
    // Two different reports with one number.
    for number in 920..924 {
        for name in ["first", "second"] {
            let mut draft = styles::draft(number);
            draft.path = format!("docs/bug_reports/{}-{name}.md", draft.id);
            if let Some(at) = draft.at("bug_id: ") {
                draft.lines[at].rules.push("duplicate-id");
            }
            let words: Vec<String> = (0..600).map(|word| format!("{name}{word}")).collect();
            draft.lines.extend([Line::new(""), Line::new(words.join(" "))]);
            out.push(composed(draft, &Mess { crlf: false, mark: false, cut: false }));
        }
    }
    out
}

/// Mess that means nothing.
struct Mess {
    /// Windows line breaks.
    crlf: bool,
    /// A byte order mark.
    mark: bool,
    /// No line break at the end.
    cut: bool,
}

fn composed(draft: Draft, mess: &Mess) -> Composed {
    let end = if mess.crlf { "\r\n" } else { "\n" };
    let render = |lines: &[(String, Vec<&'static str>)]| {
        let mut text = String::from(if mess.mark { "\u{feff}" } else { "" });
        let mut findings = Vec::new();
        for (index, (line, rules)) in lines.iter().enumerate() {
            text.push_str(line);
            if index + 1 < lines.len() || !mess.cut {
                text.push_str(end);
            }
            findings.extend(rules.iter().map(|rule| (*rule, index as u64 + 1)));
            if !draft.utf8 && line.contains("byte here") {
                findings.push(("encoding", index as u64 + 1));
            }
        }
        let mut bytes = text.into_bytes();
        if !draft.utf8 {
            let needle = b"byte here".as_slice();
            if let Some(at) = bytes.windows(needle.len()).position(|window| window == needle) {
                bytes[at] = 0xff;
            }
        }
        State { bytes, findings }
    };
    let before: Vec<(String, Vec<&'static str>)> =
        draft.lines.iter().map(|line| (line.text.clone(), line.rules.clone())).collect();
    let mut after = Vec::new();
    for line in &draft.lines {
        match &line.fixed {
            Some(fixed) => after.extend(
                fixed
                    .iter()
                    .enumerate()
                    .map(|(index, text)| (text.clone(), if index == 0 { line.left.clone() } else { Vec::new() })),
            ),
            None => after.push((line.text.clone(), line.rules.clone())),
        }
    }
    let before = render(&before);
    let after = render(&after);
    // A file that is not UTF-8 stays as it is, and so does what is found in it.
    let after =
        if draft.utf8 { after } else { State { bytes: before.bytes.clone(), findings: before.findings.clone() } };
    Composed { path: draft.path, before, after }
}
