//! Device-side assertions: `x.cu:366: fn: block: [3,0,0], thread: [1,0,0] Assertion `expr` failed.`
//!
//! Every thread prints its own copy of a failed assertion, hundreds in all; together they are one error. Assertions of
//! host code are left to `native`.

use super::context::ParserContext;
use super::words::{after, parse_uint};
use super::{ErrorEvent, Frame, Kind, Role};

/// Reads a failed device-side assertion; returns the position after it.
pub(super) fn read(r: &mut ParserContext<'_>, at: usize) -> Option<usize> {
    let found = Assertion::of(r.text(at))?;
    r.set(at, Role::Error);
    let message = found.message();
    let end = r.index(at) + 1;
    let same =
        |old: &ErrorEvent| old.kind == Kind::DeviceAssert && old.type_name == found.file && old.message == message;
    match r.latest(same) {
        Some(old) => {
            if old.lines.end + 64 > end {
                old.lines.end = end;
            }
        }
        None => {
            let mut event = r.event(Kind::DeviceAssert, found.file, &message, at);
            event.frames = vec![Frame {
                file: found.file.to_owned(),
                line: found.line,
                function: found.function.to_owned(),
                at: r.index(at),
            }];
            let line = r.number(at);
            r.facts.words_in_text("assert.expression", found.expression, line);
            r.facts.words_in_text("assert.file", found.file, line);
            r.push(event);
        }
    }
    Some(at + 1)
}

/// `x.cu:366: fn: block: [3,0,0], thread: [1,0,0] Assertion `expr` failed.`
#[derive(Debug, PartialEq, Eq)]
struct Assertion<'t> {
    file: &'t str,
    line: u32,
    function: &'t str,
    expression: &'t str,
}

impl<'t> Assertion<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let block = text.find("block: [")?;
        let (head, tail) = (text.get(..block)?, text.get(block..)?);
        tail.contains("thread: [").then_some(())?;
        let claim = after(tail, "Assertion ")?;
        let expression =
            claim.split_once(" failed").map_or(claim, |(inner, _)| inner).trim().trim_matches(['`', '\'', '"']);
        // The path may hold a drive letter and the function colons: the line number is the first number between colons.
        let mut from = 0;
        while let Some(colon) = head.get(from..)?.find(':').map(|at| at + from) {
            let rest = head.get(colon + 1..)?;
            if let Some((line, after_line)) = parse_uint(rest)
                && !rest.starts_with(' ')
                && after_line.starts_with(':')
            {
                let file = head.get(..colon)?.trim().rsplit([' ']).next().unwrap_or("");
                let function = after_line.trim_matches([':', ' ', ',']);
                return Some(Assertion { file, line: u32::try_from(line).unwrap_or(0), function, expression });
            }
            from = colon + 1;
        }
        Some(Assertion { file: "", line: 0, function: "", expression })
    }

    fn message(&self) -> String {
        format!("Assertion `{}` failed", self.expression)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions() {
        let found = Assertion::of(
            "/p/aten/Indexing.cu:1290: indexSelectLargeIndex: block: [3,0,0], thread: [96,0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
        );
        assert_eq!(
            found,
            Some(Assertion {
                file: "/p/aten/Indexing.cu",
                line: 1290,
                function: "indexSelectLargeIndex",
                expression: "srcIndex < srcSelectDimSize"
            })
        );
        let found = Assertion::of(
            "C:\\cb\\x\\Loss.cu:240: nll_loss: block: [0,0,0], thread: [1,0,0] Assertion `t >= 0 && t < n_classes` failed.",
        );
        assert_eq!(found.map(|f| (f.line, f.file)), Some((240, "C:\\cb\\x\\Loss.cu")));
        assert_eq!(Assertion::of("x.cpp:3: f: Assertion `a' failed."), None);
    }
}
