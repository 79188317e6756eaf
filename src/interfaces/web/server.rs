//! The server: what all requests share, and the layers that each of them goes through.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path as Segments};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::middleware;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::{RequestBodyTimeoutLayer, TimeoutLayer};

use super::answer::{Kept, LARGEST, Saved};
use super::book::Remembered;
use super::failed::{Failed, in_a_page, not_found};
use super::frame::{Abilities, Frame, Section};
use super::guard::{Exposure, guard};
use super::limits::{Limits, turns};
use super::{assets, connections};
use crate::interfaces::live::Live;
use crate::interfaces::workspace::{Settings, Workspace};

/// The longest time for a request with its body and its answer: the longest body through a slow line. And the longest time
/// between two parts of a body.
const LONGEST: Duration = Duration::from_secs(600);
const SILENCE: Duration = Duration::from_secs(20);

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
    pub saved: Saved,
    #[cfg(feature = "machine")]
    pub panel: super::machine::Panel,
    pub limits: Limits,
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
            saved: Saved::default(),
            #[cfg(feature = "machine")]
            panel: super::machine::Panel::new(),
            limits: Limits::new(processors),
        });
        let ended = runtime.block_on(async move {
            let listener = TcpListener::from_std(self.listener)?;
            connections::serve(listener, site.clone(), router(site)).await
        });
        // A driver that hangs is not waited for.
        runtime.shutdown_background();
        ended
    }
}

fn router(site: Shared) -> Router {
    let router =
        Router::new().route("/assets/{name}", get(asset)).merge(super::answer::routes()).merge(super::book::routes());
    #[cfg(feature = "machine")]
    let router = router.merge(super::machine::routes());
    router
        .fallback(nothing_there)
        .layer(DefaultBodyLimit::max(LARGEST))
        .layer(RequestBodyTimeoutLayer::new(SILENCE))
        .layer(middleware::from_fn_with_state(site.clone(), turns))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, LONGEST))
        .layer(middleware::map_response(in_a_page))
        .layer(CatchPanicLayer::custom(|_| Failed::bug().into_response()))
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
    let shared = site.clone();
    site.limits.work(move || work(&shared, &shared.live.workspace())).await
}

async fn asset(Segments(name): Segments<String>) -> Result<Response, Failed> {
    let Some(asset) = assets::ALL.iter().find(|asset| asset.name == name) else { return Err(not_found()) };
    let headers = [(CONTENT_TYPE, asset.media), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
    Ok((headers, asset.text.as_str()).into_response())
}

async fn nothing_there() -> Failed {
    not_found()
}
