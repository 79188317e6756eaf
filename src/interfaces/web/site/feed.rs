//! A feed of new reports (Atom), and the list of pages for search engines.

use askama::Template;

use crate::interfaces::web::book::reports::{newest, report_link, summary};
use crate::interfaces::web::book::shelf::{Shelf, shortened};
use crate::reports::record::Record;

/// The newest reports that a feed has.
const MOST: usize = 50;

/// The feed. A reader knows an entry by its id: it does not change while the report's id and the site's address stay.
#[derive(Template)]
#[template(path = "site/feed.xml")]
pub(super) struct Feed {
    /// The site's address with a slash at its end, or nothing: then links are relative.
    url: String,
    /// `tag:example.org,2025:/project/`.
    tag: String,
    updated: String,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    title: String,
    address: String,
    published: String,
    updated: String,
    summary: String,
    labels: Vec<String>,
}

/// The addresses of all pages.
#[derive(Template)]
#[template(path = "site/sitemap.xml")]
pub(super) struct SiteMap {
    pub addresses: Vec<String>,
}

/// The feed of the reports that have a day.
pub(super) fn feed(shelf: &Shelf<'_>) -> Feed {
    let entry = |index: usize| {
        let one = &shelf.told.reports[index];
        let link = report_link(shelf, index);
        let published = time(&one.record)?;
        let last = one.record.last_seen();
        let updated = if last > link.date { midnight(&last) } else { published.clone() };
        let labels =
            [link.status.clone(), link.severity.to_owned()].into_iter().chain(one.record.faults.iter().cloned());
        Some(Entry {
            title: format!("{}: {}", link.id, link.title),
            address: link.address,
            summary: shortened(&summary(one), 400),
            labels: labels.filter(|label| !label.is_empty()).collect(),
            published,
            updated,
        })
    };
    let entries: Vec<Entry> = newest(shelf).into_iter().filter_map(entry).take(MOST).collect();
    let updated = entries.iter().map(|entry| entry.updated.clone()).max();
    Feed {
        tag: tag(&shelf.url),
        url: shelf.url.clone(),
        updated: updated.unwrap_or_else(|| midnight("1970-01-01")),
        entries,
    }
}

/// When a report was written, as feeds have it. Reports seldom name a zone that has one meaning: their time is taken as UTC.
fn time(record: &Record) -> Option<String> {
    Some(record.moment.as_ref()?.datetime().strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

fn midnight(day: &str) -> String {
    format!("{day}T00:00:00Z")
}

/// The beginning of ids (RFC 4151): the host and path of the site. The year belongs to the scheme, not to the reports.
fn tag(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let host = if host.is_empty() { "faultbook.invalid" } else { host };
    format!("tag:{host},2025:/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_from_the_address() {
        assert_eq!(tag("https://team.github.io/runs/"), "tag:team.github.io,2025:/runs/");
        assert_eq!(tag("https://a.example:8443/"), "tag:a.example,2025:/");
        assert_eq!(tag(""), "tag:faultbook.invalid,2025:/");
    }
}
