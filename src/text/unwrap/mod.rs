//! Text inside other text: JSON log records, strings with written-out line breaks, HTML, tracebacks on one line.
//!
//! Only logs and errors are unwrapped: a configuration in JSON stays as it is, and so does a quoted line of source code
//! with `\n` in it, or its words would become evidence.

pub(super) mod flat;
pub(super) mod html;
pub(super) mod json;
pub(super) mod literal;
