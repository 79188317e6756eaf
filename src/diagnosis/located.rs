//! The failures of a text, found and not explained yet.

use std::borrow::Cow;

use super::library::Library;
use super::primary::{self, Ordered};
use super::{Diagnosis, Measured, excuses, explain, last_resort, measurable, second, unlisted};
use crate::book::Book;
use crate::incident::Incident;
use crate::matching::{Hit, Origin, Owner};
use crate::text::Transcript;
use crate::vendors;

/// Finds the failures of a text, which is all that must be known before the machine is probed.
///
/// A text in which the book finds nothing is read a second time as if it had been copied badly; only then is any line
/// that reports a failure in other words the answer.
pub(crate) fn locate<'a>(transcript: &'a Transcript, incident: &'a Incident, library: Library<'a>) -> Located<'a> {
    let first = Located::read(Cow::Borrowed(transcript), Cow::Borrowed(incident), library);
    if first.fault().is_some() {
        return first;
    }
    if !first.ordered.excused.is_empty() {
        return first.or_last_resort();
    }
    second::reading(&first).unwrap_or_else(|| first.or_last_resort())
}

/// A text whose failures are found and not explained yet.
pub(crate) struct Located<'a> {
    pub(super) transcript: Cow<'a, Transcript>,
    pub(super) incident: Cow<'a, Incident>,
    pub(super) library: Library<'a>,
    pub(super) hits: Vec<Hit>,
    pub(super) ordered: Ordered,
}

impl<'a> Located<'a> {
    pub(super) fn read(transcript: Cow<'a, Transcript>, incident: Cow<'a, Incident>, library: Library<'a>) -> Self {
        let mut hits = library.signatures.scan(&transcript, &incident.roles);
        hits.extend(numbered(&incident, library.book));
        hits.sort_by_key(|hit| hit.line);
        let ordered = primary::order(&transcript, &incident, &hits, library.book);
        Self { transcript, incident, library, hits, ordered }
    }

    /// The page of the first failure.
    pub(super) fn fault(&self) -> Option<usize> {
        self.ordered.primary.as_ref().and_then(|primary| primary.fault)
    }

    /// Whether an entry of `kb/errors` has words of the first failure, or of a line where nothing was recognized.
    pub(super) fn has_entry(&self) -> bool {
        let (transcript, incident) = (self.transcript.as_ref(), self.incident.as_ref());
        match &self.ordered.primary {
            Some(primary) => unlisted::has_entry(unlisted::Failing::of(transcript, incident, primary)),
            None => unlisted::reporting_line(transcript, incident).is_some(),
        }
    }

    /// Whether some line has such words.
    pub(super) fn has_entry_on_a_line(&self) -> bool {
        self.has_entry() || unlisted::names_entry(&self.transcript, &self.incident)
    }

    /// What the writer complains of, or a line that reports a failure in other words, where the book knows no message.
    pub(super) fn or_last_resort(mut self) -> Self {
        let (transcript, incident, book) = (&self.transcript, &self.incident, self.library.book);
        self.ordered.primary = match self.ordered.primary.take() {
            Some(unlisted) => Some(last_resort::by_symptom(unlisted, transcript, incident, book)),
            None => {
                let is_excused = !self.ordered.excused.is_empty();
                let found = last_resort::last_resort(transcript, incident, &self.hits, book, is_excused);
                let excused = excuses::of(transcript, incident, found.as_slice(), book);
                let counts = found.filter(|_| excused.is_empty());
                self.ordered.excused.extend(excused);
                counts
            }
        };
        self
    }
}

impl Located<'_> {
    /// Whether a probe can add evidence about the causes of the first failure.
    pub(crate) fn asks_the_machine(&self) -> bool {
        self.fault().is_some_and(|fault| measurable::asks_the_machine(self.library.book.fault(fault)))
    }

    /// Explains them, with what was measured.
    pub(crate) fn diagnose(&self, measured: &Measured) -> Diagnosis {
        explain(self, measured)
    }
}

/// Hits of status codes that a text gives by number only: "CUDA error 700", "error code 35".
pub(super) fn numbered(incident: &Incident, book: &Book) -> Vec<Hit> {
    let by_number = |code: &crate::incident::Code| {
        let number = code.name.parse::<i64>().ok()?;
        let rows = book.codes().by_number(number);
        // Without a library it is the runtime of the first vendor.
        let library = code.library.unwrap_or(&vendors::all()[0].sentences.table);
        let row = rows.into_iter().find(|row| row.library == library)?;
        Some(Hit {
            owner: Owner::Fault(book.find(row.fault()?)?),
            line: code.at,
            at: 0,
            specificity: 0,
            standing: crate::book::schema::SignatureRole::Cause,
            fatal: true,
            origin: Origin::Code,
        })
    };
    incident.errors.iter().flat_map(|error| &error.codes).filter_map(by_number).collect()
}
