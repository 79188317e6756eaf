//! What people send, and its answer.
//!
//! `intake` reads what arrives and `kept` keeps it under an address. `page` diagnoses it: `view` is the answer in words and
//! HTML, `log` the text beside it with its marks. `verify` adds what a machine says and `compared` shows what that changed,
//! `beside` puts a report next to the text, `draft` makes one of it. `routes` has the addresses.

mod beside;
mod compared;
mod draft;
mod intake;
mod kept;
mod log;
mod page;
mod routes;
#[cfg(feature = "machine")]
mod verify;
mod view;

use axum::Router;

pub(super) use draft::Saved;
pub(super) use intake::LARGEST;
pub(super) use kept::Kept;
#[cfg(feature = "fuzzing")]
pub(super) use page::shown;

use super::server::Shared;

/// All addresses of texts and answers.
pub(super) fn routes() -> Router<Shared> {
    let router = routes::routes().merge(draft::routes());
    #[cfg(feature = "machine")]
    let router = router.merge(verify::routes());
    router
}
