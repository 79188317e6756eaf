//! What a section of a report is for, told from its heading. English and Korean; headings vary without end, so words
//! inside a heading count too, the more telling ones first.

use super::super::sections::{Document, Section};

/// What a section is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    BugId,
    Summary,
    Environment,
    Reproduce,
    Expected,
    Actual,
    Logs,
    RootCause,
    Investigation,
    Hypotheses,
    Solutions,
    Workarounds,
    Implementation,
    Examples,
    Benefits,
    TradeOffs,
    Tests,
    NextSteps,
    Prevention,
    DeadEnds,
    Impact,
    Severity,
    Status,
    Date,
    Tags,
    Related,
    Other,
}

impl Role {
    /// Whether ways out stand here.
    pub(super) fn is_way_out(self) -> bool {
        matches!(self, Role::Solutions | Role::Workarounds | Role::Implementation | Role::Examples)
    }
}

/// How a phrase must stand in a heading.
#[derive(Clone, Copy)]
enum At {
    /// It is the whole heading.
    Whole,
    /// The heading begins or ends with it, at a word's border.
    Edge,
    /// Anywhere in the heading.
    Inside,
}

use At::{Edge, Inside, Whole};

/// Phrases in the order in which they are tried.
const PHRASES: &[(At, &str, Role)] = &[
    (Whole, "id", Role::BugId),
    (Edge, "bug id", Role::BugId),
    (Edge, "issue id", Role::BugId),
    (Whole, "버그 id", Role::BugId),
    (Whole, "버그 번호", Role::BugId),
    (Whole, "severity", Role::Severity),
    (Whole, "priority", Role::Severity),
    (Whole, "심각도", Role::Severity),
    (Whole, "우선순위", Role::Severity),
    (Whole, "status", Role::Status),
    (Whole, "current status", Role::Status),
    (Whole, "상태", Role::Status),
    (Whole, "date", Role::Date),
    (Whole, "날짜", Role::Date),
    (Whole, "tags", Role::Tags),
    (Whole, "labels", Role::Tags),
    (Edge, "trade offs", Role::TradeOffs),
    (Edge, "trade off", Role::TradeOffs),
    (Edge, "tradeoffs", Role::TradeOffs),
    (Edge, "cons", Role::TradeOffs),
    (Edge, "drawbacks", Role::TradeOffs),
    (Edge, "disadvantages", Role::TradeOffs),
    (Edge, "downsides", Role::TradeOffs),
    (Edge, "limitations", Role::TradeOffs),
    (Whole, "단점", Role::TradeOffs),
    (Whole, "주의 사항", Role::TradeOffs),
    (Edge, "benefits", Role::Benefits),
    (Edge, "benefit", Role::Benefits),
    (Edge, "pros", Role::Benefits),
    (Edge, "advantages", Role::Benefits),
    (Whole, "장점", Role::Benefits),
    (Edge, "dead end", Role::DeadEnds),
    (Edge, "dead ends", Role::DeadEnds),
    (Inside, "ruled out", Role::DeadEnds),
    (Inside, "not the cause", Role::DeadEnds),
    (Inside, "did not work", Role::DeadEnds),
    (Inside, "didn't work", Role::DeadEnds),
    (Inside, "did not help", Role::DeadEnds),
    (Inside, "didn't help", Role::DeadEnds),
    (Inside, "does not help", Role::DeadEnds),
    (Inside, "failed attempts", Role::DeadEnds),
    (Inside, "attempted fixes", Role::DeadEnds),
    (Inside, "attempted solutions", Role::DeadEnds),
    (Inside, "시도한", Role::DeadEnds),
    (Edge, "related", Role::Related),
    (Edge, "references", Role::Related),
    (Edge, "see also", Role::Related),
    (Edge, "관련", Role::Related),
    (Edge, "참고", Role::Related),
    (Edge, "comparison", Role::Other),
    (Edge, "workarounds", Role::Workarounds),
    (Edge, "workaround", Role::Workarounds),
    (Inside, "root cause", Role::RootCause),
    (Inside, "근본 원인", Role::RootCause),
    (Edge, "hypotheses", Role::Hypotheses),
    (Edge, "hypothesis", Role::Hypotheses),
    (Inside, "possible cause", Role::Hypotheses),
    (Inside, "potential cause", Role::Hypotheses),
    (Inside, "suspected cause", Role::Hypotheses),
    (Inside, "likely cause", Role::Hypotheses),
    (Inside, "가설", Role::Hypotheses),
    (Inside, "추정 원인", Role::Hypotheses),
    (Inside, "workaround", Role::Workarounds),
    (Inside, "temporary fix", Role::Workarounds),
    (Inside, "우회", Role::Workarounds),
    (Inside, "임시", Role::Workarounds),
    (Edge, "prevention", Role::Prevention),
    (Inside, "preventive", Role::Prevention),
    (Inside, "preventing", Role::Prevention),
    (Inside, "lessons learned", Role::Prevention),
    (Inside, "예방", Role::Prevention),
    (Inside, "재발", Role::Prevention),
    (Inside, "next steps", Role::NextSteps),
    (Edge, "next step", Role::NextSteps),
    (Inside, "action items", Role::NextSteps),
    (Edge, "next agent should", Role::NextSteps),
    (Inside, "다음 단계", Role::NextSteps),
    (Inside, "향후", Role::NextSteps),
    (Edge, "testing", Role::Tests),
    (Edge, "test plan", Role::Tests),
    (Inside, "test results", Role::Tests),
    (Inside, "testing plan", Role::Tests),
    (Inside, "test result", Role::Tests),
    (Edge, "tests", Role::Tests),
    (Edge, "verification", Role::Tests),
    (Edge, "validation plan", Role::Tests),
    (Inside, "테스트", Role::Tests),
    (Inside, "검증", Role::Tests),
    (Inside, "code examples", Role::Examples),
    (Inside, "examples and commentary", Role::Examples),
    (Inside, "solution", Role::Solutions),
    (Inside, "resolution", Role::Solutions),
    (Inside, "mitigation", Role::Solutions),
    (Inside, "fix strategy", Role::Solutions),
    (Inside, "recommended fix", Role::Solutions),
    (Inside, "proposed fix", Role::Solutions),
    (Edge, "fix", Role::Solutions),
    (Edge, "fixes", Role::Solutions),
    (Whole, "fix applied", Role::Solutions),
    (Inside, "how to fix", Role::Solutions),
    (Whole, "recommendations", Role::Solutions),
    (Inside, "recommended actions", Role::Solutions),
    (Inside, "해결", Role::Solutions),
    (Inside, "조치", Role::Solutions),
    (Inside, "수정 방법", Role::Solutions),
    (Edge, "implementation", Role::Implementation),
    (Edge, "implementation plan", Role::Implementation),
    (Edge, "summary", Role::Summary),
    (Edge, "overview", Role::Summary),
    (Whole, "description", Role::Summary),
    (Inside, "bug description", Role::Summary),
    (Inside, "issue description", Role::Summary),
    (Inside, "problem description", Role::Summary),
    (Whole, "problem", Role::Summary),
    (Inside, "problem statement", Role::Summary),
    (Whole, "abstract", Role::Summary),
    (Whole, "tl dr", Role::Summary),
    (Inside, "요약", Role::Summary),
    (Inside, "개요", Role::Summary),
    (Whole, "문제", Role::Summary),
    (Inside, "문제 설명", Role::Summary),
    (Inside, "stack trace", Role::Logs),
    (Inside, "stacktrace", Role::Logs),
    (Inside, "traceback", Role::Logs),
    (Inside, "error message", Role::Logs),
    (Inside, "error log", Role::Logs),
    (Inside, "error output", Role::Logs),
    (Inside, "error detail", Role::Logs),
    (Whole, "error", Role::Logs),
    (Whole, "errors", Role::Logs),
    (Edge, "logs", Role::Logs),
    (Whole, "log", Role::Logs),
    (Inside, "console output", Role::Logs),
    (Inside, "로그", Role::Logs),
    (Inside, "에러", Role::Logs),
    (Inside, "오류", Role::Logs),
    (Inside, "스택", Role::Logs),
    (Inside, "environment", Role::Environment),
    (Inside, "system information", Role::Environment),
    (Inside, "system info", Role::Environment),
    (Whole, "system", Role::Environment),
    (Edge, "versions", Role::Environment),
    (Whole, "setup", Role::Environment),
    (Whole, "hardware", Role::Environment),
    (Whole, "configuration", Role::Environment),
    (Inside, "환경", Role::Environment),
    (Inside, "시스템 정보", Role::Environment),
    (Inside, "reproduce", Role::Reproduce),
    (Inside, "reproduction", Role::Reproduce),
    (Inside, "재현", Role::Reproduce),
    (Inside, "expected", Role::Expected),
    (Inside, "예상", Role::Expected),
    (Inside, "기대", Role::Expected),
    (Inside, "actual", Role::Actual),
    (Edge, "symptoms", Role::Actual),
    (Edge, "symptom", Role::Actual),
    (Edge, "observed behavior", Role::Actual),
    (Whole, "what happened", Role::Actual),
    (Inside, "실제", Role::Actual),
    (Inside, "증상", Role::Actual),
    (Inside, "현상", Role::Actual),
    (Edge, "impact", Role::Impact),
    (Inside, "impact assessment", Role::Impact),
    (Whole, "영향", Role::Impact),
    (Edge, "investigation", Role::Investigation),
    (Edge, "findings", Role::Investigation),
    (Edge, "clues", Role::Investigation),
    (Inside, "조사", Role::Investigation),
    (Whole, "cause", Role::RootCause),
    (Whole, "causes", Role::RootCause),
    (Whole, "analysis", Role::RootCause),
    (Whole, "diagnosis", Role::RootCause),
    (Inside, "원인", Role::RootCause),
    (Whole, "분석", Role::RootCause),
    (Edge, "notes", Role::Other),
    (Edge, "conclusion", Role::Other),
];

