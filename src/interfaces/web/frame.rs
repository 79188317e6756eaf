//! What every page has around its content.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What the frame of a page needs: where it lies, and what this site can do.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// From this page to the root of the site: empty, `../` or `../../`. Every address is relative, so that the pages
    /// work below any path and as files.
    pub root: &'static str,
    /// In the window's title bar.
    pub title: String,
    /// One sentence for search engines and previews of links; empty if there is none.
    pub description: String,
    /// Which entry of the navigation this page belongs to.
    pub section: Section,
    /// What can be done here.
    pub can: Abilities,
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

    /// The first page, from the root.
    pub(super) fn home(&self) -> &'static str {
        match (self.can.diagnose, self.root) {
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
    format!("reports/{}.html", encoded(id))
}

/// An id as a part of an address: ids can be file names with anything in them.
pub(super) fn encoded(id: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
    utf8_percent_encode(id, KEPT).to_string()
}
