//! The files of the page: `/` is `index.html`, `/assets/main.js` is `main.js`.

use std::io::Write;
use std::path::{Component, Path};
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::App;
use super::no_route::wrong_method;
use super::page_texts;
use crate::page::{Files, unpack};
use crate::problem::Problem;
use crate::sha256::sha256;

/// Answers with a file of the page. A browser asks each time whether it has changed, so that a new program and an
/// old page never meet.
pub async fn file(
    State(app): State<Arc<App>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if !matches!(method, Method::GET | Method::HEAD) {
        return Err(wrong_method().await);
    }
    let path = match uri.path() {
        "/" => "index.html",
        path => path.strip_prefix("/assets/").ok_or_else(not_found)?,
    };
    let is_inside = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if !is_inside {
        return Err(not_found());
    }
    // Either the file, or what the program has of it.
    let (content, is_packed) = match &app.config.page_directory {
        // Charts bring their own style sheet, which reports have, too.
        _ if path == "style/chart.css" => (text2sql_charts::STYLE.as_bytes().into(), false),
        _ if path.starts_with("texts/") => {
            let module = page_texts::module(path).ok_or_else(not_found)?;
            (module.into_bytes().into(), false)
        }
        Some(directory) => {
            let content = tokio::fs::read(directory.join(path)).await;
            (content.map_err(|_| not_found())?.into(), false)
        }
        None => {
            let file = Files::get(path).ok_or_else(not_found)?;
            (file.data, true)
        }
    };
    let hash = sha256(&[&content]);
    // Weak, because the same tag stands for the file and for its compressed form.
    let tag = format!("W/\"{}\"", URL_SAFE_NO_PAD.encode(hash));
    let about = [
        (header::ETAG, tag.as_str()),
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_TYPE, media_type(path)),
        (header::VARY, "accept-encoding"),
    ];
    let is_known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|known| known.to_str().ok())
        .is_some_and(|known| known.split(',').any(|known| known.trim() == tag));
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, about).into_response());
    }
    let takes_gzip = takes_gzip(&headers);
    let content = match (is_packed, takes_gzip) {
        (true, false) => unpack(&content),
        (false, true) => pack(&content),
        _ => Ok(content.into_owned()),
    };
    let content = content.map_err(|error| {
        tracing::error!("{path} could not be packed or unpacked: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the page cannot be sent")
    })?;
    match takes_gzip {
        true => Ok((about, [(header::CONTENT_ENCODING, "gzip")], content).into_response()),
        false => Ok((about, content).into_response()),
    }
}

/// Whether the browser takes gzip, which all do. Only files of the page are compressed: the length of what is said
/// about data would tell something of it.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let taken = headers.get(header::ACCEPT_ENCODING);
    let taken = taken.and_then(|encodings| encodings.to_str().ok());
    taken.is_some_and(|encodings| {
        encodings.split(',').any(|encoding| {
            let (name, weight) = encoding.split_once(';').unwrap_or((encoding, ""));
            let refused = weight.trim().strip_prefix("q=").is_some_and(|weight| {
                weight
                    .trim()
                    .parse::<f32>()
                    .is_ok_and(|weight| weight <= 0.0)
            });
            name.trim().eq_ignore_ascii_case("gzip") && !refused
        })
    })
}

fn pack(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}

fn not_found() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is no such page")
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json" | "webmanifest") => "application/json",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::{Files, pack, takes_gzip, unpack};

    fn takes(value: &'static str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
        takes_gzip(&headers)
    }

    #[test]
    fn gzip_is_sent_to_who_takes_it() {
        assert!(takes("gzip"));
        assert!(takes("br, GZIP;q=0.5"));
        assert!(!takes("gzip;q=0"));
        assert!(!takes("gzip;q=0.000, br"));
        assert!(!takes("br"));
        assert!(!takes(""));
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn the_program_has_every_file_of_the_page_and_smaller() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let (mut whole, mut packed) = (0, 0);
        for path in Files::iter() {
            let file = Files::get(&path).unwrap().data;
            let content = std::fs::read(page.join(&*path)).unwrap();
            assert!(unpack(&file).unwrap() == content, "{path}");
            whole += content.len();
            packed += file.len();
        }
        assert!(packed * 2 < whole, "{packed} bytes of {whole}");
        assert_eq!(unpack(&pack(b"a style").unwrap()).unwrap(), b"a style");
        assert!(Files::get("index.html").is_some() && Files::get("lib/api.js").is_some());
    }
}
