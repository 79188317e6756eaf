//! Quoted mail and markdown: `> ` in front of many consecutive lines.
//!
//! Single lines stay (pytest marks the failing line with `>`), and so does Python's `>>> ` prompt.

/// How many bytes of quoting each line begins with; empty when the text quotes nothing.
pub(super) fn depths(lines: &[&str]) -> Vec<u16> {
    let mut depths = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if !is_quoted(lines[at]) {
            at += 1;
            continue;
        }
        let end = lines[at..].iter().position(|line| !is_quoted(line)).map_or(lines.len(), |n| at + n);
        let run = &lines[at..end];
        if run.len() >= 3 || run.len() == lines.len() {
            if depths.is_empty() {
                depths = vec![0u16; lines.len()];
            }
            mark(run, &mut depths[at..end]);
        }
        at = end;
    }
    depths
}

/// Removes up to four levels from a run of quoted lines.
fn mark(run: &[&str], depths: &mut [u16]) {
    for _ in 0..4 {
        let rest = |n: usize, depths: &[u16]| run[n].get(usize::from(depths[n])..).unwrap_or_default();
        let quoted = (0..run.len()).filter(|n| is_quoted(rest(*n, depths))).count();
        if quoted < 3.min(run.len()) {
            return;
        }
        // One space belongs to the quote mark if all lines have one.
        let spaced = (0..run.len()).all(|n| {
            let after = rest(n, depths).strip_prefix('>').unwrap_or(" ");
            after.is_empty() || after.starts_with([' ', '>'])
        });
        for n in 0..run.len() {
            let text = rest(n, depths);
            if is_quoted(text) {
                depths[n] += 1 + u16::from(spaced && text[1..].starts_with(' '));
            }
        }
    }
}

/// Whether a line begins with quoting.
fn is_quoted(line: &str) -> bool {
    line.starts_with('>') && !line.starts_with(">>> ") && line.trim_end() != ">>>"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let depths = depths(&lines);
        let cut = |(n, line): (usize, &&str)| line[depths.get(n).copied().map_or(0, usize::from)..].to_owned();
        lines.iter().enumerate().map(cut).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn runs_are_unquoted() {
        assert_eq!(plain("hi\n> a\n>   b\n>\n> c\nbye"), "hi\na\n  b\n\nc\nbye");
        assert_eq!(plain("> > a\n> > b\n> > c\n> d"), "a\nb\nc\nd");
        assert_eq!(plain(">a\n>  b\n>c"), "a\n  b\nc");
    }

    #[test]
    fn markers_stay() {
        for text in [">       assert x\nE       y", ">>> import x\n>>> y\n>>> z", "a\n> b\nc"] {
            assert_eq!(plain(text), text);
        }
    }
}
