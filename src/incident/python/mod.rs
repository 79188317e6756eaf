//! Python's ways to report an exception: the interpreter's traceback, notebooks, Rich, pytest, bare last lines.
//!
//! A class name in prose is no exception: it must be where one is due or be recognisable by its name. Lines of another
//! process inside a traceback are stepped over, and an exception line without frames is still an error.

mod group;
pub(crate) mod line;
mod message;
mod notebook;
mod pytest;
mod rich;

use group::Gutter;
use message::Style;

use super::context::ParserContext;
use super::triggers::{PYTEST, PYTHON};
use super::words::indent;
use super::{ErrorEvent, Frame, Kind, Link, Role};
use crate::text::Level;

/// Foreign lines inside a traceback before it is given up.
const FOREIGN: usize = 24;

/// Reads what Python printed at `at`; returns the position after it, or `None` if Python printed nothing there.
pub(crate) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let text = r.text(at);
    if (r.in_pytest || r.marks(at) & PYTEST != 0)
        && let Some(next) = pytest::read(r, at)
    {
        return Some(next);
    }
    let mut words = text.trim();
    if !r.groups.is_empty() {
        if group::ruler(r, at, words) {
            return Some(at + 1);
        }
        words = words.strip_prefix("| ").unwrap_or(words);
    }
    if r.marks(at) & PYTHON == 0 {
        return None;
    }
    if words.contains("Traceback (most recent") {
        if line::is_header(text) {
            return Some(traceback(r, at, at + 1, at));
        }
        return notebook::read(r, at).or_else(|| rich::read(r, at));
    }
    if words.contains("Traceback of forward call") {
        return Some(forward_call(r, at));
    }
    if let Some(link) = line::chain(words) {
        r.set(at, Role::Header);
        r.chain = r.errors.len().checked_sub(1).map(|last| (last, link));
        return Some(at + 1);
    }
    if line::frame(text).is_some() {
        return Some(headless(r, at));
    }
    if message::is_warning(words) {
        return Some(warning(r, at));
    }
    if let Some(raised) = line::alone(line::unquoted(words)) {
        if line::last_segment(raised.type_name).ends_with("RemoteTraceback") {
            r.set(at, Role::Header);
            return Some(at + 1);
        }
        let event = r.event(Kind::Python, raised.type_name, raised.message, at);
        return Some(finish(r, event, at, at, Style::Plain));
    }
    if r.prefix(at).is_none_or(|p| p.level.is_none_or(|level| level >= Level::Error))
        && let Some(raised) = line::within(words)
    {
        let event = r.event(Kind::Python, raised.type_name, raised.message, at);
        return Some(finish(r, event, at, at, Style::Plain));
    }
    None
}

/// Reads a traceback whose header (if it has one) is at `from` and whose frames begin at `at`.
fn traceback(r: &mut ParserContext<'_>, from: usize, at: usize, header: usize) -> usize {
    let gutter = Gutter::of(r.text(header));
    let base = indent(gutter.strip(r.text(header)));
    let ignored = header > 0 && r.text(header - 1).trim_start().starts_with("Exception ignored in");
    let had_header = at > from;
    if had_header {
        r.set(header, Role::Header);
    }
    let mut frames: Vec<Frame> = Vec::new();
    let mut position = at;
    let mut foreign = 0;
    let mut frame_columns = None;
    let mut was_frame = false;
    let mut last_own = at;
    while position < r.len() && foreign <= FOREIGN {
        let text = gutter.strip(r.text(position));
        let words = text.trim();
        if words.is_empty() {
            position += 1;
            continue;
        }
        let columns = indent(text);
        if let Some(found) = line::frame(text) {
            let frame = Frame {
                file: found.file.to_owned(),
                line: found.line,
                function: found.function.to_owned(),
                at: r.index(position),
            };
            frames.push(frame);
            frame_columns = Some(columns);
            r.set(position, Role::Frame);
            (was_frame, last_own) = (true, position + 1);
        } else if line::is_header(words) && !words.starts_with("Original ") {
            // Two writers, or a header printed twice: the frames of both become one stack.
            r.set(position, Role::Header);
            if gutter.is_group() != Gutter::of(r.text(position)).is_group() {
                break;
            }
            (was_frame, last_own) = (false, position + 1);
        } else if line::chain(words).is_some() || gutter.ends_member(r.text(position)) {
            break;
        } else if let Some(raised) =
            line::due(words).filter(|_| is_due(columns, base, frame_columns, &frames, had_header, words, was_frame))
        {
            let mut event = r.event(Kind::Python, raised.type_name, raised.message, position);
            event.frames = frames;
            if ignored {
                event.fatal = false;
            }
            return finish(r, event, from, position, Style::Plain);
        } else if frame_columns.is_some_and(|own| {
            columns > own || columns == own && was_frame && own == 0 || columns > base && words.starts_with('[')
        }) || columns > base && !frames.is_empty() && r.same_logger(header, position)
            || matches!(words, "..." | "[...]" | "(...)" | "…")
        {
            r.set(position, Role::Code);
            (was_frame, last_own) = (false, position + 1);
        } else {
            foreign += 1;
            was_frame = false;
        }
        position += 1;
    }
    // No exception line: cut off, or its end was printed elsewhere.
    if !frames.is_empty() || had_header {
        let mut event = r.event(Kind::Python, "", "", from);
        event.frames = frames;
        event.fatal = false;
        r.cover(&mut event, from, last_own);
        if !event.frames.is_empty() {
            if super::torchrun::reports_child(&event) {
                event.kind = Kind::Launcher;
            }
            r.push(event);
        }
    }
    last_own.max(from + 1)
}

