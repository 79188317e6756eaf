//! Borders and gutters: Rich panels, tables and log columns, pytest's `E   `; words cut at a border are joined again.
//!
//! ASCII tables (nvidia-smi) and tree drawings stay. Rich crops source lines but wraps frames and messages, so only
//! rows without source code are joined. It wraps the exception below a panel at the terminal's width, which only the
//! panel shows.

use std::borrow::Cow;
use std::collections::HashMap;

use unicode_width::UnicodeWidthStr;

use super::clean::{Cleaner, Piece};
use super::prefix::header;

/// Whether the text has anything of the kind.
pub(super) fn occur(text: &str) -> bool {
    ["│", "┃", "║", "╭", "┌", "\nE  ", "E   ", "+-"]
        .iter()
        .any(|mark| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some())
}

/// The open panel or line of one writer (rank, pod).
#[derive(Default)]
struct State {
    panel: Option<Panel>,
    /// The last row of the panel that may continue in the next.
    row: Option<Open>,
    /// The line below a panel that may continue, and the panel's width.
    below: Option<(usize, Option<Open>)>,
    /// Indentation after pytest's `E`.
    gutter: Option<usize>,
    /// The last message of Rich's log handler.
    column: Option<usize>,
}

/// An open panel.
#[derive(Clone, Copy)]
struct Panel {
    /// Width of the text inside.
    inner: usize,
    /// Width including its borders.
    outer: usize,
    ascii: bool,
    nested: usize,
    /// It holds a whole log and not a traceback that Rich drew: its rows may have prefixes.
    plain: bool,
}

/// A line that may continue in the next.
#[derive(Clone, Copy)]
struct Open {
    /// Index of the piece that holds its text.
    piece: usize,
    /// Width of its last physical part.
    width: usize,
    /// It ended with a space.
    spaced: bool,
    /// It had no space inside.
    solid: bool,
    /// An earlier part ended with a space, so this text has not lost its trailing spaces.
    proved: bool,
}

/// Removes borders and gutters from all pieces.
pub(super) fn remove(cleaner: &mut Cleaner<'_>) {
    let mut pieces = std::mem::take(&mut cleaner.pieces);
    let mut states: HashMap<(Option<u32>, Option<u32>), State> = HashMap::new();
    for index in 0..pieces.len() {
        let writer = (pieces[index].prefix.rank, pieces[index].prefix.source);
        let state = states.entry(writer).or_default();
        state.step(&mut pieces, index, cleaner);
    }
    cleaner.pieces = pieces;
}

