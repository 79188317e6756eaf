//! The tables of status codes as pages: each code has an anchor, and a link to the page that explains it.

use std::collections::HashMap;

use askama::Template;

use super::shelf::Shelf;
use crate::book::codes::Code;
use crate::interfaces::web::frame::{Frame, Section};
use crate::interfaces::web::html;
use crate::render::clean;

/// One table in a list.
#[derive(Debug)]
pub(crate) struct Library {
    /// `cuda-runtime`.
    pub id: String,
    /// `cuda runtime`.
    pub name: String,
    /// Below the root.
    pub address: String,
    pub count: usize,
}

/// All tables.
#[derive(Template)]
#[template(path = "book/codes.html")]
pub(crate) struct CodesPage {
    pub frame: Frame,
    pub libraries: Vec<Library>,
}

/// One table.
#[derive(Template)]
#[template(path = "book/code_table.html")]
pub(crate) struct TablePage {
    pub frame: Frame,
    pub rows: Vec<Row>,
}

#[derive(Debug)]
pub(crate) struct Row {
    pub anchor: String,
    pub number: String,
    pub label: String,
    /// What the library itself says, where that is more than the name.
    pub message: String,
    pub meaning: String,
    pub is_sticky: bool,
    /// The fault's id and its address.
    pub fault: Option<(String, String)>,
}

/// The tables, in the book's order.
pub(crate) fn libraries(shelf: &Shelf<'_>) -> Vec<Library> {
    let mut libraries: Vec<Library> = Vec::new();
    for code in shelf.book().codes().iter() {
        match libraries.iter_mut().find(|known| known.id == code.library) {
            Some(known) => known.count += 1,
            None => libraries.push(Library {
                id: code.library.to_string(),
                name: name(&code.library),
                address: format!("book/codes/{}.html", code.library),
                count: 1,
            }),
        }
    }
    libraries
}

/// The page of all tables.
pub(crate) fn index(shelf: &Shelf<'_>) -> CodesPage {
    let description = "Status codes of GPU libraries and drivers, with what each of them means in practice.";
    let frame = shelf.frame("book/codes/index.html", Section::Book, "Codes", description);
    CodesPage { libraries: libraries(shelf), frame }
}

/// The page of one table; `None` if there is none.
pub(crate) fn table(shelf: &Shelf<'_>, library: &str) -> Option<TablePage> {
    let codes: Vec<&Code> = shelf.book().codes().iter().filter(|code| code.library == library).collect();
    let first = codes.first()?;
    let name = name(&first.library);
    let description =
        format!("{} codes of {name}: number, name, what each of them means, and which failure it is.", codes.len());
    let frame =
        shelf.frame(&format!("book/codes/{library}.html"), Section::Book, &format!("Codes of {name}"), &description);
    let mut used: HashMap<String, usize> = HashMap::new();
    let row = |code: &&Code| {
        let anchor = anchor(code);
        let count = used.entry(anchor.to_lowercase()).and_modify(|count| *count += 1).or_insert(1);
        let label = code.label();
        let message = if code.is_event() { code.name() } else { code.message() };
        Row {
            anchor: if *count == 1 { anchor } else { format!("{anchor}-{count}") },
            number: if code.is_event() { String::new() } else { code.row.value.trim().to_owned() },
            message: if message == label { String::new() } else { clean::line(message) },
            label: label.into_owned(),
            meaning: html::sentence(code.meaning()),
            is_sticky: code.is_sticky(),
            fault: code.fault().and_then(|fault| Some((fault.to_owned(), shelf.fault(fault)?))),
        }
    };
    Some(TablePage { rows: codes.iter().map(row).collect(), frame })
}

/// Where a code is explained, below the root.
pub(crate) fn address(code: &Code) -> String {
    format!("book/codes/{}.html#{}", code.library, anchor(code))
}

/// `cudaErrorIllegalAddress`, `Xid-79`.
fn anchor(code: &Code) -> String {
    let words = code.label().into_owned();
    let parts: Vec<&str> =
        words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|part| !part.is_empty()).collect();
    match parts.is_empty() {
        true => format!("code-{}", code.row.value.trim()),
        false => parts.join("-"),
    }
}

/// A table's name in words.
fn name(library: &str) -> String {
    library.replace('-', " ")
}
