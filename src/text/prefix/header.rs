//! The rest of a log header, after its time stamp or level: separators, logger, level, source location.
//!
//! A word counts as a logger's name only once a level proves that this is a log header, and an exception's name never
//! does. Padding after a level is distinguished from the message's own indentation by the column where it ends, because
//! the lines of a traceback must keep theirs.

use super::super::Level;
use super::time::Form;

/// What a header contains besides its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tail<'a> {
    /// The message.
    pub(crate) rest: &'a str,
    pub(crate) level: Option<Level>,
    /// The rank.
    pub(crate) rank: Option<u32>,
}

/// How fields are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Nothing,
    Space,
    Dash,
    Pipe,
    Colon,
    Arrow,
}

/// A level word, in capitals.
pub(crate) fn level(word: &str) -> Option<Level> {
    Some(match word {
        "DEBUG" | "TRACE" | "VERBOSE" | "DBG" => Level::Debug,
        "INFO" | "NOTICE" | "SUCCESS" | "INF" => Level::Info,
        "WARNING" | "WARN" | "WRN" => Level::Warning,
        "ERROR" | "ERR" | "SEVERE" | "EXCEPTION" => Level::Error,
        "CRITICAL" | "CRIT" | "FATAL" | "ALERT" | "EMERG" | "PANIC" => Level::Fatal,
        _ => return None,
    })
}

/// A level word in any case: inside brackets and quotes, where it cannot be an ordinary word.
pub(crate) fn any_level(word: &str) -> Option<Level> {
    if word.len() > 9 {
        return None;
    }
    level(&word.to_ascii_uppercase())
}

/// The one-letter levels of glog and similar loggers.
pub(crate) fn letter(byte: u8) -> Option<Level> {
    Some(match byte {
        b'D' | b'V' => Level::Debug,
        b'I' => Level::Info,
        b'W' => Level::Warning,
        b'E' => Level::Error,
        b'F' | b'C' => Level::Fatal,
        _ => return None,
    })
}

/// Reads the header fields at the head of `text`, which follows a time stamp (or a level, if given).
pub(crate) fn tail(text: &str, form: Form, known: Option<Level>) -> Tail<'_> {
    if let Some(tail) = tensorflow(text) {
        return tail;
    }
    // After a level before the time stamp (vLLM), a source location may follow, but no second level.
    let mut tail = Tail { rest: after(text, known.is_some()), level: known, rank: None };
    let mut cursor = text;
    for _ in 0..6 {
        let (between, body) = separator(cursor);
        if between == Between::Nothing && !body.starts_with(['[', '{']) {
            break;
        }
        let Some(field) = field(body) else {
            // ONNX Runtime's bracket names the library, so it stays: `[E:onnxruntime:Default, cuda_call.cc:118 Call] `.
            if let [b'[', byte, b':', b'o', b'n', b'n', ..] = body.as_bytes() {
                tail.level = tail.level.or(letter(*byte));
            }
            break;
        };
        let next = &body[field.length..];
        let follows = separator(next).0;
        match field.kind {
            Kind::Level(found, colon) => {
                if tail.level.is_some() {
                    break;
                }
                // After a platform's time stamp the rest is the program's own line: "ERROR: ..." belongs to it.
                if colon && (form == Form::Platform || next.starts_with(":  ")) {
                    tail.level = Some(found);
                    break;
                }
                tail.level = Some(found);
                tail.rest = padded(next, &body[..field.length]);
                if form == Form::Platform && between == Between::Space {
                    tail.rest = rust_target(tail.rest);
                }
            }
            // Without a level it may be part of the message: pytest's `module.py:12: in to`.
            Kind::Place if tail.level.is_some() => tail.rest = after(next, true),
            Kind::Place => {}
            Kind::Rank(rank) => {
                tail.rank = Some(rank);
                tail.rest = after(next, false);
            }
            // A process id after the level; a small or bare number belongs to the message: "INFO 3 GPUs found".
            Kind::Number { bracket } if tail.level.is_some() => {
                if !(bracket && field.length >= 5 || next.starts_with(" --- ")) {
                    break;
                }
                tail.rest = after(next, false);
            }
            // Before a level it is tentative like a name.
            Kind::Number { bracket } if bracket || next.starts_with(" [") => {}
            Kind::Name { bracket, error } => {
                let divided = matches!(follows, Between::Dash | Between::Pipe);
                if tail.level.is_some() {
                    let same = divided && matches!(between, Between::Dash | Between::Pipe) && !error && !bracket;
                    if !same {
                        break;
                    }
                    tail.rest = after(next, true);
                } else {
                    // Only tentative: it counts when a level follows.
                    let telling = bracket
                        || divided
                        || body[..field.length].contains(['.', '_', ':', '/'])
                        || names_before_level(&body[..field.length], next);
                    if !telling || error {
                        break;
                    }
                }
            }
            Kind::Number { .. } => break,
        }
        cursor = next;
    }
    tail
}

