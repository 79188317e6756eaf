//! Collectives that fail: `NCCL WARN` lines, watchdogs, gloo. Facts `nccl.*` and `rank.count`.
//!
//! The first WARN comes from the deepest layer; those after it come from the layers above, which pass the failure on.
//! Which rank is to blame is not decided here.

use std::collections::BTreeMap;

use super::context::ParserContext;
use super::words::{after, number, parse_uint};
use super::{Incident, Kind, Role};
use crate::facts::Facts;
use crate::facts::{Source, Value};
use crate::text::{Level, Transcript};
use crate::vendors;

/// Reads a line about a collective; returns the position after it.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    let words = text.trim();
    if let Some(warning) = after(words, "NCCL WARN") {
        r.set(at, Role::Error);
        let warning = warning.trim();
        let line = r.number(at);
        r.facts.words_in_text("nccl.warn", warning, line);
        // The layers above repeat it: one event per wording.
        if !r.lately(|old| old.kind == Kind::Collective && old.message == warning) {
            let event = r.event(Kind::Collective, "NCCL WARN", warning, at);
            r.push(event);
        }
        return Some(at + 1);
    }
    if words.contains("NCCL INFO") {
        return Some(at + 1);
    }
    let level = r.prefix(at).and_then(|prefix| prefix.level);
    if level.is_some_and(|level| level < Level::Error) || super::python::line::frame(text).is_some() {
        return None;
    }
    let consequence = [
        "Some NCCL operations have failed or timed out",
        "we are taking the entire process down",
        "Timeout at NCCL work",
    ]
    .iter()
    .any(|part| words.contains(part));
    let watchdog = consequence
        || ["Watchdog caught", "detected by watchdog", "watchdog thread terminated with exception"]
            .iter()
            .any(|part| words.contains(part))
        || (words.contains("eartbeat monitor") || words.contains("HeartbeatMonitor")) && words.contains("timed out");
    if !watchdog || super::python::line::alone(words).is_some() {
        return None;
    }
    if consequence && r.lately(|old| old.kind == Kind::Collective) {
        r.set(at, Role::Error);
        return Some(at + 1);
    }
    r.set(at, Role::Error);
    let mut event = r.event(Kind::Collective, "", words, at);
    event.rank = event.rank.or_else(|| rank_of(words));
    // The stack that the watchdog prints under its own message.
    let mut end = at + 1;
    while end < r.len() && end - at < 200 {
        let words = r.text(end).trim();
        if super::advice::is_advice(words) {
            r.set(end, Role::Advice);
        } else if words.starts_with("Exception raised from ")
            || words.starts_with("frame #")
            || words.starts_with("<omitting python frames>")
        {
            r.set(end, Role::Frame);
        } else if is_report(words) {
            event.message.push('\n');
            event.message.push_str(words);
        } else if words.is_empty() && r.text(end + 1).starts_with("Exception raised from") {
        } else {
            break;
        }
        end += 1;
    }
    r.cover(&mut event, at, end);
    if !r.lately(|old| old.kind == Kind::Collective && old.message == event.message) {
        r.push(event);
    }
    Some(end)
}

/// Whether a line begins with a vendor's own report of a failed call.
fn is_report(words: &str) -> bool {
    let mut reports = vendors::all().iter().flat_map(|vendor| &vendor.codes.reports);
    reports.any(|report| words.get(..report.len()).is_some_and(|start| start.eq_ignore_ascii_case(report)))
}

/// The rank that a message of c10d names itself by: `[Rank 2]`, `[PG ID 0 PG GUID 0(default_pg) Rank 2]`.
pub(super) fn rank_of(words: &str) -> Option<u32> {
    let (rank, rest) = after(words, "Rank ").and_then(parse_uint)?;
    rest.starts_with(']').then(|| u32::try_from(rank).ok())?
}

