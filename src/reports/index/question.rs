//! A question in somebody's own words: what reports are searched for, and which of their sentences answers it.

use std::collections::{BTreeMap, BTreeSet};

use tantivy::query::{BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use super::Error;
use super::cache::Opened;
use super::fields::{PAGE, REPORT};
use super::terms::{self, Language};

/// What a concept counts beside a word.
const CONCEPT: f32 = 0.7;
/// What a word counts that is spelled nearly so, or a part of it.
const NEAR: f32 = 0.6;
/// What a piece of a word counts.
const PIECE: f32 = 0.2;
/// How many words of a question count.
const WORDS: usize = 40;

/// A question, compared with the words of the index.
pub(crate) struct Question {
    /// Terms of which any is as good, with their weights.
    units: Vec<Vec<(String, f32)>>,
    /// Pieces of its words.
    pieces: BTreeSet<String>,
    /// How much each term tells.
    rarity: BTreeMap<String, f64>,
}

impl Question {
    /// Reads a question.
    ///
    /// # Errors
    /// When the index on disk broke since it was opened.
    pub(crate) fn new(index: &Opened, text: &str) -> Result<Self, Error> {
        index.asked(|| Ok(Self::read(index, text)))
    }

    fn read(index: &Opened, text: &str) -> Self {
        let searcher = index.reader.searcher();
        let field = index.fields.terms;
        let known = |term: &str| searcher.doc_freq(&Term::from_field_text(field, term)).unwrap_or(0);
        let mut units: Vec<Vec<(String, f32)>> = Vec::new();
        let mut unknown: Vec<(usize, String)> = Vec::new();
        let words = terms::split(text, None);
        let named = terms::concepts(text);
        for word in words.iter().filter(|word| word.telling).take(WORDS) {
            let mut stems: Vec<String> = word.terms.clone();
            let others = Language::ALL.into_iter().map(|(_, language)| language.stem(&word.text));
            stems.extend(others.filter(|stem| known(stem) > 0));
            stems.dedup();
            let unit: Vec<(String, f32)> = stems.into_iter().map(|stem| (stem, 1.0)).collect();
            if units.contains(&unit) {
                continue;
            }
            let is_named =
                named.iter().any(|(said, _)| said.split(|c: char| !c.is_alphanumeric()).any(|part| part == word.text));
            if !is_named && unit.iter().all(|(term, _)| known(term) == 0) {
                unknown.push((units.len(), word.text.clone()));
            }
            units.push(unit);
        }
        for pair in words.windows(2).filter(|pair| pair.iter().all(|word| word.text.is_ascii())) {
            let joined = format!("{}{}", pair[0].text, pair[1].text);
            if known(&joined) > 0 {
                units.push(vec![(joined, 1.0)]);
            }
        }
        let names: BTreeSet<&str> = named.iter().map(|(_, name)| *name).collect();
        units.extend(names.into_iter().map(|name| vec![(terms::concept_term(name), CONCEPT)]));
        if !unknown.is_empty() {
            near(&searcher, field, &unknown, &mut units);
        }
        let all = units.iter().flatten().map(|(term, _)| term.clone()).collect::<BTreeSet<_>>();
        let documents = searcher.num_docs() as f64;
        let rarity = all.into_iter().map(|term| {
            let having = known(&term) as f64;
            let tells = if having == 0.0 { 0.0 } else { (1.0 + documents / having).ln() };
            (term, tells)
        });
        let pieces = terms::pieces(text).into_iter().take(WORDS * 4).collect();
        Self { rarity: rarity.collect(), units, pieces }
    }

    /// What is asked of the index, for reports or for pages.
    pub(super) fn query(&self, index: &Opened, reports: bool) -> Option<Box<dyn Query>> {
        let fields = index.fields;
        let weights = match reports {
            true => vec![(fields.topic, 2.0), (fields.terms, 1.0), (fields.hints, 0.3)],
            false => vec![(fields.topic, 2.0), (fields.terms, 1.0)],
        };
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for unit in &self.units {
            let mut any: Vec<Box<dyn Query>> = Vec::new();
            for (term, weight) in
                unit.iter().filter(|(term, _)| self.rarity.get(term).is_some_and(|tells| *tells > 0.0))
            {
                for (field, share) in &weights {
                    let term = Term::from_field_text(*field, term);
                    let term = TermQuery::new(term, IndexRecordOption::WithFreqs);
                    any.push(Box::new(BoostQuery::new(Box::new(term), weight * share)));
                }
            }
            if !any.is_empty() {
                clauses.push((Occur::Should, Box::new(DisjunctionMaxQuery::with_tie_breaker(any, 0.3))));
            }
        }
        if clauses.is_empty() {
            return None;
        }
        for piece in self.pieces.iter().filter(|_| reports) {
            let term = TermQuery::new(Term::from_field_text(fields.pieces, piece), IndexRecordOption::WithFreqs);
            clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(term), PIECE))));
        }
        let kind = Term::from_field_text(fields.kind, if reports { REPORT } else { PAGE });
        let kind = TermQuery::new(kind, IndexRecordOption::Basic);
        Some(Box::new(BooleanQuery::new(vec![
            (Occur::Must, Box::new(ConstScoreQuery::new(Box::new(kind), 0.0))),
            (Occur::Must, Box::new(BooleanQuery::new(clauses))),
        ])))
    }

    /// The sentence of a report that says most of what was asked for.
    pub(crate) fn sentence(&self, text: &str) -> Option<String> {
        /// Fewer words say nothing, however well they fit.
        const SHORTEST: usize = 3;
        /// What a line must tell to be worth its length.
        const LENGTH: f64 = 30.0;
        let mut best: Option<(f64, String)> = None;
        for line in text.lines().flat_map(|line| line.split_inclusive(". ")) {
            let line = without_marks(line);
            let words = terms::of_text(&line);
            if words.len() < SHORTEST || line.starts_with("---") {
                continue;
            }
            let found: BTreeSet<&String> = words.iter().filter(|word| self.rarity.contains_key(*word)).collect();
            let tells: f64 = found.iter().map(|word| self.rarity[*word]).sum();
            // A long line has everything.
            let worth = tells / (LENGTH + words.len() as f64).sqrt();
            if tells > 0.0 && best.as_ref().is_none_or(|(most, _)| worth > *most) {
                best = Some((worth, line));
            }
        }
        best.map(|(_, line)| line)
    }
}

