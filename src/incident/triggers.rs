//! Which lines deserve a closer look: one pass of literals over the whole text, a set of topics per line.
//!
//! Nothing is decided here. A parser is only asked about lines that carry its topic, so a new wording needs its literal
//! in `kb/wording/alarms.toml` before any parser sees it.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::text::Transcript;
use crate::vendors::{self, Vendor};
use crate::wording;
pub(crate) use crate::wording::topics::*;

/// The literals as one automaton.
#[derive(Debug)]
pub(crate) struct Triggers {
    automaton: Option<AhoCorasick>,
    topics: Vec<Topics>,
}

static BUILTIN: LazyLock<Triggers> = LazyLock::new(|| {
    let vendors = vendors::all().iter().flat_map(of_vendor);
    Triggers::new(wording::alarms().literals.iter().copied().chain(vendors))
});

/// The literals that the vendors' own vocabulary gives.
fn of_vendor(vendor: &'static Vendor) -> Vec<(&'static str, Topics)> {
    let codes = &vendor.codes;
    let mut all: Vec<(&str, Topics)> = Vec::new();
    all.extend(codes.families.iter().map(|family| (family.prefix.trim_end_matches('_'), CODES)));
    all.extend(codes.literals.iter().map(|literal| (literal.as_str(), CODES)));
    all.extend(vendor.sentences.all.iter().filter(|(.., general)| !general).map(|(text, ..)| (text.as_str(), CODES)));
    all.extend(vendor.gpus.starts.iter().map(|start| (start.trim_end(), ENVIRONMENT)));
    all.extend(vendor.tools.iter().map(|tool| (tool.prefix.as_str(), FRAMEWORK)));
    all.extend(vendor.kernel_log.modules.iter().map(|module| (module.as_str(), KERNEL)));
    all.push((vendor.kernel_log.prefix.trim_end_matches([':', ' ']), KERNEL));
    all.retain(|(literal, _)| !literal.is_empty());
    all
}

impl Triggers {
    /// The triggers of the book.
    pub(crate) fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// The triggers out of literals with their topics.
    pub(crate) fn new<'l>(literals: impl IntoIterator<Item = (&'l str, Topics)>) -> Self {
        let (literals, topics): (Vec<&str>, Vec<Topics>) = literals.into_iter().unzip();
        let automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(literals).ok();
        Self { automaton, topics }
    }

    /// The topics of every line.
    pub(crate) fn mark(&self, transcript: &Transcript) -> Vec<Topics> {
        let mut marks = vec![0; transcript.len()];
        let Some(automaton) = &self.automaton else { return vec![Topics::MAX; transcript.len()] };
        let mut line = 0;
        let mut end = if marks.is_empty() { 0 } else { transcript.range_of(0).end };
        for found in automaton.find_overlapping_iter(transcript.text()) {
            // Matches arrive in the order of their ends, so the line only moves forward.
            while found.end() > end && line + 1 < marks.len() {
                line += 1;
                end = transcript.range_of(line).end;
            }
            marks[line] |= self.topics.get(found.pattern().as_usize()).copied().unwrap_or_default();
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_gets_its_own_topics() {
        let marks =
            Triggers::builtin().mark(&crate::text::read(b"plain\nTraceback (most recent call last):\n\nNCCL WARN x\n"));
        assert_eq!(marks[0], 0);
        assert_eq!(marks[1] & PYTHON, PYTHON);
        assert_eq!(marks[2], 0);
        assert_eq!(marks[3] & NCCL, NCCL);
    }
}
