//! How the server ends: requests that are under way are answered, streams end, and nobody waits for longer than a moment.

use std::io;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::server::Shared;

/// The longest wait for requests that are under way.
const MOMENT: Duration = Duration::from_secs(2);

/// Serves until a signal tells the process to end.
pub(super) async fn serve(listener: TcpListener, site: Shared, router: Router) -> io::Result<()> {
    let told = signals()?;
    let (stopping, stopped) = watch::channel(false);
    let graceful = axum::serve(listener, router).with_graceful_shutdown(until(told.clone()));
    let served = tokio::spawn(async move {
        let ended = graceful.await;
        stopping.send_replace(true);
        ended
    });
    until(told).await;
    #[cfg(feature = "machine")]
    site.panel.end();
    #[cfg(not(feature = "machine"))]
    drop(site);
    let _ = tokio::time::timeout(MOMENT, until(stopped)).await;
    if served.is_finished() { served.await.unwrap_or(Ok(())) } else { Ok(()) }
}

async fn until(mut told: watch::Receiver<bool>) {
    let _ = told.wait_for(|told| *told).await;
}

/// Becomes true at the first signal that tells the process to end.
#[cfg(unix)]
fn signals() -> io::Result<watch::Receiver<bool>> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let (teller, told) = watch::channel(false);
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        signals.forever().next();
        teller.send_replace(true);
        // The channel must not close before it was read.
        std::thread::sleep(MOMENT * 2);
    });
    Ok(told)
}

/// Elsewhere the system ends the process.
#[cfg(not(unix))]
fn signals() -> io::Result<watch::Receiver<bool>> {
    let (teller, told) = watch::channel(false);
    std::mem::forget(teller);
    Ok(told)
}
