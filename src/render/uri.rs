//! Paths as URIs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything except what RFC 3986 calls unreserved, and the slash.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A path with forward slashes, percent-encoded.
pub(crate) fn encode(path: &str) -> String {
    utf8_percent_encode(&path.replace('\\', "/"), ESCAPED).to_string()
}

/// The path of a URI.
pub(crate) fn decode(address: &str) -> String {
    percent_decode_str(address).decode_utf8_lossy().into_owned()
}
