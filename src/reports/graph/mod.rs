//! Relations between reports: which report mentions which, and as what, and which have the same fault.
//!
//! A mention's relation is what the words before it say ("duplicate of", "followed by"); nothing is guessed from
//! likeness. Reports of one fault are joined in the order of their dates, each with the next, because joining all with
//! all would hide everything else. Everything follows the order of paths, so the same reports give the same graph.

mod dot;
mod fitted;
mod mermaid;
mod relation;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(crate) use dot::dot;
pub(crate) use fitted::LeftOut;
pub(crate) use mermaid::mermaid;
pub(crate) use relation::Relation;

use super::mentions::{self, Finder};
use super::record::{ParsedReport, Record};
use crate::reports::links;
use crate::reports::reading::comparable;

/// Reports and their relations.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    /// Reports, by path.
    pub nodes: Vec<Node>,
    /// Relations, by the places of their ends in `nodes`.
    pub edges: Vec<Edge>,
    /// Reports left out because nothing is known of them.
    pub alone: usize,
    /// Reports that [`Graph::fitted`] left out.
    pub left_out: LeftOut,
}

/// A report in the graph.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Its id; `BUG-...#2` for the second report with one id.
    pub name: String,
    /// The report.
    pub record: Record,
}

/// A relation between two reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// The report that says so, or the earlier one.
    pub from: usize,
    /// The other one.
    pub to: usize,
    /// What the first is to the second.
    pub relation: Relation,
    /// The fault that both have, for [`Relation::SameFault`].
    pub fault: Option<String>,
}

/// What is shown of all reports.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct View<'a> {
    /// Only what is within `steps` of this report.
    pub centre: Option<&'a str>,
    /// How far from the centre.
    pub steps: usize,
    /// Also reports without any relation.
    pub alone: bool,
}

impl Graph {
    /// The graph of some reports, which come in the order of their paths.
    pub(crate) fn new(parsed: &[ParsedReport], view: &View<'_>) -> Self {
        let edges = edges(parsed);
        let selected = selected(parsed, &edges, view);
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut places = vec![None; parsed.len()];
        let mut nodes = Vec::new();
        for (index, one) in parsed.iter().enumerate() {
            let count = counts.entry(comparable(&one.record.id)).or_default();
            *count += 1;
            if !selected.contains(&index) {
                continue;
            }
            if let Some(place) = places.get_mut(index) {
                *place = Some(nodes.len());
            }
            let name = if *count == 1 { one.record.id.clone() } else { format!("{}#{count}", one.record.id) };
            nodes.push(Node { name, record: one.record.clone() });
        }
        let at = |index: usize| places.get(index).copied().flatten();
        let edges = edges
            .into_iter()
            .filter_map(|edge| Some(Edge { from: at(edge.from)?, to: at(edge.to)?, ..edge }))
            .collect();
        let alone = if view.centre.is_none() { parsed.len() - nodes.len() } else { 0 };
        Self { nodes, edges, alone, left_out: LeftOut::default() }
    }
}

/// The reports that a view shows.
fn selected(parsed: &[ParsedReport], edges: &[Edge], view: &View<'_>) -> BTreeSet<usize> {
    let Some(centre) = view.centre else {
        return match view.alone {
            true => (0..parsed.len()).collect(),
            false => edges.iter().flat_map(|edge| [edge.from, edge.to]).collect(),
        };
    };
    let called = parsed.iter().enumerate().filter(|(_, one)| one.record.is_called(centre));
    let mut selected: BTreeSet<usize> = called.map(|(index, _)| index).collect();
    for _ in 0..view.steps {
        let beside = edges.iter().filter(|edge| selected.contains(&edge.from) || selected.contains(&edge.to));
        let beside: Vec<usize> = beside.flat_map(|edge| [edge.from, edge.to]).collect();
        selected.extend(beside);
    }
    selected
}

fn edges(parsed: &[ParsedReport]) -> Vec<Edge> {
    let mut said: BTreeMap<(usize, usize), Relation> = BTreeMap::new();
    let names = Names::new(parsed);
    for (from, one) in parsed.iter().enumerate() {
        for (to, relation) in names.mentioned_by(from, one) {
            let (from, to, relation) = match relation {
                Relation::Follows => (to, from, Relation::FollowedBy),
                relation => (from, to, relation),
            };
            let strongest = said.entry((from, to)).or_insert(relation);
            *strongest = (*strongest).min(relation);
        }
    }
    // A report that is called a follower or a duplicate usually mentions the other one too; that adds nothing.
    let pairs: Vec<((usize, usize), Relation)> = said.iter().map(|(pair, relation)| (*pair, *relation)).collect();
    for ((from, to), relation) in pairs {
        if relation < Relation::Links && said.get(&(to, from)).is_some_and(|other| *other >= Relation::Links) {
            said.remove(&(to, from));
        }
    }
    let mut edges: Vec<Edge> =
        said.into_iter().map(|((from, to), relation)| Edge { from, to, relation, fault: None }).collect();
    edges.extend(same_ids(parsed));
    let joined: BTreeSet<(usize, usize)> =
        edges.iter().flat_map(|edge| [(edge.from, edge.to), (edge.to, edge.from)]).collect();
    let records: Vec<&Record> = parsed.iter().map(|one| &one.record).collect();
    edges.extend(same_faults(&records).into_iter().filter(|edge| !joined.contains(&(edge.from, edge.to))));
    edges.sort();
    edges
}

