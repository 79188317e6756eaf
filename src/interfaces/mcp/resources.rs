//! Pages and reports as resources: `faultbook://page/<id>`, `faultbook://report/<id>`.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::interfaces::workspace::Workspace;
use crate::reports::lookup::{self, Found};

const PAGE: &str = "faultbook://page/";
const REPORT: &str = "faultbook://report/";
const MARKDOWN: &str = "text/markdown";

/// All pages, and all reports of the project.
pub(super) fn all(workspace: &Workspace) -> Vec<Resource> {
    let reports = lookup::living(&workspace.knowledge).map(|entry| {
        let about = [entry.status.as_str(), entry.severity.as_str(), entry.date.as_str()];
        let about: Vec<&str> = about.into_iter().filter(|words| !words.is_empty()).collect();
        Resource::new(format!("{REPORT}{}", entry.id), entry.id.clone())
            .with_title(entry.title.clone())
            .with_description(about.join(", "))
            .with_mime_type(MARKDOWN)
    });
    let pages = workspace.knowledge.book.faults.iter().map(|page| {
        Resource::new(format!("{PAGE}{}", page.id), page.id.clone())
            .with_title(page.matter().title.clone())
            .with_description(format!("fault page, {}", page.area))
            .with_mime_type(MARKDOWN)
    });
    reports.chain(pages).collect()
}

/// The templates of the URIs.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{PAGE}{{id}}"), "page")
            .with_description("A fault page of the book: meaning, causes, checks, fixes")
            .with_mime_type(MARKDOWN),
        ResourceTemplate::new(format!("{REPORT}{{id}}"), "report")
            .with_description("A bug report of the project")
            .with_mime_type(MARKDOWN),
    ]
}

/// The text at a URI.
pub(super) fn read(workspace: &Workspace, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let texts: Vec<String> = if let Some(id) = uri.strip_prefix(PAGE) {
        let page = lookup::page(&workspace.knowledge, id).map(Found::Page);
        page.iter().map(|page| lookup::markdown(&workspace.knowledge, page)).collect()
    } else if let Some(id) = uri.strip_prefix(REPORT) {
        workspace.reports_named(id).into_iter().map(|report| report.text).collect()
    } else {
        Vec::new()
    };
    if texts.is_empty() {
        return Err(ErrorData::resource_not_found("no such page or report", Some(json!({ "uri": uri }))));
    }
    let contents = texts.into_iter().map(|text| ResourceContents::text(text, uri).with_mime_type(MARKDOWN));
    Ok(ReadResourceResult::new(contents.collect()))
}
