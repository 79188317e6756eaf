//! The options that select reports, shared by the commands that list and count them.

use crate::book::Book;
use crate::reports::filter::{Filter, FilterOptions};
use clap::Args;

use super::failure::Result;

/// The filter options.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Filters {
    /// Only reports with this status: open (anything unsolved), closed (anything solved), or a word such as wontfix.
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    status: Vec<String>,

    /// Only reports of this severity: critical, high, medium, low, info.
    #[arg(long, value_name = "SEVERITY", value_delimiter = ',')]
    severity: Vec<String>,

    /// Only reports since this time: an age such as 12h, 30d, 4w, 6mo, or a day such as 2025-11-01.
    #[arg(long, value_name = "AGE|DAY", allow_hyphen_values = true)]
    since: Option<String>,

    /// Only reports whose error texts match this fault page: its id, or a part of the id that no other id has.
    #[arg(long, value_name = "FAULT", value_delimiter = ',')]
    fault: Vec<String>,
}

impl Filters {
    /// Parses the values.
    pub(crate) fn read(&self, book: &Book) -> Result<Filter> {
        let options = FilterOptions {
            statuses: &self.status,
            severities: &self.severity,
            since: self.since.as_deref(),
            faults: &self.fault,
        };
        Ok(Filter::new(&options, book)?)
    }
}
