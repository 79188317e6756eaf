//! Which lines deserve a closer look: one pass of literals over the whole text, a set of topics per line.
//!
//! A parser only sees lines that carry its topic, so a new wording needs its literal in `kb/wording/alarms.toml` first.

use std::sync::LazyLock;

use crate::literals::Literals;
use crate::text::Transcript;
use crate::vendors::{self, Vendor};
use crate::wording;
pub(crate) use crate::wording::topics::*;

/// The topics that choose among the readers of facts about the machine and its software, and nothing else.
pub(crate) const READERS: Topics = GPUS | BUILDS | ARCHITECTURES | LOADING | CLIENTS | SYSTEM | PATHS;

/// The literals with their topics.
#[derive(Debug)]
pub(crate) struct Triggers {
    literals: Literals<'static>,
    topics: Vec<Topics>,
}

static BUILTIN: LazyLock<Triggers> = LazyLock::new(|| {
    let vendors = vendors::all().iter().flat_map(of_vendor);
    Triggers::new(wording::alarms().literals.iter().copied().chain(vendors))
});

/// The literals from the vendors' vocabulary.
fn of_vendor(vendor: &'static Vendor) -> Vec<(&'static str, Topics)> {
    let codes = &vendor.codes;
    let mut all: Vec<(&str, Topics)> = Vec::new();
    all.extend(codes.families.iter().map(|family| (family.prefix.trim_end_matches('_'), CODES)));
    all.extend(codes.literals.iter().map(|literal| (literal.as_str(), CODES)));
    all.extend(vendor.sentences.all.iter().filter(|(.., general)| !general).map(|(text, ..)| (text.as_str(), CODES)));
    all.extend(vendor.gpus.starts.iter().map(|start| (start.trim_end(), ENVIRONMENT | GPUS)));
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

    /// The triggers made of literals with their topics.
    pub(crate) fn new<'l>(literals: impl IntoIterator<Item = (&'l str, Topics)>) -> Self {
        let (literals, topics): (Vec<&str>, Vec<Topics>) = literals.into_iter().unzip();
        Self { literals: Literals::new(literals), topics }
    }

    /// The topics of every line.
    pub(crate) fn mark(&self, transcript: &Transcript) -> Vec<Topics> {
        let mut marks = vec![0; transcript.len()];
        let mut line = 0;
        let mut end = if marks.is_empty() { 0 } else { transcript.range_of(0).end };
        self.literals.find(transcript.text(), |literal, place| {
            while place.end > end && line + 1 < marks.len() {
                line += 1;
                end = transcript.range_of(line).end;
            }
            if let Some(marks) = marks.get_mut(line) {
                *marks |= self.topics[literal];
            }
        });
        marks
    }

    /// The topics of a message.
    pub(crate) fn topics(&self, message: &str) -> Topics {
        let mut topics = 0;
        self.literals.find(message, |literal, _| topics |= self.topics[literal]);
        topics
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
