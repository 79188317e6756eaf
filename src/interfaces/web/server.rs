//! Routes and limits of the page.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::Router;
use axum::extract::multipart::MultipartRejection;
use axum::extract::{DefaultBodyLimit, Multipart, Path as Segments, Query, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::{RequestBodyTimeoutLayer, TimeoutLayer};

use super::frame::{Abilities, Frame, Section};
use super::guard::{Exposure, guard};
use super::intake::{self, LARGEST, Refusal};
use super::kept::Kept;
use super::shelf::Remembered;
use super::{answer, assets, beside, browse, stop};
use crate::interfaces::live::Live;
use crate::interfaces::workspace::{Settings, Workspace};
use crate::render;

/// The longest time for an answer, and between two parts of a body.
const LONGEST: Duration = Duration::from_secs(60);
const SILENCE: Duration = Duration::from_secs(20);

/// Requests that wait for a free thread; more are sent away at once.
const WAITING: usize = 512;

/// What all requests share.
pub(super) struct Site {
    pub live: Live,
    pub kept: Kept,
    pub exposure: Exposure,
    pub address: SocketAddr,
    /// Names under which the network reaches this machine, given by the user.
    pub names: BTreeSet<String>,
    pub can: Abilities,
    /// The project's reports.
    pub reports: Remembered,
    pub saved: super::draft::Saved,
    #[cfg(feature = "machine")]
    pub panel: super::panel::Panel,
    /// As many diagnoses at a time as there are processors: more would only need more memory.
    threads: Semaphore,
    waiting: Semaphore,
}

/// The state of every handler.
pub(super) type Shared = Arc<Site>;

/// A page that accepts connections.
pub(crate) struct Listening {
    /// Where.
    pub(crate) address: SocketAddr,
    listener: std::net::TcpListener,
    exposure: Exposure,
}

/// Reserves the address, so that it can be printed before the first request.
///
/// # Errors
/// When the address is in use or not this machine's.
pub(crate) fn listen(address: SocketAddr, exposure: Exposure) -> io::Result<Listening> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(Listening { address: listener.local_addr()?, listener, exposure })
}

impl Listening {
    /// Serves until the process is told to stop.
    ///
    /// # Errors
    /// When the runtime cannot start.
    pub(crate) fn serve(self, root: PathBuf, settings: &Settings, names: BTreeSet<String>) -> io::Result<()> {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(processors).enable_all().build()?;
        let site = Arc::new(Site {
            live: Live::open(&root, settings),
            kept: Kept::new(settings.cache.as_deref()),
            exposure: self.exposure,
            address: self.address,
            names,
            can: Abilities {
                diagnose: true,
                probe: settings.probe && cfg!(feature = "machine"),
                write: settings.allow_write,
                reports_only: false,
            },
            reports: Remembered::default(),
            saved: super::draft::Saved::default(),
            #[cfg(feature = "machine")]
            panel: super::panel::Panel::new(),
            threads: Semaphore::new(processors),
            waiting: Semaphore::new(WAITING),
        });
        let ended = runtime.block_on(async move {
            let listener = TcpListener::from_std(self.listener)?;
            stop::serve(listener, site.clone(), router(site)).await
        });
        // A driver that hangs is not waited for.
        runtime.shutdown_background();
        ended
    }
}

fn router(site: Shared) -> Router {
    let router = Router::new()
        .route("/", get(home))
        .route("/diagnose", post(paste))
        .route("/d/{id}", get(first_answer))
        .route("/d/{id}/{place}", get(one_answer))
        .route("/d/{id}/forget", post(forget))
        .route("/d/{id}/{place}/answer.json", get(as_json))
        .route("/d/{id}/{place}/answer.md", get(as_markdown))
        .route("/d/{id}/{place}/beside/{report}", get(beside))
        .route("/assets/{name}", get(asset))
        .merge(browse::routes());
    let router = router.merge(super::draft::routes());
    #[cfg(feature = "machine")]
    let router = router.merge(super::machine::routes());
    router
        .fallback(nothing_there)
        .layer(DefaultBodyLimit::max(LARGEST))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, LONGEST))
        .layer(RequestBodyTimeoutLayer::new(SILENCE))
        .layer(CatchPanicLayer::custom(|_| {
            Failed(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug in Faultbook")).into_response()
        }))
        .layer(middleware::from_fn_with_state(site.clone(), guard))
        .with_state(site)
}

