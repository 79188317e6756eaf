//! Who wrote a line, whether the writer went on, and which of its errors a line belongs to.

use crate::incident::ErrorEvent;
use crate::text::{Level, Transcript, small};

/// The writers of a text: one per stream of the transcript.
pub(super) struct Writers<'i> {
    /// For each line its stream.
    streams: Vec<u32>,
    writers: Vec<Writer>,
    errors: &'i [ErrorEvent],
}

/// One stream, read from its beginning to its end.
#[derive(Default)]
struct Writer {
    /// The last line but one that is logged as information.
    last_but_one: Option<usize>,
    /// Its errors in the order of their first lines, the latest first.
    later: Vec<u32>,
    /// Errors that the requested line may belong to.
    open: Vec<usize>,
}

impl<'i> Writers<'i> {
    pub(super) fn new(transcript: &Transcript, errors: &'i [ErrorEvent]) -> Self {
        let mut streams = vec![0; transcript.len()];
        let mut writers: Vec<Writer> = Vec::with_capacity(transcript.streams().len());
        for (number, stream) in transcript.streams().iter().enumerate() {
            for &line in &stream.lines {
                if let Some(slot) = streams.get_mut(line) {
                    *slot = small(number);
                }
            }
            let informs = |index: &&usize| transcript.line(**index).prefix.level == Some(Level::Info);
            let last_but_one = stream.lines.iter().rev().filter(informs).nth(1).copied();
            writers.push(Writer { last_but_one, ..Writer::default() });
        }
        let mut order: Vec<u32> = (0..small(errors.len())).collect();
        order.sort_by_key(|&number| std::cmp::Reverse((errors[number as usize].lines.start, number)));
        for number in order {
            if let Some(writer) = writers.get_mut(errors[number as usize].stream as usize) {
                writer.later.push(number);
            }
        }
        Self { streams, writers, errors }
    }

    /// The stream of a line.
    pub(super) fn stream_of(&self, line: usize) -> u32 {
        self.streams.get(line).copied().unwrap_or_default()
    }

    /// Whether its writer continues to log information after a line; a shutdown prints fewer than two such lines.
    pub(super) fn goes_on_after(&self, line: usize) -> bool {
        self.writers
            .get(self.stream_of(line) as usize)
            .and_then(|writer| writer.last_but_one)
            .is_some_and(|last| last > line)
    }

    /// The error whose lines include `line`, in the line's own stream; the innermost headline at or before it wins. Lines
    /// must be requested in ascending order.
    pub(super) fn error_at(&mut self, line: usize) -> Option<usize> {
        let errors = self.errors;
        let stream = self.stream_of(line) as usize;
        let writer = self.writers.get_mut(stream)?;
        while let Some(&next) = writer.later.last()
            && errors[next as usize].lines.start <= line
        {
            writer.open.push(next as usize);
            writer.later.pop();
        }
        writer.open.retain(|&number| errors[number].lines.end > line);
        let distance = |&number: &usize| {
            let error = &errors[number];
            (error.headline.abs_diff(line), error.lines.len(), number)
        };
        writer.open.iter().copied().min_by_key(distance)
    }
}
