//! Learns from `kb/descriptions`, `kb/wording/concepts.toml` and the posts of `kb/threads`. `build.rs` includes this file by path.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::concepts::{ConceptFile, Concepts};
use super::courtesies;
use super::letters::{self, Example, PAGE, POST, Reading, SENTENCES};
use super::model::{Features, Learned, NONE, Row, Situations, learn};
use super::words::{self, Words};

/// Descriptions of one kind: its name, and that of the situation if they are all of one. `hang.txt` is of a kind, and
/// `hang/network.txt` of one of its situations.
pub(crate) struct Kind {
    pub(crate) name: String,
    pub(crate) situation: Option<String>,
    /// A description on each line.
    pub(crate) text: String,
}

impl Kind {
    /// The descriptions.
    fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter(|line| !line.trim().is_empty())
    }

    /// Whether nobody has a problem in them.
    fn is_none(&self) -> bool {
        self.name == NONE || self.name.starts_with("none-")
    }
}

/// Passes over the examples in which a row is learned from letters, and fewer where there are many rows.
const PASSES: usize = 12;
const PASSES_OF_MANY: usize = 6;

/// Each description with its kind.
fn described(kinds: &[Kind]) -> impl Iterator<Item = (&str, &Kind)> {
    kinds.iter().flat_map(|kind| kind.lines().map(move |line| (line, kind)))
}

/// What tells a problem from none by letters and words alone, without `courtesies`: learned from descriptions, and from posts that
/// were composed in a person's own words.
pub(crate) fn learned_by_letters(kinds: &[Kind], posts: &[Post], courtesies: &[String]) -> Row<Vec<u8>> {
    let example = |line: &str| example(&courtesies::without(line, courtesies), SENTENCES, 1.0);
    let lines = described(kinds).map(|(line, kind)| (example(line), kind.is_none()));
    let composed = posts.iter().filter(|post| post.is_composed()).map(|post| (example(&post.input), post.healthy));
    let (examples, none): (Vec<_>, Vec<bool>) = lines.chain(composed).unzip();
    letters::learn(&examples, |place| none[place], SENTENCES, PASSES)
}

fn example(text: &str, reading: Reading, worth: f32) -> Example {
    Example { features: letters::features(text, reading), worth }
}

/// What somebody posted, and whether anything failed.
#[derive(Deserialize)]
pub(crate) struct Post {
    input: String,
    #[serde(default)]
    healthy: bool,
    /// The label of what failed: a page's id, or `none`.
    pub(crate) fault: String,
    /// The label of why.
    pub(crate) cause: String,
    /// What solved it; empty if nobody knows.
    #[serde(default)]
    resolution: String,
    /// How the text came about.
    #[serde(default)]
    how: String,
}

impl Post {
    /// Whether nobody ever met it: it was composed to learn the words from.
    pub(crate) fn is_composed(&self) -> bool {
        self.how == "composed"
    }

    /// The post and what solved it, where something failed and that is known.
    pub(crate) fn solved(&self) -> Option<(&str, &str)> {
        (!self.healthy && !self.resolution.is_empty()).then_some((&self.input, &self.resolution))
    }
}

/// Adds the composed posts to the descriptions of their kinds, and of the situation whose name is their cause.
pub(crate) fn add_posts(kinds: &mut Vec<Kind>, posts: &[Post]) {
    kinds.push(Kind { name: NONE.to_owned(), situation: None, text: String::new() });
    for post in posts.iter().filter(|post| post.is_composed()) {
        let name = if post.healthy { NONE } else { post.fault.as_str() };
        let is_it = |kind: &Kind, cause| kind.name == name && kind.situation.as_deref() == cause;
        let place = |cause| kinds.iter().position(|kind| is_it(kind, cause));
        let Some(place) = place(Some(post.cause.as_str())).or_else(|| place(None)) else { continue };
        let line: Vec<&str> = post.input.split_whitespace().collect();
        kinds[place].text.push_str(&format!("\n{}", line.join(" ")));
    }
}

/// What tells a post in which nothing failed from others, learned from posts and, because they are few, from descriptions, all
/// without `courtesies`.
pub(crate) fn learned_by_posts(posts: &[Post], kinds: &[Kind], courtesies: &[String]) -> Row<Vec<u8>> {
    /// A composed description is worth less than a post; on 230 unseen posts, a half and one did no better.
    const WORTH: f32 = 0.2;
    let example = |text: &str, worth| example(&courtesies::without(text, courtesies), POST, worth);
    let said = posts.iter().map(|post| (example(&post.input, 1.0), post.healthy));
    let composed = described(kinds).map(|(line, kind)| (example(line, WORTH), kind.is_none()));
    let (examples, well): (Vec<_>, Vec<bool>) = said.chain(composed).unzip();
    letters::learn(&examples, |place| well[place], POST, PASSES)
}

/// The pages that enough posts are about, each with what tells these from posts about other pages and about none.
pub(crate) fn pages_by_posts(
    posts: &[Post],
    kinds: &[Kind],
    is_page: impl Fn(&str) -> bool,
) -> Vec<(String, Row<Vec<u8>>)> {
    /// Posts about a page, at least, and the descriptions from one file, at most: as many as the commonest page has posts.
    const FEWEST: usize = 10;
    const MOST: usize = 200;
    let said = posts.iter().filter(|post| !post.healthy).map(|post| (post.input.as_str(), post.fault.as_str()));
    let composed = kinds.iter().filter(|kind| !kind.is_none());
    let composed = composed.flat_map(|kind| kind.lines().take(MOST).map(|line| (line, kind.name.as_str())));
    let (examples, of): (Vec<_>, Vec<&str>) =
        said.chain(composed).map(|(text, of)| (example(text, PAGE, 1.0), of)).unzip();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for post in posts.iter().filter(|post| !post.healthy && !post.is_composed()) {
        *counts.entry(&post.fault).or_default() += 1;
    }
    let enough = counts.into_iter().filter(|(page, count)| *count >= FEWEST && is_page(page));
    let learn = |page: &str| letters::learn(&examples, |place| of[place] == page, PAGE, PASSES_OF_MANY);
    enough.map(|(page, _)| (page.to_owned(), learn(page))).collect()
}

