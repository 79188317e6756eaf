//! Labels and values in a block of a report: lines, tables in both directions, HTML tables, badges; and parts of a line that
//! have no label.

use super::roles::{self, Role};
use super::words::{labelled, without_marks};
use crate::book::blocks::{Block, Kind, Words};
use crate::book::sections::{Document, key, visit};
use crate::reports::{dates, status};
use crate::wording;

/// The separators of several statements on one line.
const BETWEEN: [char; 5] = [';', '|', '·', '•', '\u{3000}'];

/// What a label's value is: a status, a severity, a day.
pub(super) fn role_of_label(label: &str) -> Option<Role> {
    let of = |key: &str| {
        let labels = &wording::states().labels;
        let also = [(&labels.status, Role::Status), (&labels.severity, Role::Severity), (&labels.date, Role::Date)];
        let also = also.into_iter().find(|(words, _)| words.contains(&key)).map(|(_, role)| role);
        also.or_else(|| roles::of_key(key)).filter(|role| matches!(role, Role::Status | Role::Severity | Role::Date))
    };
    // "상태 (Status)", "Status / 상태": either name is enough.
    of(&key(label)).or_else(|| label.split(['(', ')', '（', '）', '/']).find_map(|part| of(&key(part))))
}

/// Labels and values: of lines, several to a line too, and of tables in both directions.
pub(super) fn pairs(doc: &Document<'_>, blocks: &[Block]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    visit(blocks, &mut |block| match &block.kind {
        Kind::Paragraph(words) => {
            let struck = struck(doc, block);
            for (label, value) in labelled(words) {
                let value = struck.iter().fold(value, |value, old| {
                    value.strip_prefix(old).map_or_else(|| value.clone(), |rest| rest.trim_start().to_owned())
                });
                let (label, value) = match value.split_once('=') {
                    Some((name, value)) if label.is_empty() && role_of_label(name).is_some() => {
                        (name.trim().to_owned(), value.trim().to_owned())
                    }
                    _ => (label, value),
                };
                let mut parts = value.split(BETWEEN).flat_map(at_dashes).map(str::trim);
                out.push((label, parts.next().unwrap_or_default().to_owned()));
                for part in parts {
                    if let Some((label, value)) = part.split_once([':', '：']) {
                        out.push((
                            label.trim_matches(['*', '_', ' ']).to_owned(),
                            value.trim_matches(['*', '_', ' ']).to_owned(),
                        ));
                    }
                }
            }
            out.extend(badges(words));
        }
        Kind::Table(rows) => of_table(rows, &mut out),
        Kind::Html => of_table(&cells(raw(doc, block)), &mut out),
        _ => {}
    });
    out
}

/// `closed — Date: 2026-03-05` in parts; a dash before anything but a label is part of the value.
fn at_dashes(value: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = value;
    let label = |after: &str| after.split_once([':', '：']).is_some_and(|(label, _)| role_of_label(label).is_some());
    let dashes = value.match_indices(['-', '–', '—']).filter(|(at, dash)| {
        value[..*at].ends_with(' ') && value[at + dash.len()..].starts_with(' ') && label(&value[at + dash.len()..])
    });
    for (at, dash) in dashes {
        let (part, after) = rest.split_at(at - (value.len() - rest.len()));
        parts.push(part);
        rest = &after[dash.len()..];
    }
    parts.push(rest);
    parts
}

fn of_table(rows: &[Vec<String>], out: &mut Vec<(String, String)>) {
    let known = |label: &&String| role_of_label(label).is_some();
    // A row of labels over a row of values.
    if let [head, values, ..] = rows
        && (head.iter().filter(known).count() > 1 || head.iter().skip(1).any(|label| known(&label)))
        && !(rows.len() > 2 && rows.iter().skip(1).filter_map(|row| row.first()).filter(known).count() > 1)
    {
        out.extend(head.iter().cloned().zip(values.iter().cloned()));
        return;
    }
    for row in rows {
        if let [label, value, ..] = row.as_slice() {
            out.push((label.trim_matches(['*', ' ']).to_owned(), value.clone()));
        }
    }
}

/// The cells of an HTML table, row by row.
fn cells(html: &str) -> Vec<Vec<String>> {
    let lower = html.to_ascii_lowercase();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut at = 0;
    while let Some(start) = lower.get(at..).and_then(|rest| rest.find("<t")).map(|start| start + at) {
        let tag = lower.get(start + 1..start + 3).unwrap_or_default();
        let Some(open) = lower.get(start..).and_then(|rest| rest.find('>')).map(|end| start + end + 1) else { break };
        at = open;
        match tag {
            "tr" => rows.push(Vec::new()),
            "th" | "td" if !lower.get(start..).is_some_and(|rest| rest.starts_with("<thead")) => {
                let rest = html.get(open..).unwrap_or_default();
                let end = ["</td", "</th", "<td", "<th", "</tr"]
                    .iter()
                    .filter_map(|mark| lower.get(open..)?.find(mark))
                    .min();
                let cell = without_tags(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default());
                if let Some(row) = rows.last_mut() {
                    row.push(cell);
                }
            }
            _ => {}
        }
    }
    rows
}

