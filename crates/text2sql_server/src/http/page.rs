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
use sha2::{Digest, Sha256};

use super::App;
use super::no_route::wrong_method;
use crate::page::Files;
use crate::problem::Problem;

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
    let (content, hash) = match &app.config.page_directory {
        // Charts bring their own style sheet, which reports have, too.
        _ if path == "style/chart.css" => {
            let content = text2sql_charts::STYLE.as_bytes();
            (content.into(), Sha256::digest(content).into())
        }
        Some(directory) => {
            let content = tokio::fs::read(directory.join(path)).await;
            let content = content.map_err(|_| not_found())?;
            let hash = Sha256::digest(&content).into();
            (content.into(), hash)
        }
        None => {
            let file = Files::get(path).ok_or_else(not_found)?;
            (file.data, file.metadata.sha256_hash())
        }
    };
    let hash: [u8; 32] = hash;
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
    if takes_gzip(&headers) && media_type(path) != "image/png" {
        let compressed = compress(&content).map_err(|error| {
            tracing::error!("{path} could not be compressed: {error}");
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the page cannot be sent")
        })?;
        let encoding = [(header::CONTENT_ENCODING, "gzip")];
        return Ok((about, encoding, compressed).into_response());
    }
    Ok((about, content.into_owned()).into_response())
}

/// Whether the browser takes gzip, which all do. Only files of the page are compressed: what is said about data
/// would tell its length.
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

fn compress(content: &[u8]) -> std::io::Result<Vec<u8>> {
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

    use super::{compress, takes_gzip};

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
    fn what_is_compressed_is_whole_again() {
        let text = b"the same words, the same words, the same words".repeat(20);
        let compressed = compress(&text).unwrap();
        assert!(compressed.len() * 4 < text.len());
        let mut whole = Vec::new();
        let mut decoder = flate2::write::GzDecoder::new(&mut whole);
        std::io::Write::write_all(&mut decoder, &compressed).unwrap();
        decoder.finish().unwrap();
        assert_eq!(whole, text);
    }
}