/// Reports with one id.
fn same_ids(parsed: &[ParsedReport]) -> Vec<Edge> {
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut edges = Vec::new();
    for (to, one) in parsed.iter().enumerate() {
        match first.get(&comparable(&one.record.id)) {
            Some(&from) => edges.push(Edge { from, to, relation: Relation::SameId, fault: None }),
            None => drop(first.insert(comparable(&one.record.id), to)),
        }
    }
    edges
}

/// Reports whose first failure is one fault, each with the next by date.
fn same_faults(records: &[&Record]) -> Vec<Edge> {
    let mut faults: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, record) in records.iter().enumerate() {
        if let Some(fault) = record.faults.first() {
            faults.entry(fault).or_default().push(index);
        }
    }
    let mut edges = Vec::new();
    for (fault, mut reports) in faults {
        reports.sort_by_key(|&index| records.get(index).map(|record| (record.day(), index)));
        edges.extend(reports.windows(2).filter_map(|pair| {
            let &[from, to] = pair else { return None };
            Some(Edge { from, to, relation: Relation::SameFault, fault: Some(fault.to_owned()) })
        }));
    }
    edges
}

/// Which report a word or a file name means.
struct Names {
    finder: Finder,
    ids: HashMap<String, Vec<usize>>,
    paths: HashMap<String, usize>,
}

impl Names {
    fn new(parsed: &[ParsedReport]) -> Self {
        let mut ids: HashMap<String, Vec<usize>> = HashMap::new();
        let mut paths = HashMap::new();
        for (index, one) in parsed.iter().enumerate() {
            for name in mentions::spellings(&one.record.id, one.record.aliases.iter()) {
                let reports = ids.entry(comparable(&name)).or_default();
                if !reports.contains(&index) {
                    reports.push(index);
                }
            }
            for path in std::iter::once(&one.record.path).chain(&one.record.copies) {
                paths.insert(slashes(path), index);
            }
        }
        let all: Vec<String> = ids.keys().cloned().collect();
        Self { finder: Finder::new(&all), ids, paths }
    }

    /// The reports that a report names, and as what.
    fn mentioned_by(&self, own: usize, parsed: &ParsedReport) -> Vec<(usize, Relation)> {
        let text = parsed.report.text.as_str();
        let path = slashes(&parsed.record.path);
        let links: Vec<(std::ops::Range<usize>, Option<usize>)> = links::links(text)
            .into_iter()
            .map(|(range, target)| {
                let file = target.split('#').next().unwrap_or_default();
                (range, self.paths.get(&links::join(&path, file)).copied())
            })
            .collect();
        // A link is one mention, whatever ids its words and its target spell.
        let mut places: Vec<(std::ops::Range<usize>, Option<usize>, bool)> =
            links.iter().filter(|(_, to)| to.is_some()).map(|(range, to)| (range.clone(), *to, true)).collect();
        for range in self.finder.places(text) {
            let link = links.iter().find(|(link, _)| link.start <= range.start && range.end <= link.end);
            if link.is_some_and(|(_, to)| to.is_some()) {
                continue;
            }
            let word = text.get(range.clone()).unwrap_or_default();
            let reports = self.ids.get(&comparable(word)).map_or(&[][..], Vec::as_slice);
            let to = reports.iter().copied().find(|report| *report != own);
            // A report that shares its id with another names itself.
            let to = to.filter(|_| !reports.contains(&own));
            places.push((range, to, link.is_some()));
        }
        places.sort_by_key(|(range, ..)| range.start);
        let mut out = Vec::new();
        let mut before: Option<(usize, Relation)> = None;
        for (range, to, is_link) in places {
            let relation = relation::of(text, &range, before, is_link);
            before = Some((range.end, relation));
            if let Some(to) = to.filter(|to| *to != own) {
                out.push((to, relation));
            }
        }
        if parsed.record.status_word == Some("duplicate")
            && let [(_, relation)] = out.as_mut_slice()
            && *relation >= Relation::Links
        {
            *relation = Relation::Duplicates;
        }
        out
    }
}

