//! What other reports are to a report: as a list, and drawn as a tree of what leads to it and where it leads.

use std::fmt::Write as _;

use super::reports::{ReportLink, report_link};
use super::shelf::Shelf;
use crate::interfaces::web::html;
use crate::render::clean;
use crate::render::layout::shorten_end;
use crate::reports::graph::{Edge, Relation};

/// What another report is to this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    SameId,
    DuplicateOf,
    HasDuplicate,
    FollowedBy,
    FollowsFrom,
    Mentions,
    MentionedBy,
    SameFault,
}

impl Role {
    /// That of the other end of a relation.
    fn of(edge: &Edge, is_ours: bool) -> Self {
        match (edge.relation, is_ours) {
            (Relation::SameId, _) => Self::SameId,
            (Relation::Duplicates, true) => Self::DuplicateOf,
            (Relation::Duplicates, false) => Self::HasDuplicate,
            (Relation::FollowedBy, true) | (Relation::Follows, false) => Self::FollowedBy,
            (Relation::FollowedBy, false) | (Relation::Follows, true) => Self::FollowsFrom,
            (Relation::Links | Relation::References, true) => Self::Mentions,
            (Relation::Links | Relation::References, false) => Self::MentionedBy,
            (Relation::SameFault, _) => Self::SameFault,
        }
    }

    /// In the words of this report's page.
    fn words(self) -> &'static str {
        match self {
            Self::SameId => "Has the same id",
            Self::DuplicateOf => "Is a duplicate of",
            Self::HasDuplicate => "Has the duplicate",
            Self::FollowedBy => "Is followed by",
            Self::FollowsFrom => "Follows from",
            Self::Mentions => "Mentions",
            Self::MentionedBy => "Is mentioned by",
            Self::SameFault => "Has the same fault",
        }
    }

    /// Whether the other one leads here.
    fn leads_here(self) -> bool {
        matches!(self, Self::HasDuplicate | Self::FollowsFrom | Self::MentionedBy)
    }
}

/// The reports that one has to do with, by what they are to it.
#[derive(Debug, Default)]
pub(crate) struct Relations(Vec<(Role, Vec<ReportLink>)>);

impl Relations {
    /// Those of the report at that index.
    pub(crate) fn of(shelf: &Shelf<'_>, index: usize) -> Self {
        let mut found: Vec<(Role, Vec<ReportLink>)> = Vec::new();
        for edge in shelf.told.edges.iter().filter(|edge| edge.from == index || edge.to == index) {
            let is_ours = edge.from == index;
            let role = Role::of(edge, is_ours);
            if role == Role::SameFault {
                continue;
            }
            let other = report_link(shelf, if is_ours { edge.to } else { edge.from });
            match found.iter_mut().find(|(known, _)| *known == role) {
                Some((_, reports)) => reports.push(other),
                None => found.push((role, vec![other])),
            }
        }
        // All of the same fault, not only the next one of the chain that a drawing shows.
        let fault = shelf.told.reports[index].record.faults.first();
        let same = fault.map(|fault| shelf.told.of_fault(fault)).unwrap_or_default();
        let same: Vec<ReportLink> =
            same.into_iter().filter(|other| *other != index).map(|other| report_link(shelf, other)).collect();
        if !same.is_empty() {
            found.push((Role::SameFault, same));
        }
        Self(found)
    }

    /// As a list: what they are in words, and the reports.
    pub(crate) fn list(&self) -> Vec<(&'static str, &[ReportLink])> {
        self.0.iter().map(|(role, reports)| (role.words(), reports.as_slice())).collect()
    }

    /// As a picture: above this report what leads to it, below it where it leads. `None` for a single one, and for reports
    /// that only have the same fault: the list says as much.
    pub(crate) fn drawing(&self, own: &str) -> Option<String> {
        let stated = self.0.iter().filter(|(role, _)| *role != Role::SameFault);
        let all: Vec<(Role, &ReportLink)> =
            stated.flat_map(|(role, reports)| reports.iter().map(|report| (*role, report))).collect();
        let is_clear = all.len() > 1;
        let (above, below): (Vec<_>, Vec<_>) = all.into_iter().partition(|(role, _)| role.leads_here());
        is_clear.then(|| draw(own, &above, &below))
    }
}

