//! Answers of one page, and the page that says why there is none.

use askama::Template;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};

use super::frame::{Abilities, Frame, Section};

/// A page that says what went wrong.
#[derive(Debug)]
pub(super) struct Failed {
    pub status: StatusCode,
    pub message: String,
}

impl Failed {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// What should never happen did.
    pub(super) fn bug() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug in Faultbook")
    }
}

#[derive(Template)]
#[template(path = "failed.html")]
struct FailedPage {
    frame: Frame,
    message: String,
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let Self { status, message } = self;
        let can = Abilities { diagnose: true, ..Abilities::default() };
        let title = status.canonical_reason().unwrap_or("Error").to_owned();
        // It can be the answer to any address, so that its own are from the root.
        let (root, section, url) = ("/".into(), Section::None, String::new());
        let frame = Frame { root, title, description: String::new(), section, can, url };
        let mut response = match (FailedPage { frame, message: message.clone() }).render() {
            Ok(text) => (status, Html(text)).into_response(),
            Err(_) => (status, message).into_response(),
        };
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("2"));
        }
        response
    }
}

/// A template as an answer.
pub(super) fn page(template: &impl Template) -> Result<Html<String>, Failed> {
    template.render().map(Html).map_err(|_| Failed::bug())
}

/// There is no such page.
pub(super) fn not_found() -> Failed {
    Failed::new(StatusCode::NOT_FOUND, "there is no such page")
}