fn slashes(path: &std::path::Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    links::join(&text, text.rsplit('/').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::reports::reading;

    fn parsed(reports: &[(&str, &str, &str, &[&str])]) -> Vec<ParsedReport> {
        let one = |(file, front, body, faults): &(&str, &str, &str, &[&str])| {
            let path = format!("docs/{file}.md");
            let text = format!("---\n{front}\n---\n# Report\n\n{body}\n");
            let report = reading::read(Path::new(&path), &text);
            ParsedReport {
                record: Record::of_report(&report, faults.iter().map(|f| (*f).to_owned()).collect()),
                report,
            }
        };
        reports.iter().map(one).collect()
    }

    fn lines(graph: &Graph) -> Vec<String> {
        let name = |at: usize| graph.nodes[at].name.trim_start_matches("BUG-20251110-");
        graph.edges.iter().map(|edge| format!("{} {:?} {}", name(edge.from), edge.relation, name(edge.to))).collect()
    }

    #[test]
    fn relations_are_what_the_reports_say() {
        let parsed = parsed(&[
            ("BUG-20251110-001", "title: a", "See BUG-20251110-002 and [the log](BUG-20251110-003.md).", &["oom"]),
            ("BUG-20251110-002", "title: b\nduplicate_of: BUG-20251110-001", "words", &["oom"]),
            ("BUG-20251110-003", "title: c", "Followed by BUG-20251110-004; BUG-20251110-003 is this one.", &["oom"]),
            ("BUG-20251110-004", "title: d", "A regression of Bug 20251110 003.", &["xid"]),
            ("BUG-20251110-005", "title: e", "alone, see BUG-20251110-099", &[]),
            ("copy", "title: f\nbug_id: BUG-20251110-005", "words", &["oom"]),
        ]);
        let graph = Graph::new(&parsed, &View::default());
        assert_eq!(
            lines(&graph),
            [
                "001 Links 003",
                "002 Duplicates 001",
                "002 SameFault 003",
                "003 FollowedBy 004",
                "003 SameFault 005#2",
                "005 SameId 005#2"
            ]
        );
        assert_eq!(graph.alone, 0);
        let near = Graph::new(&parsed, &View { centre: Some("bug_20251110_004"), steps: 1, alone: false });
        assert_eq!(lines(&near), ["003 FollowedBy 004"]);
        assert_eq!(Graph::new(&parsed, &View { centre: Some("BUG-1"), steps: 3, alone: false }).nodes.len(), 0);
        let all = Graph::new(&parsed[4..5], &View { alone: true, ..View::default() });
        assert_eq!((all.nodes.len(), Graph::new(&parsed[4..5], &View::default()).alone), (1, 1));
    }

    #[test]
    fn a_large_graph_fits_a_page() {
        let name = |at: usize| format!("BUG-20251110-{at:03}");
        let body = |at: usize| if at < 6 { format!("see {}", name(at + 6)) } else { String::new() };
        let all: Vec<(String, String)> = (0..40).map(|at| (name(at), body(at))).collect();
        let all: Vec<(&str, &str, &str, &[&str])> =
            all.iter().map(|(name, body)| (name.as_str(), "title: x", body.as_str(), &["oom"][..])).collect();
        let whole = Graph::new(&parsed(&all), &View::default());
        assert_eq!((whole.nodes.len(), whole.clone().fitted(40).left_out.reports()), (40, 0));
        let fitted = whole.fitted(10);
        assert_eq!((fitted.nodes.len(), fitted.left_out.reports()), (10, 30));
        assert_eq!((fitted.left_out.related, fitted.left_out.faults.clone()), (2, vec![("oom".to_owned(), 28)]));
        let links = fitted.edges.iter().filter(|edge| edge.relation == Relation::References).count();
        assert_eq!(links, 5, "{:?}", lines(&fitted));
        assert_eq!(fitted.edges.len(), 5 + 9, "joined by their fault, each with the next");
    }

    #[test]
    fn words_cannot_break_the_drawing() {
        let hostile = "title: '\"; x -> y [label=\"z\"] \\ <b>&amp; `c` #1; end | ]) %%'";
        let parsed = parsed(&[
            ("BUG-20251110-001", hostile, "see BUG-20251110-002", &[]),
            ("BUG-20251110-002", "title: 요약 \u{1f41b} \u{7}", "", &[]),
        ]);
        let graph = Graph::new(&parsed, &View::default());
        let dot = dot(&graph);
        assert!(dot.contains("\\\"; x -> y [label=\\\"z\\\"] \\\\ <b>&amp;amp;"), "{dot}");
        assert_eq!(dot.lines().filter(|line| line.contains("\" -> \"")).count(), 1, "{dot}");
        let mermaid = mermaid(&graph);
        assert!(mermaid.contains("#quot;#59; x -#gt; y [label=#quot;z#quot;]"), "{mermaid}");
        assert_eq!(mermaid, super::mermaid(&Graph::new(&parsed, &View::default())));
        assert!(!mermaid.contains('\u{7}') && !dot.contains('\u{7}'));
    }
}
