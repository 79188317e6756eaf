//! `faultbook templates`: what `new --template` can fill, and the names that a template may use.

use crate::render::layout::Paragraph;
use crate::render::style::{FAINT, STRONG};
use crate::reports::draft::templates::{self, Choice};
use serde::Serialize;

use super::common::Common;
use super::exit::Exit;
use super::failure::Result;
use super::format::{Format, FormatArg};
use super::output::{Output, json, table};
use super::{new, open};

/// The JSON (`faultbook/templates/1`).
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    templates: Vec<Row>,
    names: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    about: String,
    path: Option<String>,
    /// What is wrong with it, if it cannot be used.
    broken: Option<String>,
}

pub(crate) fn run(format: FormatArg<Format>, common: &Common) -> Result<Exit> {
    let output = Output::new(common, format)?;
    let (project, _) = open::project(common, false)?;
    let all = new::templates(&project)?;
    let row = |choice: &Choice| Row {
        name: choice.name.clone(),
        about: match &choice.broken {
            Some(broken) => format!("cannot be used: {broken}"),
            None => choice.about.clone(),
        },
        path: choice.path.as_deref().map(open::shown),
        broken: choice.broken.clone(),
    };
    let rows: Vec<Row> = all.choices().map(row).collect();
    let names: Vec<String> = templates::names().into_iter().collect();
    let text = match output.format {
        Format::Json => json(&Answer { schema: "faultbook/templates/1", templates: rows, names })?,
        Format::Markdown => table(
            &["Name", "What it is for", "File"],
            rows.into_iter().map(|row| vec![row.name, row.about, row.path.unwrap_or_else(|| "built in".to_owned())]),
        ),
        Format::Terminal => {
            let mut sheet = output.sheet();
            for row in rows {
                let place = row.path.unwrap_or_else(|| "built in".to_owned());
                sheet.paragraph(
                    &Paragraph::new(row.about).lead(STRONG, format!("{:<16}", row.name)).indent(16).right(FAINT, place),
                );
            }
            sheet.blank();
            sheet.paragraph(&Paragraph::new(format!("Names that a template may use: {}", names.join(", "))));
            sheet.paragraph(&Paragraph::new(
                "Put your own templates into .faultbook/templates at the repository's root, or into a folder that [templates] \
                 paths in faultbook.toml names. A template can begin with {% extends \"builtin/bug_report\" %}.",
            ));
            sheet.finish()
        }
    };
    output.write(&text)?;
    Ok(Exit::Found)
}
