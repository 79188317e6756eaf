//! URIs of documents and paths of files. A document that was never saved has no path.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use lsp_types::Uri;

use crate::render::uri::{decode, encode};

/// The path of a URI.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // `file://host/x` is another machine's; `localhost` is this one.
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    if !rest.starts_with('/') {
        return None;
    }
    let path = decode(rest);
    // `/c:/x` on Windows.
    let path = if cfg!(windows) { path.trim_start_matches('/').to_owned() } else { path };
    Some(PathBuf::from(path))
}

/// The URI of a file.
pub(super) fn of(path: &Path) -> Option<Uri> {
    let path = std::path::absolute(path).ok()?;
    let text = path.to_string_lossy();
    let root = if text.starts_with('/') { "file://" } else { "file:///" };
    Uri::from_str(&format!("{root}{}", encode(&text))).ok()
}

/// The last part of a URI.
pub(super) fn file_name(uri: &Uri) -> String {
    decode(uri.as_str().rsplit(['/', ':']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn there_and_back() {
        for name in ["/a/b.log", "/with space/ü #1?.md", "/100%/x"] {
            let uri = of(Path::new(name)).expect("an address");
            assert_eq!(path(&uri).expect("a path"), Path::new(name), "{}", uri.as_str());
        }
        let named = |text: &str| path(&Uri::from_str(text).expect("an address"));
        assert_eq!(named("untitled:Untitled-1"), None);
        assert_eq!(named("file://localhost/x%25"), Some(PathBuf::from("/x%")));
        assert_eq!(named("file://elsewhere/x"), None);
    }
}
