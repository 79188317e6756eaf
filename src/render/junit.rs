//! Findings as JUnit XML, for runners that show test reports: one case per input, failed by what was found in it.

use super::finding::{Finding, Findings, Level};
use super::xml::escape;

/// All inputs as one test suite.
pub fn render(findings: &Findings) -> String {
    let cases: Vec<(&String, Vec<&Finding>)> = findings.inputs.iter().map(|path| (path, of(path, findings))).collect();
    let failures = cases.iter().filter(|(_, found)| !found.is_empty()).count();
    let cases: String = cases.iter().map(|(path, found)| case(path, found)).collect();
    let tests = findings.inputs.len();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{tests}\" failures=\"{failures}\">\n  \
         <testsuite name=\"faultbook\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n{cases}  </testsuite>\n\
         </testsuites>\n"
    )
}

/// What fails an input.
fn of<'f>(path: &str, findings: &'f Findings) -> Vec<&'f Finding> {
    findings.found.iter().filter(|finding| finding.place.path == path && finding.level != Level::Note).collect()
}

fn case(path: &str, found: &[&Finding]) -> String {
    let start = format!("    <testcase classname=\"faultbook\" name=\"{}\"", escape(path));
    let Some(first) = found.first() else { return format!("{start}/>\n") };
    let title = first.title.as_ref().unwrap_or(&first.rule);
    let more = if found.len() > 1 { format!(" and {} more", found.len() - 1) } else { String::new() };
    let words: Vec<String> =
        found.iter().map(|finding| format!("line {}: {}", finding.place.span.start.line, finding.message)).collect();
    format!(
        "{start}>\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
        escape(&first.rule),
        escape(&format!("{title}{more}")),
        escape(&words.join("\n\n"))
    )
}
