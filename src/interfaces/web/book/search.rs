//! Searching pages, codes, recipes, reports and cases, with the words marked.
//!
//! Pages and reports are found by the index that the command line asks; since people see answers while they type, names
//! that begin with the last word count too. Codes, recipes and cases are few: those that have all words are found.

use askama::Template;
use regex::{Regex, RegexBuilder};

use super::codes;
use super::contents::command;
use super::reports::{report_link, summary};
use super::shelf::{Shelf, fault_address, recipe_address, shortened};
use crate::book::codes::Code;
use crate::interfaces::web::frame::{Frame, Section, report_address};
use crate::interfaces::web::html;
use crate::render::clean;
use crate::render::inline;
use crate::render::words::counted;
use crate::reports::lookup::{self, Found};
use crate::reports::search::{HitKind, search};

/// The page of a search.
#[derive(Template)]
#[template(path = "book/search.html")]
pub(crate) struct SearchPage {
    pub frame: Frame,
    pub query: String,
    pub results: Results,
}

/// What was found, without a page around it.
#[derive(Template)]
#[template(path = "book/results.html")]
pub(crate) struct Part {
    pub frame: Frame,
    pub results: Results,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub(crate) struct Results {
    /// Whether there was anything to look for.
    pub asked: bool,
    /// "12 results".
    pub said: String,
    pub groups: Vec<Group>,
}

/// Results of one kind.
#[derive(Debug)]
pub(crate) struct Group {
    pub id: &'static str,
    pub title: &'static str,
    pub hits: Vec<Hit>,
}

/// One result. Titles and snippets are HTML.
#[derive(Debug, Default)]
pub(crate) struct Hit {
    /// Below the root, or whole for what is elsewhere.
    pub address: String,
    pub is_elsewhere: bool,
    pub title: String,
    pub id: String,
    pub snippet: String,
    pub about: String,
    /// A command to copy.
    pub command: Option<String>,
}

/// The longest question; more is a text to diagnose.
const LONGEST: usize = 400;

/// Results of one kind.
const MOST: usize = 8;

/// The page with the answers.
pub(crate) fn page(shelf: &Shelf<'_>, query: &str) -> SearchPage {
    let query = shortened(&clean::line(query), LONGEST);
    let title = if query.is_empty() { "Search".to_owned() } else { format!("Search: {query}") };
    let frame = shelf.frame("search", Section::None, &title, "");
    SearchPage { results: results(shelf, &query), query, frame }
}

/// The answers alone.
pub(crate) fn part(shelf: &Shelf<'_>, query: &str) -> Part {
    let SearchPage { frame, results, .. } = page(shelf, query);
    Part { frame, results }
}

fn results(shelf: &Shelf<'_>, query: &str) -> Results {
    let Some(words) = Words::new(query) else { return Results::default() };
    let mut groups = vec![Group { id: "found-exactly", title: "Exactly this", hits: exact(shelf, query, &words) }];
    let (pages, reports) = indexed(shelf, query, &words);
    groups.push(Group { id: "found-pages", title: "Failures", hits: pages });
    groups.push(Group { id: "found-reports", title: "Reports of this project", hits: reports });
    groups.push(Group { id: "found-codes", title: "Codes", hits: of_codes(shelf, &words) });
    groups.push(Group { id: "found-fixes", title: "Fixes", hits: recipes(shelf, &words) });
    groups.push(Group { id: "found-cases", title: "Resolved public cases", hits: cases(shelf, &words) });
    // What leads the list is not in it again.
    let (first, rest) = groups.split_at_mut(1);
    for group in rest {
        group.hits.retain(|hit| !first[0].hits.iter().any(|known| known.address == hit.address));
    }
    groups.retain(|group| !group.hits.is_empty());
    let count: usize = groups.iter().map(|group| group.hits.len()).sum();
    let said = if count == 0 { "Nothing found".to_owned() } else { counted(count as u64, "result", "results") };
    Results { asked: true, said, groups }
}

/// The words of a question.
struct Words {
    /// In lower case.
    all: Vec<String>,
    /// Any of them, at the beginning of a word.
    any: Regex,
}

impl Words {
    fn new(query: &str) -> Option<Self> {
        let is_part = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '-' | '+');
        let mut all: Vec<String> =
            query.split(is_part).map(|word| word.trim_matches(['.', '-', '+']).to_lowercase()).collect();
        all.retain(|word| !word.is_empty());
        all.dedup();
        all.truncate(24);
        if all.is_empty() {
            return None;
        }
        let mut longest = all.clone();
        longest.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let any: Vec<String> = longest.iter().map(|word| regex::escape(word)).collect();
        let any = RegexBuilder::new(&any.join("|")).case_insensitive(true).build().ok()?;
        Some(Self { all, any })
    }

