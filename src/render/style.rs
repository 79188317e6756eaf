//! The few styles of the terminal view. Colour only underlines what the words say already.

use anstyle::{AnsiColor, Style};

/// Ordinary words.
pub const PLAIN: Style = Style::new();
/// What the eye should find first, and section heads.
pub const STRONG: Style = Style::new().bold();
/// Sources, ids, places: there for those who look for them.
pub const FAINT: Style = Style::new().dimmed();
/// The title of a fault.
pub const FAULT: Style = AnsiColor::Red.on_default().bold();
/// The title of an error that the book does not hold.
pub const UNLISTED: Style = AnsiColor::Yellow.on_default().bold();
/// The title of a healthy text.
pub const HEALTHY: Style = AnsiColor::Green.on_default().bold();
/// A reason for something.
pub const FOR: Style = AnsiColor::Green.on_default();
/// A reason against something.
pub const AGAINST: Style = AnsiColor::Red.on_default();
/// What can be typed.
pub const COMMAND: Style = AnsiColor::Cyan.on_default();

/// The words in their style, when colour is wanted.
pub fn paint(color: bool, style: Style, words: &str) -> String {
    if !color || words.is_empty() || style == PLAIN {
        return words.to_owned();
    }
    format!("{style}{words}{style:#}")
}
