//! Connections: how they are accepted, and how they end. Headers must arrive in a moment. When the server stops, requests
//! that are under way are answered, streams end, and nobody waits for longer than a moment.

use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use futures_util::future::{Either, select};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::server::Shared;

/// The longest wait for requests that are under way.
const MOMENT: Duration = Duration::from_secs(2);

/// The longest time for the headers of a request, from when the connection is free for one: a browser's idle connection
/// ends after it too.
const HEADERS: Duration = Duration::from_secs(30);

/// The pause after an error that is not one connection's: no descriptor is left, for example.
const PAUSE: Duration = Duration::from_secs(1);

/// Serves until a signal tells the process to end.
pub(super) async fn serve(listener: TcpListener, site: Shared, router: Router) -> io::Result<()> {
    let told = signals()?;
    let graceful = accept(listener, router, HEADERS, until(told)).await;
    #[cfg(feature = "machine")]
    site.panel.end();
    #[cfg(not(feature = "machine"))]
    drop(site);
    let _ = tokio::time::timeout(MOMENT, graceful.shutdown()).await;
    Ok(())
}

/// Serves each connection in a task of its own until `end`; the connections that are left then.
async fn accept(
    listener: TcpListener,
    router: Router,
    headers: Duration,
    end: impl Future<Output = ()>,
) -> GracefulShutdown {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(headers);
    let graceful = GracefulShutdown::new();
    let mut end = pin!(end);
    loop {
        // The end is asked about first: without descriptors, `accept` always has an error to tell.
        let stream = match select(end.as_mut(), pin!(listener.accept())).await {
            Either::Left(_) => return graceful,
            Either::Right((Ok((stream, _)), _)) => stream,
            Either::Right((Err(error), _)) if is_of_one_connection(&error) => continue,
            Either::Right((Err(_), _)) => match select(end.as_mut(), pin!(tokio::time::sleep(PAUSE))).await {
                Either::Left(_) => return graceful,
                Either::Right(_) => continue,
            },
        };
        let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router.clone()));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that went away, or that sent no HTTP, has its answer already.
            let _ = connection.await;
        });
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
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

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use axum::routing::get;

    use super::*;

    /// What a client reads until its connection is closed, if it sends this and goes on waiting.
    fn answer(sent: &str) -> String {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let router = Router::new().route("/", get(|| async { "here" }));
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("an address");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(accept(listener, router, Duration::from_millis(50), std::future::pending()));
        let mut stream = std::net::TcpStream::connect(address).expect("connects");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        stream.write_all(sent.as_bytes()).expect("sends");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("the server closes the connection");
        text
    }

    #[test]
    fn headers_that_do_not_end_end_the_connection() {
        assert_eq!(answer("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "), "");
        assert_eq!(answer(""), "");
        assert!(answer("GET / HTTP/1.1\r\nHost: a\r\n\r\n").ends_with("here"));
    }
}
