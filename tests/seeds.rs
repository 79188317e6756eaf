//! The four documents that the book was made for, read whole. They are third-party text and lie outside of the
//! project; without them the test says so and passes.
#![expect(clippy::print_stderr, reason = "skips loudly")]

use std::path::PathBuf;

use faultbook::book::lenient::read;
use faultbook::book::report::{Report, SolutionKind};

#[test]
fn dump() {
    for stem in ["000_728d143e8cb4e287", "002_cc50472a7e82ad21", "003_1424d5fcf89df674", "004_7843b4e7157ffc19"] {
        let Some(mut report) = seed(stem) else { return };
        report.text.clear();
        eprintln!("{report:#?}");
    }
}

fn seed(stem: &str) -> Option<Report> {
    let folder = std::env::var_os("FAULTBOOK_SEEDS")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/seeds")), PathBuf::from);
    let path = folder.join(format!("{stem}.txt"));
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(read(&path, &text)),
        Err(error) => {
            eprintln!("SKIPPED: {}: {error}", path.display());
            None
        }
    }
}