/// Reads facts about collectives from a message or a line.
pub(super) fn facts(text: &str, line: u32, facts: &mut Facts) {
    if let Some(work) =
        after(text, "WorkNCCL(").or_else(|| after(text, "WorkGloo(")).or_else(|| after(text, "WorkXCCL("))
    {
        if let Some((seq, _)) = after(work, "SeqNum=").and_then(number) {
            seq_range(facts, seq, line);
        }
        if let Some(op) = after(work, "OpType=").and_then(|rest| rest.split([',', ')']).next()) {
            facts.words_in_text("nccl.op", op.trim(), line);
        }
        if let Some((ms, _)) = after(work, "Timeout(ms)=").and_then(number) {
            facts.number_in_text("nccl.timeout_s", ms / 1000.0, line);
        }
    }
    for mark in ["last completed NCCL work: ", "last completed work: ", "last completed: "] {
        if let Some((done, _)) = after(text, mark).and_then(number) {
            facts.number_in_text("nccl.last_completed", done, line);
        }
    }
    if let Some((ms, rest)) = after(text, "Timed out waiting ").and_then(number)
        && rest.starts_with("ms")
    {
        facts.number_in_text("nccl.timeout_s", ms / 1000.0, line);
    }
    for mark in [
        "nranks ",
        "nranks=",
        "world_size=",
        "world_size: ",
        "WORLD_SIZE=",
        "world size: ",
        "world=",
        "World size: ",
        "'world_size': ",
    ] {
        if let Some((count, rest)) = after(text, mark).and_then(parse_uint)
            && count > 0
            && count < 1_000_000
            && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.')
        {
            facts.number_in_text("rank.count", count as f64, line);
        }
    }
}

/// The smallest and the largest sequence number seen so far.
fn seq_range(facts: &mut Facts, seq: f64, line: u32) {
    let put = |facts: &mut Facts, name: &str, keep: fn(f64, f64) -> bool| {
        if facts.number(name).is_none_or(|old| keep(seq, old)) {
            facts.replace_in_text(name, Value::Number(seq), line);
        }
    };
    put(facts, "nccl.seq_min", |new, old| new < old);
    put(facts, "nccl.seq_max", |new, old| new > old);
}

/// How many ranks wrote, which only all streams together show.
pub(super) fn over_ranks(transcript: &Transcript, incident: &mut Incident) {
    let mut ranks: Vec<u32> = transcript.streams().iter().filter_map(|stream| stream.rank).collect();
    ranks.extend(incident.errors.iter().filter_map(|error| error.rank));
    ranks.sort_unstable();
    ranks.dedup();
    if let Some(&highest) = ranks.last()
        && ranks.len() > 1
    {
        incident.facts.add("rank.count", Value::Number(f64::from(highest) + 1.0), Source::Text, None);
    }
    calls(incident);
}

/// The collectives of `torch.distributed` in which the tracebacks of different ranks end: `nccl.calls`.
fn calls(incident: &mut Incident) {
    let mut by_rank: BTreeMap<u32, &str> = BTreeMap::new();
    for error in &incident.errors {
        let call = error.frames.iter().rev().find(|frame| {
            frame.file.ends_with("distributed_c10d.py")
                && !frame.function.starts_with('_')
                && frame.function != "wrapper"
        });
        if let (Some(rank), Some(call)) = (error.rank, call) {
            by_rank.entry(rank).or_insert(&call.function);
        }
    }
    if by_rank.len() < 2 {
        return;
    }
    let mut names: Vec<String> = by_rank.into_values().map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    incident.facts.add("nccl.calls", Value::List(names), Source::Text, None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_ranks() {
        let text = |first: &str, second: &str| {
            let one = |rank: u32, call: &str| {
                format!(
                    "[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File \"/w/x.py\", line 3, in <module>\n[rank{rank}]:     step()\n[rank{rank}]:   File \"/v/torch/distributed/distributed_c10d.py\", line 22, in {call}\n[rank{rank}]:     work.wait()\n[rank{rank}]: RuntimeError: gloo: Timed out waiting 30000ms\n"
                )
            };
            let text = one(0, first) + &one(1, second);
            let incident = crate::incident::read(&crate::text::read(text.as_bytes()));
            incident.facts.get("nccl.calls").map(|fact| fact.value.clone())
        };
        let list = |names: &[&str]| Some(Value::List(names.iter().map(|&name| name.to_owned()).collect()));
        assert_eq!(text("broadcast", "all_reduce"), list(&["all_reduce", "broadcast"]));
        assert_eq!(text("all_reduce", "all_reduce"), list(&["all_reduce"]));
    }

    #[test]
    fn watchdogs() {
        let mut f = Facts::default();
        facts(
            "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600029 milliseconds",
            1,
            &mut f,
        );
        facts("WorkNCCL(SeqNum=14, OpType=ALLREDUCE, NumelIn=1, Timeout(ms)=600000)", 2, &mut f);
        facts("last enqueued NCCL work: 12, last completed NCCL work: 11.", 3, &mut f);
        assert_eq!(f.number("nccl.seq_min"), Some(12.0));
        assert_eq!(f.number("nccl.seq_max"), Some(14.0));
        assert_eq!(f.text("nccl.op"), Some("ALLREDUCE"));
        assert_eq!(f.number("nccl.timeout_s"), Some(600.0));
        assert_eq!(f.number("nccl.last_completed"), Some(11.0));
    }
}
