//! Fixed-width lines: wrapping, right alignment, truncation. Wide characters count as two columns.
//!
//! All input is cleaned first ([`super::clean`]), so the width of a text is the sum of the widths of its characters. No
//! line is wider than the page, except for a command that cannot be broken safely.

use anstyle::Style;
use textwrap::core::display_width;
use textwrap::{Options, WordSplitter, WrapAlgorithm};
use unicode_width::UnicodeWidthChar;

use super::style::{PLAIN, paint};
use super::{clean, command};

/// Narrower pages are laid out at this width.
pub(crate) const NARROWEST: usize = 20;

/// Replaces omitted text.
const GAP: &str = " ... ";

/// Text in one style.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    style: Style,
    words: String,
}

/// Styled text, cleaned; leading and trailing spaces stay, because they are layout.
pub(crate) fn piece(style: Style, words: impl AsRef<str>) -> Piece {
    Piece { style, words: clean::spaced(words.as_ref()) }
}

/// Builds a page.
#[derive(Debug)]
pub(crate) struct Sheet {
    width: usize,
    color: bool,
    /// Whether lists are shown with every item.
    pub(crate) in_full: bool,
    /// Whether the shell that is to run the commands continues a line after a backslash.
    pub(crate) breaks_commands: bool,
    out: String,
}

/// A paragraph: what precedes its first line, the text, what is at the right edge.
#[derive(Debug)]
pub(crate) struct Paragraph {
    lead: Vec<Piece>,
    indent: usize,
    words: String,
    style: Style,
    right: Option<Piece>,
    lines: usize,
}

impl Paragraph {
    /// Text in the plain style, without lead or indent.
    pub(crate) fn new(words: impl AsRef<str>) -> Self {
        let words = clean::line(words.as_ref());
        Self { lead: Vec::new(), indent: 0, words, style: PLAIN, right: None, lines: usize::MAX }
    }

    /// Replaces the text.
    pub(crate) fn words(mut self, words: impl AsRef<str>) -> Self {
        self.words = clean::line(words.as_ref());
        self
    }

    /// Puts a piece before the first line; further lines start under its end unless [`Self::indent`] says otherwise.
    pub(crate) fn lead(mut self, style: Style, words: impl AsRef<str>) -> Self {
        self.indent += display_width(words.as_ref());
        self.lead.push(piece(style, words));
        self
    }

    /// The column where lines after the first start.
    pub(crate) fn indent(mut self, columns: usize) -> Self {
        self.indent = columns;
        self
    }

    /// The style of the text.
    pub(crate) fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Puts text at the right edge of the first line; the paragraph keeps clear of that column.
    pub(crate) fn right(mut self, style: Style, words: impl AsRef<str>) -> Self {
        // Spaces inside are layout here.
        let words = clean::lines(words.as_ref()).join(" ");
        self.right = (!words.is_empty()).then(|| piece(style, words));
        self
    }

    /// Truncates the text to that many lines.
    pub(crate) fn at_most(mut self, lines: usize) -> Self {
        self.lines = lines;
        self
    }
}

impl Sheet {
    /// An empty page.
    pub(crate) fn new(width: usize, color: bool) -> Self {
        Self { width: width.max(NARROWEST), color, in_full: false, breaks_commands: true, out: String::new() }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// How many items of a list are shown, of which a short page shows so many.
    pub(crate) fn most(&self, usual: usize) -> usize {
        if self.in_full { usize::MAX } else { usual }
    }

    /// The text so far, without blank lines at its end.
    pub(crate) fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        self.out.push('\n');
        self.out
    }

    /// A blank line, never two in a row and never at the top.
    pub(crate) fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A line of pieces, truncated to the page's width.
    pub(crate) fn line(&mut self, pieces: &[Piece]) {
        let mut room = self.width;
        let start = self.out.len();
        for (at, Piece { style, words }) in pieces.iter().enumerate() {
            let words = if at + 1 == pieces.len() { words.trim_end() } else { words };
            let words = if display_width(words) <= room { words.to_owned() } else { shorten_end(words, room) };
            room = room.saturating_sub(display_width(&words));
            self.out.push_str(&paint(self.color, *style, &words));
        }
        let end = self.out.trim_end_matches(' ').len();
        self.out.truncate(end.max(start));
        self.out.push('\n');
    }

    /// A wrapped paragraph.
    pub(crate) fn paragraph(&mut self, paragraph: &Paragraph) {
        let reserved = paragraph.right.as_ref().map_or(0, |right| display_width(&right.words) + 2);
        let lead: usize = paragraph.lead.iter().map(|piece| display_width(&piece.words)).sum();
        let comfortable = (self.width / 3).min(24);
        if paragraph.indent + comfortable > self.width {
            return self.paragraph_below(paragraph, 2);
        }
        if lead + reserved + comfortable > self.width {
            return self.paragraph_below(paragraph, paragraph.indent);
        }
        self.wrapped(paragraph, lead, reserved);
    }