    /// Whether a text has all of them.
    fn are_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.all.iter().all(|word| text.contains(word))
    }

    /// The text as HTML with the words marked.
    fn marked(&self, text: &str) -> String {
        let text = clean::line(text);
        let mut out = String::with_capacity(text.len() + 32);
        let mut at = 0;
        for found in self.any.find_iter(&text) {
            let before = text[..found.start()].chars().next_back();
            // "rank" is no part of "frank"; one letter is a word only by itself.
            let inside = before.is_some_and(char::is_alphanumeric);
            let alone = text[found.end()..].chars().next().is_none_or(|c| !c.is_alphanumeric());
            if inside || (found.len() < 2 && !alone) {
                continue;
            }
            out.push_str(&html::sentence_of_text(&text[at..found.start()]));
            out.push_str("<mark>");
            out.push_str(&html::sentence_of_text(found.as_str()));
            out.push_str("</mark>");
            at = found.end();
        }
        out.push_str(&html::sentence_of_text(&text[at..]));
        out
    }

    /// The line of a text that has the most different words, around the first of them, marked; nothing where none has one.
    fn snippet(&self, text: &str) -> String {
        /// Characters before and after the first word.
        const BEFORE: usize = 60;
        const LENGTH: usize = 190;
        let count = |line: &str| {
            let line = line.to_lowercase();
            self.all.iter().filter(|word| word.len() > 1 && line.contains(word.as_str())).count()
        };
        let mut best: Option<(usize, &str)> = None;
        // Headings say little, and the title is above the snippet.
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let count = count(line);
            if count > best.map_or(0, |(most, _)| most) {
                best = Some((count, line));
            }
        }
        let Some((_, line)) = best else { return String::new() };
        let line = clean::line(&inline::plain(line.trim_start_matches(['#', '-', '*', '>', ' '])));
        let start = self.any.find(&line).map_or(0, |found| found.start());
        let before = line[..start].char_indices().rev().nth(BEFORE).map_or(0, |(at, _)| at);
        let from = if before == 0 { 0 } else { line[before..].find(' ').map_or(before, |at| before + at + 1) };
        let dots = if from > 0 { "…" } else { "" };
        self.marked(&format!("{dots}{}", shortened(&line[from..], LENGTH)))
    }
}

/// What the words are the name of.
fn exact(shelf: &Shelf<'_>, query: &str, words: &Words) -> Vec<Hit> {
    let found = lookup::find(shelf.knowledge, query, shelf.builtin && !shelf.can.reports_only).unwrap_or_default();
    let hit = |found: &Found<'_>| match found {
        Found::Page(index) => Some(page_hit(shelf, *index, words)),
        Found::Recipe(recipe) => shelf.uses().contains_key(&recipe.id).then(|| recipe_hit(recipe, words)),
        Found::Report(report) => {
            let index = shelf.told.reports.iter().position(|one| one.record.path == report.path);
            match index {
                Some(index) => Some(report_hit(shelf, index, words, "")),
                None => Some(Hit {
                    address: report_address(&report.id),
                    title: words.marked(&report.title),
                    id: clean::line(&report.id),
                    snippet: words.snippet(&report.summary),
                    ..Hit::default()
                }),
            }
        }
        Found::Code(code) => Some(code_hit(shelf, code, words)),
    };
    found.iter().filter_map(hit).take(MOST).collect()
}

/// Pages and reports of the index, then those whose name begins so.
fn indexed(shelf: &Shelf<'_>, query: &str, words: &Words) -> (Vec<Hit>, Vec<Hit>) {
    let (mut pages, mut reports) = (Vec::new(), Vec::new());
    let (mut known_pages, mut known_reports) = (Vec::new(), Vec::new());
    for hit in search(shelf.knowledge, query, 2 * MOST).unwrap_or_default() {
        match hit.kind {
            HitKind::Page => {
                if let Some(index) = shelf.book().find(&hit.id) {
                    known_pages.push(index);
                }
            }
            HitKind::Report { sentence, .. } => {
                let path = std::path::Path::new(&hit.path);
                if let Some(index) = shelf.told.reports.iter().position(|one| one.record.path == path) {
                    known_reports.push(index);
                    reports.push(report_hit(shelf, index, words, &sentence.unwrap_or_default()));
                }
            }
        }
    }
    for (index, page) in shelf.book().faults.iter().enumerate() {
        let name = format!("{} {} {}", page.id, page.matter().title, page.matter().codes.join(" "));
        if !known_pages.contains(&index) && words.are_in(&name) {
            known_pages.push(index);
        }
    }
    if !shelf.can.reports_only {
        pages.extend(known_pages.into_iter().take(MOST).map(|index| page_hit(shelf, index, words)));
    }
    for (index, one) in shelf.told.reports.iter().enumerate() {
        if !known_reports.contains(&index) && reports.len() < MOST && one.record.has_words(&words.all) {
            reports.push(report_hit(shelf, index, words, ""));
        }
    }
    (pages, reports)
}

