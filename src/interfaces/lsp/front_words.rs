//! The words that front matters and outlines are made of, as data for completion.

/// A word and what it is for.
pub(super) type Word = (&'static str, &'static str);

/// Keys of a bug report.
pub(super) const REPORT_KEYS: &[Word] = &[
    ("title", "the failure in one line"),
    ("date", "when it was seen"),
    ("type", "what kind of document it is"),
    ("category", "what it is about"),
    ("status", "how far the work on it is"),
    ("version", "of the document"),
    ("tags", "words for finding it"),
    ("bug_id", "the report's id"),
    ("severity", "how bad it is for a run"),
    ("author", "who wrote it"),
];

/// Values of a bug report's keys.
pub(super) const REPORT_VALUES: &[(&str, &[Word])] = &[
    ("type", &[("bug_report", ""), ("diagnosis", ""), ("article", "")]),
    (
        "status",
        &[
            ("active", "not solved yet"),
            ("open", "not looked at yet"),
            ("in_progress", "being worked on"),
            ("resolved", "solved and tested"),
            ("completed", "solved and closed"),
            ("archived", "kept for its history"),
            ("wontfix", "left as it is"),
        ],
    ),
    ("severity", SEVERITIES),
    ("category", &[("troubleshooting", "")]),
];

/// Sections of a bug report, with their level.
pub(super) const REPORT_SECTIONS: &[(u8, &str)] = &[
    (2, "Summary"),
    (2, "Environment"),
    (2, "Steps to Reproduce"),
    (2, "Expected Behavior"),
    (2, "Actual Behavior"),
    (2, "Logs / Stack Trace"),
    (2, "Root Cause Analysis"),
    (2, "Proposed Solutions"),
    (3, "Solution 1: "),
    (2, "Testing Plan"),
    (3, "Phase 1: "),
    (2, "Prevention"),
    (2, "Impact Assessment"),
    (2, "Related Issues"),
];

/// Keys of a fault page.
pub(super) const PAGE_KEYS: &[Word] = &[
    ("title", "the fault in words"),
    ("status", "whether the page is used"),
    ("severity", "how bad it is for a run"),
    ("ordinary", "an error of the program, not of the GPU or a library"),
    ("codes", "vendor codes that people look up"),
    ("signatures", "ways to recognize it; one match is enough"),
    ("explains", "faults that follow from this one"),
    ("conflict", "expression over facts; if it holds, no run works on the GPU"),
    ("causes", "why it happens, most common first"),
    ("operations", "for a silent fault: words that name the operation"),
    ("affects", "where the fault or its wording exists"),
    ("aliases", "former ids"),
    ("references", "links for further reading"),
    ("reviewed", "day of the last review"),
];

/// Keys inside of a page's lists, by the list's key.
pub(super) const PAGE_INNER: &[(&str, &[Word])] = &[
    (
        "signatures",
        &[
            ("contains", "literal text; ASCII case is ignored"),
            ("regex", "regex that the line must also match"),
            ("unless", "regex that cancels the match"),
            ("near", "regex that a nearby line must match"),
            ("without", "regex that no nearby line may match"),
            ("known_name", "the line must report a missing name of a known package"),
            ("standing", "what the line is to the failure"),
            ("fatal", "whether the run ends with it"),
        ],
    ),
    (
        "causes",
        &[
            ("id", "from the closed list of causes"),
            ("title", "this cause in words"),
            ("prior", "how common, with nothing else known"),
            ("evidence", "evidence for or against it"),
        ],
    ),
    (
        "evidence",
        &[
            ("text", "regex over the whole text"),
            ("before", "regex over the lines above the failure"),
            ("message", "regex over the primary message"),
            ("frame", "regex over the failing traceback"),
            ("when", "expression over facts"),
            ("weight", "how strong it is"),
            ("says", "the reason as shown"),
        ],
    ),
    ("affects", &[("package", "as in the name of its version fact"), ("versions", "PEP 440 range")]),
];

/// Values of a page's keys.
pub(super) const PAGE_VALUES: &[(&str, &[Word])] = &[
    ("status", &[("draft", "used, still worked on"), ("stable", "used"), ("withdrawn", "kept for its history")]),
    ("severity", SEVERITIES),
    ("prior", &[("common", "the usual one"), ("plausible", "should be considered"), ("rare", "seen now and then")]),
    (
        "weight",
        &[
            ("decisive", "settles it"),
            ("strong", "seldom wrong"),
            ("moderate", "more likely than not"),
            ("weak", "a hint"),
            ("against", "evidence against the cause"),
            ("refutes", "rules the cause out"),
        ],
    ),
    (
        "standing",
        &[
            ("cause", "a specific failure of this process"),
            ("symptom", "printed because something else failed"),
            ("echo", "a launcher's report of a crash"),
        ],
    ),
    ("fatal", &[("true", ""), ("false", "")]),
];

/// Sections of a fault page.
pub(super) const PAGE_SECTIONS: &[(u8, &str)] = &[(2, "Meaning"), (2, "Example"), (2, "Causes"), (2, "Lookalikes")];

const SEVERITIES: &[Word] = &[
    ("low", "an inconvenience"),
    ("medium", "the step or the feature is lost"),
    ("high", "the run is lost"),
    ("critical", "the machine or its results cannot be trusted"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::schema::{Affected, CauseMatter, EvidenceSpec, FrontMatter, SignatureSpec};

    /// The keys of a type as its schema has them.
    fn keys<T: schemars::JsonSchema>() -> Vec<String> {
        let schema = schemars::schema_for!(T);
        let properties = schema.get("properties").and_then(|p| p.as_object()).expect("an object").clone();
        let mut keys: Vec<String> = properties.keys().cloned().collect();
        keys.sort();
        keys
    }

    fn sorted(words: &[Word]) -> Vec<String> {
        let mut words: Vec<String> = words.iter().map(|(word, _)| (*word).to_owned()).collect();
        words.sort();
        words
    }

    #[test]
    fn keys_are_those_of_the_schema() {
        let inner = |key: &str| PAGE_INNER.iter().find(|(name, _)| *name == key).map(|(_, w)| sorted(w)).expect(key);
        assert_eq!(sorted(PAGE_KEYS), keys::<FrontMatter>());
        assert_eq!(inner("signatures"), keys::<SignatureSpec>());
        assert_eq!(inner("causes"), keys::<CauseMatter>());
        assert_eq!(inner("evidence"), keys::<EvidenceSpec>());
        assert_eq!(inner("affects"), keys::<Affected>());
    }
}
