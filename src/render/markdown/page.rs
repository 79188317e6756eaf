//! Builds markdown: blocks, and text escaped for them.

use std::fmt::Write as _;

use crate::render::{clean, inline};

/// A path as a link target: with slashes, and without characters that would end the link or have a meaning in it.
pub fn address(path: &str) -> String {
    let mut out = String::new();
    for c in path.replace('\\', "/").chars() {
        match c {
            '%' | ' ' | '(' | ')' | '<' | '>' | '"' | '|' | '#' | '?' => {
                out.push_str(&format!("%{:02X}", u32::from(c)))
            }
            c => out.push(c),
        }
    }
    out
}

/// Text in one cell of a table.
pub fn cell(words: &str) -> String {
    escape(&clean::line(words)).replace('|', "\\|")
}

/// A sentence of the book, on one line.
pub fn sentence(text: &str) -> String {
    let text = clean::line(&inline::portable(text));
    let mut out = String::with_capacity(text.len());
    let mut in_code = false;
    for c in text.chars() {
        match c {
            '`' => in_code = !in_code,
            '<' if !in_code => {
                out.push_str("&lt;");
                continue;
            }
            '@' if !in_code => {
                out.push_str("@\u{200b}");
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

/// Untrusted text on one line, with all markup escaped.
pub fn escape(text: &str) -> String {
    let text = clean::line(text);
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            // A decorator in a traceback must not notify anybody.
            '@' => out.push_str("@\u{200b}"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Untrusted text as inline code.
pub(super) fn code(text: &str) -> String {
    let text = clean::line(text);
    if text.is_empty() {
        return String::new();
    }
    let marks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{marks}{pad}{text}{pad}{marks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Builds a markdown document; one blank line separates blocks.
#[derive(Default)]
pub(super) struct Page {
    out: String,
}

impl Page {
    pub(super) fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    pub(super) fn heading(&mut self, level: usize, words: &str) {
        self.blank();
        let _ = writeln!(self.out, "{} {words}\n", "#".repeat(level));
    }

    pub(super) fn paragraph(&mut self, words: &str) {
        self.blank();
        let _ = writeln!(self.out, "{}\n", words.trim());
    }

    pub(super) fn item(&mut self, words: &str) {
        let _ = writeln!(self.out, "- {words}");
    }

    pub(super) fn list(&mut self, heading: &str, items: &[String]) {
        if !items.is_empty() {
            self.heading(2, heading);
            items.iter().for_each(|item| self.item(item));
        }
    }

    pub(super) fn table(&mut self, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        self.blank();
        let _ = writeln!(self.out, "| {} |", head.join(" | "));
        let _ = writeln!(self.out, "|{}", " --- |".repeat(head.len()));
        for row in rows {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            let _ = writeln!(self.out, "| {} |", cells.join(" | "));
        }
        self.out.push('\n');
    }

    pub(super) fn fences(&mut self, texts: &[String]) {
        texts.iter().for_each(|text| self.fence("", text));
    }

    /// The fence must be longer than any inside.
    pub(super) fn fence(&mut self, language: &str, text: &str) {
        let lines = clean::lines(text);
        if lines.is_empty() {
            return;
        }
        self.blank();
        let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
        let marks = "`".repeat((longest + 1).max(3));
        let _ = writeln!(self.out, "{marks}{language}\n{}\n{marks}\n", lines.join("\n"));
    }

    pub(super) fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        self.out.push('\n');
        self.out
    }
}
