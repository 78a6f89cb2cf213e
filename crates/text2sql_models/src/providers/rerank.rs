//! Re-ranking, as Cohere and Jina define it (`results`) and text-embeddings-inference does (a
//! bare list).
//!
//! <https://docs.cohere.com/reference/rerank>, <https://jina.ai/reranker>

use std::cell::Cell;

use serde_json::{Value, json};

use super::http_request::{sends, write_body};
use super::{failure, openai};
use text2sql_domain::config::Endpoint;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{HttpRequest, HttpResponse, Reranker, Transport, sent_text};
use text2sql_domain::prices::{TokenCount, Usage};

/// An endpoint of protocol `rerank`.
pub struct EndpointReranker<'a> {
    endpoint: Endpoint,
    transport: &'a dyn Transport,
    /// Tokens that the last call used.
    tokens: Cell<u64>,
}

impl<'a> EndpointReranker<'a> {
    /// Asks `endpoint` over `transport`.
    pub fn new(endpoint: Endpoint, transport: &'a dyn Transport) -> Self {
        Self {
            endpoint,
            transport,
            tokens: Cell::default(),
        }
    }
}

impl Reranker for EndpointReranker<'_> {
    fn endpoint(&self) -> &str {
        &self.endpoint.name
    }

    fn usage(&self) -> Usage {
        self.endpoint.usage(TokenCount {
            input: self.tokens.get(),
            ..TokenCount::default()
        })
    }

    fn rerank(&self, question: &str, documents: &[&str]) -> Result<Vec<Option<f64>>, Error> {
        if documents.is_empty() {
            return Ok(Vec::new());
        }
        let sent = request(&self.endpoint, question, documents);
        self.tokens.set(0);
        let (response, tokens) = failure::sent(&self.endpoint, self.transport, &sent)?;
        self.tokens.set(tokens);
        read(&self.endpoint, &response, documents.len())
    }
}

/// Builds the request. `texts` and `documents` are the same: each kind of server reads its own and
/// ignores the other.
pub fn request(endpoint: &Endpoint, question: &str, documents: &[&str]) -> HttpRequest {
    let body = json!({
        "model": endpoint.model,
        "query": question,
        "documents": documents,
        "texts": documents,
        "top_n": documents.len(),
        "return_documents": false,
    });
    let mut http = openai::base_request(endpoint, "rerank");
    http.body = write_body(&body, endpoint);
    http.sends = sends(endpoint, "rerank", sent_text(question, documents));
    http
}

/// Reads the score of each of `count` documents; `None` for one that the endpoint omitted.
pub fn read(
    endpoint: &Endpoint,
    response: &HttpResponse,
    count: usize,
) -> Result<Vec<Option<f64>>, Error> {
    let body = failure::read_json(endpoint, response)?;
    let results = body.get("results").unwrap_or(&body).as_array();
    let mut scores = vec![None; count];
    for result in results.into_iter().flatten() {
        let index = result.get("index").and_then(Value::as_u64);
        let score = result
            .get("relevance_score")
            .or_else(|| result.get("score"));
        let place = index.and_then(|index| scores.get_mut(usize::try_from(index).ok()?));
        if let (Some(place), Some(score)) = (place, score.and_then(Value::as_f64)) {
            *place = Some(score);
        }
    }
    if count > 0 && scores.iter().all(Option::is_none) {
        return Err(failure::bad_reply(endpoint, "holds no scores".into()));
    }
    Ok(scores)
}
