//! Reports related to a failure, with the kind of relation and a link from where the new report will be.

use crate::diagnosis::Search as _;
use std::path::{Component, Path, PathBuf};

use super::context::{Context, Related};
use super::fill::ReportOptions;
use crate::diagnosis::{Diagnosis, ReportHit};
use crate::render::markdown;
use crate::reports::knowledge::Knowledge;

/// Reports that are related.
const RELATED: usize = 8;

/// Reports related to the failure, and the one a document is about, with links from `file`.
pub(super) fn related(
    context: &mut Context,
    diagnosis: &Diagnosis,
    knowledge: &Knowledge,
    options: &ReportOptions,
    file: &Path,
) {
    let folder = file.parent().unwrap_or(Path::new(""));
    context.about = options.about.as_ref().map(|report| Related {
        id: report.id.clone(),
        title: report.title.clone(),
        status: report.status.clone(),
        link: way(folder, &report.path),
        relation: "what this document is about".to_owned(),
        ..Related::default()
    });
    let about = context.about.as_ref().map(|about| about.id.clone());
    context.related = diagnosis
        .reports
        .iter()
        .filter(|hit| Some(&hit.id) != about.as_ref())
        .map(|hit| Related {
            id: hit.id.clone(),
            title: hit.title.clone(),
            status: hit.status.clone(),
            link: way(folder, Path::new(&hit.path)),
            relation: relation(hit),
            score: hit.score,
            why: hit.why.clone(),
        })
        .collect();
    // Reports on what followed here, as a failure of its own there.
    let index = if diagnosis.cascade.is_empty() || !knowledge.has_reports() { None } else { knowledge.index() };
    for entry in index.into_iter().flat_map(|index| index.entries()) {
        let echo = diagnosis.cascade.iter().find(|echo| entry.faults.first() == Some(&echo.id));
        let known = context.related.iter().any(|other| other.id == entry.id) || Some(&entry.id) == about.as_ref();
        if let (Some(echo), false) = (echo, known) {
            context.related.push(Related {
                id: entry.id.clone(),
                title: entry.title.clone(),
                status: entry.status.clone(),
                link: way(folder, &entry.path),
                relation: "reports what followed here".to_owned(),
                score: 0.0,
                why: vec![echo.title.clone()],
            });
        }
    }
    context.related.truncate(RELATED);
}

/// What a report has in common with the failure, in words.
pub(super) fn relation(hit: &ReportHit) -> String {
    let has = |words: &str| hit.why.iter().any(|why| why.starts_with(words));
    match (has("same fault"), has("same frame"), has("same error text")) {
        (true, true, _) => "same fault, same frames",
        (true, false, true) => "same fault, same error text",
        (true, false, false) => "same fault",
        (false, true, _) => "same frames, another fault",
        (false, false, true) => "same error text",
        (false, false, false) => "similar",
    }
    .to_owned()
}

/// The relative way from a folder to a file, with slashes.
pub(crate) fn way(folder: &Path, file: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (folder, file) = (absolute(folder), absolute(file));
    let parts = |path: &Path| -> Vec<std::ffi::OsString> {
        path.components()
            .filter(|part| !matches!(part, Component::CurDir))
            .map(|part| part.as_os_str().to_owned())
            .collect()
    };
    let (from, to) = (parts(&folder), parts(&file));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(std::ffi::OsString::from(".."), from.len() - common);
    let path: PathBuf = up.chain(to.into_iter().skip(common)).collect();
    markdown::address(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_other_reports() {
        for (file, way_to) in [
            ("/p/bugs/BUG-1.md", "BUG-1.md"),
            ("/p/notes/a b (1)#2?.md", "../notes/a%20b%20%281%29%232%3F.md"),
            ("/p/bugs/2025/x.md", "2025/x.md"),
        ] {
            assert_eq!(way(Path::new("/p/bugs"), Path::new(file)), way_to);
        }
    }
}