    /// A paragraph where lead, text and right edge do not fit on one line: first the lead with the right edge.
    fn paragraph_below(&mut self, paragraph: &Paragraph, indent: usize) {
        let right: Vec<Piece> = paragraph.right.iter().cloned().collect();
        if paragraph.lead.iter().all(|piece| piece.words.trim().is_empty()) {
            let below =
                Paragraph { lead: vec![piece(PLAIN, " ".repeat(indent))], right: None, ..self.copy(paragraph, indent) };
            self.wrapped(&below, indent, 0);
            if let Some(right) = &paragraph.right {
                self.at_right_edge(&[], right);
            }
            return;
        }
        match right.first() {
            Some(right) => self.at_right_edge(&paragraph.lead, right),
            None => self.line(&paragraph.lead),
        }
        let below =
            Paragraph { lead: vec![piece(PLAIN, " ".repeat(indent))], right: None, ..self.copy(paragraph, indent) };
        self.wrapped(&below, indent, 0);
    }

    fn copy(&self, paragraph: &Paragraph, indent: usize) -> Paragraph {
        Paragraph {
            lead: Vec::new(),
            indent,
            words: paragraph.words.clone(),
            style: paragraph.style,
            right: None,
            lines: paragraph.lines,
        }
    }

    fn wrapped(&mut self, paragraph: &Paragraph, lead: usize, reserved: usize) {
        let columns = self.width.saturating_sub(reserved).max(paragraph.indent.max(lead) + 1);
        let room = columns - paragraph.indent;
        let words = match paragraph.lines {
            usize::MAX => paragraph.words.clone(),
            lines => shorten_end(&paragraph.words, room * lines),
        };
        let mut lines = wrap(&words, columns, lead, paragraph.indent);
        if lines.len() > paragraph.lines {
            // The ragged margin made it longer than measured.
            let kept = paragraph.lines.saturating_sub(1);
            let last = lines.split_off(kept).join(" ");
            lines.push(shorten_end(&last, if kept == 0 { columns.saturating_sub(lead) } else { room }));
        }
        let mut lines = lines.iter();
        let mut first = paragraph.lead.clone();
        first.push(piece(paragraph.style, lines.next().map_or("", String::as_str)));
        match &paragraph.right {
            Some(right) => self.at_right_edge(&first, right),
            None => self.line(&first),
        }
        for line in lines {
            self.line(&[piece(PLAIN, " ".repeat(paragraph.indent)), piece(paragraph.style, line)]);
        }
    }

    /// A line with something at its right edge.
    pub(crate) fn at_right_edge(&mut self, left: &[Piece], right: &Piece) {
        let used: usize = left.iter().map(|piece| display_width(&piece.words)).sum();
        let wide = display_width(&right.words);
        if used + 1 + wide > self.width && !left.is_empty() {
            self.line(left);
            return self.at_right_edge(&[], right);
        }
        let mut pieces = left.to_vec();
        pieces.push(piece(PLAIN, " ".repeat(self.width.saturating_sub(used + wide))));
        pieces.push(right.clone());
        self.line(&pieces);
    }

    /// A line of a log or of code, unmodified: a terminal wraps it, and copying it gives the complete line.
    pub(crate) fn verbatim(&mut self, line: &str, indent: usize, style: Style) {
        let line = clean::lines(line).join(" ");
        if !line.is_empty() {
            self.out.push_str(&" ".repeat(indent));
            self.out.push_str(&paint(self.color, style, &line));
        }
        self.out.push('\n');
    }

    /// A command or a piece of code, broken only where it stays one command.
    pub(crate) fn command(&mut self, text: &str, indent: usize, style: Style) {
        let columns = if self.breaks_commands { self.width.saturating_sub(indent) } else { usize::MAX };
        for line in clean::lines(text) {
            for part in command::fit(&line, columns) {
                self.out.push_str(&" ".repeat(if part.is_empty() { 0 } else { indent }));
                self.out.push_str(&paint(self.color, style, &part));
                self.out.push('\n');
            }
        }
    }
}

/// Wraps text to lines of `columns`, the first of which starts at `lead`, the others at `indent`.
fn wrap(words: &str, columns: usize, lead: usize, indent: usize) -> Vec<String> {
    let (first, others) = (" ".repeat(lead), " ".repeat(indent));
    let options = Options::new(columns)
        .initial_indent(&first)
        .subsequent_indent(&others)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .break_words(true);
    let lines = textwrap::wrap(words, options);
    let starts = std::iter::once(lead).chain(std::iter::repeat(indent));
    // Indents are ASCII spaces, so columns are bytes there; a line without text has lost its indent.
    lines.iter().zip(starts).map(|(line, start)| line.get(start..).unwrap_or_default().to_owned()).collect()
}

