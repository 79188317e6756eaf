//! Gives the later of two reports with one id the next free number: in its text and its copies, in the names of their files,
//! and in links to those. Nothing else changes: a mention without a link may mean either report.

use std::collections::BTreeSet;

use super::folder::Folder;
use super::{Document, Setting};
use crate::reports::links;
use crate::reports::mentions::{self, Finder};

/// A report that gets another number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renumbered {
    /// Where it lies.
    pub path: String,
    /// Where it will lie.
    pub new_path: String,
    /// Its id.
    pub id: String,
    /// The id that it gets.
    pub new_id: String,
}

/// Renumbers in the documents' texts, and says which files move. Documents that are not UTF-8 stay as they are.
pub fn renumber(documents: &mut [Document], setting: &Setting<'_>) -> Vec<Renumbered> {
    let mut done = Vec::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for text in documents
        .iter()
        .map(|document| document.text.as_str())
        .chain(setting.reports.iter().map(|known| known.id.as_str()))
    {
        taken.extend(
            text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).map(str::to_ascii_uppercase),
        );
    }
    taken.extend(documents.iter().flat_map(|document| names(document.stem())));
    let folder = Folder::new(documents, setting.reports, setting.naming);
    let twice: Vec<(String, Vec<Vec<String>>)> = folder
        .given_twice()
        .map(|(id, same)| {
            let later = same.iter().skip(1);
            let paths = later.map(|named| std::iter::once(&named.path).chain(&named.copies).cloned().collect());
            (id.to_owned(), paths.collect())
        })
        .collect();
    for (id, later) in twice {
        for members in later {
            let known = documents.iter().filter(|document| members.contains(&document.path));
            if known.clone().count() < members.len() || known.clone().any(|document| document.replaced.is_some()) {
                continue;
            }
            let Some(new_id) = next(&id, &taken) else { continue };
            taken.insert(new_id.to_ascii_uppercase());
            let moves: Vec<Renumbered> = members
                .iter()
                .map(|path| Renumbered {
                    path: path.clone(),
                    new_path: renamed(path, &id, &new_id),
                    id: id.clone(),
                    new_id: new_id.clone(),
                })
                .collect();
            for document in documents.iter_mut().filter(|document| document.replaced.is_none()) {
                document.text = rewritten(document, &moves);
            }
            done.extend(moves);
        }
    }
    done
}

/// Ids as they are in the names of files.
fn names(stem: &str) -> impl Iterator<Item = String> {
    let ends = stem.match_indices(['-', '_']).map(|(at, _)| at).chain(std::iter::once(stem.len()));
    ends.filter_map(|end| stem.get(..end)).map(str::to_ascii_uppercase).collect::<Vec<_>>().into_iter()
}

/// The next free id after `id`, with as many digits.
fn next(id: &str, taken: &BTreeSet<String>) -> Option<String> {
    let digits = id.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (head, number) = id.split_at_checked(id.len() - digits)?;
    let number: u32 = number.parse().ok()?;
    (number + 1..number.saturating_add(100_000)).map(|number| format!("{head}{number:0digits$}")).find(|id| {
        let spelled = id.to_ascii_uppercase();
        !taken.contains(&spelled) && !taken.contains(&spelled.replace('-', "_"))
    })
}

/// A mention of an id with the number of another one, in its own spelling.
fn respelled(mention: &str, new_id: &str) -> String {
    let digits = |text: &str| text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let number = new_id.get(new_id.len() - digits(new_id)..).unwrap_or_default();
    format!("{}{number}", mention.get(..mention.len() - digits(mention)).unwrap_or_default())
}

/// A path whose file's name has the new id where it had the old one.
fn renamed(path: &str, id: &str, new_id: &str) -> String {
    let at = path.rfind('/').map_or(0, |at| at + 1);
    let (folder, name) = path.split_at(at);
    match mentions::places(name, &[id.to_owned()]).into_iter().next() {
        Some(place) => {
            let mention = name.get(place.clone()).unwrap_or_default();
            let (before, after) = (name.get(..place.start), name.get(place.end..));
            format!("{folder}{}{}{}", before.unwrap_or_default(), respelled(mention, new_id), after.unwrap_or_default())
        }
        None => path.to_owned(),
    }
}

/// A document's text with its own id changed, where it is one of those that move, and with links to those.
fn rewritten(document: &Document, moves: &[Renumbered]) -> String {
    let Some(first) = moves.first() else { return document.text.clone() };
    let text = document.text.as_str();
    let is_own = moves.iter().any(|one| one.path == document.path);
    let links: Vec<(std::ops::Range<usize>, bool)> = links::links(text)
        .into_iter()
        .map(|(range, target)| {
            let joined = links::join(&document.path, target.split('#').next().unwrap_or_default());
            (range, moves.iter().any(|one| one.path == joined))
        })
        .collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for place in Finder::new(std::slice::from_ref(&first.id)).places(text) {
        let link = links.iter().find(|(range, _)| range.start <= place.start && place.end <= range.end);
        // In its own text every mention but a link to another file is the report's own name.
        if !link.map_or(is_own, |(_, is_moved)| *is_moved) {
            continue;
        }
        out.push_str(text.get(at..place.start).unwrap_or_default());
        out.push_str(&respelled(text.get(place.clone()).unwrap_or_default(), &first.new_id));
        at = place.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(title: &str, day: &str, words: &str) -> String {
        format!("---\nbug_id: BUG-20251110-001\ndate: {day}\n---\n# {title}\n\n{words}\n")
    }

    #[test]
    fn the_later_report_and_links_to_it_get_the_next_free_number() {
        let first = report(
            "Loss is NaN",
            "2025-11-10",
            "From step 120 on every value of the loss is NaN, with and without the scaler.",
        );
        let second = report(
            "Loader dies",
            "2025-11-12",
            "Workers of the loader are killed by a bus error in the container; see [the other](BUG-20251110-001-nan.md) and bug_20251110_001.",
        );
        let links = "# Notes\n\nBUG-20251110-001 or [BUG-20251110-001](archive/BUG-20251110-001-loader.md), not [x](BUG-20251110-001-nan.md).\n";
        let mut documents = [
            Document::new("d/BUG-20251110-001-nan.md", first.clone()),
            Document::new("d/archive/BUG-20251110-001-loader.md", second),
            Document::new("d/BUG-20251110-002.md", "---\nbug_id: BUG-20251110-002\n---\n# It hangs\n"),
            Document::new("d/notes.md", links),
        ];
        let done = renumber(&mut documents, &Setting::default());
        assert_eq!(done.len(), 1);
        assert_eq!(
            (done[0].new_id.as_str(), done[0].new_path.as_str()),
            ("BUG-20251110-003", "d/archive/BUG-20251110-003-loader.md")
        );
        assert_eq!(documents[0].text, first);
        assert!(documents[1].text.contains("bug_id: BUG-20251110-003"));
        assert!(documents[1].text.contains("[the other](BUG-20251110-001-nan.md) and bug_20251110_003."));
        assert_eq!(
            documents[3].text,
            "# Notes\n\nBUG-20251110-001 or [BUG-20251110-003](archive/BUG-20251110-003-loader.md), not [x](BUG-20251110-001-nan.md).\n"
        );
        assert!(renumber(&mut documents, &Setting::default()).is_empty());
    }
}