/// Whether an exception line may have this indentation.
fn is_due(
    columns: usize,
    base: usize,
    frame_columns: Option<usize>,
    frames: &[Frame],
    had_header: bool,
    words: &str,
    was_frame: bool,
) -> bool {
    if frames.is_empty() {
        return had_header && line::alone(words).is_some();
    }
    let flat = frame_columns == Some(columns) && was_frame;
    if flat {
        return line::alone(words).is_some();
    }
    columns <= base
        || frame_columns.is_some_and(|own| columns < own)
        || line::alone(words).is_some() && frame_columns == Some(columns)
}

/// Frames without a header: a truncated top, or frames pasted under their exception line.
fn headless(r: &mut ParserContext<'_>, at: usize) -> usize {
    let before = r.errors.last().filter(|last| {
        last.kind == Kind::Python
            && last.frames.is_empty()
            && last.lines.end + 3 > r.index(at)
            && last.lines.end <= r.index(at)
    });
    let ray = before.is_some_and(|last| last.type_name.contains("RayTaskError") || last.message.contains("ray::"));
    if before.is_none() || ray {
        let ray_of = before.map(|_| r.errors.len() - 1);
        let next = traceback(r, at, at, at);
        if let Some(outer) = ray_of
            && r.errors.len() > outer + 1
            && let Some(event) = r.errors.get_mut(outer)
        {
            event.follows = Some((outer + 1, Link::Repeated));
        }
        return next;
    }
    let mut frames = Vec::new();
    let mut position = at;
    let mut end = at;
    let mut columns = r.indent(at);
    while position < r.len() {
        let text = r.text(position);
        if let Some(found) = line::frame(text) {
            frames.push(Frame {
                file: found.file.to_owned(),
                line: found.line,
                function: found.function.to_owned(),
                at: r.index(position),
            });
            columns = indent(text);
            r.set(position, Role::Frame);
        } else if text.trim() == "..." || indent(text) > columns && !text.trim().is_empty() {
            r.set(position, Role::Code);
        } else {
            break;
        }
        position += 1;
        end = position;
    }
    let covered = r.index(end.saturating_sub(1)) + 1;
    if let Some(last) = r.errors.last_mut() {
        last.frames = frames;
        last.lines.end = last.lines.end.max(covered);
    }
    end.max(at + 1)
}

