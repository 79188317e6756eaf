//! What a report's text is in short: enough to say whether another text is the same, without either text.
//!
//! Left out are what moving, renaming and rendering change: the front matter, ids, days, marks, and all headings but the
//! first. Numbers stay, because they are what two failures of one kind differ in.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::book::matter;
use crate::reports::reading;
use crate::text::words::lowered;

/// Hashes that are kept of a text: the smallest ones, so that two texts keep the same of what they share. The error of
/// a likeness of 0.8 is 0.04.
const KEPT: usize = 96;

/// Hashes of a text by which others like it are looked for. Of texts that are alike by 0.8, one in ten million pairs
/// shares none of them.
pub(super) const PROBES: usize = 12;
/// What the mark of a phrase begins with.
const PHRASE: &str = "hash ";

/// Words of a shingle.
const SHINGLE: usize = 4;

/// Shorter texts say too little to be called the same.
const FEWEST_WORDS: u32 = 8;

/// A text in short.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sketch {
    /// A hash of all words, days included.
    whole: u64,
    /// How many words there are.
    words: u32,
    /// How many different shingles there are.
    shingles: u32,
    /// The smallest hashes of them, in order.
    least: Vec<u32>,
    /// A hash of the id that somebody gave the report.
    id: Option<u64>,
}

impl Sketch {
    /// The sketch of a report's text.
    pub(crate) fn of(text: &str) -> Self {
        let mut whole = Xxh3::new();
        let mut words: Vec<u64> = Vec::new();
        let mut lower = String::new();
        let (mut count, mut headings) = (0, 0);
        let body = text.get(matter::split(text).body..).unwrap_or_default();
        let mut is_code = false;
        for line in body.lines() {
            let line = line.trim_start();
            if line.starts_with("```") || line.starts_with("~~~") {
                is_code = !is_code;
                continue;
            }
            if line.starts_with('#') && !is_code {
                headings += 1;
                if headings > 1 {
                    continue;
                }
            }
            each_word(line, |word, is_day| {
                let word = xxh3_64(lowered(word, &mut lower).as_bytes());
                whole.update(&word.to_le_bytes());
                count += 1;
                if !is_day {
                    words.push(word);
                }
            });
        }
        let mut least: Vec<u32> = words.array_windows().map(shingle).collect();
        least.sort_unstable();
        least.dedup();
        let shingles = u32::try_from(least.len()).unwrap_or(u32::MAX);
        least.truncate(KEPT);
        // Thousands of sketches are kept while an index is made.
        least.shrink_to_fit();
        Self { whole: whole.digest(), words: count, shingles, least, id: None }
    }

    /// The sketch of a report that somebody gave this id.
    pub(super) fn with_id(self, id: Option<&str>) -> Self {
        Self { id: id.map(|id| xxh3_64(id.as_bytes())), ..self }
    }

    /// How many words the text has.
    pub(crate) fn words(&self) -> u32 {
        self.words
    }

    /// What all equal texts have in common; `None` for a text that says too little.
    pub(super) fn whole(&self) -> Option<u64> {
        (self.words >= FEWEST_WORDS).then_some(self.whole)
    }

    /// The hashes, smallest first.
    pub(super) fn least(&self) -> &[u32] {
        &self.least
    }

    /// What the sketches of two reports have in common, if [`group`](super::group) may compare them: the id, the text, or one of a
    /// few hashes of phrases.
    pub(crate) fn marks(&self) -> impl Iterator<Item = String> {
        let probes = self.least.iter().take(PROBES).map(|hash| format!("{PHRASE}{hash:x}"));
        let whole = self.whole().map(|text| format!("text {text:x}"));
        probes.chain(whole).chain(self.id.map(|id| format!("id {id:x}")))
    }

    /// How alike two texts are.
    pub(super) fn likeness(&self, other: &Self) -> Likeness {
        let (mut ours, mut theirs) = (self.least.iter().peekable(), other.least.iter().peekable());
        let (mut union, mut shared) = (0_u32, 0_u32);
        while union < KEPT as u32 {
            let (our, their) = match (ours.peek(), theirs.peek()) {
                (Some(our), Some(their)) => (Some(**our), Some(**their)),
                (Some(our), None) => (Some(**our), None),
                (None, Some(their)) => (None, Some(**their)),
                (None, None) => break,
            };
            let next = our.into_iter().chain(their).min();
            if our == next {
                ours.next();
            }
            if their == next {
                theirs.next();
            }
            union += 1;
            shared += u32::from(our == their);
        }
        let jaccard = f64::from(shared) / f64::from(union.max(1));
        let both = jaccard * f64::from(self.shingles + other.shingles) / (1.0 + jaccard);
        let within = (both / f64::from(self.shingles.min(other.shingles).max(1))).min(1.0);
        Likeness { jaccard, within }
    }
}

/// Whether a mark is that of a phrase, which templates have too.
pub(crate) fn is_of_a_phrase(mark: &str) -> bool {
    mark.starts_with(PHRASE)
}