/// A line without what markdown begins lines with, check boxes and bold marks.
fn without_marks(line: &str) -> String {
    let line = line.trim().trim_start_matches(['#', '*', '-', '>', '|', '+', ' ']);
    let line = line.strip_prefix("[ ]").or(line.strip_prefix("[x]")).unwrap_or(line);
    line.replace("**", "").trim().to_owned()
}

/// Words that nobody wrote: the terms of the index that are spelled nearly so, or that they are made of.
fn near(searcher: &Searcher, field: Field, unknown: &[(usize, String)], units: &mut [Vec<(String, f32)>]) {
    /// A part of a word that says something has so many letters.
    const PART: usize = 5;
    const MOST: usize = 6;
    let wanted: Vec<(usize, String, Vec<char>)> = unknown
        .iter()
        .filter(|(_, word)| word.chars().count() >= PART - 1)
        .map(|(unit, word)| {
            let stem = terms::stem(word);
            let signs = stem.chars().collect();
            (*unit, stem, signs)
        })
        .collect();
    let mut found: BTreeMap<usize, BTreeMap<String, usize>> = BTreeMap::new();
    for segment in searcher.segment_readers() {
        let Ok(index) = segment.inverted_index(field) else { continue };
        let Ok(mut stream) = index.terms().stream() else { continue };
        while stream.advance() {
            let Ok(term) = std::str::from_utf8(stream.key()) else { continue };
            if term.starts_with('§') {
                continue;
            }
            for (unit, word, signs) in &wanted {
                let letters = term.chars().count();
                let most = if signs.len() >= 8 { 2 } else { 1 };
                let part = letters >= PART && word.contains(term) && letters * 3 >= signs.len()
                    || signs.len() >= PART && term.starts_with(word.as_str());
                let distance = match part {
                    true => Some(most),
                    false if letters.abs_diff(signs.len()) <= most => edits(signs, term, most),
                    false => None,
                };
                if let Some(distance) = distance {
                    found.entry(*unit).or_default().insert(term.to_owned(), distance);
                }
            }
        }
    }
    for (unit, terms) in found {
        let mut terms: Vec<(usize, String)> = terms.into_iter().map(|(term, distance)| (distance, term)).collect();
        terms.sort();
        // Only the nearest ones, and of those no more than can be meant.
        let least = terms.first().map_or(0, |(distance, _)| *distance);
        let nearest = terms.into_iter().filter(|(distance, _)| *distance == least).take(MOST);
        units[unit].extend(nearest.map(|(_, term)| (term, NEAR)));
    }
}

/// How many letters must change, go, come or swap places with their neighbour, if at most `most`; the first one is right.
fn edits(word: &[char], term: &str, most: usize) -> Option<usize> {
    let term: Vec<char> = term.chars().collect();
    if word.first() != term.first() || word.len() < 4 {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=term.len()).collect();
    for (i, a) in word.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in term.iter().enumerate() {
            let mut least = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == term[j - 1] && word[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_are_wrong() {
        let of = |word: &str, term| edits(&word.chars().collect::<Vec<_>>(), term, 2);
        assert_eq!(of("undefinied", "undefined"), Some(1));
        assert_eq!(of("recieve", "receive"), Some(1));
        assert_eq!(of("tensor", "sensor"), None, "people get the first letter right");
        assert_eq!(of("gradient", "grid"), None);
    }
}
