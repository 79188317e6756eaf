//! The style sheet, the script and the icon, inside the program.

use std::sync::LazyLock;

use crate::fingerprint::Fingerprint;
use crate::render::plot;

/// A file that pages refer to.
pub(super) struct Asset {
    /// `style.css`.
    pub name: &'static str,
    /// Its media type.
    pub media: &'static str,
    /// Its text.
    pub text: LazyLock<String>,
}

/// How pages look.
pub(super) static STYLE: Asset = Asset {
    name: "style.css",
    media: "text/css; charset=utf-8",
    text: LazyLock::new(|| format!("{}\n{}", include_str!("assets/style.css"), plot::style())),
};

/// What pages can do beyond forms and links.
pub(super) static SCRIPT: Asset = Asset {
    name: "page.js",
    media: "text/javascript; charset=utf-8",
    text: LazyLock::new(|| include_str!("assets/page.js").to_owned()),
};

/// Search as people type, and its keys.
pub(super) static SEARCH: Asset = Asset {
    name: "search.js",
    media: "text/javascript; charset=utf-8",
    text: LazyLock::new(|| include_str!("assets/search.js").to_owned()),
};

/// The icon.
pub(super) static ICON: Asset = Asset {
    name: "icon.svg",
    media: "image/svg+xml",
    text: LazyLock::new(|| include_str!("assets/icon.svg").to_owned()),
};

/// What previews of links to a site show, 1200 by 630 pixels; `tests/browser/run --screenshots` makes it.
pub(super) const PREVIEW: (&str, &[u8]) = ("assets/preview.png", include_bytes!("assets/preview.png"));

/// All that pages load.
pub(super) static ALL: [&Asset; 4] = [&STYLE, &SCRIPT, &SEARCH, &ICON];

impl Asset {
    /// Its address below the root, which changes with its content, so that browsers may keep it.
    pub(super) fn address(&self) -> String {
        let mut fingerprint = Fingerprint::new();
        fingerprint.add(self.text.as_bytes());
        let hash: String = fingerprint.hex().chars().take(8).collect();
        format!("assets/{}?{hash}", self.name)
    }
}
