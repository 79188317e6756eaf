//! What the clipboard holds. A machine without one is told so, with what to do instead.

use super::failure::{Failure, Result};

/// The text in the clipboard.
pub(crate) fn text() -> Result<String> {
    let failed = |says: String| Failure::new(says).hint("paste into `faultbook -` and press Ctrl-D");
    let text = read().map_err(failed)?;
    if text.trim().is_empty() {
        return Err(failed("the clipboard holds no text".to_owned()));
    }
    Ok(text)
}

#[cfg(feature = "clipboard")]
fn read() -> Result<String, String> {
    let said = |error: arboard::Error| format!("the clipboard could not be read: {error}");
    arboard::Clipboard::new().and_then(|mut clipboard| clipboard.get_text()).map_err(said)
}

#[cfg(not(feature = "clipboard"))]
fn read() -> Result<String, String> {
    Err("this build of Faultbook has no clipboard (feature `clipboard`)".to_owned())
}
