//! How much is done, and held in memory, at a time.

use std::sync::Arc;
use std::time::Duration;

use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::Semaphore;

use super::failed::Failed;
use super::server::Shared;

/// Requests that wait for a free thread; more are sent away at once.
const WAITING: usize = 512;

/// Bodies up to so many bytes need no turn: pasted texts.
const SMALL: u64 = 1 << 20;

/// Longer bodies, and those that do not say how long they are, that are read at a time: each may be as long as the
/// longest request.
const LARGE_AT_A_TIME: usize = 4;

/// The longest time for an answer, once its request has arrived.
const LONGEST: Duration = Duration::from_secs(60);

/// What all requests share of the machine's memory and processors.
pub(super) struct Limits {
    /// As many diagnoses at a time as there are processors: more would only need more memory.
    threads: Arc<Semaphore>,
    waiting: Semaphore,
    large: Semaphore,
}

impl Limits {
    /// With so many threads that work.
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads: Arc::new(Semaphore::new(threads)),
            waiting: Semaphore::new(WAITING),
            large: Semaphore::new(LARGE_AT_A_TIME),
        }
    }

    /// Does some work on a thread of its own, as soon as one is free. The thread counts as busy until the work ends, also
    /// when nobody waits for it any more.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Failed> + Send + 'static,
    ) -> Result<T, Failed> {
        let Ok(_waits) = self.waiting.try_acquire() else {
            let words = "too many requests at once: try again in a moment";
            return Err(Failed::new(StatusCode::SERVICE_UNAVAILABLE, words));
        };
        let done = async {
            let runs = self.threads.clone().acquire_owned().await;
            let done = tokio::task::spawn_blocking(move || {
                let _runs = runs;
                work()
            });
            done.await.unwrap_or_else(|_| Err(Failed::bug()))
        };
        tokio::time::timeout(LONGEST, done).await.unwrap_or_else(|_| Err(Failed::too_slow()))
    }
}

/// Lets only a few long bodies be read at a time; the others wait where they come from.
pub(super) async fn turns(State(site): State<Shared>, request: Request, next: Next) -> Response {
    let is_large = request.body().size_hint().upper().is_none_or(|length| length > SMALL);
    let _turn = if is_large { site.limits.large.acquire().await.ok() } else { None };
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_thread_is_busy_until_its_work_ends() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let limits = Limits::new(1);
        let (go_on, told) = mpsc::channel::<()>();
        let work = move || {
            let _ = told.recv();
            Ok(())
        };
        runtime.block_on(async {
            assert!(tokio::time::timeout(Duration::from_millis(1), limits.work(work)).await.is_err(), "given up");
            assert_eq!((limits.threads.available_permits(), limits.waiting.available_permits()), (0, WAITING));
            go_on.send(()).expect("it waits");
            assert!(limits.work(|| Ok(())).await.is_ok());
        });
    }
}
