//! What is to be removed, put in order: which of two overlapping ranges counts, and which lines a replacement changes.

use std::ops::Range;

use super::{Cut, Kind};

/// Of two that overlap the one that begins first wins, of two that begin together the longer one.
fn sort(cuts: &mut [Cut]) {
    cuts.sort_by_key(|cut| (cut.range.start, std::cmp::Reverse(cut.range.end), cut.kind));
}

/// Without overlap: a secret that reaches beyond what it overlaps makes that a longer secret, anything else gives way.
pub(super) fn apart(mut cuts: Vec<Cut>) -> Vec<Cut> {
    sort(&mut cuts);
    let mut out: Vec<Cut> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        match out.last_mut().filter(|last| cut.range.start < last.range.end) {
            Some(last) if cut.kind == Kind::Secret && cut.range.end > last.range.end => {
                let start = last.range.start;
                if last.kind == Kind::Secret {
                    last.range.end = cut.range.end;
                } else {
                    *last = Cut { range: start..cut.range.end, ..cut };
                }
            }
            Some(_) => {}
            None => out.push(cut),
        }
    }
    out
}

/// The numbers of the lines that cuts touch, as ranges. Cuts that are dropped because they overlap others count too.
pub(super) fn touched(text: &str, cuts: &[Cut]) -> Vec<Range<usize>> {
    let mut places: Vec<&Range<usize>> = cuts.iter().map(|cut| &cut.range).collect();
    places.sort_by_key(|range| range.start);
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut at, mut line) = (0, 0);
    for range in places {
        line += breaks(text, at..range.start);
        at = range.start;
        // With the lines beside them, which a token may join.
        let (start, end) = (line.saturating_sub(1), line + breaks(text, range.clone()) + 2);
        match out.last_mut() {
            Some(last) if last.end >= start => last.end = last.end.max(end),
            _ => out.push(start..end),
        }
    }
    out
}

/// The bytes of ranges of lines.
pub(super) fn parts_of(text: &str, lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1).chain([text.len()]);
    let (mut line, mut start) = (0, 0);
    let mut skip = |to: usize| {
        while line < to {
            start = ends.next().unwrap_or(text.len());
            line += 1;
        }
        start
    };
    lines.iter().map(|range| skip(range.start)..skip(range.end)).collect()
}

fn breaks(text: &str, range: Range<usize>) -> usize {
    let bytes = text.as_bytes().get(range).unwrap_or_default();
    memchr::memchr_iter(b'\n', bytes).count()
}
