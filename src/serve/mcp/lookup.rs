//! What an id or a code stands for, as text.

use crate::book::codes::Code;
use crate::serve::shelf::Shelf;

/// The texts of everything that carries the id or the code; empty when nothing does.
pub(super) fn texts(shelf: &Shelf, asked: &str) -> Vec<String> {
    let asked = asked.trim();
    let book = &shelf.knowledge.book;
    if let Some(page) = page(shelf, asked) {
        return vec![page];
    }
    if let Some(recipe) = book.recipe(asked) {
        let mut text = format!("# {}\n\n{}\n", recipe.title, recipe.detail.trim());
        recipe.commands.iter().for_each(|command| text.push_str(&format!("\n```\n{}\n```\n", command.trim_end())));
        recipe.trade_offs.iter().for_each(|cost| text.push_str(&format!("\nTrade-off: {cost}\n")));
        return vec![text];
    }
    let reports = shelf.reports_named(asked);
    if !reports.is_empty() {
        return reports.into_iter().map(|report| report.text).collect();
    }
    book.codes().find(asked).into_iter().map(code).collect()
}

/// The text of the page with that id.
pub(super) fn page(shelf: &Shelf, id: &str) -> Option<String> {
    let book = &shelf.knowledge.book;
    let page = book.find(id).or_else(|| book.find(&id.to_ascii_lowercase()))?;
    Some(book.faults.get(page)?.body.trim_start().to_owned())
}

fn code(code: &Code) -> String {
    let number = code.number.map(|number| format!("{number}, ")).unwrap_or_default();
    let mut text = format!("# {} ({number}{})\n", code.label(), code.library);
    for words in [code.message(), code.meaning()].into_iter().filter(|words| !words.is_empty()) {
        text.push_str(&format!("\n{words}\n"));
    }
    if code.is_sticky() {
        text.push_str("\nEvery later CUDA call of the process fails with it too; only a new process helps.\n");
    }
    if let Some(fault) = code.fault() {
        text.push_str(&format!("\nFault page: {fault}\n"));
    }
    text
}
