//! What comes first in a list of reports. What nobody knows of a report comes last; equals are in the order of their paths.

use std::cmp::Reverse;

use super::record::Record;
use crate::reports::status::Stage;

/// The key that a list is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum Order {
    /// The newest first.
    Date,
    /// The most severe first, of those the newest.
    Severity,
    /// Open ones first, of those the newest.
    Status,
    /// Alphabetically.
    Id,
    /// Alphabetically.
    Title,
    /// Alphabetically.
    Path,
}

impl Order {
    /// Sorts records.
    pub(crate) fn sort(self, records: &mut [Record]) {
        let newest = |record: &Record| Reverse(record.day());
        match self {
            Self::Date => {
                records.sort_by_cached_key(|record| (newest(record), Reverse(record.id.clone()), record.path.clone()))
            }
            Self::Severity => {
                records.sort_by_cached_key(|record| (severity(record), newest(record), record.path.clone()));
            }
            Self::Status => records.sort_by_cached_key(|record| (stage(record), newest(record), record.path.clone())),
            Self::Id => records.sort_by_cached_key(|record| (record.id.to_lowercase(), record.path.clone())),
            Self::Title => records.sort_by_cached_key(|record| (record.title.to_lowercase(), record.path.clone())),
            Self::Path => records.sort_by_cached_key(|record| record.path.clone()),
        }
    }
}

fn severity(record: &Record) -> usize {
    const FROM_WORST: [&str; 5] = ["critical", "high", "medium", "low", "info"];
    record.severity.and_then(|word| FROM_WORST.iter().position(|known| *known == word)).unwrap_or(FROM_WORST.len())
}

fn stage(record: &Record) -> u8 {
    match record.stage {
        Some(Stage::Open) => 0,
        Some(Stage::Other) => 1,
        Some(Stage::Solved) => 2,
        None => 3,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::reports::reading;

    #[test]
    fn what_comes_first() {
        let record = |name: &str, status: &str, severity: &str, date: &str| {
            let text =
                format!("---\ntitle: t\nstatus: \"{status}\"\nseverity: \"{severity}\"\ndate: \"{date}\"\n---\n");
            Record::of_report(&reading::read(Path::new(name), &text), Vec::new())
        };
        let all = [
            record("a.md", "resolved", "low", "2025-11-10"),
            record("b.md", "open", "critical", "2025-10-01"),
            record("c.md", "", "", ""),
            record("d.md", "open", "low", "2025-12-01"),
        ];
        for (order, expected) in [
            (Order::Date, "d a b c"),
            (Order::Severity, "b d a c"),
            (Order::Status, "d b a c"),
            (Order::Id, "a b c d"),
            (Order::Path, "a b c d"),
        ] {
            let mut sorted = all.to_vec();
            order.sort(&mut sorted);
            let names: Vec<&str> = sorted.iter().filter_map(|record| record.path.file_stem()?.to_str()).collect();
            assert_eq!(names.join(" "), expected, "{order:?}");
        }
    }
}
