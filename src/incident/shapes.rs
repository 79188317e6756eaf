//! How two sizes in a message about shapes differ. Facts `shape.difference` and `shape.ratio`: a difference of one comes from
//! rounding where a network halves an image, and a ratio from a tensor that was split among GPUs.

use super::words::{after, parse_uint};
use crate::facts::Facts;

/// The words before each of the two sizes.
const BEFORE: [(&str, &str); 4] = [
    ("size of tensor a (", "size of tensor b ("),
    ("expanded size of the tensor (", "existing size ("),
    ("Expected size ", "but got size "),
    ("Expected input batch_size (", "target batch_size ("),
];

/// No process splits a tensor among more GPUs than this.
const MOST_PARTS: u64 = 16;

/// Reads the two sizes of a message.
pub(super) fn read(message: &str, line: u32, facts: &mut Facts) {
    let Some((one, other)) = BEFORE.iter().find_map(|words| sizes(message, words)) else { return };
    let (small, large) = (one.min(other), one.max(other));
    facts.number_in_text("shape.difference", (large - small) as f64, line);
    if small > 1 && large > small && large.is_multiple_of(small) && large / small <= MOST_PARTS {
        facts.number_in_text("shape.ratio", (large / small) as f64, line);
    }
}

fn sizes(message: &str, (first, second): &(&str, &str)) -> Option<(u64, u64)> {
    let rest = after(message, first)?;
    let (one, rest) = parse_uint(rest)?;
    let (other, _) = parse_uint(after(rest, second)?)?;
    Some((one, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> (Option<f64>, Option<f64>) {
        let mut facts = Facts::default();
        read(message, 1, &mut facts);
        (facts.number("shape.difference"), facts.number("shape.ratio"))
    }

    #[test]
    fn sizes_are_compared() {
        let table = [
            (
                "The size of tensor a (34) must match the size of tensor b (35) at non-singleton dimension 2",
                (Some(1.0), None),
            ),
            ("The size of tensor a (5000) must match the size of tensor b (10000)", (Some(5000.0), Some(2.0))),
            ("Sizes of tensors must match except in dimension 1. Expected size 25 but got size 24", (Some(1.0), None)),
            ("Expected input batch_size (16) to match target batch_size (64).", (Some(48.0), Some(4.0))),
            ("The size of tensor a (1) must match the size of tensor b (3)", (Some(2.0), None)),
            ("mat1 and mat2 shapes cannot be multiplied (64x8192 and 4608x10)", (None, None)),
        ];
        for (message, expected) in table {
            assert_eq!(of(message), expected, "{message}");
        }
    }
}
