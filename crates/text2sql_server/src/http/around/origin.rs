//! Which requests are for this server, and come from its own page. A name that somebody else made point here (DNS
//! rebinding), and writes that another site makes a browser send (CSRF), are refused.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, COOKIE, HOST, ORIGIN, TRANSFER_ENCODING};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::super::App;
use super::super::body::{is_file, is_json};
use crate::config::Config;
use crate::problem::Problem;

/// Refuses what is not for this server, and what another site sends.
pub async fn refuse_foreign(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    // The HTTP library leaves out a length that stands beside the encoding. What a proxy, which may have counted it, takes
    // for the next request is not read.
    let is_encoded = request.headers().contains_key(TRANSFER_ENCODING);
    let mut response = match judge(&app.config, &request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    if is_encoded {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response
}

fn judge(config: &Config, request: &Request) -> Result<(), Problem> {
    refuse_two_hosts(request.headers())?;
    // What watches over servers asks by address, and learns nothing but that it runs.
    if matches!(request.uri().path(), "/healthz" | "/readyz") {
        return Ok(());
    }
    let headers = request.headers();
    let authority = request.uri().authority().map(ToString::to_string);
    let host = authority
        .or_else(|| text(headers, HOST.as_str()).map(str::to_owned))
        .ok_or_else(|| Problem::bad_request("the header Host is missing"))?
        .to_ascii_lowercase();
    if !is_own_host(config, &host) {
        return Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "this server is not reached by that name",
        )
        .with_hint("Whoever runs it names further ones with hosts or public_url."));
    }
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS];
    if reads.contains(request.method()) {
        return Ok(());
    }
    judge_write(config, &host, request.method(), headers)
}

/// Refuses a second name of the host, which a proxy may have read instead of the first.
fn refuse_two_hosts(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.get_all(HOST).iter().count() {
        0 | 1 => Ok(()),
        _ => Err(Problem::bad_request("the header Host is there twice")),
    }
}

fn judge_write(
    config: &Config,
    host: &str,
    method: &Method,
    headers: &HeaderMap,
) -> Result<(), Problem> {
    let foreign = |title: &str| Err(Problem::new(StatusCode::FORBIDDEN, title));
    let has_cookie = headers.contains_key(COOKIE);
    match (text(headers, "sec-fetch-site"), headers.get(ORIGIN)) {
        (Some("same-origin" | "none"), _) => {}
        (Some(_), _) => return foreign("another site made the browser send this request"),
        (None, Some(origin)) => {
            if !origin
                .to_str()
                .is_ok_and(|origin| is_own_origin(config, host, origin))
            {
                return foreign("another site made the browser send this request");
            }
        }
        (None, None) if has_cookie => {
            return foreign("a request with the cookie of a session needs the header Origin");
        }
        (None, None) => {}
    }
    // Another site cannot send these types without a preflight request, which is not answered.
    if has_cookie && *method == Method::POST && !is_json(headers) && !is_file(headers) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "a request with the cookie of a session needs the header Content-Type: application/json, or application/octet-stream for a file",
        ));
    }
    Ok(())
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Whether a `Host` is that of this server. No name of somebody else can be one of the machine's own, or an address.
fn is_own_host(config: &Config, host: &str) -> bool {
    let is_public = config
        .public_url
        .as_ref()
        .is_some_and(|url| url.host == host);
    if is_public || config.hosts.iter().any(|other| other == host) {
        return true;
    }
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    if name == "localhost" {
        return true;
    }
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let listen = config.listen.ip();
    address
        .parse::<std::net::IpAddr>()
        .is_ok_and(|address| address.is_loopback() || address == listen || listen.is_unspecified())
}

/// Whether an `Origin` is that of the page: the public address, or the host that the request is for. A proxy may
/// change the latter.
fn is_own_origin(config: &Config, host: &str, origin: &str) -> bool {
    let origin = origin.to_ascii_lowercase();
    if let Some(url) = &config.public_url
        && origin == url.origin()
    {
        return true;
    }
    let authority = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    authority == Some(host)
}
