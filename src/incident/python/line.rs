//! The grammar of single lines of a traceback: exception lines, frames, headers, chain sentences.
//!
//! Total and without regexes. What counts as an exception line depends on its place: any class name under the frames of
//! a traceback, elsewhere only a name that is recognisably an exception's.

use super::super::Link;
use super::super::words::{is_word, parse_uint};
use crate::vendors::{self, CodeForm};

/// A parsed exception line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Raised<'t> {
    /// The dotted type.
    pub(crate) type_name: &'t str,
    /// The rest of the line.
    pub(crate) message: &'t str,
}

/// A parsed frame line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameLine<'t> {
    /// The file as written.
    pub(crate) file: &'t str,
    /// Its line number, 0 when there is none.
    pub(crate) line: u32,
    /// The function, empty when there is none.
    pub(crate) function: &'t str,
}

/// Endings of class names that mark an exception.
const SUFFIXES: &[&str] = &[
    "Error",
    "Exception",
    "Interrupt",
    "Exit",
    "Fault",
    "Fail",
    "Failed",
    "Failure",
    "OutOfMemory",
    "OutOfResources",
    "StopIteration",
    "StopAsyncIteration",
    "Empty",
    "EndOfStream",
    "Timeout",
    "TimeoutExpired",
    "Unsupported",
    "ExceptionGroup",
    "UnfilteredStackTrace",
    "Abort",
    "Cancelled",
    "CancelledError",
    "NotFound",
    "InvalidGraph",
    "NoSuchFile",
    "InvalidProtobuf",
    "InvalidArgument",
    "OutOfRange",
];

/// Built-in exceptions that are often raised without a message.
const BARE: &[&str] = &[
    "AssertionError",
    "KeyboardInterrupt",
    "StopIteration",
    "StopAsyncIteration",
    "NotImplementedError",
    "MemoryError",
    "SystemExit",
    "RecursionError",
    "TimeoutError",
    "EOFError",
    "RuntimeError",
    "GeneratorExit",
    "Exception",
    "ConnectionResetError",
    "BrokenPipeError",
    "ValueError",
    "KeyError",
];

/// Parses a frame line such as `File "x.py", line 3, in f`.
pub(crate) fn frame(text: &str) -> Option<FrameLine<'_>> {
    let rest = text.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once('"')?;
    let rest = rest.trim_start_matches(',').trim_start().strip_prefix("line ")?;
    let (line, rest) = parse_uint(rest)?;
    let rest = rest.trim_start_matches(',').trim_start();
    let function = rest.strip_prefix("in ").unwrap_or("").trim();
    Some(FrameLine { file, line: u32::try_from(line).unwrap_or(0), function })
}

/// Parses an exception line where one is due: under frames, after pytest's `E`.
pub(crate) fn due(text: &str) -> Option<Raised<'_>> {
    let (name, rest) = name(text)?;
    let message = tail(rest)?;
    let last = name.rsplit('.').next().unwrap_or(name);
    let camel = last.starts_with(|c: char| c.is_uppercase() || c == '_') && last.chars().any(char::is_lowercase);
    let lower = name.contains('.') && matches!(last, "error" | "timeout" | "gaierror" | "herror");
    (camel || lower || says_exception(last)).then_some(Raised { type_name: name, message })
}

/// The words of a line that somebody put between quotation marks, without these.
pub(crate) fn unquoted(text: &str) -> &str {
    const MARKS: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('«', '»')];
    MARKS.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close)).unwrap_or(text)
}

/// Parses an exception line outside a traceback: its name must show that it is one.
pub(crate) fn alone(text: &str) -> Option<Raised<'_>> {
    let (name, rest) = name(text)?;
    let message = tail(rest)?;
    let last = last_segment(name);
    if last.ends_with("Warning")
        || matches!(last, "Error" | "Exit" | "Fail" | "Failed" | "Failure" | "Timeout" | "Empty" | "Fault")
            && !name.contains('.')
    {
        return None;
    }
    let dotted = name.contains('.');
    let root = name.split('.').next().unwrap_or(name);
    // A class of a known package is an exception whatever its ending.
    let known = dotted
        && last.starts_with(|c: char| c.is_uppercase())
        && is_camel(last)
        && crate::packages::builtin().by_import(root).is_some();
    let lower = dotted
        && matches!(last, "error" | "timeout")
        && !message.is_empty()
        && matches!(root, "socket" | "struct" | "cv2" | "zlib" | "binascii" | "select");
    let named = says_exception(last) && is_camel(last) && last.starts_with(|c: char| c.is_uppercase() || c == '_');
    let complete = if message.is_empty() { dotted || BARE.contains(&name) || rest.starts_with(':') } else { true };
    ((known || named || lower) && complete).then_some(Raised { type_name: name, message })
}

/// Finds an exception in the middle of a line: `training died: torch.OutOfMemoryError: CUDA out of memory`.
pub(crate) fn within(text: &str) -> Option<Raised<'_>> {
    for (colon, _) in text.match_indices(": ") {
        let head = text.get(..colon)?;
        let start = head.char_indices().rev().take_while(|&(_, c)| is_word(c) || c == '.').last().map(|(at, _)| at);
        let Some(start) = start else { continue };
        if start == 0 {
            continue;
        }
        let before = head.get(..start)?.chars().next_back();
        if before.is_some_and(|c| matches!(c, '"' | '\'' | '(' | '/' | '\\' | '<' | '=' | '-')) {
            continue;
        }
        if let Some(raised) = text.get(start..).and_then(alone)
            && !raised.message.is_empty()
            && raised.type_name.len() > 5
        {
            return Some(raised);
        }
    }
    None
}

