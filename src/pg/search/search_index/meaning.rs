//! How near texts are in meaning, by an embedder of this server.

use text2sql_domain::error::Error;
use text2sql_domain::ports::Purpose;
use text2sql_language::terms::Analyzer;

use super::{embedder, language};
use crate::pg::server::spi::sandbox::keep_no_locks;

/// Maximum length of a text, in characters.
const MAX_CHARS: usize = 2_000;

/// The cosine of a text and each of the others; `None` if the embedder is an endpoint, to which nothing is sent for
/// this, or cannot be used.
pub(crate) fn cosines(text: &str, others: &[String]) -> Result<Option<Vec<f64>>, Error> {
    let language = keep_no_locks(language)?;
    let Ok(embedder) = embedder::for_refresh(&Analyzer::new(&language)) else {
        return Ok(None);
    };
    if embedder.endpoint().is_some() || others.is_empty() {
        return Ok(None);
    }
    let cut = |text: &str| -> String { text.chars().take(MAX_CHARS).collect() };
    let texts: Vec<String> = std::iter::once(text)
        .chain(others.iter().map(String::as_str))
        .map(cut)
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&texts, Purpose::Question)?;
    let Some((first, others)) = vectors.split_first() else {
        return Ok(None);
    };
    Ok(Some(
        others.iter().map(|other| cosine(first, other)).collect(),
    ))
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot = |one: &[f32], other: &[f32]| -> f64 {
        let products = one.iter().zip(other);
        products.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    match lengths > 0.0 {
        true => dot(one, other) / lengths,
        false => 0.0,
    }
}
