//! The answer for a language model is short, whatever is in it, and keeps what matters most.

use faultbook::render::brief::{self, LIMIT};

use super::samples;

#[test]
fn every_answer_is_short_and_ends_with_the_way_to_more() {
    for (name, diagnosis) in samples::all() {
        let text = brief::render(&diagnosis);
        assert!(text.len() <= LIMIT, "{name}: {} bytes\n{text}", text.len());
        assert!(text.lines().last().unwrap_or_default().starts_with("More: "), "{name}: {text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{name}: {text:?}");
    }
}

#[test]
fn the_failure_the_measured_and_the_likely_come_before_what_to_do() {
    let text = brief::render(&samples::known());
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} is missing:\n{text}"));
    let order =
        ["cudnn-no-engine:", "line 412: ", "Certain", "BUG-20251110-003", "Likely causes:", "1. Halve the batch"];
    assert!(order.map(place).is_sorted(), "{text}");
}

#[test]
fn nothing_known_is_said_plainly() {
    let text = brief::render(&samples::unlisted());
    assert!(text.starts_with("Not in the book: ") && text.contains("nothing certain"), "{text}");
    assert!(brief::render(&samples::healthy()).starts_with("No failure found"));
}