fn shingle(words: &[u64; SHINGLE]) -> u32 {
    let bytes = words.map(u64::to_le_bytes);
    let [a, b, c, d, ..] = xxh3_64(bytes.as_flattened()).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// How alike two texts are, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Likeness {
    /// The share of all shingles that both have.
    pub jaccard: f64,
    /// The share of the shorter text's shingles that the longer one has.
    pub within: f64,
}

/// Calls `emit` with the words of a line, ids left out, and whether each is a part of a day.
fn each_word<'t>(line: &'t str, mut emit: impl FnMut(&'t str, bool)) {
    let mut at = 0;
    for id in reading::ids_in(line) {
        words_of(line.get(at..id.start).unwrap_or_default(), &mut emit);
        at = id.end;
    }
    words_of(line.get(at..).unwrap_or_default(), &mut emit);
}

fn words_of<'t>(text: &'t str, emit: &mut impl FnMut(&'t str, bool)) {
    let mut start = None;
    let ends = text.char_indices().chain(std::iter::once((text.len(), ' ')));
    let mut day_end = 0;
    let mut put = |range: std::ops::Range<usize>| {
        let Some(word) = text.get(range.clone()) else { return };
        if range.start >= day_end
            && let Some(length) = text.get(range.start..).and_then(day)
        {
            day_end = range.start + length;
        }
        emit(word, range.start < day_end);
    };
    for (at, c) in ends {
        let alone = is_ideograph(c);
        if (alone || !c.is_alphanumeric())
            && let Some(start) = start.take()
        {
            put(start..at);
        }
        if alone {
            put(at..at + c.len_utf8());
        } else if c.is_alphanumeric() && start.is_none() {
            start = Some(at);
        }
    }
}

/// Chinese and Japanese are written without blanks: each letter counts as a word.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// The length of a day at the beginning of a text: `20251110`, `2025-11-10`, `2025.11.10`.
fn day(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let year = digits(text);
    if !(text.starts_with("20") || text.starts_with("19")) {
        return None;
    }
    match year {
        8 => Some(8),
        4 => {
            let separator = text.as_bytes().get(4).filter(|c| matches!(c, b'-' | b'/' | b'.'))?;
            let month = digits(text.get(5..)?);
            let second = 5 + month;
            let day = (text.as_bytes().get(second) == Some(separator))
                .then(|| digits(text.get(second + 1..).unwrap_or_default()))?;
            ((1..3).contains(&month) && (1..3).contains(&day)).then_some(second + 1 + day)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(&str, bool)> {
        let mut out = Vec::new();
        each_word(text, |word, is_day| out.push((word, is_day)));
        out
    }

    #[test]
    fn words_days_and_ids() {
        assert_eq!(
            words("on 2025-11-10 18:08, step 3"),
            [
                ("on", false),
                ("2025", true),
                ("11", true),
                ("10", true),
                ("18", false),
                ("08", false),
                ("step", false),
                ("3", false)
            ]
        );
        assert_eq!(words("20251110 x"), [("20251110", true), ("x", false)]);
        assert_eq!(words("see DIAG-20251110-003 (open)"), [("see", false), ("open", false)]);
        assert_eq!(words("显存 oom"), [("显", false), ("存", false), ("oom", false)]);
        assert_eq!(
            words("2025 images, torch 2.8.0"),
            [("2025", false), ("images", false), ("torch", false), ("2", false), ("8", false), ("0", false)]
        );
        assert!(words(" -- **").is_empty());
    }

    #[test]
    fn what_moving_and_rendering_change_is_left_out() {
        let text = "---\nstatus: open\n---\n# BUG-20251110-003: Loss is NaN\n\n## Summary\n\nThe loss is **NaN** from step 120 on.\n";
        let other = "# 🐛 Loss is NaN\n\n## 📝 Summary\n\n- The loss is NaN from step 120 on.\r\n";
        assert_eq!(Sketch::of(text), Sketch::of(other));
        assert_ne!(Sketch::of(text), Sketch::of(&other.replace("120", "121")));
        assert_eq!(Sketch::of("").whole(), None);
        assert_eq!(Sketch::of("").likeness(&Sketch::of("")).jaccard, 0.0);
    }

    #[test]
    fn likeness_is_the_share_of_what_both_have() {
        let text = |words: std::ops::Range<u32>| words.map(|n| format!("w{n} ")).collect::<String>();
        let (all, most) = (Sketch::of(&text(0..1000)), Sketch::of(&text(0..800)));
        let found = all.likeness(&most);
        assert!((found.jaccard - 0.8).abs() < 0.1 && found.within > 0.93, "{found:?}");
        assert_eq!(all.likeness(&Sketch::of(&text(2000..2500))).jaccard, 0.0);
        assert_eq!(all.likeness(&all), Likeness { jaccard: 1.0, within: 1.0 });
    }
}