/// What all descriptions teach. `build.rs` packs the two apart.
pub(crate) struct Lessons {
    /// How the kinds are distinguished.
    pub(crate) kinds: Learned<String, Vec<u8>>,
    /// How the situations of one kind are distinguished, for each kind that has several.
    pub(crate) situations: Vec<Situations<String, Vec<u8>>>,
}

/// What is learned from all descriptions. A kind without a page or one of the described `entries` to lead to is an error,
/// and so is an entry that no kind leads to.
pub(crate) fn learned(
    concepts: &str,
    kinds: &[Kind],
    entries: &[&str],
    is_page: impl Fn(&str) -> bool,
) -> Result<Lessons, String> {
    let file: ConceptFile =
        toml::from_str(concepts).map_err(|error| format!("kb/wording/concepts.toml: {}", error.message()))?;
    let numbers = 0_u16..;
    let split = |(number, said): (u16, &String)| -> Vec<(u16, String)> {
        said.split('|').map(|words| (number, words.trim().to_owned())).collect()
    };
    let alternatives: Vec<(u16, String)> = numbers.zip(file.concept.values()).flat_map(split).collect();
    if let Some((_, empty)) = alternatives.iter().find(|(_, words)| words.trim_matches('$').is_empty()) {
        return Err(format!("kb/wording/concepts.toml: a concept has an empty alternative {empty:?}"));
    }
    let names: Vec<String> = file.concept.into_keys().collect();
    let number = |name: &String| -> Result<u16, String> {
        let place = names.iter().position(|other| other == name).and_then(|place| u16::try_from(place).ok());
        place.ok_or_else(|| format!("kb/wording/concepts.toml: `writer` or `asks` names {name}, which is not there"))
    };
    let writer = file.writer.iter().map(number).collect::<Result<_, _>>()?;
    let asks = file.asks.iter().map(number).collect::<Result<_, _>>()?;
    let found = Concepts::new(
        names.iter().map(String::as_str),
        alternatives.iter().map(|(number, words)| (*number, words.as_str())),
    );
    if let Some(stray) = entries.iter().find(|entry| !kinds.iter().any(|kind| kind.name == **entry)) {
        return Err(format!("kb/errors: {stray}: there is no kb/descriptions/{stray}.txt"));
    }
    let is_led = |kind: &Kind| entries.contains(&kind.name.as_str()) || is_page(&kind.name);
    let name = |kind: &Kind| if kind.is_none() { NONE.to_owned() } else { kind.name.clone() };
    if let Some(stray) = kinds.iter().find(|kind| !kind.is_none() && !is_led(kind)) {
        return Err(format!("kb/descriptions/{}.txt: no page and no described entry has this name", stray.name));
    }
    let names_of_kinds: Vec<String> = kinds.iter().map(name).collect::<BTreeSet<_>>().into_iter().collect();
    let words = words::common(kinds.iter().flat_map(Kind::lines));
    let after_concepts = u16::try_from(2 * names.len()).map_err(|_| "too many concepts".to_owned())?;
    let plain = Words::new(words.iter().map(String::as_str), after_concepts);
    let count = 2 * names.len() + words.len();
    let features = |line: &str| Features { concepts: found.features(line), words: plain.features(line) };
    let mut examples = Vec::new();
    let mut situations = Vec::new();
    for (number, of) in names_of_kinds.iter().enumerate() {
        let kinds: Vec<&Kind> = kinds.iter().filter(|kind| name(kind) == *of).collect();
        examples.extend(kinds.iter().flat_map(|kind| kind.lines()).map(|line| (features(line), number)));
        situations.extend(situations_of(of, &kinds, features, count));
    }
    // There are three problems for each text without one, and a problem that nobody has misleads as much as a missed one.
    let none = names_of_kinds.iter().position(|name| name == NONE);
    let rows = learn(&examples, names_of_kinds.len(), count, none);
    let kinds = Learned { concepts: names, alternatives, writer, asks, words, kinds: names_of_kinds, rows };
    Ok(Lessons { kinds, situations })
}

/// How the situations of the kind `of`, which is described by `kinds`, are distinguished by `count` features; nothing if it has
/// only one.
fn situations_of(
    of: &str,
    kinds: &[&Kind],
    features: impl Fn(&str) -> Features,
    count: usize,
) -> Option<Situations<String, Vec<u8>>> {
    let parts: Vec<(&Kind, &String)> =
        kinds.iter().filter_map(|kind| Some((*kind, kind.situation.as_ref()?))).collect();
    if parts.len() < 2 {
        return None;
    }
    let lines = parts.iter().enumerate().flat_map(|(part, (kind, _))| kind.lines().map(move |line| (line, part)));
    let examples: Vec<_> = lines.map(|(line, part)| (features(line), part)).collect();
    let names = parts.iter().map(|(_, name)| (*name).clone()).collect();
    Some(Situations { kind: of.to_owned(), names, rows: learn(&examples, parts.len(), count, None) })
}
