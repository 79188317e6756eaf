//! The book, the reports and the search on the server.

use super::server::Server;
use crate::site::{HOSTILE, fill};

fn server() -> Server {
    Server::prepared(&[], &[], fill)
}

#[test]
fn pages_of_the_book_and_the_reports_are_there() {
    let server = server();
    for path in [
        "/book/index.html",
        "/book/oom.html",
        "/book/notices.html",
        "/book/fixes/reduce-batch.html",
        "/book/codes/index.html",
        "/book/codes/xid.html",
        "/reports/index.html",
        "/reports/BUG-20260101-001.html",
        "/reports/index.html?status=open&fault=oom&words=memory",
        "/search",
        "/search?q=out+of+memory",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(answer.body.contains("<h1"), "{path}");
        crate::site::links::harmless(path, &answer.body);
        assert!(answer.body.len() < 150_000, "{path}: {}", answer.body.len());
    }
    let chart = server.get("/reports/chart.svg");
    assert_eq!((chart.status, chart.header("content-type")), (200, Some("image/svg+xml")));
    for path in [
        "/book/nothing.html",
        "/book/oom",
        "/book/fixes/nothing.html",
        "/book/codes/nothing.html",
        "/reports/nothing.html",
        "/reports/..%2f..%2fCargo.toml.html",
        "/book/..%2findex.html",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn a_hostile_report_is_text() {
    let server = server();
    let page = server.get("/reports/BUG-20260101-001.html").body;
    assert!(page.contains("&lt;script&gt;alert(1)") || page.contains("&#60;script&#62;alert(1)"), "{page}");
    for part in ["Occurrences", "RTX 3060", "aria-label=\"done\"", "docs/bugs/hostile.md"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let query: String = HOSTILE.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for path in [
        format!("/search?q={query}"),
        format!("/search?q={query}&part=1"),
        format!("/reports/index.html?words={query}&status={query}&since={query}"),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        crate::site::links::harmless(&path, &answer.body);
    }
    let list = server.get("/reports/index.html?status=sleeping").body;
    assert!(list.contains("sleeping` is not a status"), "{list}");
}

#[test]
fn a_search_leads_with_what_the_words_name() {
    let server = server();
    let part = |words: &str| server.get(&format!("/search?q={words}&part=1")).body;
    let code = part("700");
    assert!(
        !code.contains("<html")
            && code.contains("Exactly this")
            && code.contains("book/codes/cuda-runtime.html#cudaErrorIllegalAddress")
    );
    assert!(part("BUG-20260101-002").contains("href=\"reports/BUG-20260101-002.html\""));
    let words = part("illegal+memory");
    assert!(words.contains("book/illegal-address.html") && words.contains("<mark>illegal</mark>"), "{words}");
    assert!(part("watchdog").contains("Another one with this id"));
    assert!(part("cudnn-no-eng").contains("book/cudnn-no-engine.html"), "a name that is not finished");
    assert!(part("zzzzqqqq").contains("Nothing found"));
    assert_eq!(part(""), part("%20"));
}

#[test]
fn a_project_without_reports_sees_examples() {
    let server = Server::start(&[]);
    let list = server.get("/reports/index.html").body;
    assert!(list.contains("no reports yet") && list.contains("href=\"../reports/BUG-20251110-003.html\""), "{list}");
    let page = server.get("/reports/BUG-20251110-003.html");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("An example that comes with Faultbook"), "{}", page.body);
}
