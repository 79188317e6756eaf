//! Mistakes in front matter that parses: empty literals, patterns that do not compile, duplicate causes.
//!
//! YAML's own mistakes are brought into our form here too. A value's place is found by looking for it in the text of
//! the front matter: the decoded values do not carry places, so that `build.rs` can write them away.

use crate::pattern::Pattern;

use super::problem::Problem;
use super::schema::{EvidenceSpec, FrontMatter, SignatureSpec};
use super::sections::Document;

/// The shortest literal that `contains` accepts: shorter ones match everywhere.
const SHORTEST_LITERAL: usize = 6;

/// Checks the front matter of a fault page.
pub(crate) fn fault(matter: &FrontMatter, doc: &Document<'_>, problems: &mut Vec<Problem>) {
    length(doc, problems, &matter.title, 70, "title");
    if matter.signatures.is_empty() && matter.codes.is_empty() && matter.operations.is_empty() {
        let help = "add `signatures:`, `codes:` or, for a silent fault, `operations:`";
        problems.push(at(doc, "", "no-signature", "nothing recognises this page".to_owned(), help));
    }
    signatures(&matter.signatures, doc, problems);
    if matter.causes.is_empty() {
        problems.push(at(doc, "causes", "no-cause", "the page has no cause".to_owned(), "add at least one"));
    }
    for (i, cause) in matter.causes.iter().enumerate() {
        length(doc, problems, &cause.title, 80, "cause's title");
        let earlier = matter.causes.get(..i).unwrap_or_default();
        if earlier.iter().any(|c| c.id == cause.id) {
            let message = format!("the cause {} is listed twice", cause.id);
            problems.push(at(doc, &cause.id, "duplicate-cause", message, "merge the two"));
        }
        if earlier.last().is_some_and(|before| before.prior < cause.prior) {
            let message = format!("{} is more common than the cause before it", cause.id);
            problems.push(at(doc, &format!("id: {}", cause.id), "cause-order", message, "most common first"));
        }
        for evidence in &cause.evidence {
            self::evidence(evidence, doc, problems);
        }
    }
    for affected in &matter.affects {
        if let Err(error) = affected.versions.parse::<pep440_rs::VersionSpecifiers>() {
            let message = format!("\"{}\" is not a PEP 440 range: {error}", affected.versions);
            problems.push(at(doc, &affected.versions, "bad-range", message, "for example \">=2.1,<2.8\""));
        }
    }
    for reference in matter.references.iter().filter(|r| !r.starts_with("https://")) {
        problems.push(at(doc, reference, "bad-reference", format!("{reference} is not an https address"), ""));
    }
    if let Some(day) = matter.reviewed.as_ref().filter(|d| !is_day(d)) {
        problems.push(at(doc, day, "bad-date", format!("\"{day}\" is not a date"), "write YYYY-MM-DD"));
    }
}

/// Checks signatures of a fault page or a notice.
pub(crate) fn signatures(signatures: &[SignatureSpec], doc: &Document<'_>, problems: &mut Vec<Problem>) {
    for signature in signatures {
        if signature.contains.0.is_empty() {
            let help = "`contains` takes one literal or a list of them";
            problems.push(at(doc, "contains", "short-literal", "a signature has no literal".to_owned(), help));
        }
        // A list needs one literal that is long enough to be looked for; the others only narrow it.
        let longest = signature.contains.0.iter().map(|l| l.trim().len()).max().unwrap_or(SHORTEST_LITERAL);
        if longest < SHORTEST_LITERAL {
            let words = signature.contains.0.join("\", \"");
            let message = format!("\"{words}\" is too short to search for");
            problems.push(at(doc, &format!("contains: {words}"), "short-literal", message, "at least 6 characters"));
        }
        for pattern in [&signature.regex, &signature.unless, &signature.near, &signature.without].into_iter().flatten()
        {
            compiles(pattern, doc, problems);
        }
    }
}