/// Whether a line heads a traceback printed by the interpreter or `logging`.
pub(crate) fn is_header(text: &str) -> bool {
    text.contains("Traceback (most recent call last):")
}

/// The chain sentence on a line, if it is one.
pub(crate) fn chain(text: &str) -> Option<Link> {
    let text = text.trim().trim_start_matches(['|', ' ']);
    if text.starts_with("During handling of the above exception") {
        Some(Link::During)
    } else if text.starts_with("The above exception was the direct cause of") {
        Some(Link::Cause)
    } else {
        None
    }
}

/// A dotted name at the beginning, with Ray's `(Inner)` ending, and what follows it.
fn name(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let mut end = text.find(|c: char| !(is_word(c) || c == '.')).unwrap_or(text.len());
    if text.get(end..).is_some_and(|rest| rest.starts_with(".<locals>") || rest.starts_with("<locals>.")) {
        let rest = text.get(end..)?;
        let skip = rest.find('>')? + 1;
        end += skip + rest.get(skip..)?.find(|c: char| !(is_word(c) || c == '.')).unwrap_or(rest.len() - skip);
    }
    let (mut name, mut rest) = text.split_at(end);
    if rest.starts_with('(')
        && let Some(close) = rest.find(')')
        && rest[1..close].chars().all(|c| is_word(c) || c == '.')
        && rest[close + 1..].starts_with(':')
    {
        (name, rest) = text.split_at(end + close + 1);
    }
    (name.len() >= 4 && !name.contains("..") && !name.ends_with('.')).then_some((name, rest))
}

/// The message after the name: after a colon, or nothing at the line's end.
fn tail(rest: &str) -> Option<&str> {
    let rest = rest.trim();
    if rest.is_empty() {
        return Some("");
    }
    let message = rest.strip_prefix(':')?;
    (message.is_empty() || message.starts_with([' ', '\t'])).then(|| message.trim())
}

/// The class name without its module and without Ray's `(Inner)`.
pub(crate) fn last_segment(name: &str) -> &str {
    let name = name.split_once('(').map_or(name, |(head, _)| head);
    name.rsplit('.').next().unwrap_or(name)
}

fn says_exception(last: &str) -> bool {
    let last = last_segment(last);
    SUFFIXES.iter().any(|suffix| last.ends_with(suffix)) || is_code_class(last)
}

/// Whether a class is one that a binding makes of a status code.
fn is_code_class(last: &str) -> bool {
    let mut families = vendors::all().iter().flat_map(|vendor| &vendor.codes.families);
    families.any(|family| family.form == CodeForm::Class && last.starts_with(&family.prefix))
}

fn is_camel(last: &str) -> bool {
    last.chars().any(char::is_lowercase) && last.chars().any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exception_lines_that_stand_alone() {
        let table = [
            ("RuntimeError: FIND was unable", Some(("RuntimeError", "FIND was unable"))),
            ("torch.OutOfMemoryError: CUDA out of memory.", Some(("torch.OutOfMemoryError", "CUDA out of memory."))),
            ("KeyboardInterrupt", Some(("KeyboardInterrupt", ""))),
            ("RuntimeError:", Some(("RuntimeError", ""))),
            ("anyio.EndOfStream", Some(("anyio.EndOfStream", ""))),
            (
                "ray.exceptions.RayTaskError(ValueError): ray::f()",
                Some(("ray.exceptions.RayTaskError(ValueError)", "ray::f()")),
            ),
            ("triton.runtime.errors.OutOfResources: out", Some(("triton.runtime.errors.OutOfResources", "out"))),
            ("UserWarning: mind the gap", None),
            ("ERROR: Cannot install", None),
            ("Error: something", None),
            ("Epoch: 3", None),
            ("on_error: stop", None),
            ("c10::Error: x", None),
            ("the RuntimeError was raised", None),
        ];
        for (text, expected) in table {
            assert_eq!(alone(text).map(|r| (r.type_name, r.message)), expected, "{text}");
        }
    }

    #[test]
    fn exception_lines_under_frames() {
        assert_eq!(due("socket.timeout: timed out").map(|r| r.type_name), Some("socket.timeout"));
        assert_eq!(due("GatedRepo: 403").map(|r| r.type_name), Some("GatedRepo"));
        assert_eq!(due("INFO: hello"), None);
        assert_eq!(due("loss: 0.3"), None);
        assert_eq!(due("return x"), None);
    }

    #[test]
    fn exceptions_inside_prose() {
        let raised = within("died with torch.AcceleratorError: CUDA error: oops");
        assert_eq!(raised.map(|r| (r.type_name, r.message)), Some(("torch.AcceleratorError", "CUDA error: oops")));
        assert_eq!(within("raise RuntimeError(\"x: y\")"), None);
        assert_eq!(within("see errors: none"), None);
    }

    #[test]
    fn frames() {
        let f = frame("  File \"C:\\x\\y.py\", line 12, in <module>");
        assert_eq!(f, Some(FrameLine { file: "C:\\x\\y.py", line: 12, function: "<module>" }));
        assert_eq!(frame("  File \"a.py\", line 7 in run").map(|f| f.function), Some("run"));
        assert_eq!(frame("  File \"a.py\", line 7").map(|f| f.function), Some(""));
        assert_eq!(frame("  File a.py"), None);
    }
}