/// The role that a heading alone tells.
pub(super) fn of_heading(section: &Section) -> Option<Role> {
    // "Severity: Critical", "Root Cause: the batch": what stands before the colon is the name.
    let name = section.title.split([':', '：']).next().unwrap_or_default();
    let short = super::super::sections::key(name);
    of_key(&short).or_else(|| of_key(&section.key))
}

/// The role of a label or heading in comparing form.
pub(super) fn of_key(key: &str) -> Option<Role> {
    let words = key.split(' ').count();
    if key.is_empty() || words > 12 {
        return None;
    }
    PHRASES.iter().find(|(at, phrase, _)| stands(*at, phrase, key)).map(|(_, _, role)| *role)
}

fn stands(at: At, phrase: &str, key: &str) -> bool {
    let border =
        |rest: &str, before: bool| rest.is_empty() || if before { rest.ends_with(' ') } else { rest.starts_with(' ') };
    match at {
        Whole => key == phrase,
        Edge => {
            key.strip_prefix(phrase).is_some_and(|rest| border(rest, false))
                || key.strip_suffix(phrase).is_some_and(|rest| border(rest, true))
        }
        Inside => key.contains(phrase),
    }
}

/// A section's own role and the one that holds for it, which may come from a section around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roles {
    /// From its heading alone.
    pub(super) own: Option<Role>,
    /// From its heading or, where that says nothing, from the nearest section around it.
    pub(super) holds: Option<Role>,
}