/// The text in at most `columns`, truncated at the end.
pub(crate) fn shorten_end(text: &str, columns: usize) -> String {
    if fits(text, columns) {
        return text.to_owned();
    }
    let mark = GAP.trim_end();
    let Some(room) = columns.checked_sub(mark.len()) else { return ".".repeat(columns) };
    format!("{}{mark}", head(text, room).trim_end())
}

/// The text in at most `columns`, truncated in the middle: error messages have what failed at the start and the details
/// at the end.
pub(crate) fn shorten_middle(text: &str, columns: usize) -> String {
    if fits(text, columns) {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(GAP.len()).filter(|room| *room >= 12) else {
        return shorten_end(text, columns);
    };
    let head = head(text, room - room / 3).trim_end();
    let tail = tail(text, room - display_width(head)).trim_start();
    format!("{head}{GAP}{tail}")
}

/// Whether a text has at most that many columns; stops as soon as it knows.
fn fits(text: &str, columns: usize) -> bool {
    let mut used = 0;
    text.chars().all(|c| {
        used += c.width().unwrap_or(0);
        used <= columns
    })
}

/// How far from the edge a space is searched for, so that words stay whole.
const WORD: usize = 16;

/// The longest prefix of a text that fits, up to the end of a word if one is near.
fn head(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = text
        .char_indices()
        .find(|(_, c)| {
            used += c.width().unwrap_or(0);
            used > columns
        })
        .map_or(text.len(), |(at, _)| at);
    let hard = &text[..end];
    if text[end..].starts_with(' ') {
        return hard;
    }
    match hard.rfind(' ') {
        Some(blank) if blank > 0 && hard[blank..].chars().count() <= WORD => &hard[..blank],
        _ => hard,
    }
}

/// The longest suffix of a text that fits, from the start of a word if one is near.
fn tail(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let start = text
        .char_indices()
        .rev()
        .find(|(_, c)| {
            used += c.width().unwrap_or(0);
            used > columns
        })
        .map_or(0, |(at, c)| at + c.len_utf8());
    let hard = &text[start..];
    if text[..start].ends_with(' ') {
        return hard;
    }
    match hard.find(' ') {
        Some(blank) if hard[..blank].chars().count() <= WORD && blank + 1 < hard.len() => &hard[blank..],
        _ => hard,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_texts_fit_and_keep_words_whole() {
        let text = "RuntimeError: FIND was unable to find an engine to execute this computation";
        assert_eq!(shorten_middle(text, 60), "RuntimeError: FIND was unable to find ... this computation");
        assert_eq!(shorten_end(text, 60), "RuntimeError: FIND was unable to find an engine to ...");
        assert_eq!(shorten_middle(text, 200), text);
        for columns in 0..90 {
            assert!(display_width(&shorten_middle(text, columns)) <= columns);
            assert!(display_width(&shorten_end(text, columns)) <= columns);
        }
    }

    #[test]
    fn wide_characters_count_two() {
        let text = "그래픽 카드의 메모리가 부족하여 작업을 계속할 수 없습니다";
        for columns in 0..70 {
            assert!(display_width(&shorten_middle(text, columns)) <= columns, "{columns}");
            let mut sheet = Sheet::new(columns, false);
            sheet.paragraph(&Paragraph::new(text).lead(PLAIN, "  - ").right(PLAIN, "text"));
            for line in sheet.finish().lines() {
                assert!(display_width(line) <= columns.max(NARROWEST), "{columns}: {line}");
            }
        }
    }

    #[test]
    fn the_right_edge_is_kept_clear() {
        let mut sheet = Sheet::new(40, false);
        let words = "one two three four five six seven eight nine";
        sheet.paragraph(&Paragraph::new(words).lead(PLAIN, "  + ").right(PLAIN, "line 7"));
        let expected = "  + one two three four five six   line 7\n    seven eight nine\n";
        assert_eq!(sheet.finish(), expected);
    }

    #[test]
    fn long_words_are_broken() {
        let mut sheet = Sheet::new(20, false);
        sheet.paragraph(&Paragraph::new("x".repeat(45)).lead(PLAIN, "  "));
        assert_eq!(sheet.finish(), format!("  {0}\n  {0}\n  {1}\n", "x".repeat(18), "x".repeat(9)));
    }

    #[test]
    fn a_lead_too_long_stands_alone() {
        let mut sheet = Sheet::new(30, false);
        sheet.paragraph(
            &Paragraph::new("a few words").lead(PLAIN, "  a-very-long-identifier-here  ").indent(4).right(PLAIN, "0.5"),
        );
        assert_eq!(sheet.finish(), "  a-very-long-identifier-here\n                           0.5\n    a few words\n");
    }
}
