//! Names that a page prints for people to type, compared with the table of what a machine found (`kb/truth.csv`).
//!
//! Only the book's own pages must have all their names in it: a team's variables and flags are its own. A name that is known
//! not to exist is wrong on any page.

use super::Document;
use super::finding::{Finding, Source};
use crate::book::matter;
use crate::truth::{self, Truth, Verdict};

/// The folder of the book's own pages.
const BOOK: &str = "kb";

/// Checks the names in a page's code.
pub(super) fn check(document: &Document, source: &Source<'_>) -> Vec<Finding> {
    names(document, source, truth::builtin())
}

fn names(document: &Document, source: &Source<'_>, truth: &Truth<'_>) -> Vec<Finding> {
    let own = document.path.rsplit('/').skip(1).take(3).any(|folder| folder == BOOK);
    let body = matter::split(&document.text).body;
    let mut findings = Vec::new();
    for printed in truth::printed(&document.text, body) {
        let Some(name) = document.text.get(printed.range.clone()) else { continue };
        let rows = truth.rows(name);
        if rows.is_empty() && own && truth.covers(printed.kind, name) {
            let message = format!("{name} is not in kb/truth.csv: it has not been looked up");
            let help = "run tests/truth/check.py, which looks it up and adds it";
            findings.push(source.finding(printed.range, "unknown-name", message).help(help));
        } else if let Some(row) = rows.iter().find(|_| rows.iter().all(|row| row.verdict == Verdict::Missing)) {
            let message = format!("{name} does not exist");
            findings.push(source.finding(printed.range, "missing-name", message).help(row.note));
        }
    }
    findings
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    const TABLE: &str = "name,kind,owner,first,last,date,verdict,note\n\
                         NCCL_DEBUG,variable,nvidia-nccl-cu13,2.27.7,2.32.3,2026-11,exists,\n\
                         torch.load,attribute,torch,2.1.2,2.15.0,2026-11,exists,\n\
                         torch.lode,attribute,torch,,,2026-11,does not exist,use torch.load\n";

    fn rules(path: &str, body: &str) -> Vec<(&'static str, u32, String)> {
        let (rows, failed) = truth::source::read(TABLE);
        assert_eq!(failed, []);
        let truth = Truth::of(&rows);
        let document = Document::new(path, format!("---\ntitle: A\n---\n{body}"));
        let source = Source::new(&document.path, &document.text);
        let findings = names(&document, &source, &truth);
        findings.into_iter().map(|f| (f.rule, f.line, f.message.split(' ').next().unwrap().to_owned())).collect()
    }

    #[test]
    fn a_name_without_a_row_is_found_on_pages_of_the_book() {
        let body = "Set `NCCL_DEBUG=INFO`, call `torch.load(f)` or `model.to(d)`.\n```sh\nNCCL_DEBUGG=INFO x\n```\n";
        let found = ("unknown-name", 6, "NCCL_DEBUGG".to_owned());
        assert_eq!(rules("kb/faults/distributed/a.md", body), std::slice::from_ref(&found));
        assert_eq!(rules("/home/a/faultbook/kb/fixes/a.md", body), [found]);
        assert_eq!(rules("team/faults/data/a.md", body), []);
    }

    #[test]
    fn a_name_that_does_not_exist_is_found_on_every_page() {
        assert_eq!(rules("team/faults/data/a.md", "`torch.lode(f)`\n"), [("missing-name", 4, "torch.lode".to_owned())]);
    }
}
