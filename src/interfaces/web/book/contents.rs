//! The contents of the book, its recipes and its notices as pages.

use askama::Template;

use super::codes::{self, Library};
use super::shelf::{Shelf, fault_address, recipe_address};
use crate::book::page::Notice;
use crate::book::schema::{Cost, Severity};
use crate::interfaces::web::frame::{Frame, Section};
use crate::interfaces::web::html::{self, Links};
use crate::interfaces::web::weave::woven;
use crate::render::clean;
use crate::render::inline;

/// A page of the book in a list.
#[derive(Debug)]
pub(crate) struct PageLink {
    pub id: String,
    pub title: String,
    /// Below the root.
    pub address: String,
}

/// All pages of one folder of the book.
#[derive(Debug)]
pub(crate) struct Area {
    pub name: String,
    pub pages: Vec<PageLink>,
}

/// What the book holds.
#[derive(Template)]
#[template(path = "book/contents.html")]
pub(crate) struct Contents {
    pub frame: Frame,
    pub count: usize,
    pub areas: Vec<Area>,
    pub recipes: Vec<RecipeLink>,
    pub libraries: Vec<Library>,
    pub notices: usize,
}

/// A recipe in a list.
#[derive(Debug)]
pub(crate) struct RecipeLink {
    pub title: String,
    pub address: String,
    /// How many pages link to it.
    pub pages: usize,
}

/// A fix that several pages share.
#[derive(Template)]
#[template(path = "book/recipe.html")]
pub(crate) struct RecipePage {
    pub frame: Frame,
    pub id: String,
    pub title: String,
    pub effort: &'static str,
    /// Where it makes sense, in words; empty for everywhere.
    pub place: String,
    pub detail: String,
    pub commands: Vec<String>,
    pub trade_offs: Vec<String>,
    pub pages: Vec<PageLink>,
}

/// Lines that look alarming and are harmless.
#[derive(Template)]
#[template(path = "book/notices.html")]
pub(crate) struct NoticesPage {
    pub frame: Frame,
    pub notices: Vec<NoticeView>,
}

#[derive(Debug)]
pub(crate) struct NoticeView {
    pub id: String,
    pub title: String,
    /// Words of the line.
    pub words: Vec<String>,
    pub body: String,
}

/// The link to the page at that index.
pub(crate) fn page_link(shelf: &Shelf<'_>, index: usize) -> PageLink {
    let page = &shelf.book().faults[index];
    PageLink { id: page.id.clone(), title: html::sentence(&page.matter().title), address: fault_address(&page.id) }
}

/// The word for a fault's severity.
pub(crate) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    }
}

fn effort(cost: Cost) -> &'static str {
    match cost {
        Cost::Setting => "a setting",
        Cost::Code => "a change of the program",
        Cost::Reinstall => "another version or build",
        Cost::Machine => "a change of the machine",
        Cost::Hardware => "other or repaired hardware",
    }
}

/// The pages of the book by area.
pub(crate) fn areas(shelf: &Shelf<'_>) -> Vec<Area> {
    let mut areas: Vec<Area> = Vec::new();
    for index in 0..shelf.book().faults.len() {
        let area = &shelf.book().faults[index].area;
        let at = areas.iter().position(|known| known.name == *area).unwrap_or_else(|| {
            areas.push(Area { name: area.clone(), pages: Vec::new() });
            areas.len() - 1
        });
        areas[at].pages.push(page_link(shelf, index));
    }
    areas.sort_by(|a, b| a.name.cmp(&b.name));
    areas.iter_mut().for_each(|area| area.pages.sort_by(|a, b| a.id.cmp(&b.id)));
    areas
}

/// The recipes that pages use.
pub(crate) fn recipes(shelf: &Shelf<'_>) -> Vec<RecipeLink> {
    let link = |(id, pages): (&String, &Vec<usize>)| {
        let recipe = shelf.book().recipe(id)?;
        Some(RecipeLink { title: html::sentence(&recipe.title), address: recipe_address(id), pages: pages.len() })
    };
    shelf.uses().iter().filter_map(link).collect()
}

/// The contents.
pub(crate) fn contents(shelf: &Shelf<'_>) -> Contents {
    let count = shelf.book().faults.len();
    let description = format!(
        "{count} failures of GPU and ML training runs: what each of them means, its causes, how to tell them apart, and \
         what fixes it."
    );
    Contents {
        frame: shelf.frame("book/index.html", Section::Book, "The book of faults", &description),
        count,
        areas: areas(shelf),
        recipes: recipes(shelf),
        libraries: codes::libraries(shelf),
        notices: shelf.book().notices.len(),
    }
}

/// The page of a recipe; `None` if there is none.
pub(crate) fn recipe(shelf: &Shelf<'_>, id: &str) -> Option<RecipePage> {
    let pages = shelf.uses().get(id)?;
    let recipe = shelf.book().recipe(id)?;
    let frame = shelf.frame(
        &recipe_address(id),
        Section::Book,
        &clean::line(&inline::plain(&recipe.title)),
        &clean::line(&inline::plain(recipe.detail.lines().next().unwrap_or_default())),
    );
    let scope = &recipe.scope;
    let mut place = Vec::new();
    if !scope.only.is_empty() {
        place.push(format!("only on {}", scope.only.join(", ")));
    }
    if !scope.not.is_empty() {
        place.push(format!("not on {}", scope.not.join(", ")));
    }
    Some(RecipePage {
        id: id.to_owned(),
        title: html::sentence(&recipe.title),
        effort: effort(recipe.cost),
        place: place.join("; "),
        detail: prose(shelf, &frame, &recipe.detail, 2),
        commands: recipe.commands.iter().map(|text| command(text)).collect(),
        trade_offs: recipe.trade_offs.iter().map(|cost| html::sentence(cost)).collect(),
        pages: pages.iter().map(|index| page_link(shelf, *index)).collect(),
        frame,
    })
}

/// All notices.
pub(crate) fn notices(shelf: &Shelf<'_>) -> NoticesPage {
    let description = "Lines of logs that look like failures and are none.";
    let frame = shelf.frame("book/notices.html", Section::Book, "Looks bad, is harmless", description);
    let view = |notice: &Notice| NoticeView {
        id: notice.id.clone(),
        title: html::sentence(&notice.title),
        words: notice.signatures.iter().map(|one| clean::line(&one.contains.0.join(" … "))).collect(),
        body: prose(shelf, &frame, &notice.body, 2),
    };
    let mut notices: Vec<NoticeView> = shelf.book().notices.iter().map(view).collect();
    notices.sort_by(|a, b| a.id.cmp(&b.id));
    NoticesPage { notices, frame }
}

/// Markdown of the book on a page of it.
pub(crate) fn prose(shelf: &Shelf<'_>, frame: &Frame, markdown: &str, level: u8) -> String {
    let root = frame.root.as_ref();
    let links = Links { resolve: &|target| shelf.of_book(target).map(|address| format!("{root}{address}")) };
    woven(&html::document(markdown, &links, level), &|text, is_code| shelf.page_names(root, text, is_code))
}

/// A sentence of the book on a page of it: names of pages in it are links.
pub(crate) fn sentence(shelf: &Shelf<'_>, frame: &Frame, markdown: &str) -> String {
    let root = frame.root.as_ref();
    woven(&html::sentence(markdown), &|text, is_code| shelf.page_names(root, text, is_code))
}

/// A command as it is shown and copied.
pub(crate) fn command(text: &str) -> String {
    clean::lines(text).join("\n")
}
