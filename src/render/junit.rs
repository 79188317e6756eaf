//! Answers as JUnit XML, for runners that show test reports: one case per text, failed where a failure was found.

use super::Answered;
use super::xml::escape;
use super::{inline, sarif};
use crate::diagnosis::Verdict;

/// All answers as one test suite.
pub fn render(answers: &[Answered<'_>]) -> String {
    let failures = answers.iter().filter(|answered| answered.diagnosis.verdict != Verdict::NoError).count();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{0}\" failures=\"{failures}\">\n  \
         <testsuite name=\"faultbook\" tests=\"{0}\" failures=\"{failures}\" errors=\"0\">\n",
        answers.len()
    );
    for Answered { path, diagnosis } in answers {
        let name = escape(path);
        let (kind, title) = match (diagnosis.verdict, &diagnosis.fault) {
            (Verdict::NoError, _) => {
                out.push_str(&format!("    <testcase classname=\"faultbook\" name=\"{name}\"/>\n"));
                continue;
            }
            (_, Some(fault)) => (fault.id.as_str(), inline::plain(&fault.title)),
            (_, None) => ("unlisted-error", "Not a failure in the book".to_owned()),
        };
        let words = sarif::message(diagnosis, &title);
        out.push_str(&format!(
            "    <testcase classname=\"faultbook\" name=\"{name}\">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    \
             </testcase>\n",
            escape(kind),
            escape(&title),
            escape(&words)
        ));
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}
