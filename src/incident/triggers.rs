//! Which lines deserve a closer look: one pass of literals over the whole text, a set of topics per line.
//!
//! A parser only sees lines that carry its topic, so a new wording needs its literal in `kb/wording/alarms.toml` first.

mod trigger_words;

use std::sync::LazyLock;

use crate::text::Transcript;
use crate::vendors::Vendor;
use crate::wording::topics;
pub(crate) use crate::wording::topics::*;
pub(crate) use trigger_words::Triggers;

/// The topics that choose among the readers of facts about the machine and its software, and nothing else.
pub(crate) const READERS: Topics = GPUS | BUILDS | ARCHITECTURES | LOADING | CLIENTS | SYSTEM | PATHS;

static BUILTIN: LazyLock<Triggers<'static>> = LazyLock::new(|| {
    static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/triggers.postcard"));
    postcard::from_bytes(PACKED).expect("the same build wrote these bytes")
});

impl Triggers<'_> {
    /// The triggers of the book.
    pub(crate) fn builtin() -> &'static Triggers<'static> {
        &BUILTIN
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
                *marks |= self.of(literal);
            }
        });
        marks
    }

    /// The topics of a message.
    pub(crate) fn topics(&self, message: &str) -> Topics {
        let mut topics = 0;
        self.literals.find(message, |literal, _| topics |= self.of(literal));
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
