//! What the words before a mention say about the two reports.

use std::ops::Range;

/// How one report relates to another, most specific first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Relation {
    /// Two files with one id.
    SameId,
    /// The first reports the same failure as the second.
    Duplicates,
    /// The second came of the first.
    FollowedBy,
    /// The first was caused by the second; reversed before it is shown.
    Follows,
    /// The first links to the second's file.
    Links,
    /// The first names the second.
    References,
    /// Both have the same fault.
    SameFault,
}

impl Relation {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::SameId => "same id",
            Self::Duplicates => "duplicates",
            Self::FollowedBy => "followed by",
            Self::Follows => "follows",
            Self::Links => "links to",
            Self::References => "references",
            Self::SameFault => "same fault",
        }
    }
}

const DUPLICATES: [&str; 7] =
    ["duplicate of", "duplicates", "duplicate:", "dup of", "same as", "superseded by", "중복"];
const FOLLOWED_BY: [&str; 6] = ["followed by", "leads to", "led to", "continued in", "regressed in", "caused:"];
const FOLLOWS: [&str; 9] = [
    "follow-up of",
    "follow-up to",
    "follow up of",
    "follows",
    "caused by",
    "regression of",
    "regression from",
    "after the fix of",
    "consequence of",
];
/// What Faultbook's drafts write after the mention.
const WHAT_FOLLOWED: &str = "reports what followed here";

/// The relation that a mention expresses. `before` is the mention before it: its end and its relation, which a list
/// ("duplicate of A and B") continues.
pub(super) fn of(text: &str, mention: &Range<usize>, before: Option<(usize, Relation)>, is_link: bool) -> Relation {
    let line = text.get(..mention.start).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
    let plain = if is_link { Relation::Links } else { Relation::References };
    let start = before.map_or(line, |(end, _)| end.max(line));
    let words = text.get(start..mention.start).unwrap_or_default().to_lowercase().replace(['_', '*', '`'], " ");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, relation)) = before
        && end > line
        && !words.is_empty()
        && words
            .chars()
            .all(|c| matches!(c, ',' | '&' | '/' | '[' | ']' | '(' | ')' | '"' | '\'' | ' ' | 'a' | 'n' | 'd'))
    {
        return if relation < Relation::Links { relation } else { plain };
    }
    let negated = words.contains("not a ") || words.contains("no ") || words.contains("not ");
    let contains_any = |phrases: &[&str]| !negated && phrases.iter().any(|phrase| words.contains(phrase));
    let after = text.get(mention.end..).unwrap_or_default().lines().next().unwrap_or_default();
    if contains_any(&DUPLICATES) {
        Relation::Duplicates
    } else if contains_any(&FOLLOWS) {
        Relation::Follows
    } else if contains_any(&FOLLOWED_BY) || after.contains(WHAT_FOLLOWED) {
        Relation::FollowedBy
    } else {
        plain
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn words_before_a_mention_say_what_it_is() {
        for (text, relation) in [
            ("This is a duplicate of X", Relation::Duplicates),
            ("duplicate_of: X", Relation::Duplicates),
            ("- **Duplicates:** `X`", Relation::Duplicates),
            ("This is not a duplicate of X", Relation::References),
            ("Followed by X", Relation::FollowedBy),
            ("A regression from X", Relation::Follows),
            ("caused by X", Relation::Follows),
            ("duplicate of something\nX", Relation::References),
            ("- X: title (open); reports what followed here", Relation::FollowedBy),
        ] {
            let at = text.find('X').unwrap();
            assert_eq!(of(text, &(at..at + 1), None, false), relation, "{text}");
        }
        let text = "duplicate of X, Y and Z; see W";
        let mut before = None;
        let seen: Vec<Relation> = ["X", "Y", "Z", "W"]
            .iter()
            .map(|word| {
                let at = text.find(word).unwrap();
                let relation = of(text, &(at..at + 1), before, false);
                before = Some((at + 1, relation));
                relation
            })
            .collect();
        use Relation::{Duplicates, References};
        assert_eq!(seen, [Duplicates, Duplicates, Duplicates, References]);
        assert_eq!(of("see X", &(4..5), None, true), Relation::Links);
    }
}