/// Whether a plain word is a logger's name: in lower case, with a level in capitals right after it, as in
/// `%(asctime)s %(name)s %(levelname)s %(message)s`.
fn names_before_level(name: &str, next: &str) -> bool {
    name.starts_with(|c: char| c.is_lowercase() || c == '_')
        && next.split_whitespace().next().is_some_and(|word| level(word.trim_end_matches(':')).is_some())
}

/// `: E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:407] `.
fn tensorflow(text: &str) -> Option<Tail<'_>> {
    let body = text.strip_prefix(": ")?;
    let found = letter(*body.as_bytes().first()?)?;
    let place = body.get(1..)?.strip_prefix(' ')?;
    let end = place_end(place)?;
    Some(Tail { rest: one_space(place.get(end..)?), level: Some(found), rank: None })
}

/// Where `path/file.cc:407]` ends, including the bracket.
pub(crate) fn place_end(text: &str) -> Option<usize> {
    let head = text.as_bytes().get(..text.len().min(300))?;
    let end = memchr::memchr(b']', head)?;
    let place = text.get(..end)?;
    is_place(place).then_some(end + 1)
}

/// Whether a word is a source location: `file.py:12`, `launch.py:315:sigkill_handler`, `mod.sub:fn:12`.
pub(crate) fn is_place(word: &str) -> bool {
    if word.len() > 250 || word.contains([' ', '"', '(', ')', ',']) {
        return false;
    }
    let mut parts = word.split(':');
    let (Some(first), Some(mut second)) = (parts.next(), parts.next()) else { return false };
    let third = parts.next();
    // A drive letter in front.
    let mut name = first;
    let mut more = third;
    if first.len() == 1 && (second.starts_with(['\\', '/'])) {
        let Some(line) = third else { return false };
        name = second;
        second = line;
        more = parts.next();
    }
    let is_line = |text: &str| !text.is_empty() && text.len() <= 7 && text.bytes().all(|b| b.is_ascii_digit());
    let is_name = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '\\' | '-' | '<' | '>'))
    };
    is_name(name)
        && name.contains(|c: char| c.is_alphabetic())
        && match more {
            None => is_line(second),
            Some(more) => (is_line(second) && is_name(more)) || (is_name(second) && is_line(more)),
        }
}

/// What a header field contains.
enum Kind {
    /// A level, and whether a colon followed it.
    Level(Level, bool),
    Place,
    Rank(u32),
    Number {
        bracket: bool,
    },
    Name {
        bracket: bool,
        error: bool,
    },
}

/// One field at the head of a text.
struct Field {
    kind: Kind,
    length: usize,
}

/// Reads one field.
fn field(text: &str) -> Option<Field> {
    let bytes = text.as_bytes();
    let close = match bytes.first()? {
        b'[' => b']',
        b'{' => b'}',
        b'(' => b')',
        _ => return word(text),
    };
    let end = memchr::memchr(close, bytes.get(..bytes.len().min(160))?)?;
    let inside = text.get(1..end)?.trim();
    let kind = if close == b'}' {
        is_place(inside).then_some(Kind::Place)?
    } else if let Some(level) = any_level(inside) {
        Kind::Level(level, false)
    } else if is_place(inside) {
        Kind::Place
    } else if !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit() || b == b'/') {
        Kind::Number { bracket: true }
    } else if let Some(rank) =
        inside.strip_prefix("rank").and_then(|n| n.trim_start_matches([' ', ':', '=']).parse().ok())
    {
        Kind::Rank(rank)
    } else if is_logger(inside) {
        Kind::Name { bracket: true, error: false }
    } else {
        return None;
    };
    // A level in brackets may be followed by a colon: `[WARNING]: `.
    Some(Field { kind, length: end + 1 })
}

