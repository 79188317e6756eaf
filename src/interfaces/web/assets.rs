//! The style sheet, the script and the icon, inside the program.

use crate::fingerprint::Fingerprint;

/// A file that pages refer to.
pub(super) struct Asset {
    /// `style.css`.
    pub name: &'static str,
    /// Its media type.
    pub media: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// How pages look.
pub(super) const STYLE: Asset =
    Asset { name: "style.css", media: "text/css; charset=utf-8", text: include_str!("assets/style.css") };

/// What pages can do beyond forms and links.
pub(super) const SCRIPT: Asset =
    Asset { name: "page.js", media: "text/javascript; charset=utf-8", text: include_str!("assets/page.js") };

/// Search as people type, and its keys.
pub(super) const SEARCH: Asset =
    Asset { name: "search.js", media: "text/javascript; charset=utf-8", text: include_str!("assets/search.js") };

/// The icon.
pub(super) const ICON: Asset =
    Asset { name: "icon.svg", media: "image/svg+xml", text: include_str!("assets/icon.svg") };

/// All of them.
pub(super) const ALL: [&Asset; 4] = [&STYLE, &SCRIPT, &SEARCH, &ICON];

impl Asset {
    /// Its address below the root, which changes with its content, so that browsers may keep it.
    pub(super) fn address(&self) -> String {
        let mut fingerprint = Fingerprint::new();
        fingerprint.add(self.text.as_bytes());
        let hash: String = fingerprint.hex().chars().take(8).collect();
        format!("assets/{}?{hash}", self.name)
    }
}
