//! Files that a browser saves and does not show.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::value::RawValue;

use crate::problem::Problem;

/// A file.
pub struct Attachment<'a> {
    /// Its media type.
    pub media_type: &'static str,
    /// Its name: all of it for those who know RFC 6266, the plain characters of it for others.
    pub name: &'a str,
    /// What it contains.
    pub content: String,
}

/// The response with a file.
pub fn response(file: Attachment<'_>) -> Response {
    let name: String = file
        .name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') {
                c
            } else {
                '_'
            }
        })
        .collect();
    let mut response = Body::from(file.content).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(file.media_type),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let mut disposition = format!("attachment; filename=\"{name}\"");
    if name != file.name {
        let encoded = utf8_percent_encode(file.name, NON_ALPHANUMERIC);
        disposition.push_str(&format!("; filename*=UTF-8''{encoded}"));
    }
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}

/// The text that a JSON string says.
pub fn text_of(value: &RawValue) -> Result<String, Problem> {
    serde_json::from_str::<Option<String>>(value.get())
        .map(Option::unwrap_or_default)
        .map_err(|error| {
            Problem::unavailable(format!("the database did not return a text: {error}"))
        })
}
