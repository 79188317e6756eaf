//! What names mean: of pages of the book, and of status codes.

use std::ops::Range;

use super::{codes, shelf};
use crate::book::Book;
use crate::book::codes::Code;

/// The name of a page or a code in code, which becomes a link to it.
pub(crate) fn linked(book: &Book, root: &str, text: &str, is_code: bool) -> Vec<(Range<usize>, String)> {
    let page = || book.find(text).map(|index| shelf::fault_address(&book.faults[index].id));
    let found = is_code.then(|| page().or_else(|| code(book, text, None).map(codes::address))).flatten();
    found.map(|address| vec![(0..text.len(), format!("{root}{address}"))]).unwrap_or_default()
}

/// The code that a log names so: by its name, as an event of the kernel log, or by a number of a library that is known.
pub(crate) fn code<'b>(book: &'b Book, name: &str, library: Option<&str>) -> Option<&'b Code> {
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let has_number = name.split_once(' ').is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    let found = match (is_number, has_number) {
        (true, _) => book.codes().by_number(name.parse().ok()?),
        (false, true) => book.codes().find(name),
        (false, false) => book.codes().by_name(name),
    };
    found.into_iter().find(|code| match library {
        Some(library) => code.library == library,
        // Without a library, a number has many meanings.
        None => !is_number && (!has_number || code.is_event()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_one_meaning_become_links() {
        let book = Book::new(true);
        let linked = |text, is_code| {
            let found = linked(&book, "../", text, is_code);
            found.into_iter().next().map(|(_, address)| address)
        };
        assert_eq!(linked("oom", true).as_deref(), Some("../book/oom.html"));
        assert_eq!(linked("Xid 79", true).as_deref(), Some("../book/codes/xid.html#Xid-79"));
        let address = linked("cudaErrorIllegalAddress", true);
        assert_eq!(address.as_deref(), Some("../book/codes/cuda-runtime.html#cudaErrorIllegalAddress"));
        for (text, is_code) in [("oom", false), ("700", true), ("error 700", true), ("Xid 99999", true), ("", true)] {
            assert_eq!(linked(text, is_code), None, "{text}");
        }
        let code = |name, library| code(&book, name, library).map(|code| code.name().to_owned());
        assert_eq!(code("700", Some("cuda-runtime")).as_deref(), Some("cudaErrorIllegalAddress"));
    }
}
