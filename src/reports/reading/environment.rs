//! Environment sections of reports: which labels and values they hold, in lists, tables and fences.
//!
//! What those say is read where logs are read ([`crate::incident::described`]).

use super::words::{labelled, split_label};
use crate::book::blocks::{Block, Kind};
use crate::book::sections::{fences, visit};

/// Labels and values in paragraphs, lists, tables and fences. An item without value takes those nested in it.
pub(super) fn pairs(blocks: &[Block]) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    visit(blocks, &mut |block| match &block.kind {
        Kind::Paragraph(words) => out.extend(labelled(words)),
        Kind::Table(rows) => {
            for row in rows {
                if let [label, value, ..] = row.as_slice() {
                    out.push((label.trim_matches('*').to_owned(), value.clone()));
                }
            }
        }
        _ => {}
    });
    // "Command:" over a nested list: the items carry its value.
    let mut label = String::new();
    for (name, value) in &mut out {
        if value.is_empty() {
            label.clone_from(name);
        } else if name.is_empty() && !label.is_empty() {
            name.clone_from(&label);
        } else {
            label.clear();
        }
    }
    for fence in fences(blocks) {
        for line in fence.code.lines() {
            match split_label(line.trim_start_matches(['-', '*', ' '])) {
                Some((name, value)) => out.push((name.to_owned(), value.to_owned())),
                None => out.push((String::new(), line.trim().to_owned())),
            }
        }
    }
    out
}

/// GPU models named in a text without a label: "RTX 3060", "A100", "H100", "Tesla T4".
pub(super) fn gpu_models(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '|' | '*' | ':' | ';'))
        .filter(|w| !w.is_empty())
        .collect();
    let mut out: Vec<String> = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let next = words.get(i + 1).copied().unwrap_or_default();
        let series = ["RTX", "GTX", "Tesla", "Quadro"].contains(word) && next.chars().any(|c| c.is_ascii_digit());
        let data_centre = matches!(
            *word,
            "A100"
                | "A10"
                | "A10G"
                | "A30"
                | "A40"
                | "A800"
                | "H100"
                | "H200"
                | "H800"
                | "B200"
                | "B100"
                | "GH200"
                | "GB200"
                | "V100"
                | "P100"
                | "T4"
                | "L4"
                | "L40"
                | "L40S"
                | "K80"
        );
        let name = match (series, data_centre) {
            (true, _) => format!("{word} {}", next.trim_end_matches('.')),
            (false, true) if i == 0 || words.get(i - 1) != Some(&"Tesla") => (*word).to_owned(),
            _ => continue,
        };
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_gpu_models() {
        assert_eq!(
            gpu_models("Works: RTX 3090 on Linux, fails: RTX 3060, A100 and Tesla T4."),
            ["RTX 3090", "RTX 3060", "A100", "Tesla T4"]
        );
    }
}
