//! Answers of one page, and the page that says why there is none.

use askama::Template;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
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

    /// An answer took too long.
    pub(super) fn too_slow() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "this takes too long just now: try again in a moment")
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

/// A page instead of an error that the framework tells in words of its own, or without any.
pub(super) async fn in_a_page(response: Response) -> Response {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE);
    let has_page = kind.is_some_and(|kind| !kind.as_bytes().starts_with(b"text/plain"));
    match status {
        _ if has_page => response,
        StatusCode::SERVICE_UNAVAILABLE => Failed::too_slow().into_response(),
        StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND => not_found().into_response(),
        StatusCode::UNPROCESSABLE_ENTITY | StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            Failed::new(status, "the form is not one of this page's: reload it, and send it again").into_response()
        }
        _ => response,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn errors_of_the_framework_get_a_page() {
        let plain = |status: StatusCode| (status, "Failed to parse `id`").into_response();
        let own = Failed::too_slow();
        for (response, status, says) in [
            (StatusCode::SERVICE_UNAVAILABLE.into_response(), 503, own.message.as_str()),
            (plain(StatusCode::BAD_REQUEST), 404, "there is no such page"),
            (plain(StatusCode::UNPROCESSABLE_ENTITY), 422, "reload it"),
            (Html("<p>kept").into_response(), 200, "<p>kept"),
            (Failed::bug().into_response(), 500, "this is a bug in Faultbook"),
        ] {
            let shown = in_a_page(response).await;
            assert_eq!(shown.status().as_u16(), status);
            assert_eq!(shown.headers().contains_key(RETRY_AFTER), status == 503);
            let body = axum::body::to_bytes(shown.into_body(), usize::MAX).await.expect("a body");
            let body = String::from_utf8_lossy(&body);
            assert!(body.contains(says) && !body.contains("Failed to parse"), "{status}: {body}");
        }
    }
}