/// Completes an exception whose headline is at `head` and whose report began at `from`; returns the position after it.
fn finish(r: &mut ParserContext<'_>, mut event: ErrorEvent, from: usize, head: usize, style: Style) -> usize {
    r.set(head, Role::Error);
    let mut end = message::read(r, &mut event, head, style);
    r.cover(&mut event, from, end);
    if let Some(level) = r.prefix(head).and_then(|prefix| prefix.level) {
        event.fatal &= level >= Level::Error;
    }
    let launcher = super::torchrun::reports_child(&event);
    if launcher {
        event.kind = Kind::Launcher;
    }
    if let Some((number, Link::Cause)) = r.chain
        && let Some(before) = r.errors.get(number)
        && (before.type_name.ends_with("UnfilteredStackTrace")
            || before.message == event.message
                && line::last_segment(&before.type_name) == line::last_segment(&event.type_name))
    {
        // JAX without its own frames, a pool's worker: the same exception a second time.
        r.chain = Some((number, Link::Repeated));
    }
    let group = line::last_segment(&event.type_name).ends_with("ExceptionGroup");
    let number = r.push(event);
    if group {
        r.groups.push(number);
    }
    if launcher {
        end = super::torchrun::table(r, end, number).unwrap_or(end);
    }
    // The same failure, seen from inside: "Original Traceback", "-- Process 1 terminated with the following error:".
    let spawned = r.errors.get(number).is_some_and(|event| event.type_name.ends_with("ProcessRaisedException"));
    if let Some(inner) = r.next_words(end, 3)
        && repeats(r.text(inner), spawned)
    {
        r.set(inner, Role::Header);
        let start = if line::is_header(r.text(inner)) {
            Some(inner)
        } else {
            r.next_words(inner + 1, 3).filter(|&next| line::is_header(r.text(next)))
        };
        if let Some(start) = start {
            let before = r.errors.len();
            r.chain = None;
            let next = traceback(r, inner, start + 1, start);
            let next = inner_chain(r, next);
            if r.errors.len() > before {
                let innermost = r.errors.len() - 1;
                if let Some(outer) = r.errors.get_mut(number)
                    && outer.follows.is_none()
                {
                    outer.follows = Some((innermost, Link::Repeated));
                }
            }
            return next;
        }
        return inner + 1;
    }
    end
}

/// Follows the chain of an exception that was raised in a worker: the next traceback still runs inside the worker.
fn inner_chain(r: &mut ParserContext<'_>, mut at: usize) -> usize {
    for _ in 0..8 {
        let Some(sentence) = r.next_words(at, 3) else { return at };
        let Some(link) = line::chain(r.text(sentence)) else { return at };
        let Some(header) = r.next_words(sentence + 1, 3).filter(|&next| line::is_header(r.text(next))) else {
            return at;
        };
        let in_worker = (header + 1..header + 4).any(|next| {
            line::frame(r.text(next)).is_some_and(|f| {
                matches!(f.function, "_worker_loop" | "_worker" | "_wrap" | "_process_worker" | "worker")
            })
        });
        if !in_worker {
            return at;
        }
        r.set(sentence, Role::Header);
        r.chain = r.errors.len().checked_sub(1).map(|last| (last, link));
        at = traceback(r, header, header + 1, header);
    }
    at
}

fn repeats(text: &str, spawned: bool) -> bool {
    let words = text.trim();
    words.starts_with("Original Traceback")
        || spawned && words.starts_with("-- Process ") && words.contains("terminated with the following error")
}

/// PyTorch's anomaly mode quotes the forward call: its frames show where, but they are no error.
fn forward_call(r: &mut ParserContext<'_>, at: usize) -> usize {
    let mut position = at + 1;
    let mut frames = 0;
    while position < r.len() {
        let text = r.text(position);
        let words = text.trim();
        if line::frame(text).is_some() {
            r.set(position, Role::Frame);
            frames += 1;
        } else if words.is_empty() || words.starts_with("(Triggered internally") {
            // The quoting ends here, or its own source line follows.
        } else if indent(text) > 0 && !line::is_header(words) {
            r.set(position, Role::Code);
        } else if words.starts_with("(function ") || frames == 0 && position == at + 1 && line::alone(words).is_none() {
        } else {
            break;
        }
        position += 1;
    }
    position
}

/// A warning and the source line that Python prints under it.
fn warning(r: &mut ParserContext<'_>, at: usize) -> usize {
    let next = r.text(at + 1);
    if indent(next) == 2 && line::frame(next).is_none() && r.same_logger(at, at + 1) && !next.trim().is_empty() {
        r.set(at + 1, Role::Code);
        return at + 2;
    }
    at + 1
}
