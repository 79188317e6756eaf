//! No status code is missing: every row answers by name and number, belongs to a page that exists, and says something
//! of its own; counted against the headers' own lists where a developer has them.

use crate::support::left_out;
use std::fs;

use faultbook::book::Book;

/// Status values of all libraries, as counted in the headers of CUDA 12.9 and 13.5 and of the newest cuDNN, NCCL and NVML.
const CODES: usize = 435;
/// Xid numbers that drivers print.
const XIDS: usize = 109;

#[test]
fn every_code_answers() {
    let book = Book::new(true);
    let (mut codes, mut xids) = (0, 0);
    for code in book.codes().iter() {
        let label = code.label();
        let found = book.codes().find(&label);
        assert!(found.iter().any(|found| found.library == code.library), "`{label}` of {} is not found", code.library);
        if let Some(fault) = code.fault() {
            assert!(book.find(fault).is_some(), "{label} belongs to the page {fault}, which is not there");
        }
        if code.is_event() {
            xids += usize::from(code.row.in_use == "yes");
            assert!(code.row.in_use != "yes" || !code.meaning().is_empty(), "{label} says nothing");
        } else {
            codes += 1;
            assert!(!code.meaning().is_empty(), "{label} says nothing");
        }
    }
    assert!(codes >= CODES && xids >= XIDS, "{codes} codes, {xids} Xids in use");
}

#[test]
fn nothing_of_the_headers_is_missing() {
    let (codes, xids) = ("../shared/facts/status-codes.csv", "../shared/facts/xid.csv");
    let (Ok(codes), Ok(xids)) = (fs::read_to_string(codes), fs::read_to_string(xids)) else {
        left_out::note("codes against the headers", "the headers' own lists are not here");
        return;
    };
    let book = Book::new(true);
    for row in codes.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let (library, value, name) = (fields[0], fields[2], fields[3]);
        let known = book.codes().by_name(name);
        let number = value.parse::<i64>().ok();
        assert!(known.iter().any(|code| code.library == library && code.number == number), "{library} {name} {value}");
    }
    for row in xids.lines().skip(1) {
        let number = row.split(',').next().unwrap_or_default();
        assert!(!book.codes().find(&format!("Xid {number}")).is_empty(), "Xid {number}");
    }
}