impl State {
    fn step<'t>(&mut self, pieces: &mut [Piece<'t>], index: usize, cleaner: &mut Cleaner<'t>) {
        let text = std::mem::take(&mut pieces[index].text);
        if self.pytest(&text).is_some_and(|shorter| {
            pieces[index].text = Cow::Owned(shorter);
            true
        }) {
            return;
        }
        self.gutter = None;
        if let Some(row) = self.row_of(text.trim()) {
            self.inside(pieces, index, row, cleaner);
            return;
        }
        if let Some(border) = self.border(text.trim()) {
            pieces[index].text = Cow::Owned(border);
            return;
        }
        self.panel = None;
        self.row = None;
        if self.handler(pieces, index, &text) || self.under(pieces, index, &text) {
            return;
        }
        pieces[index].text = text;
    }

    /// The text after pytest's `E   `.
    fn pytest(&mut self, text: &str) -> Option<String> {
        let rest = text.strip_prefix('E')?;
        let spaces = rest.bytes().take_while(|b| *b == b' ').count();
        if rest.trim().is_empty() && (self.gutter.is_some() || spaces >= 3) {
            return Some(String::new());
        }
        if spaces < 3 {
            return None;
        }
        let indentation = *self.gutter.get_or_insert(spaces);
        Some(rest[spaces.min(indentation)..].to_owned())
    }

    /// The text between a row's borders, if the line is a row.
    fn row_of<'a>(&self, line: &'a str) -> Option<&'a str> {
        let border = line
            .chars()
            .next()
            .filter(|c| matches!(c, '│' | '┃' | '║') || (*c == '|' && self.panel.is_some_and(|p| p.ascii)))?;
        let inner = line.strip_prefix(border)?;
        match inner.strip_suffix(border) {
            Some(inner) => Some(inner),
            // Only inside a panel may the right border be missing: it was cut off.
            None => self.panel.map(|_| inner),
        }
    }

    /// Replaces a row by its text.
    fn inside<'t>(&mut self, pieces: &mut [Piece<'t>], index: usize, row: &str, cleaner: &mut Cleaner<'t>) {
        let mut inner = row;
        let mut nested = false;
        for _ in 0..4 {
            let line = inner.trim();
            if let Some(border) = self.border(line) {
                pieces[index].text = Cow::Owned(border);
                self.row = None;
                return;
            }
            let side = line.chars().next().filter(|c| matches!(c, '│' | '┃') && line.len() > c.len_utf8());
            match side.and_then(|c| line.strip_prefix(c)?.strip_suffix(c)) {
                Some(deeper) => {
                    inner = deeper;
                    nested = true;
                }
                None => break,
            }
        }
        let body = inner.strip_prefix(' ').unwrap_or(inner).trim_end();
        let Some(panel) = self.panel else {
            // A row without a panel is a table's or a viewer's (k9s), which shows other programs' prefixes.
            let cut = cleaner.strip_again(body, &mut pieces[index].prefix);
            pieces[index].text = Cow::Owned(body[cut..].to_owned());
            return;
        };
        let last = self.row.take();
        if nested || panel.nested > 0 || body.is_empty() || is_source(body) {
            pieces[index].text = Cow::Owned(body.to_owned());
            return;
        }
        let open = Open { piece: index, width: body.width(), spaced: false, solid: !body.contains(' '), proved: false };
        if let Some(last) = last {
            let first = body.split(' ').next().unwrap_or_default().width();
            let cut = last.solid && last.width >= panel.inner && !body.starts_with("in ");
            let wrapped = last.width <= panel.inner && last.width + 1 + first > panel.inner;
            let above = &pieces[last.piece].text;
            let begins = body.starts_with(' ')
                || body.starts_with("Traceback (most recent call last)")
                || is_underline(above)
                || is_header(body) && above.starts_with(' ');
            if (cut || wrapped) && !begins && !is_frame(above) {
                join(pieces, last.piece, index, body, !cut);
                self.row = Some(Open { piece: last.piece, ..open });
                return;
            }
        }
        let prefix = if panel.plain { cleaner.strip_again(body, &mut pieces[index].prefix) } else { 0 };
        pieces[index].text = Cow::Owned(body[prefix..].to_owned());
        self.row = Some(open);
    }

    /// A border of a panel, shortened to its title.
    fn border(&mut self, line: &str) -> Option<String> {
        let first = line.chars().next()?;
        let last = line.chars().next_back()?;
        let ascii = first == '+';
        let rule = |c: char| {
            matches!(
                c,
                '─' | '━'
                    | '═'
                    | '-'
                    | ' '
                    | '╭'
                    | '╮'
                    | '╰'
                    | '╯'
                    | '┌'
                    | '┐'
                    | '└'
                    | '┘'
                    | '┏'
                    | '┓'
                    | '┗'
                    | '┛'
                    | '╔'
                    | '╗'
                    | '╚'
                    | '╝'
                    | '+'
            )
        };
        if ascii && (last != '+' || line.len() < 20) {
            return None;
        }
        let title = line.trim_matches(rule);
        // A table's borders have crossings; they stay.
        if title.contains(['┬', '┴', '┳', '┻', '╇', '┼', '+']) || title.len() > 200 {
            return None;
        }
        let outer = line.width();
        match (first, last) {
            ('╭' | '┌' | '┏' | '╔', '╮' | '┐' | '┓' | '╗') => {}
            ('╰' | '└' | '┗' | '╚', '╯' | '┘' | '┛' | '╝') => {
                self.close(outer);
                return Some("╰─╯".to_owned());
            }
            ('+', '+') if title.contains("Traceback (most recent call last)") => {}
            ('+', '+') if self.panel.is_some_and(|panel| panel.ascii) && title.is_empty() => {
                self.close(outer);
                return Some("╰─╯".to_owned());
            }
            _ => return None,
        }
        self.below = None;
        match &mut self.panel {
            Some(panel) => panel.nested += 1,
            None => {
                let (inner, plain) = (outer.saturating_sub(4), !title.contains("Traceback"));
                self.panel = Some(Panel { inner, outer, ascii, nested: 0, plain });
            }
        }
        self.row = None;
        Some(if title.is_empty() { "╭─╮".to_owned() } else { format!("╭─ {title} ─╮") })
    }

    fn close(&mut self, outer: usize) {
        self.row = None;
        match &mut self.panel {
            Some(panel) if panel.nested > 0 => panel.nested -= 1,
            panel => {
                self.below = Some((panel.map_or(outer, |panel| panel.outer), None));
                *panel = None;
            }
        }
    }

    /// The wrapped line below a panel.
    fn under(&mut self, pieces: &mut [Piece<'_>], index: usize, text: &str) -> bool {
        let Some((outer, open)) = self.below else { return false };
        let body = text.trim_end();
        if body.is_empty() {
            self.below = None;
            return false;
        }
        let mine = Open {
            piece: index,
            width: body.width(),
            spaced: text.len() > body.len(),
            solid: !body.contains(' '),
            proved: false,
        };
        let Some(open) = open else {
            self.below = Some((outer, Some(mine)));
            return false;
        };
        let first = body.split(' ').next().unwrap_or_default();
        let full = open.width + 1 + first.width() > outer;
        let begins = body.starts_with(['[', '{', '(', '/', ' ', '\t', '╭', '<', '*', '-'])
            || first.ends_with(':')
            || body.starts_with("Traceback")
            || body.starts_with("During handling")
            || body.starts_with("The above")
            || header::level(first).is_some();
        let cut = open.solid && open.width == outer;
        // Rich leaves the space at which it wrapped; a paste may have lost it, but then everywhere.
        let lost = !open.spaced
            && !open.proved
            && open.width <= outer
            && !begins
            && !pieces[open.piece].text.ends_with(['.', '!', '?']);
        if cut || full && (open.spaced || lost) {
            join(pieces, open.piece, index, body, !cut);
            let proved = open.proved || open.spaced;
            self.below = Some((outer, Some(Open { piece: open.piece, proved, ..mine })));
            return true;
        }
        self.below = None;
        false
    }

    /// Rich's log handler: its right-hand column and its wrapped messages.
    fn handler(&mut self, pieces: &mut [Piece<'_>], index: usize, text: &str) -> bool {
        /// The widths of `[11/21/26 02:46:51]` and of `INFO     `.
        const STAMP: usize = 20;
        const LEVEL: usize = 9;
        if pieces[index].columns {
            self.column = Some(index);
            pieces[index].text = Cow::Owned(without_place(text).to_owned());
            return true;
        }
        let Some(last) = self.column else { return false };
        let spaces = text.bytes().take_while(|b| *b == b' ').count();
        let body = text.trim();
        // Rich omits the time stamp of a second record within the same second.
        if spaces == STAMP
            && let Some(found) = body.split(' ').next().and_then(header::level)
            && let Some(rest) = text.get(STAMP + LEVEL..)
        {
            pieces[index].prefix.level = Some(found);
            pieces[index].prefix.time = pieces[last].prefix.time;
            pieces[index].text = Cow::Owned(without_place(rest).to_owned());
            self.column = Some(index);
            return true;
        }
        if spaces == STAMP + LEVEL && !body.is_empty() {
            join(pieces, last, index, body, true);
            return true;
        }
        self.column = None;
        false
    }
}

/// A message without the source location in the right-hand column.
fn without_place(text: &str) -> &str {
    let body = text.trim_end();
    match body.rsplit_once("  ") {
        Some((message, place)) if header::is_place(place.trim()) => message.trim_end(),
        _ => body,
    }
}

/// Whether a row of a traceback panel shows source code: a number with or without the arrow.
fn is_source(body: &str) -> bool {
    let rest = body.trim_start_matches(['❱', '>', ' ']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && rest.len() < body.len() && rest[digits..].chars().next().is_none_or(|c| matches!(c, ' ' | '│' | '|'))
}

/// Whether a row marks a part of the source line above it.
fn is_underline(body: &str) -> bool {
    let marks = body.trim();
    !marks.is_empty() && marks.bytes().all(|byte| matches!(byte, b'^' | b'~'))
}

/// Whether a row begins as the last line of a traceback does: `RuntimeError: ...`, `torch.cuda.OutOfMemoryError: ...`.
fn is_header(body: &str) -> bool {
    body.split(' ').next().and_then(|word| word.strip_suffix(':')).is_some_and(|name| {
        name.rsplit('.').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_uppercase()))
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'))
    })
}

/// Whether a row is a complete frame: `/path/file.py:12 in load`.
fn is_frame(body: &str) -> bool {
    body.rsplit_once(" in ").is_some_and(|(place, name)| {
        !name.trim().is_empty()
            && place
                .rsplit_once(':')
                .is_some_and(|(_, line)| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// Appends the text of one piece to an earlier one.
fn join(pieces: &mut [Piece<'_>], into: usize, from: usize, text: &str, space: bool) {
    let end = pieces[from].at.end;
    pieces[from].gone = true;
    let target = &mut pieces[into];
    target.at.end = target.at.end.max(end);
    if target.text.len() > (1 << 20) {
        return;
    }
    let words = target.text.to_mut();
    let kept = words.trim_end().len();
    words.truncate(kept);
    if space {
        words.push(' ');
    }
    words.push_str(text);
}

#[cfg(test)]
mod tests;
