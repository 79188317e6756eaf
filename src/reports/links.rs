//! Links of a document: where they lead, as paths that can be compared.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use crate::book::matter;

/// Links and images of a text with the bytes they cover. Reference links are taken where they are used.
pub(crate) fn links(text: &str) -> Vec<(Range<usize>, String)> {
    let start = matter::split(text).body;
    let body = text.get(start..).unwrap_or_default();
    let mut found = Vec::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        if let Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) = event
            && !matches!(link_type, LinkType::Autolink | LinkType::Email)
        {
            found.push((range.start + start..range.end + start, dest_url.to_string()));
        }
    }
    found
}

/// A relative path from a document, tidied: `a/b.md` and `../c.md` give `c.md`. A path that leaves the root keeps its dots.
pub(crate) fn join(document: &str, relative: &str) -> String {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(relative.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if document.starts_with('/') { format!("/{joined}") } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_tidied() {
        for (document, relative, joined) in [
            ("a/b/c.md", "../d.md", "a/d.md"),
            ("c.md", "../d.md", "../d.md"),
            ("/x/c.md", "./d.md", "/x/d.md"),
            ("../a/c.md", "../../d.md", "../../d.md"),
        ] {
            assert_eq!(join(document, relative), joined);
        }
    }
}
