//! Separates the lines of several writers: one stream per rank and source.
//!
//! A line without a rank or pod prefix belongs to the default stream; its content is not used to guess.

use std::collections::HashMap;

use super::{Stream, Transcript};

/// A rank and a source.
type Writer = (Option<u32>, Option<u32>);

/// Groups lines by their writer, in order of first appearance.
pub(super) fn group(transcript: &Transcript) -> Vec<Stream> {
    let mut streams: Vec<Stream> = Vec::new();
    let mut known: HashMap<Writer, usize> = HashMap::new();
    let mut last: Option<(Writer, usize)> = None;
    for (index, line) in transcript.lines().enumerate() {
        let prefix = line.prefix;
        let writer = (prefix.rank, prefix.source);
        let at = match last {
            Some((same, at)) if same == writer => at,
            _ => *known.entry(writer).or_insert_with(|| {
                streams.push(Stream { rank: prefix.rank, source: prefix.source, lines: Vec::with_capacity(1) });
                streams.len() - 1
            }),
        };
        last = Some((writer, at));
        streams[at].lines.push(index);
    }
    streams
}