/// Rows above and below this report; the others are in the list.
const MOST: usize = 8;

/// The height of a row, and the columns of an id.
const ROW: usize = 24;
const ID: usize = 24;

fn draw(own: &str, above: &[(Role, &ReportLink)], below: &[(Role, &ReportLink)]) -> String {
    let (above, below) = (&above[..above.len().min(MOST)], &below[..below.len().min(MOST)]);
    let middle = |row: usize| row * ROW + ROW / 2;
    let (rows, at) = (above.len() + below.len() + 1, middle(above.len()));
    let mut out = format!(
        "<svg class=\"relations\" viewBox=\"0 0 320 {}\" role=\"img\" aria-label=\"{} that lead to this report, {} that it leads to; \
         the list names them\">\n",
        rows * ROW,
        above.len(),
        below.len()
    );
    let words = |text: &str| html::sentence_of_text(&shorten_end(&clean::line(text), ID));
    let mut row = |y: usize, (role, report): &(Role, &ReportLink)| {
        let _ = writeln!(out, "<circle class=\"{}\" cx=\"48\" cy=\"{y}\" r=\"5\"/>", report.stage);
        let (role, id) = (role.words(), words(&report.id));
        let _ = writeln!(out, "<text x=\"60\" y=\"{}\"><tspan class=\"role\">{role}</tspan> {id}</text>", y + 4);
        if y < at {
            let _ = writeln!(out, "<path d=\"M43 {y}H28Q16 {y} 16 {}V{}\"/>", y + 12, at - 12);
        } else {
            let _ = writeln!(out, "<path d=\"M16 {}V{}Q16 {y} 28 {y}H37\"/>", at + 7, y - 12);
            let _ = writeln!(out, "<path class=\"head\" d=\"M36 {}l6 4l-6 4z\"/>", y - 4);
        }
    };
    above.iter().enumerate().for_each(|(number, one)| row(middle(number), one));
    below.iter().enumerate().for_each(|(number, one)| row(middle(above.len() + 1 + number), one));
    if !above.is_empty() {
        let _ = writeln!(out, "<path class=\"head\" d=\"M12 {}l4 6l4 -6z\"/>", at - 13);
    }
    let _ = writeln!(out, "<circle class=\"own\" cx=\"16\" cy=\"{at}\" r=\"7\"/>");
    let _ = writeln!(out, "<text class=\"own\" x=\"32\" y=\"{}\">{}</text>\n</svg>", at + 4, words(own));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(id: &str) -> ReportLink {
        ReportLink { id: id.to_owned(), stage: "open", ..ReportLink::default() }
    }

    #[test]
    fn what_leads_here_is_above_and_text_stays_text() {
        let two = vec![link("B</svg><script>"), link("C")];
        let relations = Relations(vec![(Role::Mentions, two), (Role::FollowsFrom, vec![link("A")])]);
        let svg = relations.drawing("OWN").expect("three");
        let document = roxmltree::Document::parse(&svg).expect("XML");
        let rows: Vec<(usize, String)> = document
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .map(|node| {
                let words: String =
                    node.descendants().filter_map(|part| part.is_text().then(|| part.text())?).collect();
                (node.attribute("y").and_then(|y| y.parse().ok()).unwrap_or(0), words)
            })
            .collect();
        let row = |y, words: &str| (y, words.to_owned());
        assert_eq!(
            rows,
            [row(16, "Follows from A"), row(64, "Mentions B</svg><script>"), row(88, "Mentions C"), row(40, "OWN")]
        );
        let one = Relations(vec![(Role::Mentions, vec![link("B")]), (Role::SameFault, vec![link("C"), link("D")])]);
        assert_eq!((one.drawing("OWN"), one.list().len()), (None, 2));
    }
}
