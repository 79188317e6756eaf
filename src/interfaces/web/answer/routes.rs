//! The first page, what people send, and the addresses of its answers.

use askama::Template;
use axum::Router;
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Path as Segments, Query, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::intake::{self, LARGEST};
#[cfg(feature = "machine")]
use super::verify;
use super::{beside, page};
use crate::diagnosis::Diagnosis;
use crate::interfaces::web::failed::{Failed, page as shown};
use crate::interfaces::web::frame::{Frame, Section};
use crate::interfaces::web::server::{Shared, work};
use crate::render;

/// The routes.
pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/", get(home))
        .route("/diagnose", post(paste))
        .route("/d/{id}", get(first_answer))
        .route("/d/{id}/{place}", get(one_answer))
        .route("/d/{id}/forget", post(forget))
        .route("/d/{id}/{place}/answer.json", get(as_json))
        .route("/d/{id}/{place}/answer.md", get(as_markdown))
        .route("/d/{id}/{place}/beside/{report}", get(beside))
}

#[derive(Template)]
#[template(path = "answer/home.html")]
struct Home {
    frame: Frame,
    /// The longest request, in MiB.
    largest: usize,
    faults: usize,
    reports: usize,
    /// Texts that were pasted before: address and what was found.
    recent: Vec<(String, String)>,
    /// What could not be read of the project.
    notes: Vec<String>,
}

async fn home(State(site): State<Shared>) -> Result<Html<String>, Failed> {
    work(&site, |site, workspace| {
        shown(&Home {
            frame: site.frame("", Section::Diagnose, "Faultbook: what failed, why, and what fixes it"),
            largest: LARGEST >> 20,
            faults: workspace.knowledge.book.faults.len(),
            reports: crate::reports::lookup::entries(&workspace.knowledge).count(),
            recent: site.kept.recent(),
            notes: workspace.notes.clone(),
        })
    })
    .await
}

async fn paste(
    State(site): State<Shared>,
    headers: HeaderMap,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, Failed> {
    let form = form.map_err(|error| Failed::new(error.status(), error.body_text()))?;
    let received = intake::receive(form).await?;
    let id = work(&site, move |site, _| {
        #[cfg(feature = "machine")]
        let recorded = received.facts.as_deref().map(verify::saved).transpose()?;
        let id = site.kept.put(intake::unpacked(received.texts)?);
        #[cfg(feature = "machine")]
        recorded.iter().for_each(|recorded| verify::keep_all(site, &id, recorded));
        Ok(id)
    })
    .await?;
    let address = format!("/d/{id}");
    // A script goes there itself: a redirect that it follows would be answered twice.
    if headers.get(ACCEPT).is_some_and(|wanted| wanted == "text/plain") {
        return Ok((StatusCode::CREATED, [(LOCATION, address)]).into_response());
    }
    Ok(Redirect::to(&address).into_response())
}

/// What an address of an answer can ask for.
#[derive(Debug, Default, Deserialize)]
struct Wanted {
    /// Only lines from this one on.
    from: Option<usize>,
}

async fn first_answer(
    site: State<Shared>,
    Segments(id): Segments<String>,
    wanted: Query<Wanted>,
) -> Result<Html<String>, Failed> {
    answered(site, id, 0, wanted).await
}

async fn one_answer(
    site: State<Shared>,
    Segments((id, place)): Place,
    wanted: Query<Wanted>,
) -> Result<Response, Failed> {
    // The first has a shorter address, and its links are made for that.
    if place == 0 {
        let from = wanted.from.map(|from| format!("?from={from}")).unwrap_or_default();
        // What is no id is no address either.
        let id: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
        return Ok(Redirect::to(&format!("../{id}{from}")).into_response());
    }
    Ok(answered(site, id, place, wanted).await?.into_response())
}

async fn answered(
    State(site): State<Shared>,
    id: String,
    place: usize,
    Query(Wanted { from }): Query<Wanted>,
) -> Result<Html<String>, Failed> {
    work(&site, move |site, workspace| shown(&page::page(site, workspace, &id, place, from)?)).await
}

/// Which of the texts that were sent together.
type Place = Segments<(String, usize)>;

async fn as_json(State(site): State<Shared>, Segments((id, place)): Place) -> Result<Response, Failed> {
    written(site, id, place, "application/json", render::json::render).await
}

/// As plain text it is shown instead of saved.
async fn as_markdown(State(site): State<Shared>, Segments((id, place)): Place) -> Result<Response, Failed> {
    written(site, id, place, "text/plain; charset=utf-8", render::markdown::render).await
}

/// The answer in another form.
async fn written(
    site: Shared,
    id: String,
    place: usize,
    media: &'static str,
    render: fn(&Diagnosis) -> String,
) -> Result<Response, Failed> {
    work(&site, move |site, workspace| {
        let text = render(&page::diagnosis(site, workspace, &id, place)?);
        Ok(([(CONTENT_TYPE, media)], text).into_response())
    })
    .await
}

async fn beside(
    State(site): State<Shared>,
    Segments((id, place, report)): Segments<(String, usize, String)>,
) -> Result<Html<String>, Failed> {
    work(&site, move |site, workspace| shown(&beside::page(site, workspace, &id, place, &report)?)).await
}

async fn forget(State(site): State<Shared>, Segments(id): Segments<String>) -> Redirect {
    site.kept.forget(&id);
    Redirect::to("/")
}