impl Site {
    /// The frame of a page.
    pub(super) fn frame(&self, root: &'static str, section: Section, title: impl Into<String>) -> Frame {
        let (title, url) = (title.into(), String::new());
        Frame { root: root.into(), title, description: String::new(), section, can: self.can, url }
    }
}

/// Does some work on a thread of its own, as soon as one is free.
pub(super) async fn work<T: Send + 'static>(
    site: &Shared,
    work: impl FnOnce(&Site, &Workspace) -> Result<T, Failed> + Send + 'static,
) -> Result<T, Failed> {
    let Ok(_waits) = site.waiting.try_acquire() else {
        return Err(Failed::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests at once: try again in a moment"));
    };
    let _runs = site.threads.acquire().await;
    let shared = site.clone();
    let done = tokio::task::spawn_blocking(move || work(&shared, &shared.live.workspace())).await;
    done.unwrap_or_else(|_| Err(Failed::new(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug in Faultbook")))
}

/// A template as an answer.
pub(super) fn page(template: &impl Template) -> Result<Html<String>, Failed> {
    template
        .render()
        .map(Html)
        .map_err(|_| Failed::new(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug in Faultbook"))
}

/// A page that says what went wrong.
#[derive(Debug)]
pub(super) struct Failed(Refusal);

impl Failed {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self(Refusal::new(status, message))
    }
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        Self(refusal)
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
        let Refusal { status, message } = self.0;
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

#[derive(Template)]
#[template(path = "home.html")]
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
        page(&Home {
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
        let recorded = received.facts.as_deref().map(super::verify::saved).transpose()?;
        let id = site.kept.put(intake::unpacked(received.texts)?);
        #[cfg(feature = "machine")]
        recorded.iter().for_each(|recorded| super::verify::keep_all(site, &id, recorded));
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
    Segments((id, place)): Segments<(String, usize)>,
    wanted: Query<Wanted>,
) -> Result<Response, Failed> {
    // The first has a shorter address, and its links are made for that.
    if place == 0 {
        return Ok(Redirect::to(&format!("../{id}")).into_response());
    }
    Ok(answered(site, id, place, wanted).await?.into_response())
}

async fn answered(
    State(site): State<Shared>,
    id: String,
    place: usize,
    Query(Wanted { from }): Query<Wanted>,
) -> Result<Html<String>, Failed> {
    work(&site, move |site, workspace| page(&answer::page(site, workspace, &id, place, from)?)).await
}

async fn as_json(
    State(site): State<Shared>,
    Segments((id, place)): Segments<(String, usize)>,
) -> Result<Response, Failed> {
    work(&site, move |site, workspace| {
        let text = render::json::render(&answer::diagnosis(site, workspace, &id, place)?);
        Ok(([(CONTENT_TYPE, "application/json")], text).into_response())
    })
    .await
}

async fn as_markdown(
    State(site): State<Shared>,
    Segments((id, place)): Segments<(String, usize)>,
) -> Result<Response, Failed> {
    work(&site, move |site, workspace| {
        let text = render::markdown::render(&answer::diagnosis(site, workspace, &id, place)?);
        // As plain text it is shown instead of saved.
        Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
    })
    .await
}

async fn beside(
    State(site): State<Shared>,
    Segments((id, place, report)): Segments<(String, usize, String)>,
) -> Result<Html<String>, Failed> {
    work(&site, move |site, workspace| page(&beside::page(site, workspace, &id, place, &report)?)).await
}

async fn forget(State(site): State<Shared>, Segments(id): Segments<String>) -> Redirect {
    site.kept.forget(&id);
    Redirect::to("/")
}

async fn asset(Segments(name): Segments<String>) -> Result<Response, Failed> {
    let Some(asset) = assets::ALL.iter().find(|asset| asset.name == name) else { return Err(not_found()) };
    let headers = [(CONTENT_TYPE, asset.media), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
    Ok((headers, asset.text.as_str()).into_response())
}

async fn nothing_there() -> Failed {
    not_found()
}

/// There is no such page.
pub(super) fn not_found() -> Failed {
    Failed::new(StatusCode::NOT_FOUND, "there is no such page")
}
