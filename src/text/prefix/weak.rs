//! Prefixes that could be content, and the survey that decides: `0: ` of srun, `worker-1  | ` of compose, `node1: ` of
//! pdsh, `[0] ` of other launchers.
//!
//! A form is removed only if most lines of a sample have it, or nearly all lines of a long part, with few different
//! values. The numbered frames of a
//! backtrace look like srun's ranks, but their numbers only ever increase.

use std::collections::BTreeMap;

use super::Head;
use super::header::one_space;

/// Lines of a part of a text that are enough to tell its prefix.
const LONG_PART: usize = 12;

/// The weak forms that this text uses.
#[derive(Debug, Clone, Default)]
pub(in crate::text) struct Weak {
    /// `0: ` is a task.
    task: bool,
    /// `[0] ` is a task.
    bracket: bool,
    /// Names in front of ` | `.
    columns: Vec<String>,
    /// Names in front of `: `.
    hosts: Vec<String>,
    /// A whole number of seconds since 1970.
    epoch: bool,
}

impl Weak {
    /// Surveys a sample of lines whose strong prefixes have been removed.
    pub(in crate::text) fn survey<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut total = 0usize;
        let mut counts: [Count<'a>; 5] = Default::default();
        for line in lines.filter(|line| !line.trim().is_empty()) {
            total += 1;
            let found = [task(line), bracket(line), column(line), host(line), epoch(line)];
            for (count, found) in counts.iter_mut().zip(found) {
                if let Some((value, _)) = found {
                    count.add(value, total);
                }
            }
        }
        let [task, bracket, column, host, epoch] = counts;
        let names = |count: Count<'_>, least: usize| -> Vec<String> {
            if count.rules(total, least) { count.values.into_keys().map(str::to_owned).collect() } else { Vec::new() }
        };
        let suffixed = total > 0 && column.lines == total && column.values.keys().all(|name| numbered(name));
        Self {
            task: task.rules(total, 3),
            bracket: bracket.rules(total, 3),
            columns: names(column, if suffixed { 1 } else { 3 }),
            hosts: names(host, 4),
            epoch: total >= 3 && epoch.lines * 10 >= total * 7,
        }
    }

    /// Whether the text uses none.
    fn none(&self) -> bool {
        !(self.task || self.bracket || self.epoch) && self.columns.is_empty() && self.hosts.is_empty()
    }

    /// Removes one weak prefix.
    pub(super) fn strip<'a>(&self, text: &'a str) -> Option<Head<'a>> {
        if self.none() {
            return None;
        }
        let ranked = |found: Option<(&'a str, &'a str)>| {
            let (value, rest) = found?;
            Some(Head { rank: Some((value.trim().parse().ok()?, true)), ..Head::at(rest) })
        };
        let named = |found: Option<(&'a str, &'a str)>, names: &[String]| {
            let (value, rest) = found?;
            names.iter().any(|name| name == value).then(|| Head { source: Some(value), ..Head::at(rest) })
        };
        let mut head = None;
        if self.task {
            head = ranked(task(text));
        }
        if self.bracket {
            head = head.or_else(|| ranked(bracket(text)));
        }
        if self.epoch {
            head = head.or_else(|| {
                let (value, rest) = epoch(text)?;
                let stamp = super::time::Stamp { year: None, day: None, seconds: value.parse().ok()?, absolute: true };
                Some(Head { stamp: Some(stamp), ..Head::at(rest) })
            });
        }
        if !self.columns.is_empty() {
            head = head.or_else(|| named(column(text), &self.columns));
        }
        if !self.hosts.is_empty() {
            head = head.or_else(|| named(host(text), &self.hosts));
        }
        head
    }
}

/// How often a form occurs, and with which values.
#[derive(Default)]
struct Count<'a> {
    lines: usize,
    values: BTreeMap<&'a str, usize>,
    last: Option<&'a str>,
    /// Lines whose value is not the one after the line before.
    unordered: usize,
    /// The first and the last line that has it, counted from 1.
    part: (usize, usize),
}

impl<'a> Count<'a> {
    fn add(&mut self, value: &'a str, line: usize) {
        self.lines += 1;
        self.part = (if self.lines == 1 { line } else { self.part.0 }, line);
        if self.values.len() < 2000 {
            *self.values.entry(value).or_default() += 1;
        }
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let rises = match (self.last.and_then(number), number(value)) {
            (Some(last), Some(next)) => next == last + 1,
            _ => false,
        };
        self.unordered += usize::from(!rises);
        self.last = Some(value);
    }

