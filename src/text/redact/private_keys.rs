//! Private keys as PEM blocks, whole or cut off at either end, also where every line carries the prefix of a launcher.

use super::tokens::secret;
use super::{Cut, is_placeholder, left_before};

/// Lines of the longest key in use (RSA with 16384 bits), with a margin.
const LONGEST: usize = 260;
/// So many Base64 characters in a row are not a word of a log.
const MATERIAL: usize = 16;
/// The same for the end of a key whose beginning is missing: a full line of it.
const FULL_LINE: usize = 40;

/// Adds the private keys of a text.
pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    let first = cuts.len();
    for (at, _) in text.match_indices("-----BEGIN ") {
        let rest = text.get(at..).unwrap_or_default();
        let Some(length) = label(rest) else { continue };
        let end = block(rest, length);
        if rest.get(length..end).is_some_and(holds_material) {
            cuts.push(key(at..at + end));
        }
    }
    for (at, _) in text.match_indices("-----END ") {
        let rest = text.get(at..).unwrap_or_default();
        let known = cuts.iter().skip(first).any(|cut| cut.range.contains(&at));
        if !known && label(rest).is_some() {
            tail(text.get(..at).unwrap_or_default(), cuts);
        }
    }
}

fn key(range: std::ops::Range<usize>) -> Cut {
    secret(range, "a private key", "REDACTED_PRIVATE_KEY")
}

/// The length of `-----BEGIN ... PRIVATE KEY...-----`, if the text begins with it.
fn label(rest: &str) -> Option<usize> {
    const LONGEST_LABEL: usize = 60;
    let words = rest.trim_start_matches('-');
    let begin = rest.len() - words.len();
    let end = words.find("-----").filter(|end| *end <= LONGEST_LABEL)?;
    words.get(..end)?.contains("PRIVATE KEY").then_some(begin + end + 5)
}

/// Where the key at the start of `rest` ends: after its last line, or where its letters end.
fn block(rest: &str, label: usize) -> usize {
    let most = rest.match_indices('\n').nth(LONGEST).map_or(rest.len(), |(end, _)| end);
    let body = rest.get(label..most).unwrap_or_default();
    let body = body.find("-----BEGIN ").map_or(body, |next| body.get(..next).unwrap_or(body));
    // What an earlier redaction left is no part of a key.
    if let Some(end) = body.find("-----END ").filter(|end| left_before(&body[..*end]).is_empty()) {
        let after = body.get(end + 9..).unwrap_or_default();
        return label + end + 9 + after.find("-----").map_or(0, |dashes| dashes + 5);
    }
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    let mut end = label + first.trim_end().len();
    let mut at = label + first.len() + 1;
    let mut lines = 0;
    for line in rest.split_inclusive('\n') {
        lines += 1;
        let heading = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:"].iter().any(|name| line.contains(name));
        if is_material(last_word(line)) {
            end = at + line.trim_end().len();
        } else if !(heading || lines <= 3 && line.trim().is_empty()) {
            break;
        }
        at += line.len();
    }
    end
}

/// Whether there is more between the labels than a placeholder that an author put there.
fn holds_material(body: &str) -> bool {
    body.split(|c: char| !is_base64(c)).any(is_material)
}

/// Whether a run of base64 characters can be part of a key: long enough, and no path that was redacted already, which
/// may have become long enough by that.
fn is_material(run: &str) -> bool {
    run.len() >= MATERIAL
        && !is_placeholder(run)
        && !["/home/user", "/Users/user"].iter().any(|home| run.contains(home))
}

/// Adds the lines above the end of a key whose beginning is missing.
fn tail(text: &str, cuts: &mut Vec<Cut>) {
    let mut found = Vec::new();
    let mut full = false;
    let mut end = text.rfind('\n').unwrap_or(0);
    while let Some(before) = text.get(..end).filter(|before| !before.is_empty() && found.len() < LONGEST) {
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.get(start..).unwrap_or_default().trim_end();
        let word = last_word(line);
        // The last line of a key may be short.
        if word.len() < if found.is_empty() { 4 } else { FULL_LINE } {
            break;
        }
        full |= word.len() >= FULL_LINE;
        found.push(key(start + line.len() - word.len()..start + line.len()));
        end = start.saturating_sub(1);
    }
    if full {
        cuts.append(&mut found);
    }
}

/// The base64 word at the end of a line; what precedes it is the prefix of a launcher or logger.
fn last_word(line: &str) -> &str {
    let word = line.split_whitespace().next_back().unwrap_or_default();
    if word.chars().all(is_base64) { word } else { "" }
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}
