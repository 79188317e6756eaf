//! Routes of the book, the reports and the search.

use axum::Router;
use axum::extract::{Path as Segments, Query, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::get;
use serde::Deserialize;

use super::reports::Asked;
use super::shelf::Shelf;
use super::{codes, contents, fault, report, reports, search};
use crate::interfaces::web::failed::{Failed, not_found, page};
use crate::interfaces::web::server::{Shared, Site, work};
use crate::interfaces::workspace::Workspace;

/// The routes.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/book", get(|| async { Redirect::permanent("/book/index.html") }))
        .route("/book/", get(|| async { Redirect::permanent("/book/index.html") }))
        .route("/book/{file}", get(of_book))
        .route("/book/fixes/{file}", get(recipe))
        .route("/book/codes/{file}", get(table))
        .route("/reports", get(|| async { Redirect::permanent("/reports/index.html") }))
        .route("/reports/", get(|| async { Redirect::permanent("/reports/index.html") }))
        .route("/reports/index.html", get(list))
        .route("/reports/chart.svg", get(chart))
        .route("/reports/{file}", get(one_report))
        .route("/search", get(find))
}

fn shelf<'w>(site: &Site, workspace: &'w Workspace) -> Shelf<'w> {
    Shelf::new(workspace, site.reports.told(&workspace.knowledge), site.can)
}

fn name(file: &str) -> Result<&str, Failed> {
    file.strip_suffix(".html").ok_or_else(not_found)
}

async fn of_book(State(site): State<Shared>, Segments(file): Segments<String>) -> Result<Response, Failed> {
    work(&site, move |site, workspace| {
        let shelf = shelf(site, workspace);
        Ok(match name(&file)? {
            "index" => page(&contents::contents(&shelf))?.into_response(),
            "notices" => page(&contents::notices(&shelf))?.into_response(),
            id => {
                let index = shelf.book().find(id).ok_or_else(not_found)?;
                let known = &shelf.book().faults[index].id;
                if known == id {
                    page(&fault::page(&shelf, index))?.into_response()
                } else {
                    Redirect::permanent(&format!("/book/{known}.html")).into_response()
                }
            }
        })
    })
    .await
}

async fn recipe(State(site): State<Shared>, Segments(file): Segments<String>) -> Result<Html<String>, Failed> {
    work(&site, move |site, workspace| {
        page(&contents::recipe(&shelf(site, workspace), name(&file)?).ok_or_else(not_found)?)
    })
    .await
}

async fn table(State(site): State<Shared>, Segments(file): Segments<String>) -> Result<Html<String>, Failed> {
    work(&site, move |site, workspace| {
        let shelf = shelf(site, workspace);
        match name(&file)? {
            "index" => page(&codes::index(&shelf)),
            library => page(&codes::table(&shelf, library).ok_or_else(not_found)?),
        }
    })
    .await
}

async fn list(State(site): State<Shared>, Query(asked): Query<Asked>) -> Result<Html<String>, Failed> {
    work(&site, move |site, workspace| page(&reports::list(&shelf(site, workspace), asked))).await
}

async fn chart(State(site): State<Shared>, Query(asked): Query<Asked>) -> Result<Response, Failed> {
    let svg = work(&site, move |site, workspace| Ok(reports::picture(&shelf(site, workspace), &asked))).await?;
    // Opened by itself, the picture needs the rules for its colours, which are in it, and nothing else.
    const POLICY: &str =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    Ok(([(CONTENT_TYPE, "image/svg+xml"), (CONTENT_SECURITY_POLICY, POLICY)], svg).into_response())
}

async fn one_report(State(site): State<Shared>, Segments(file): Segments<String>) -> Result<Html<String>, Failed> {
    work(&site, move |site, workspace| {
        let shelf = shelf(site, workspace);
        let name = name(&file)?;
        match shelf.told.find(name) {
            Some(index) => page(&report::page(&shelf, index)),
            None => page(&report::example(&shelf, name).ok_or_else(not_found)?),
        }
    })
    .await
}

/// What a search asks for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Question {
    q: String,
    /// Whether only the results are wanted.
    part: String,
}

async fn find(State(site): State<Shared>, Query(question): Query<Question>) -> Result<Html<String>, Failed> {
    work(&site, move |site, workspace| {
        let shelf = shelf(site, workspace);
        if question.part.is_empty() {
            page(&search::page(&shelf, &question.q))
        } else {
            page(&search::part(&shelf, &question.q))
        }
    })
    .await
}
