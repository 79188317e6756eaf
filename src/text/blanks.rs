//! Blank lines that a tool inserted between all lines (Windows logs, text that went through two line-break
//! conversions).
//!
//! Ordinary paragraphs stay: only a long, strict alternation of text and blank lines counts, and only if some lines are
//! indented or the run is very long.

/// Which lines to drop: blank ones inside a strict alternation. `blank` and `indented` describe line `n`.
pub(super) fn doubled(count: usize, blank: impl Fn(usize) -> bool, indented: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut drop = Vec::new();
    let mut at = 0;
    while at < count {
        if blank(at) {
            at += 1;
            continue;
        }
        // Line, blank, line, blank, ... line.
        let mut end = at;
        while end + 2 < count && blank(end + 1) && !blank(end + 2) {
            end += 2;
        }
        let lines = (end - at) / 2 + 1;
        let proof = lines >= 10 || (lines >= 4 && (0..lines).any(|n| indented(at + 2 * n)));
        if proof {
            if drop.is_empty() {
                drop = vec![false; count];
            }
            for n in 0..lines - 1 {
                drop[at + 2 * n + 1] = true;
            }
        }
        at = end + 1;
    }
    drop
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        let lines: Vec<&str> = text.split('\n').collect();
        let drop = doubled(lines.len(), |n| lines[n].is_empty(), |n| lines[n].starts_with(' '));
        let keep = |(n, line): (usize, &&str)| (!drop.get(n).copied().unwrap_or(false)).then(|| (*line).to_owned());
        lines.iter().enumerate().filter_map(keep).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn doubled_lines() {
        assert_eq!(kept("x\ny\nT\n\n  File\n\n    code\n\nE: x\n\nz"), "x\ny\nT\n  File\n    code\nE: x\nz");
        assert_eq!(kept("a\n\nb\n\nc"), "a\n\nb\n\nc");
        assert_eq!(kept(""), "");
    }
}
