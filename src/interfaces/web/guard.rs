//! Whom the page answers: a browser on this machine that was sent here by nobody else.
//!
//! A web site that somebody visits must not read a diagnosis or write a report through their browser. So the `Host` must be
//! an address of ours (a name that was rebound to 127.0.0.1 is not), what changes something must come from our own pages
//! (`Origin`, `Sec-Fetch-Site`), and beyond loopback every request needs the token.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderMap, HeaderName, ORIGIN, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::server::Shared;

/// What a page may do: load our style, script and pictures, talk to us, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The name of the cookie that holds the token.
const COOKIE_NAME: &str = "faultbook-token";

/// Who can reach the page.
#[derive(Debug, Clone)]
pub(crate) enum Exposure {
    /// This machine only.
    Loopback,
    /// Others too, who must know the token.
    Network(Token),
}

/// A secret that a request must bring.
#[derive(Debug, Clone)]
pub(crate) struct Token(String);

impl Token {
    /// A given secret; at least 16 characters of a cookie's alphabet, so that it can be neither guessed nor broken off.
    pub(crate) fn new(secret: &str) -> Option<Self> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
        (secret.len() >= 16 && secret.chars().all(fits)).then(|| Self(secret.to_owned()))
    }

    /// Whether it is this one; takes equally long for every wrong one.
    fn is(&self, other: &str) -> bool {
        let differing = self.0.bytes().zip(other.bytes()).fold(0, |differing, (a, b)| differing | (a ^ b));
        self.0.len() == other.len() && differing == 0
    }
}

/// Lets only our own requests pass, and gives every answer the headers that keep browsers strict.
pub(super) async fn guard(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = match check(&shared, &request) {
        Pass::On => next.run(request).await,
        Pass::With(token, to) => {
            let cookie = format!("{COOKIE_NAME}={token}; Path=/; HttpOnly; SameSite=Strict");
            let mut response = Redirect::to(&to).into_response();
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
        Pass::Refused(status, why) => (status, format!("{why}\n")).into_response(),
    };
    let headers = response.headers_mut();
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // With `no-referrer`, browsers would send the origin of our own forms as `null`.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin"));
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// What becomes of a request.
enum Pass {
    On,
    /// It brought the token in its address: the browser keeps it and goes to the address without it.
    With(String, String),
    Refused(StatusCode, &'static str),
}

fn check(shared: &Shared, request: &Request) -> Pass {
    let headers = request.headers();
    let Some(host) = single(headers, &HOST) else {
        return Pass::Refused(StatusCode::BAD_REQUEST, "the request names no host");
    };
    if !is_ours(host, shared) {
        return Pass::Refused(
            StatusCode::FORBIDDEN,
            "this server answers only under its own address: open the one that `faultbook serve` printed",
        );
    }
    if changes_something(request.method()) && !is_from_here(headers, host) {
        return Pass::Refused(StatusCode::FORBIDDEN, "this request came from another site");
    }
    let Exposure::Network(token) = &shared.exposure else { return Pass::On };
    if headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok()).any(|cookies| has_token(cookies, token)) {
        return Pass::On;
    }
    match given_token(request.uri()) {
        Some(given) if token.is(given) => Pass::With(given.to_owned(), without_query(request.uri())),
        _ => Pass::Refused(
            StatusCode::UNAUTHORIZED,
            "this server needs its token: open the whole address that `faultbook serve` printed, with `?token=`",
        ),
    }
}

/// The value of a header that occurs once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Whether a host is an address that we listen on: a number, or this machine's own name for itself. Any other name could
/// be a foreign site's that was rebound to our address.
fn is_ours(host: &str, shared: &Shared) -> bool {
    let (name, port) = match host.parse::<SocketAddr>() {
        Ok(address) => (address.ip().to_string(), Some(address.port())),
        Err(_) => match host.rsplit_once(':').and_then(|(name, port)| Some((name, port.parse().ok()?))) {
            Some((name, port)) if !host.ends_with(']') => (name.to_owned(), Some(port)),
            _ => (host.trim_start_matches('[').trim_end_matches(']').to_owned(), None),
        },
    };
    if port.unwrap_or(80) != shared.address.port() {
        return false;
    }
    let loopback = name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match &shared.exposure {
        Exposure::Loopback => loopback,
        // A number cannot be rebound; a name can, but then it brings no token.
        Exposure::Network(_) => loopback || name.parse::<IpAddr>().is_ok() || shared.names.contains(&name),
    }
}

fn changes_something(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD)
}

/// Whether a request was sent by one of our pages, or by a program that is no browser.
fn is_from_here(headers: &HeaderMap, host: &str) -> bool {
    let origin = match headers.get(ORIGIN) {
        None => None,
        // A form of a page that hides its origin says `null`: not ours, which have one.
        Some(origin) => Some(origin.to_str().unwrap_or("null")),
    };
    let own = origin.is_none_or(|origin| origin == format!("http://{host}") || origin == format!("https://{host}"));
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    own && site.is_none_or(|site| matches!(site, "same-origin" | "none"))
}

fn has_token(cookies: &str, token: &Token) -> bool {
    cookies
        .split(';')
        .filter_map(|one| one.trim().split_once('='))
        .any(|(name, value)| name == COOKIE_NAME && token.is(value))
}

fn given_token(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

fn without_query(uri: &Uri) -> String {
    // An address that begins with two slashes would lead to another host.
    format!("/{}", uri.path().trim_start_matches('/'))
}