fn page_hit(shelf: &Shelf<'_>, index: usize, words: &Words) -> Hit {
    let page = &shelf.book().faults[index];
    let body = without_comments(page.body());
    Hit {
        address: fault_address(&page.id),
        title: words.marked(&inline::plain(&page.matter().title)),
        id: page.id.clone(),
        snippet: words.snippet(&body),
        ..Hit::default()
    }
}

fn report_hit(shelf: &Shelf<'_>, index: usize, words: &Words, sentence: &str) -> Hit {
    let one = &shelf.told.reports[index];
    let link = report_link(shelf, index);
    let times = if link.times > 1 { format!("{} times", link.times) } else { String::new() };
    let about = [link.status.as_str(), link.severity, &link.date, &times];
    let about: Vec<&str> = about.into_iter().filter(|part| !part.is_empty()).collect();
    let snippet =
        if sentence.is_empty() { words.snippet(&reading_text(one)) } else { words.marked(&inline::plain(sentence)) };
    Hit {
        address: link.address.clone(),
        title: words.marked(&link.title),
        id: link.id.clone(),
        snippet: if snippet.is_empty() { words.marked(&shortened(&summary(one), 190)) } else { snippet },
        about: clean::line(&about.join(", ")),
        ..Hit::default()
    }
}

fn reading_text(one: &crate::reports::record::ParsedReport) -> String {
    crate::reports::reading::parts(&one.report.text).1
}

fn code_hit(shelf: &Shelf<'_>, code: &Code, words: &Words) -> Hit {
    let fault = code.fault().filter(|fault| shelf.fault(fault).is_some());
    Hit {
        address: codes::address(code),
        title: words.marked(&code.label()),
        id: code.number.filter(|_| !code.is_event()).map(|number| number.to_string()).unwrap_or_default(),
        snippet: words.marked(&lookup::sentences(code).join(" ")),
        about: fault
            .map(|fault| format!("{}, explained in {fault}", code.library))
            .unwrap_or_else(|| code.library.to_string()),
        ..Hit::default()
    }
}

fn of_codes(shelf: &Shelf<'_>, words: &Words) -> Vec<Hit> {
    if shelf.can.reports_only || words.all.iter().all(|word| word.len() < 2) {
        return Vec::new();
    }
    let named = |code: &&Code| words.are_in(&code.label()) || words.are_in(&code.row.value);
    let said = |code: &&Code| words.are_in(&format!("{} {} {}", code.name(), code.message(), code.meaning()));
    let codes = || shelf.book().codes().iter();
    let all = codes().filter(named).chain(codes().filter(|code| !named(code) && said(code)));
    all.take(MOST).map(|code| code_hit(shelf, code, words)).collect()
}

fn recipe_hit(recipe: &crate::book::page::Recipe, words: &Words) -> Hit {
    Hit {
        address: recipe_address(&recipe.id),
        title: words.marked(&inline::plain(&recipe.title)),
        id: recipe.id.clone(),
        snippet: words.snippet(&recipe.detail),
        command: recipe.commands.first().map(|text| command(text)),
        ..Hit::default()
    }
}

fn recipes(shelf: &Shelf<'_>, words: &Words) -> Vec<Hit> {
    if shelf.can.reports_only {
        return Vec::new();
    }
    let all = shelf.uses().keys().filter_map(|id| shelf.book().recipe(id));
    let mut found: Vec<(bool, crate::book::page::Recipe)> = all
        .filter_map(|recipe| {
            let named = words.are_in(&format!("{} {}", recipe.id, recipe.title));
            let said =
                named || words.are_in(&format!("{} {} {}", recipe.title, recipe.detail, recipe.commands.join(" ")));
            said.then_some((!named, recipe))
        })
        .collect();
    found.sort_by_key(|(said_only, _)| *said_only);
    found.iter().take(MOST).map(|(_, recipe)| recipe_hit(recipe, words)).collect()
}

fn cases(shelf: &Shelf<'_>, words: &Words) -> Vec<Hit> {
    /// Shorter questions are in too many.
    const SHORTEST: usize = 4;
    if shelf.can.reports_only || words.all.iter().map(String::len).sum::<usize>() < SHORTEST {
        return Vec::new();
    }
    let mut found = Vec::new();
    for page in shelf.book().faults.iter().filter(|page| page.path.starts_with("kb/")) {
        for case in shelf.book().cases(&page.id) {
            let text = format!("{} {} {} {} {}", case.how, case.clues.join(" "), case.versions, case.gpu, case.phase);
            if !words.are_in(&text) || !case.at.starts_with("https://") {
                continue;
            }
            found.push(Hit {
                address: case.at.to_string(),
                is_elsewhere: true,
                title: words.marked(&inline::plain(&case.how)),
                id: page.id.clone(),
                snippet: words.marked(&case.clues.join("; ")),
                about: clean::line(&[case.versions.as_ref(), case.gpu.as_ref()].join(" ")),
                command: None,
            });
            if found.len() == MOST {
                return found;
            }
        }
    }
    found
}

/// The book's text without notes to its authors.
pub(crate) fn without_comments(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, after)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}