/// The roles of all sections of a document.
pub(super) fn all(doc: &Document<'_>) -> Vec<Roles> {
    let mut out: Vec<Roles> = Vec::with_capacity(doc.sections.len());
    for section in &doc.sections {
        // The document's title is no section: "Bug Report: cuDNN solution fails" is not a solution.
        let own = if section.level <= 1 && !is_plain_name(section) { None } else { of_heading(section) };
        let around = section.parent.and_then(|p| out.get(p)).and_then(|r: &Roles| r.holds);
        out.push(Roles { own, holds: own.or(around) });
    }
    out
}

/// Whether a heading of the first level is only a section's name, as in documents that know no other level.
fn is_plain_name(section: &Section) -> bool {
    section.level == 1 && section.key.split(' ').count() <= 3 && !section.title.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_roles_from_headings() {
        for (key, role) in [
            ("bug id", Some(Role::BugId)),
            ("executive summary", Some(Role::Summary)),
            ("logs stack trace", Some(Role::Logs)),
            ("error messages", Some(Role::Logs)),
            ("root cause analysis", Some(Role::RootCause)),
            ("proposed solution", Some(Role::Solutions)),
            ("fix strategy", Some(Role::Solutions)),
            ("resolution", Some(Role::Solutions)),
            ("workarounds if root cause can't be fixed", Some(Role::Workarounds)),
            ("hardware comparison", Some(Role::Other)),
            ("hardware migration checklist", None),
            ("hypotheses ranked by likelihood", Some(Role::Hypotheses)),
            ("immediate next steps", Some(Role::NextSteps)),
            ("diagnostic test results", Some(Role::Tests)),
            ("요약", Some(Role::Summary)),
            ("실행 환경", Some(Role::Environment)),
            ("재현 방법", Some(Role::Reproduce)),
            ("원인 분석", Some(Role::RootCause)),
            ("해결 방법", Some(Role::Solutions)),
            ("why bug 20251110 002 fix didn't resolve this", None),
            ("what works vs what fails", None),
            ("", None),
        ] {
            assert_eq!(of_key(key), role, "{key}");
        }
    }
}