fn evidence(evidence: &EvidenceSpec, doc: &Document<'_>, problems: &mut Vec<Problem>) {
    let patterns = [&evidence.text, &evidence.before, &evidence.message, &evidence.frame];
    let given = patterns.iter().filter(|pattern| pattern.is_some()).count() + usize::from(evidence.when.is_some());
    if given != 1 {
        let message =
            format!("the evidence \"{}\" must have exactly one of text, before, message, frame, when", evidence.says);
        problems.push(at(doc, &evidence.says, "evidence-shape", message, ""));
    }
    for pattern in patterns.into_iter().flatten() {
        compiles(pattern, doc, problems);
    }
    if evidence.says.trim().is_empty() {
        problems.push(at(
            doc,
            "says:",
            "evidence-shape",
            "an evidence has an empty `says`".to_owned(),
            "add a short clause",
        ));
    }
}

fn compiles(pattern: &str, doc: &Document<'_>, problems: &mut Vec<Problem>) {
    if let Err(error) = Pattern::check(pattern) {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        let message = format!("the pattern {pattern} does not compile: {reason}");
        problems.push(at(doc, pattern, "bad-pattern", message, "Rust regex: no look-around, no back-references"));
    }
    if let Some((before, _)) = pattern.split_once(char::is_control) {
        let message = format!("the pattern {} has a control character", pattern.escape_debug());
        let help = "in double quotes, YAML reads `\\b` as a backspace: use single quotes";
        problems.push(at(doc, before, "bad-pattern", message, help));
    }
}

fn length(doc: &Document<'_>, problems: &mut Vec<Problem>, words: &str, most: usize, what: &str) {
    let count = words.chars().count();
    if count == 0 || count > most {
        let message = format!("the {what} has {count} characters");
        problems.push(at(doc, &format!("title: {words}"), "title-length", message, &format!("1 to {most}")));
    }
}

fn is_day(day: &str) -> bool {
    let bytes = day.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(i, b)| if i == 4 || i == 7 { *b == b'-' } else { b.is_ascii_digit() })
}

/// A problem at the first place of `needle` in the front matter, or at its beginning. A needle `key: value` is looked
/// for on a line that holds both.
fn at(doc: &Document<'_>, needle: &str, rule: &'static str, message: String, help: &str) -> Problem {
    let start = doc.matter.as_ref().map_or(0, |m| m.range.start);
    let text = doc.matter_text();
    let (key, value) = needle.split_once(": ").filter(|(k, _)| !k.contains(' ')).unwrap_or(("", needle));
    // Quoting may have changed the value; its longest plain piece is still there.
    let piece = value.split(['\\', '\'', '"']).max_by_key(|p| p.len()).unwrap_or_default();
    let mut offset = 0;
    let on_line = text.split_inclusive('\n').find_map(|line| {
        let before = offset;
        offset += line.len();
        let after_key = line.find(key)? + key.len();
        Some(before + after_key + line.get(after_key..)?.find(piece)?)
    });
    let (line, column) = doc.place(start + on_line.or_else(|| text.find(piece)).unwrap_or(0));
    Problem { line, column, rule, message, help: help.to_owned() }
}

/// A mistake of the YAML itself; `first_line` is the line of the file at which the front matter begins.
pub(crate) fn yaml_problem(error: &serde_saphyr::Error, first_line: u32) -> Problem {
    let error = error.without_snippet();
    let (line, column) = match error.location() {
        Some(place) => (u32::try_from(place.line()).unwrap_or(1), u32::try_from(place.column()).unwrap_or(1)),
        None => (1, 1),
    };
    let words = error.to_string();
    // The reader's own place counts from the first key; ours counts from the file's first line.
    let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
    Problem {
        line: (first_line + line).saturating_sub(1).max(1),
        column: column.max(1),
        rule: "front-matter",
        message: words.trim().replace('\n', " "),
        help: String::new(),
    }
}
