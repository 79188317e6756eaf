//! Everything that a site of files can find, for the search without a server.

use crate::interfaces::web::book::codes;
use crate::interfaces::web::book::reports::{report_link, summary};
use crate::interfaces::web::book::search::without_comments;
use crate::interfaces::web::book::shelf::{Shelf, fault_address, recipe_address, shortened};
use crate::render::clean;
use crate::render::inline;
use crate::reports::lookup;

/// Everything that a search without a server can find: kind, id, title, address, words.
pub(super) fn listing(shelf: &Shelf<'_>) -> Vec<Entry> {
    let mut all = Vec::new();
    let mut add = |kind, id: &str, title: &str, address: String, words: String| {
        let (title, words) = (clean::line(&inline::plain(title)), shortened(&clean::line(&words), 400));
        all.push(Entry { kind, id: clean::line(id), title, address, words });
    };
    for (index, one) in shelf.told.reports.iter().enumerate() {
        let link = report_link(shelf, index);
        let errors = one.report.errors.first().map(|error| shortened(error, 160)).unwrap_or_default();
        let faults: Vec<&str> = one.record.faults.iter().map(String::as_str).collect();
        let words = format!("{}. {} {errors} {}", link.status, shortened(&summary(one), 160), faults.join(" "));
        add("report", &link.id, &link.title, link.address.clone(), words);
    }
    if shelf.can.reports_only {
        return all;
    }
    for page in &shelf.book().faults {
        let meaning = page.body().split("## Meaning").nth(1).unwrap_or_default().trim();
        let meaning = inline::plain(meaning.lines().next().unwrap_or_default());
        let words = format!("{} {}", shortened(&without_comments(&meaning), 240), page.matter().codes.join(" "));
        add("page", &page.id, &page.matter().title, fault_address(&page.id), words);
    }
    for recipe in shelf.uses().keys().filter_map(|id| shelf.book().recipe(id)) {
        let detail = inline::plain(recipe.detail.lines().next().unwrap_or_default());
        add("fix", &recipe.id, &recipe.title, recipe_address(&recipe.id), detail);
    }
    for code in shelf.book().codes().iter() {
        let number = code.number.map(|number| number.to_string()).unwrap_or_default();
        let words = format!("{number} {}", lookup::sentences(code).join(" "));
        add("code", &code.library, &code.label(), codes::address(code), words);
    }
    for notice in &shelf.book().notices {
        add("harmless", &notice.id, &notice.title, format!("book/notices.html#{}", notice.id), String::new());
    }
    all
}

/// Something that can be found.
#[derive(Debug, serde::Serialize)]
pub(super) struct Entry {
    #[serde(rename = "k")]
    pub kind: &'static str,
    #[serde(rename = "i")]
    pub id: String,
    #[serde(rename = "t")]
    pub title: String,
    #[serde(rename = "a")]
    pub address: String,
    #[serde(rename = "w")]
    pub words: String,
}
