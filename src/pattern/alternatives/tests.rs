//! What the reader of patterns finds, and that it changes no answer.

use proptest::prelude::*;

use super::*;
use crate::pattern::Pattern;

#[test]
fn needles_are_what_no_match_lacks() {
    for (source, expected) in [
        ("(?i)Out of Memory|OOM-kill", "out of memory|oom-kill"),
        (r"\bXid \(PCI:[^)]+\): *(48|64)\b", "xid (pci:"),
        (r"python3\.[5-7]|pytorch[ =]?1", "python3.|pytorch"),
        ("colou?r(ed)? printer", " printer"),
        ("abcd{0,2}|xyz+", "abc|xyz"),
        ("x(alpha|beta)+ .*", "alpha,beta"),
        ("(?i)(?:alpha|(beta|gamma.*))|(delta)?", "alpha|beta|gamma|"),
        ("alpha|", "alpha|"),
        (r"\d+ ?个", "个"),
        ("ab|[]x]alpha|cd", "alpha|"),
        ("(?x) alpha", ""),
        (r"alpha\x41", ""),
        ("(alpha", ""),
    ] {
        let found: Vec<String> = alternatives(source).iter().map(|one| one.needles.join(",")).collect();
        assert_eq!(found.join("|"), expected, "{source}");
    }
}

#[test]
fn words_are_not_compiled() {
    let words = |source: &str| alternatives(source).iter().all(|one| matches!(one.test, Test::Words(_)));
    assert!(words(r"(?i)error|\bout of memory\b|(?-i)NaN\.") && !words("errors?") && !words("^error"));
}

#[test]
fn flags_hold_for_what_follows_them() {
    let pattern = Pattern::new("(abc|cba)(?i)|xyz");
    assert!(pattern.is_match("cba") && !pattern.is_match("CBA") && pattern.is_match("XYZ"));
}

proptest! {
    #[test]
    fn no_match_is_lost_or_made(
        parts in prop::collection::vec(
            prop::sample::select(
                &["abc", "Cab", "a?", "(ab|ba)", "(?:aBc|cba)?", "[ab]", "[^a]", ".", r"\b", "+", "*?", "{2}", "{0,2}",
                  "(?i)", "(?-i)", "(?i:abc)", "|", "|", r"\w", " ", "bca", "(", ")", "^", "abc|ba", r"\babc\b"][..],
            ),
            1..8,
        ),
        text in "[abcABC ]{0,24}",
    ) {
        let pattern = Pattern::new(&parts.concat());
        prop_assume!(Pattern::check(pattern.source()).is_ok());
        prop_assert_eq!(pattern.is_match(&text), pattern.whole.is_match(&text), "{:?}", pattern.alternatives());
    }
}
