//! Progress on standard error, only on a terminal: nothing is drawn into a pipe or a file.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// From so many bytes on progress is shown: what is shorter is over before anybody could look.
pub(crate) const LONG: u64 = 8 << 20;

/// A progress bar over bytes; with an unknown total it only counts.
pub(crate) fn bytes(total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => "reading {bar:30} {bytes} of {total_bytes}",
        None => "reading {spinner} {bytes}",
    };
    bar(total, template)
}

/// Bytes that are scanned, and how fast.
pub(crate) fn scan(total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => "scanning {bar:30} {bytes} of {total_bytes}, {bytes_per_sec}",
        None => "scanning {spinner} {bytes}, {bytes_per_sec}",
    };
    bar(total, template)
}

/// A progress bar over reports that are indexed.
pub(crate) fn reports(total: u64) -> ProgressBar {
    bar(Some(total), "indexing reports {bar:30} {pos} of {len}")
}

/// A spinner for a stage of unknown length.
pub(crate) fn stage(words: &'static str) -> ProgressBar {
    let bar = bar(None, "{msg} {spinner}");
    bar.set_message(words);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

fn bar(total: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("#>-").tick_chars("-\\|/ "));
    bar
}
