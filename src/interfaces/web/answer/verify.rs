//! A diagnosis with what a machine says: asked now, or recorded where the run died.

use std::path::Path;

use axum::Router;
use axum::extract::multipart::MultipartRejection;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Multipart, Path as Segments, State};
use axum::http::StatusCode;
use axum::response::Redirect;
use axum::routing::post;
use serde::Deserialize;

use super::intake;
use super::kept::Text;
use super::page::measured_id;
use crate::diagnosis::Measured;
use crate::hint::Hint as _;
use crate::interfaces::web::failed::{Failed, not_found};
use crate::interfaces::web::machine::{allowed, panel};
use crate::interfaces::web::server::{Shared, Site, work};
use crate::machine::{self, Outcome};
use crate::{incident, text};

pub(super) fn routes() -> Router<Shared> {
    Router::new().route("/d/{id}/{place}/verify", post(verify)).route("/d/{id}/{place}/facts", post(facts))
}

#[derive(Debug, Deserialize)]
struct Request {
    level: Level,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Quick,
    Functional,
    /// Forget what was measured.
    None,
}

async fn verify(
    State(site): State<Shared>,
    Segments((id, place)): Segments<(String, usize)>,
    form: Result<Form<Request>, FormRejection>,
) -> Result<Redirect, Failed> {
    let Form(Request { level }) = form.map_err(|error| Failed::new(StatusCode::BAD_REQUEST, error.body_text()))?;
    let answer = address(&id, place);
    if level == Level::None {
        site.kept.unmeasured(&measured_id(&id, place));
        return Ok(answer);
    }
    allowed(&site)?;
    let outcome = match level {
        Level::Functional => panel::functional(&site).await?,
        _ => panel::quick(&site).await?,
    };
    work(&site, move |site, _| keep_one(site, &id, place, &outcome)).await?;
    Ok(answer)
}

async fn facts(
    State(site): State<Shared>,
    Segments((id, place)): Segments<(String, usize)>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Redirect, Failed> {
    let form = form.map_err(|error| Failed::new(error.status(), error.body_text()))?;
    let answer = address(&id, place);
    let Some(recorded) = intake::receive(form).await?.facts else {
        return Err(Failed::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "choose the file that `faultbook probe --save FILE` wrote",
        ));
    };
    work(&site, move |site, _| keep_one(site, &id, place, &saved(&recorded)?)).await?;
    Ok(answer)
}

/// Recorded facts, as `faultbook probe --save` or a failing process wrote them.
pub(super) fn saved(bytes: &[u8]) -> Result<Outcome, Failed> {
    let wrong = |error: machine::Error| {
        let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
        Failed::new(StatusCode::UNPROCESSABLE_ENTITY, format!("{error}{hint}"))
    };
    let mut outcome =
        machine::read_saved(&String::from_utf8_lossy(bytes), Path::new("the file of facts")).map_err(wrong)?;
    if !outcome.is_inside() {
        outcome.level = "saved".to_owned();
    }
    Ok(outcome)
}

/// Keeps what a machine says for all texts that were pasted together.
pub(super) fn keep_all(site: &Site, id: &str, outcome: &Outcome) {
    let Some(pasted) = site.kept.get(id) else { return };
    for (place, text) in pasted.texts.iter().enumerate() {
        site.kept.measured(&measured_id(id, place), related(text, outcome));
    }
}

fn keep_one(site: &Site, id: &str, place: usize, outcome: &Outcome) -> Result<(), Failed> {
    let pasted = site.kept.get(id).ok_or_else(not_found)?;
    let text = pasted.texts.get(place).ok_or_else(not_found)?;
    site.kept.measured(&measured_id(id, place), related(text, outcome));
    Ok(())
}

/// What of it applies to the run that wrote the text.
fn related(text: &Text, outcome: &Outcome) -> Measured {
    let incident = incident::read(&text::read(&text.bytes));
    let (facts, summary) = machine::relate(outcome, &incident.facts);
    // A process that recorded nothing remarkable about its machine needs no paragraph.
    let summary = Some(summary).filter(|summary| !outcome.is_inside() || !summary.findings.is_empty());
    Measured { facts, summary }
}

fn address(id: &str, place: usize) -> Redirect {
    // What is no id is no address either.
    let id: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
    Redirect::to(&if place == 0 { format!("/d/{id}#answer") } else { format!("/d/{id}/{place}#answer") })
}
