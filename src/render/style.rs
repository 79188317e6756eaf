//! The styles of the terminal view. Colour only repeats what the text says.

use anstyle::{AnsiColor, Style};

pub(crate) const PLAIN: Style = Style::new();
/// What readers should find first, and headings.
pub(crate) const STRONG: Style = Style::new().bold();
/// Sources, ids, positions: for those who look for them.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// The title of a fault.
pub(crate) const FAULT: Style = AnsiColor::Red.on_default().bold();
/// The title of an error without a page.
pub(crate) const UNLISTED: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const HEALTHY: Style = AnsiColor::Green.on_default().bold();
pub(crate) const FOR: Style = AnsiColor::Green.on_default();
/// What deserves attention.
pub(crate) const NOTABLE: Style = AnsiColor::Yellow.on_default();
pub(crate) const AGAINST: Style = AnsiColor::Red.on_default();
/// Something to type.
pub(crate) const COMMAND: Style = AnsiColor::Cyan.on_default();

/// The text in its style, if colour is enabled.
pub(crate) fn paint(color: bool, style: Style, words: &str) -> String {
    if !color || words.is_empty() || style == PLAIN {
        return words.to_owned();
    }
    format!("{style}{words}{style:#}")
}