/// Reads one field without brackets.
fn word(text: &str) -> Option<Field> {
    let head = &text.as_bytes()[..text.len().min(200)];
    let end = head.iter().position(|b| matches!(b, b' ' | b'\t' | b'|')).unwrap_or(head.len());
    let whole = text.get(..end)?;
    let bare = whole.trim_end_matches(':');
    if let Some(found) = level(bare) {
        return Some(Field { kind: Kind::Level(found, bare.len() < whole.len()), length: bare.len() });
    }
    if let Some(place) = whole.strip_suffix(']').filter(|place| is_place(place)) {
        return Some(Field { kind: Kind::Place, length: place.len() + 1 });
    }
    if is_place(bare) {
        let rest = &text[bare.len()..];
        let ended =
            [" - ", " -- ", ": ", " | ", " >> ", " > "].iter().any(|mark| rest.starts_with(mark)) || rest.is_empty();
        if ended {
            return Some(Field { kind: Kind::Place, length: bare.len() });
        }
    }
    if !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_digit()) && bare.len() <= 8 {
        return Some(Field { kind: Kind::Number { bracket: false }, length: bare.len() });
    }
    if is_logger(bare) {
        let error = ["Error", "Exception", "Warning", "Interrupt", "Exit"].iter().any(|end| bare.ends_with(end));
        return Some(Field { kind: Kind::Name { bracket: false, error }, length: bare.len() });
    }
    None
}

/// Whether a word can name a logger, a thread or a process.
fn is_logger(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= 80
        && word.contains(|c: char| c.is_alphabetic())
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':' | '/' | '<' | '>' | '@'))
}

/// Reads a separator: its kind and what follows.
fn separator(text: &str) -> (Between, &str) {
    let trimmed = text.trim_start_matches([' ', '\t']);
    let spaced = trimmed.len() < text.len();
    for (mark, between) in [
        ("| ", Between::Pipe),
        ("- ", Between::Dash),
        ("-- ", Between::Dash),
        (">> ", Between::Arrow),
        (": ", Between::Colon),
    ] {
        if let Some(body) = trimmed.strip_prefix(mark)
            && (spaced || between == Between::Colon || between == Between::Pipe)
        {
            return (between, body.trim_start_matches(' '));
        }
    }
    if let Some(body) = trimmed.strip_prefix(':').filter(|body| body.starts_with('[')) {
        return (Between::Colon, body);
    }
    (if spaced { Between::Space } else { Between::Nothing }, trimmed)
}

/// The message after the last field: its separator is dropped, its indentation stays.
fn after(text: &str, marks: bool) -> &str {
    if marks {
        for mark in [" - ", " | ", " -- ", " >> ", ": ", "] ", " : "] {
            if let Some(rest) = text.strip_prefix(mark) {
                return rest;
            }
        }
        if matches!(text, " -" | " |" | " >>" | ":") {
            return "";
        }
    } else {
        for mark in [" - ", " | ", " >> ", ": "] {
            if let Some(rest) = text.strip_prefix(mark) {
                return rest;
            }
        }
    }
    one_space(text)
}

/// The message after a level: padding up to the ninth column is dropped.
fn padded<'a>(next: &'a str, level: &str) -> &'a str {
    let spaces = next.bytes().take_while(|b| *b == b' ').count();
    let body = &next[spaces..];
    if let Some(rest) = ["| ", "- ", "-- ", ">> ", ": "].iter().find_map(|mark| body.strip_prefix(*mark)) {
        return rest;
    }
    if spaces > 1 && level.len() + spaces == 9 {
        return body;
    }
    after(next, true)
}

/// Drops the module a Rust logger names: `text_generation_launcher: `, `shard{rank=0}:gpu_worker: `.
fn rust_target(text: &str) -> &str {
    let Some(end) = memchr::memmem::find(text.as_bytes().get(..text.len().min(160)).unwrap_or_default(), b": ") else {
        return text;
    };
    let target = &text.as_bytes()[..end];
    let plain = target
        .iter()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b':' | b'-' | b'{' | b'}' | b'='));
    let telling = target.contains(&b'_') || target.windows(2).any(|pair| pair == b"::") || target.contains(&b'{');
    if plain && telling { &text[end + 2..] } else { text }
}

/// Drops one space.
pub(crate) fn one_space(text: &str) -> &str {
    text.strip_prefix([' ', '\t']).unwrap_or(text)
}

#[cfg(test)]
mod tests;
