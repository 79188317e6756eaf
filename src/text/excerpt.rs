//! Which lines of a longer text a text holds, so that its lines are numbered as in the whole.

/// An excerpt's way back to the text it was taken from. The default one is of a text that is all there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// First lines of the stretches kept: in the excerpt and in the whole text, both from 1, ascending.
    stretches: Vec<(u32, u32)>,
    whole: Option<Whole>,
}

/// The text that an excerpt was taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Whole {
    lines: u32,
    note: String,
}

impl Excerpt {
    /// An excerpt of a text with so many lines; `note` tells its reader what was left out.
    pub fn of(lines: u64, stretches: impl IntoIterator<Item = (u64, u64)>, note: String) -> Self {
        let short = |line: u64| u32::try_from(line).unwrap_or(u32::MAX);
        Self {
            stretches: stretches.into_iter().map(|(kept, original)| (short(kept), short(original))).collect(),
            whole: Some(Whole { lines: short(lines), note }),
        }
    }

    /// The number in the whole text of a line of the excerpt.
    pub fn original(&self, line: u32) -> u32 {
        let after = self.stretches.partition_point(|(kept, _)| *kept <= line);
        match after.checked_sub(1).and_then(|at| self.stretches.get(at)) {
            Some((kept, original)) => original.saturating_add(line - kept),
            None => line,
        }
    }

    /// How many lines the whole text has, when so many are here.
    pub(super) fn lines(&self, here: u32) -> u32 {
        self.whole.as_ref().map_or(here, |whole| whole.lines)
    }

    /// What its reader should know.
    pub(super) fn note(&self) -> Option<String> {
        self.whole.as_ref().map(|whole| whole.note.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_as_in_the_whole_text() {
        let excerpt = Excerpt::of(100, [(1, 1), (3, 50), (5, 99)], "some lines were skipped".to_owned());
        let transcript = super::super::read_excerpt(b"a\nb\n\x1b[31mc\x1b[0m\nd\ne\nf\n", &excerpt);
        assert_eq!(transcript.lines().map(|line| line.number).collect::<Vec<_>>(), [1, 2, 50, 51, 99, 100]);
        assert_eq!(transcript.physical_lines(), 100);
        assert_eq!(transcript.notes(), ["some lines were skipped"]);
        assert_eq!(Excerpt::default().original(7), 7);
    }
}
