//! Environment sections of reports: which labels and values they hold, in lists, tables and fences.
//!
//! What those say is read where logs are read ([`crate::incident::described`]).

use super::words::{labelled, split_label};
use crate::book::blocks::{Block, Kind};
use crate::book::sections::{fences, visit};
use crate::vendors::{self, description::GpuNames};

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

/// Whether a word is in a list of some vendor.
fn named(list: fn(&GpuNames) -> &Vec<String>, word: &str) -> bool {
    vendors::all().iter().any(|vendor| list(&vendor.gpus).iter().any(|name| name == word))
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
        let series = named(|names| &names.series, word) && next.chars().any(|c| c.is_ascii_digit());
        let data_centre = named(|names| &names.models, word);
        let name = match (series, data_centre) {
            (true, _) => format!("{word} {}", next.trim_end_matches('.')),
            (false, true) if i == 0 || !named(|names| &names.series, words[i - 1]) => (*word).to_owned(),
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