fn without_tags(html: &str) -> String {
    let parts = html.split('<').enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once('>').map_or("", |(_, text)| text),
    });
    parts.collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What badges say: `https://img.shields.io/badge/status-resolved-green`.
fn badges(words: &Words) -> impl Iterator<Item = (String, String)> {
    words.links.iter().filter_map(|(_, address)| {
        let (_, said) = address.split_once("/badge/")?;
        let said = said.split(['?', '#']).next()?.trim_end_matches(".svg").replace("%20", " ").replace('_', " ");
        let mut parts = said.split('-');
        Some((parts.next()?.to_owned(), parts.next()?.to_owned()))
    })
}

fn raw<'d>(doc: &'d Document<'_>, block: &Block) -> &'d str {
    doc.text.get(block.range.clone()).unwrap_or_default()
}

/// Words that somebody struck through.
fn struck<'d>(doc: &'d Document<'_>, block: &Block) -> Vec<&'d str> {
    let raw = raw(doc, block);
    if !raw.contains("~~") {
        return Vec::new();
    }
    raw.split("~~").skip(1).step_by(2).filter(|words| !words.is_empty()).collect()
}

/// The ticked one of several boxes: `- [ ] Open`, `- [x] Fixed`.
pub(super) fn ticked(blocks: &[Block]) -> Option<String> {
    let mut found = None;
    visit(blocks, &mut |block| {
        if let Kind::List(list) = &block.kind {
            let done = list.items.iter().filter(|item| item.task == Some(true));
            found = found.take().or_else(|| done.filter_map(|item| item.words()).map(Words::line).next());
        }
    });
    found
}

/// Parts of lines that say what they are without a label: `📅 2025-06-13 | 🔴 Open | High`, a line that is a day.
pub(super) fn bare(blocks: &[Block]) -> Vec<(Role, String)> {
    let mut out = Vec::new();
    visit(blocks, &mut |block| {
        let Kind::Paragraph(words) = &block.kind else { return };
        for line in words.text.lines() {
            let parts: Vec<String> =
                line.split(BETWEEN).map(|part| without_marks(part.trim_matches(['*', '_', '`', ' ']))).collect();
            for part in &parts {
                if let Some(day) = day(part) {
                    out.push((Role::Date, day.to_owned()));
                } else if parts.len() > 1 && status::canonical(part).is_some() {
                    out.push((Role::Status, part.clone()));
                } else if parts.len() > 1 && status::severity_word(part).is_some() {
                    out.push((Role::Severity, part.clone()));
                }
            }
        }
    });
    out
}

/// A day, alone or after what it is of: `Reported 2026-03-05`.
fn day(part: &str) -> Option<&str> {
    let after = |(at, blank): (usize, &str)| {
        let (label, day) = (part.get(..at)?, part.get(at + blank.len()..)?);
        (role_of_label(label) == Some(Role::Date) && dates::reading(day).is_some()).then_some(day)
    };
    if dates::reading(part).is_some() { Some(part) } else { part.match_indices(' ').take(3).find_map(after) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::sections::Outline;

    fn all(text: &str) -> Vec<(String, String)> {
        let doc = Document::read(text, Outline::Lenient);
        pairs(&doc, &doc.blocks)
    }

    #[test]
    fn labels_and_values_in_every_form() {
        for text in [
            "Status: fixed",
            "Status = fixed",
            "**Owner:** x · **Status:** fixed",
            "**Owner**：x　**Status**：fixed",
            "Status: ~~open~~ fixed",
            "Severity: high - Status: fixed — Date: 2026-03-05",
            "![](https://img.shields.io/badge/Status-fixed-green.svg)",
            "| Owner | Status |\n|---|---|\n| x | fixed |",
            "| Owner | x |\n|---|---|\n| Status | fixed |",
            "<table><thead><tr><th>Owner</th><th>Status</th></tr></thead><tr><td>x</td><td><b>fixed</b></td></tr></table>",
            "<table>\n<tr><td>Owner<td>x\n<tr><td>Status<td>fixed</table>",
        ] {
            assert!(all(text).contains(&("Status".to_owned(), "fixed".to_owned())), "{text}: {:?}", all(text));
        }
        assert_eq!(cells("<t"), Vec::<Vec<String>>::new());
    }

    #[test]
    fn labels_of_two_languages_and_parts_without_one() {
        for label in ["상태 (Status)", "Status / 状态", "Статус", "BUG STATUS"] {
            assert_eq!(role_of_label(label), Some(Role::Status), "{label}");
        }
        assert_eq!(role_of_label("GPU status"), None);
        let text =
            "📅 2025-06-13 | lee | 🔴 Open | ⚡ High\n\n*Reported 2025-07-04*\n\nopen\n\nSeen since 2025-07-05.\n";
        let doc = Document::read(text, Outline::Lenient);
        let found: Vec<(Role, String)> = bare(&doc.blocks);
        let found: Vec<(Role, &str)> = found.iter().map(|(role, part)| (*role, part.as_str())).collect();
        let expected =
            [(Role::Date, "2025-06-13"), (Role::Status, "Open"), (Role::Severity, "High"), (Role::Date, "2025-07-04")];
        assert_eq!(found, expected);
    }
}
