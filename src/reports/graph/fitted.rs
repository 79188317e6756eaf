//! A graph that fits a page, and what was left out of it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Edge, Graph, Node, Relation, same_faults};
use crate::reports::record::Record;

/// What a drawing leaves out so that it fits a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// Reports that others mention.
    pub related: usize,
    /// Reports joined to others by their fault only, the most frequent fault first.
    pub faults: Vec<(String, usize)>,
}

impl LeftOut {
    /// How many.
    pub(crate) fn reports(&self) -> usize {
        self.related + self.faults.iter().map(|(_, count)| count).sum::<usize>()
    }
}

impl Graph {
    /// The graph with at most so many reports: those that name each other first, newest groups in front, then those that
    /// have only their fault in common with others.
    pub(crate) fn fitted(self, most: usize) -> Self {
        if self.nodes.len() <= most {
            return self;
        }
        let newest_first = |reports: &mut Vec<usize>| {
            reports.sort_by_key(|&at| (Reverse(self.nodes[at].record.last_seen()), at));
        };
        let mut groups = self.groups();
        groups.iter_mut().for_each(newest_first);
        groups.sort_by_key(|group| (Reverse(self.nodes[group[0]].record.last_seen()), group[0]));
        let named: BTreeSet<usize> = groups.iter().flatten().copied().collect();
        let mut alike: Vec<usize> = (0..self.nodes.len()).filter(|at| !named.contains(at)).collect();
        newest_first(&mut alike);
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        for group in groups {
            // Half a group would show relations that are not all there.
            if kept.len() + group.len() <= most || kept.is_empty() {
                kept.extend(group.into_iter().take(most));
            }
        }
        kept.extend(alike.into_iter().take(most - kept.len()));
        let mut left_out = LeftOut { related: named.difference(&kept).count(), faults: Vec::new() };
        let mut faults: BTreeMap<String, usize> = BTreeMap::new();
        let out = (0..self.nodes.len()).filter(|at| !kept.contains(at) && !named.contains(at));
        for fault in out.filter_map(|at| self.nodes[at].record.faults.first()) {
            *faults.entry(fault.clone()).or_default() += 1;
        }
        left_out.faults = faults.into_iter().collect();
        left_out.faults.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        self.only(&kept, left_out)
    }

    /// Reports that name each other, directly or through others.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut head: Vec<usize> = (0..self.nodes.len()).collect();
        let of = |head: &[usize], mut at: usize| {
            while head[at] != at {
                at = head[at];
            }
            at
        };
        let said: Vec<&Edge> = self.edges.iter().filter(|edge| edge.relation != Relation::SameFault).collect();
        for edge in &said {
            let (a, b) = (of(&head, edge.from), of(&head, edge.to));
            head[a.max(b)] = a.min(b);
        }
        let mut groups: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for at in said.iter().flat_map(|edge| [edge.from, edge.to]) {
            groups.entry(of(&head, at)).or_default().insert(at);
        }
        groups.into_values().map(|group| group.into_iter().collect()).collect()
    }

    /// The graph of some of its reports; those of one fault are joined again, over the ones that are gone.
    fn only(self, kept: &BTreeSet<usize>, left_out: LeftOut) -> Self {
        let places: HashMap<usize, usize> = kept.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        let said = self.edges.into_iter().filter(|edge| edge.relation != Relation::SameFault);
        let mut edges: Vec<Edge> = said
            .filter_map(|edge| Some(Edge { from: *places.get(&edge.from)?, to: *places.get(&edge.to)?, ..edge }))
            .collect();
        let nodes: Vec<Node> = kept.iter().map(|at| self.nodes[*at].clone()).collect();
        let joined: BTreeSet<(usize, usize)> =
            edges.iter().flat_map(|edge| [(edge.from, edge.to), (edge.to, edge.from)]).collect();
        let records: Vec<&Record> = nodes.iter().map(|node| &node.record).collect();
        edges.extend(same_faults(&records).into_iter().filter(|edge| !joined.contains(&(edge.from, edge.to))));
        edges.sort();
        Self { nodes, edges, alone: self.alone, left_out }
    }
}