    /// Whether enough lines have it, with few enough different values, to be a prefix.
    fn rules(&self, total: usize, least: usize) -> bool {
        let part = self.part.1 + 1 - self.part.0;
        // What a shell, a launcher or Faultbook prints above or below a job's output has no prefix.
        let rules_part = self.lines >= LONG_PART && self.lines * 10 >= part * 9 && self.lines * 10 >= total * 3;
        self.lines >= least
            && (self.lines * 10 >= total * 6 || rules_part)
            && (self.values.len() <= 1 || self.values.len() * 2 <= self.lines || self.values.len() <= 8)
            && (self.unordered * 3 > self.lines || self.values.len() == 1)
            && (self.values.len() < self.lines
                || self.lines == 1
                || self.values.keys().all(|value| numbered(value) && value.contains(char::is_alphabetic)))
    }
}

/// Whether a name ends in a number, as replicas' names do: `worker-0`, `train_1`.
fn numbered(name: &str) -> bool {
    name.ends_with(|c: char| c.is_ascii_digit()) && (name.contains(['-', '_']) || name.contains(char::is_alphabetic))
}

/// `0: text`, ` 3: text`.
fn task(line: &str) -> Option<(&str, &str)> {
    let spaces = line.bytes().take(5).take_while(|b| *b == b' ').count();
    let digits = line.as_bytes().get(spaces..)?.iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    let rest = line.get(spaces + digits..)?.strip_prefix(':')?;
    if digits == 0 || digits > 5 || !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    Some((&line[spaces..spaces + digits], one_space(rest)))
}

/// `[0] text`.
fn bracket(line: &str) -> Option<(&str, &str)> {
    let body = line.strip_prefix('[')?;
    let digits = body.bytes().take(5).take_while(u8::is_ascii_digit).count();
    let rest = body.get(digits..)?.strip_prefix(']')?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    if digits == 0 || digits > 4 || !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    Some((&body[..digits], one_space(rest)))
}

/// `worker-1  | text`.
fn column(line: &str) -> Option<(&str, &str)> {
    let name = line
        .bytes()
        .take(80)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'@'))
        .count();
    let spaces = line.as_bytes().get(name..)?.iter().take(60).take_while(|b| **b == b' ').count();
    let rest = line.get(name + spaces..)?.strip_prefix('|')?;
    if name == 0 || spaces == 0 || !line.contains(char::is_alphabetic) || !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    let name = &line[..name];
    name.contains(char::is_alphabetic).then(|| (name, one_space(rest)))
}

/// `node1: text`, `10.0.0.1: text`; a name without a digit is an ordinary word.
fn host(line: &str) -> Option<(&str, &str)> {
    let name =
        line.bytes().take(64).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-')).count();
    let rest = line.get(name..)?.strip_prefix(':')?;
    let word = &line[..name];
    let telling = word.contains(|c: char| c.is_ascii_digit())
        && !word.contains("Error")
        && (word.contains(char::is_alphabetic) || word.bytes().filter(|b| *b == b'.').count() == 3);
    (telling && (rest.is_empty() || rest.starts_with(' '))).then(|| (word, one_space(rest)))
}

/// `1699999999 text`.
fn epoch(line: &str) -> Option<(&str, &str)> {
    let digits = line.bytes().take(11).take_while(u8::is_ascii_digit).count();
    if digits != 10 || !line.starts_with('1') {
        return None;
    }
    let rest = line[10..].strip_prefix([' ', '\t', ':'])?;
    Some((&line[..10], rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(text: &str) -> Weak {
        Weak::survey(text.lines())
    }

    #[test]
    fn consistent_forms_are_taken() {
        let weak = survey("0: a\n1: b\n0:   File\n1: c\n0: \nsrun: error: x");
        assert_eq!(weak.strip("1:   File").map(|h| (h.rest, h.rank)), Some(("  File", Some((1, true)))));
        let weak = survey("worker-0  | a\nworker-1  | b\nworker-0  |   c\nworker-0  | d");
        assert_eq!(weak.strip("worker-1  |   File").map(|h| (h.rest, h.source)), Some(("  File", Some("worker-1"))));
        let weak = survey("node1: a\nnode2: b\nnode1: c\nnode2: d");
        assert_eq!(weak.strip("node2:   File").map(|h| (h.rest, h.source)), Some(("  File", Some("node2"))));
        let weak = survey("[0] a\n[1] b\n[0] c");
        assert_eq!(weak.strip("[1]   File").map(|h| h.rest), Some("  File"));
        assert_eq!(
            survey("registry-1    | RuntimeError: x").strip("registry-1    | RuntimeError: x").map(|h| h.rest),
            Some("RuntimeError: x")
        );
    }

    #[test]
    fn content_is_not() {
        let trace = "stack backtrace:\n   0:  0x7f\n   1:  0x7e\n   2:  0x7d\n   3:  0x7c\n   4:  0x7b";
        assert!(survey(trace).none());
        assert!(survey("a\nb\nc\n0: x\nd").none());
        assert!(survey("id | name\n1 | x\n2 | y").none());
        assert!(survey("step1: 3\nstep2: 4\nloss: 2\nlr: 3").none());
        assert!(survey("").none());
    }
}
