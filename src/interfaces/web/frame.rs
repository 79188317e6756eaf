//! What every page has around its content.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::fingerprint::Fingerprint;

/// What the frame of a page needs: where it lies, and what this site can do.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// From this page to the root of the site: empty, `../` or `../../`. Every address is relative, so that the pages
    /// work below any path and as files.
    pub root: Cow<'static, str>,
    /// In the window's title bar.
    pub title: String,
    /// One sentence for search engines and previews of links; empty if there is none.
    pub description: String,
    /// Which entry of the navigation this page belongs to.
    pub section: Section,
    /// What can be done here.
    pub can: Abilities,
    /// The page's whole address on the web; empty where nobody knows it.
    pub url: String,
}

/// What a site can do; a static one can do nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Abilities {
    /// Diagnose what people paste.
    pub diagnose: bool,
    /// Ask this machine.
    pub probe: bool,
    /// Write reports into the project.
    pub write: bool,
    /// Show the reports without the book.
    pub reports_only: bool,
}

/// The entries of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Diagnose,
    Book,
    Reports,
    Machine,
    /// Elsewhere: search, errors.
    None,
}

impl Frame {
    /// The version of the program, for the footer and for addresses of assets.
    pub(super) fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// The name of the style sheet, which changes with its content.
    pub(super) fn style(&self) -> String {
        super::assets::STYLE.address()
    }

    /// The name of the script.
    pub(super) fn script(&self) -> String {
        super::assets::SCRIPT.address()
    }

    /// The name of the search's script.
    pub(super) fn search_script(&self) -> String {
        super::assets::SEARCH.address()
    }

    /// The whole address of the picture that previews of links show; only where the page's own is known.
    pub(super) fn preview(&self) -> Option<String> {
        let above = self.root.matches("../").count() + 1;
        let site = self.url.rsplitn(above + 1, '/').nth(above)?;
        Some(format!("{site}/{}", super::assets::PREVIEW.0))
    }

    /// The first page, from the root.
    pub(super) fn home(&self) -> &'static str {
        match (self.can.diagnose, self.root.as_ref()) {
            (true, "") => "./",
            (true, _) => "",
            (false, _) => "index.html",
        }
    }

    /// Whether the navigation's entry is the current one.
    pub(super) fn at(&self, section: &str) -> bool {
        matches!(
            (self.section, section),
            (Section::Diagnose, "diagnose")
                | (Section::Book, "book")
                | (Section::Reports, "reports")
                | (Section::Machine, "machine")
        )
    }
}

/// The address of a report below the root.
pub(super) fn report_address(id: &str) -> String {
    format!("reports/{}.html", encoded(&report_file(id)))
}

/// A name as a part of an address.
pub(super) fn encoded(name: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    utf8_percent_encode(name, KEPT).to_string()
}

/// The name of a report's page, without `.html`: its id where every file system takes that, otherwise what is left of it
/// with a number made of the whole.
pub(super) fn report_file(id: &str) -> String {
    /// Bytes, so that the name with its ending stays below 255.
    const LONGEST: usize = 120;
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_taken = id.is_empty() || id.starts_with('.') || id.ends_with('.') || id.eq_ignore_ascii_case("index");
    if id.len() <= LONGEST && !is_taken && id.chars().all(fits) {
        return id.to_owned();
    }
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(id.as_bytes());
    let number: String = fingerprint.hex().chars().take(8).collect();
    let words: Vec<&str> = id.split(|c: char| !fits(c)).filter(|part| !part.is_empty()).collect();
    let mut words = words.join("-").trim_matches('.').to_owned();
    while words.len() > LONGEST {
        words.pop();
    }
    format!("{words}-{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_an_address_of_its_own() {
        assert_eq!(report_address("BUG-20251110-003"), "reports/BUG-20251110-003.html");
        assert_eq!(report_address("요약_1.2"), "reports/%EC%9A%94%EC%95%BD_1.2.html");
        let odd =
            ["", ".", "..", "../x", "a/b", "a b", "a?b", "<b>", "index", "INDEX", &"x".repeat(300), &"약".repeat(99)];
        let files: std::collections::BTreeSet<String> = odd.iter().map(|id| report_file(id).to_lowercase()).collect();
        assert_eq!(files.len(), odd.len());
        for file in files {
            let is_safe = !file.contains(['/', '\\', '?', '<', ' ']) && !file.starts_with('.') && file.len() < 200;
            assert!(is_safe && file != "index", "{file}");
        }
    }
}
