//! Embeddings, in the protocol of OpenAI that most servers of sentence models support.
//!
//! <https://platform.openai.com/docs/api-reference/embeddings>

use std::cell::Cell;

use serde_json::{Value, json};

use super::http_request::{sends, write_body};
use super::{failure, openai};
use text2sql_domain::config::{Endpoint, TextEgress};
use text2sql_domain::error::Error;
use text2sql_domain::ports::{
    Embedder, HttpRequest, HttpResponse, MIN_SIMILARITY, Purpose, Transport,
};
use text2sql_domain::prices::{TokenCount, Usage};
use text2sql_retrieval::vectors::hash_embedder::normalize;

/// Number of texts in one request. Endpoints accept from 32 (the default of text-embeddings-inference) to 2,048.
pub const BATCH: usize = 32;

/// An endpoint of protocol `embeddings`.
pub struct EndpointEmbedder<'a> {
    endpoint: Endpoint,
    transport: &'a dyn Transport,
    /// Tokens that the last call used.
    tokens: Cell<u64>,
}

impl<'a> EndpointEmbedder<'a> {
    /// Asks `endpoint` over `transport`.
    pub fn new(endpoint: Endpoint, transport: &'a dyn Transport) -> Self {
        Self {
            endpoint,
            transport,
            tokens: Cell::default(),
        }
    }
}

impl Embedder for EndpointEmbedder<'_> {
    fn name(&self) -> String {
        format!("embeddings:{}", self.endpoint.model)
    }

    fn dimensions(&self) -> usize {
        0
    }

    fn embeds_columns(&self) -> bool {
        true
    }

    fn least_similarity(&self) -> f32 {
        self.endpoint.least_similarity.unwrap_or(MIN_SIMILARITY)
    }

    fn endpoint(&self) -> Option<&str> {
        Some(&self.endpoint.name)
    }

    fn text_egress(&self) -> TextEgress {
        self.endpoint.texts
    }

    fn usage(&self) -> Usage {
        self.endpoint.usage(TokenCount {
            input: self.tokens.get(),
            ..TokenCount::default()
        })
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = Vec::with_capacity(texts.len());
        self.tokens.set(0);
        for batch in texts.chunks(BATCH) {
            let sent = request(&self.endpoint, batch);
            let (response, tokens) = failure::sent(&self.endpoint, self.transport, &sent)?;
            self.tokens.set(self.tokens.get().saturating_add(tokens));
            vectors.extend(read(&self.endpoint, &response, batch.len())?);
        }
        Ok(vectors)
    }
}

/// Builds the request for some texts.
pub fn request(endpoint: &Endpoint, texts: &[&str]) -> HttpRequest {
    let body = json!({
        "model": endpoint.model,
        "input": texts,
        "encoding_format": "float",
    });
    let mut http = openai::base_request(endpoint, "embeddings");
    http.body = write_body(&body, endpoint);
    http.sends = sends(endpoint, "embed", texts.join("\n"));
    http
}

/// Reads one vector for each of `count` texts, in their order, scaled to length 1.
pub fn read(
    endpoint: &Endpoint,
    response: &HttpResponse,
    count: usize,
) -> Result<Vec<Vec<f32>>, Error> {
    let body = failure::read_json(endpoint, response)?;
    let entries = body.get("data").and_then(Value::as_array);
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); count];
    for (at, entry) in entries.into_iter().flatten().enumerate() {
        let index = entry.get("index").and_then(Value::as_u64);
        let place = index.map_or(at, |index| usize::try_from(index).unwrap_or(usize::MAX));
        let numbers = entry.get("embedding").and_then(Value::as_array);
        if let (Some(vector), Some(numbers)) = (vectors.get_mut(place), numbers) {
            *vector = numbers
                .iter()
                .filter_map(|number| Some(number.as_f64()? as f32))
                .collect();
            normalize(vector);
        }
    }
    let length = vectors.first().map_or(0, Vec::len);
    if length == 0 || vectors.iter().any(|vector| vector.len() != length) {
        let what = format!("does not contain {count} vectors of equal length");
        return Err(failure::bad_reply(endpoint, what));
    }
    Ok(vectors)
}
