//! Findings that people can read: a file with thousands of the same kind shows the first of them, and how many more
//! there are.

use std::collections::HashMap;

use super::Finding;

/// How many findings of one rule in one file are shown.
const MOST: usize = 100;

/// The findings without those beyond the most of each file and rule; the last one that is kept says how many are not.
pub fn capped(findings: Vec<Finding>) -> Vec<Finding> {
    if findings.len() <= MOST {
        return findings;
    }
    let mut counts: HashMap<(String, &'static str), usize> = HashMap::new();
    for finding in &findings {
        *counts.entry((finding.path.clone(), finding.rule)).or_default() += 1;
    }
    let mut shown: HashMap<(String, &'static str), usize> = HashMap::new();
    let mut kept = Vec::new();
    for mut finding in findings {
        let key = (finding.path.clone(), finding.rule);
        let all = counts.get(&key).copied().unwrap_or(0);
        let shown = shown.entry(key).or_default();
        *shown += 1;
        if *shown == MOST && all > MOST {
            finding.message = format!("{} (and {} more of this rule in this file)", finding.message, all - MOST);
        }
        if *shown <= MOST {
            kept.push(finding);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::finding::Source;

    #[test]
    fn what_is_left_out_is_counted() {
        let one = Source::new("a.md", "x\n");
        let other = Source::new("b.md", "x\n");
        let found = (0..250)
            .map(|_| one.finding(0..1, "todo", "write it"))
            .chain([one.finding(0..1, "placeholder", "fill it"), other.finding(0..1, "todo", "write it")]);
        let kept = capped(found.collect());
        assert_eq!(kept.len(), MOST + 2);
        assert_eq!(kept[MOST - 2].message, "write it");
        assert_eq!(kept[MOST - 1].message, "write it (and 150 more of this rule in this file)");
    }
}
