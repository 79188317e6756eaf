//! Text inside other text: JSON log records, strings with written-out line breaks, HTML, tracebacks on one line.
//!
//! It refuses to look for more than logs and errors: a configuration in JSON stays as it is. The surprising thing: a
//! quoted line of source code may hold `\n` too, and stays one line, or its words would become evidence.

pub(super) mod flat;
pub(super) mod html;
pub(super) mod json;
pub(super) mod literal;
