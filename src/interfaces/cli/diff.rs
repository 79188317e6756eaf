//! The difference of two texts, line by line, as `diff -u` writes it.

/// Unchanged lines around a change.
const AROUND: usize = 3;

/// Longer stretches of changed lines are shown as removed and added as a whole.
const COMPARED: usize = 2_000;

/// The difference; empty for equal texts.
pub(crate) fn unified(path: &str, new_path: &str, before: &str, after: &str) -> String {
    if before == after && path == new_path {
        return String::new();
    }
    let mut out = format!("--- {path}\n+++ {new_path}\n");
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(before), lines(after));
    let steps = steps(&old, &new);
    let mut at = 0;
    while let Some(first) = steps.iter().skip(at).position(|step| step.mark != ' ').map(|found| at + found) {
        let start = first.saturating_sub(AROUND).max(at);
        let mut end = first + 1;
        let mut quiet = 0;
        for (index, step) in steps.iter().enumerate().skip(first + 1) {
            quiet = if step.mark == ' ' { quiet + 1 } else { 0 };
            if quiet > 2 * AROUND {
                break;
            }
            let goes_on = || steps.iter().skip(index).take(AROUND + 1).any(|step| step.mark != ' ');
            if quiet <= AROUND || goes_on() {
                end = index + 1;
            }
        }
        let part = steps.get(start..end).unwrap_or_default();
        let count = |mark: char| part.iter().filter(|step| step.mark == ' ' || step.mark == mark).count();
        let first = part.first();
        let (from, to) = first.map_or((0, 0), |step| (step.old + 1, step.new + 1));
        out.push_str(&format!("@@ -{from},{} +{to},{} @@\n", count('-'), count('+')));
        for step in part {
            out.push_str(&format!("{}{}\n", step.mark, step.line.trim_end_matches(['\r', '\n'])));
        }
        at = end;
    }
    out
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A line that stays, goes or comes, with its places in both texts.
struct Step<'t> {
    mark: char,
    line: &'t str,
    old: usize,
    new: usize,
}

fn steps<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Step<'t>> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let (a, b) = (&old[head..old_end], &new[head..new_end]);
    let mut out: Vec<Step<'t>> = Vec::new();
    let mut put = |mark: char, line: &'t str, old: usize, new: usize| out.push(Step { mark, line, old, new });
    (0..head).for_each(|at| put(' ', old[at], at, at));
    let (mut i, mut j) = (0, 0);
    if a.len() <= COMPARED && b.len() <= COMPARED {
        // How many lines the rests have in common.
        let width = b.len() + 1;
        let mut common = vec![0_u16; (a.len() + 1) * width];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                common[i * width + j] = match a[i] == b[j] {
                    true => common[(i + 1) * width + j + 1] + 1,
                    false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
                };
            }
        }
        while i < a.len() && j < b.len() {
            if a[i] == b[j] {
                put(' ', a[i], head + i, head + j);
                (i, j) = (i + 1, j + 1);
            } else if common[(i + 1) * width + j] >= common[i * width + j + 1] {
                put('-', a[i], head + i, head + j);
                i += 1;
            } else {
                put('+', b[j], head + i, head + j);
                j += 1;
            }
        }
    }
    (i..a.len()).for_each(|at| put('-', a[at], head + at, head + j));
    (j..b.len()).for_each(|at| put('+', b[at], old_end, head + at));
    (0..tail).for_each(|at| put(' ', old[old_end + at], old_end + at, new_end + at));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_with_what_is_around_them() {
        let before: String = (0..20).map(|n| format!("line {n}\n")).collect();
        let after = before.replace("line 3\n", "line three\n").replace("line 17\n", "");
        let expected = "--- a.md\n+++ a.md\n@@ -1,7 +1,7 @@\n line 0\n line 1\n line 2\n-line 3\n+line three\n line 4\n line 5\n line 6\n@@ -15,6 +15,5 @@\n line 14\n line 15\n line 16\n-line 17\n line 18\n line 19\n";
        assert_eq!(unified("a.md", "a.md", &before, &after), expected);
        assert_eq!(unified("a.md", "a.md", &before, &before), "");
        assert_eq!(unified("a.md", "b.md", "x\n", "x\n"), "--- a.md\n+++ b.md\n");
        assert!(unified("a.md", "a.md", "", "x\n").ends_with("@@ -1,0 +1,1 @@\n+x\n"));
    }
}
