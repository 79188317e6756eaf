//! Every rule of the linter in one table: its name, how bad it is, and what it asks for. Names are stable: people write
//! them into exemptions, and SARIF shows them.
//!
//! A rule is named after the problem, never after its fix.

use super::finding::Severity::{self, Error, Info, Warning};

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// `unknown-cause`.
    pub name: &'static str,
    /// How bad a finding is unless it says otherwise.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub description: &'static str,
}

/// The rule of that name.
pub(super) fn find(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

/// How bad a finding of that rule is; unknown rules are errors.
pub(super) fn severity(name: &str) -> Severity {
    find(name).map_or(Error, |rule| rule.severity)
}

const fn rule(name: &'static str, severity: Severity, description: &'static str) -> Rule {
    Rule { name, severity, description }
}

/// All rules, in groups: both kinds of document, pages, what pages do, reports.
pub const RULES: &[Rule] = &[
    rule("front-matter", Error, "The front matter does not match the format."),
    rule("front-matter-open", Error, "The front matter has no closing line."),
    rule("no-front-matter", Error, "The document does not begin with front matter."),
    rule("encoding", Error, "The file is not UTF-8."),
    rule("bad-date", Error, "A date cannot be read."),
    rule("missing-section", Error, "A required section is missing."),
    rule("empty-section", Error, "A section has a heading but no content."),
    rule("dead-link", Error, "A relative link leads nowhere."),
    rule("dead-anchor", Warning, "A link to a heading of this document leads nowhere."),
    rule("secret", Error, "A password, token or private key is in the text."),
    rule("stale-exemption", Warning, "An exemption is no longer needed."),
    rule("bad-exemption", Error, "An exemption names no rule or gives no reason."),
    // Pages.
    rule("bad-name", Error, "A page's file name is not made of lowercase words joined by hyphens."),
    rule("title-length", Error, "A title is empty or too long to be shown."),
    rule("heading-title", Warning, "The first heading differs from the title."),
    rule("no-signature", Error, "Nothing recognizes the page."),
    rule("short-literal", Error, "A signature has no literal that is long enough to search for."),
    rule("bad-pattern", Error, "A regex does not compile, or has a control character."),
    rule("no-cause", Error, "The page has no cause."),
    rule("duplicate-cause", Error, "A cause is listed twice."),
    rule("cause-order", Error, "Causes are not in the order of their priors."),
    rule("unknown-cause", Error, "A cause is not in the closed list kb/causes.csv."),
    rule("cause-not-listed", Error, "A cause has a section but is not in the front matter."),
    rule("cause-without-section", Error, "A cause in the front matter has no section."),
    rule("cause-without-why", Error, "A cause does not say why it happens."),
    rule("cause-without-check", Error, "A cause has no check."),
    rule("cause-without-fix", Error, "A cause has no fix."),
    rule("fix-title", Error, "A fix's first sentence is empty or too long for a title."),
    rule("fix-indent", Error, "A part of a fix is not indented far enough, so that it ends the list of fixes."),
    rule("unknown-recipe", Error, "A linked recipe does not exist."),
    rule("unknown-fault", Error, "A page names a fault that has no page."),
    rule("unknown-section", Warning, "A section is not one of the known sections of a page."),
    rule("unknown-platform", Error, "A fix names a platform that is not in kb/wording/platforms.toml."),
    rule("unknown-package", Error, "A version range is given for a package whose version is not a fact."),
    rule("unknown-fact", Error, "A condition or a sentence uses a fact that does not exist."),
    rule("bad-condition", Error, "A condition cannot be evaluated."),
    rule("bad-sentence", Error, "A sentence with facts in it cannot be filled in."),
    rule("evidence-shape", Error, "A piece of evidence does not have exactly one source, or is empty."),
    rule("bad-range", Error, "A version range is not PEP 440."),
    rule("bad-reference", Error, "A reference is not an https address."),
    rule("empty-body", Error, "A recipe or a notice is empty."),
    rule("empty-example", Error, "The example has no text."),
    rule("duplicate-page", Error, "Two pages have the same id."),
    rule("duplicate-literal", Error, "Two pages have a signature that matches the same lines."),
    rule("unknown-name", Warning, "A page of the book contains a name that is not in kb/truth.csv."),
    rule("missing-name", Error, "A page contains a name that does not exist in any release of its package."),
    rule("explains-each-other", Error, "Two pages each claim to explain the other."),
    // What pages do.
    rule("own-example", Error, "The page's own example is not diagnosed as the page."),
    rule("shadowed-page", Error, "The page's own example is diagnosed as another page."),
    rule("weak-signature", Error, "A signature matches a healthy log."),
    rule("dead-signature", Info, "A signature matches none of the samples."),
    // Reports.
    rule("missing-key", Warning, "The front matter lacks a key that lists and search need."),
    rule("key-spelling", Warning, "A key in the front matter is spelled differently than in the format."),
    rule("duplicate-key", Error, "A key occurs twice in the front matter."),
    rule("unknown-status", Error, "The status is not a known word."),
    rule("status-spelling", Warning, "The status is spelled differently than in the format."),
    rule("unknown-severity", Warning, "The severity is not a known word."),
    rule("missing-id", Warning, "The report has no id."),
    rule("duplicate-id", Error, "Two different reports have the same id."),
    rule("copied-report", Info, "The report is a copy of another one."),
    rule("id-mismatch", Error, "The report gives itself two ids."),
    rule("id-spelling", Warning, "The id is spelled differently than in the format."),
    rule("id-file-name", Error, "The report's id and its file name differ."),
    rule("id-scheme", Warning, "The id does not follow the project's scheme."),
    rule("file-name", Warning, "The file name does not follow the project's pattern."),
    rule("placeholder", Warning, "The template's placeholder text was never replaced."),
    rule("template-left", Warning, "The template is left above the real text."),
    rule("todo", Warning, "Something is marked as still to be written."),
    rule("unknown-report", Warning, "The text refers to a report that does not exist."),
    rule("task-status", Warning, "Task boxes contradict the status."),
    rule("contents", Warning, "The table of contents does not match the headings."),
];

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_readable() {
        for (i, rule) in RULES.iter().enumerate() {
            assert!(rule.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", rule.name);
            assert!(rule.description.ends_with('.'), "{}", rule.name);
            assert!(RULES[..i].iter().all(|other| other.name != rule.name), "{} is listed twice", rule.name);
        }
    }

    /// Rules are string literals where they are raised; each must be in the table, and each row must be used.
    #[test]
    fn the_table_is_what_the_code_raises() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut code = String::new();
        for folder in ["check", "book"] {
            for file in std::fs::read_dir(root.join(folder)).unwrap().flatten() {
                if file.file_name() != "catalogue.rs" && file.path().extension().is_some_and(|e| e == "rs") {
                    code.push_str(&std::fs::read_to_string(file.path()).unwrap());
                }
            }
        }
        for rule in RULES {
            assert!(code.contains(&format!("\"{}\"", rule.name)), "nothing raises {}", rule.name);
        }
        for after in code.split("rule: \"").skip(1) {
            let name = after.split('"').next().unwrap();
            assert!(find(name).is_some(), "{name} is not in the table");
        }
    }
}
