//! An endpoint for tests with a scripted transport.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use serde_json::json;
use text2sql_domain::config::{
    ConnectionPolicy, Egress, Endpoint, ModelConfig, Profile, Protocol, TextEgress,
};
use text2sql_domain::ports::{HttpRequest, HttpResponse, Transport, TransportError};

/// A model `m` that may be shown this much.
pub fn model(egress: Egress, texts: TextEgress) -> ModelConfig {
    ModelConfig::Endpoint(Box::new(Endpoint {
        name: "m".into(),
        protocol: Protocol::OpenAi,
        base_url: "https://model.example/v1".into(),
        model: "m".into(),
        api_key: None,
        api_key_header: None,
        egress,
        texts,
        connection: ConnectionPolicy::default(),
        timeout: Duration::from_secs(1),
        temperature: None,
        seed: None,
        max_output_tokens: None,
        context_length: None,
        profile: Profile::Full,
        structured_output: true,
        completion_tokens: false,
        least_similarity: None,
        prices: None,
        extra_headers: Vec::new(),
        extra_body: serde_json::Map::new(),
    }))
}

/// An endpoint that gives these replies, one for each request; then it is gone.
pub struct Script {
    replies: RefCell<VecDeque<String>>,
    /// The purpose and the text of each request.
    pub sent: RefCell<Vec<(&'static str, String)>>,
}

impl Script {
    pub fn new(replies: &[&str]) -> Self {
        Self {
            replies: RefCell::new(replies.iter().map(|reply| (*reply).to_owned()).collect()),
            sent: RefCell::default(),
        }
    }
}

impl Transport for Script {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let sends = request.sends.as_ref().unwrap();
        let mut sent = self.sent.borrow_mut();
        sent.push((sends.purpose, sends.text.clone()));
        match self.replies.borrow_mut().pop_front() {
            None => Err(TransportError::Dns),
            Some(reply) if reply == "cancel" => Err(TransportError::Cancelled),
            Some(reply) if reply == "broken" => Err(TransportError::Broken("reset".to_owned())),
            Some(reply) => Ok(HttpResponse {
                status: 200,
                content_type: Some("application/json".to_owned()),
                body: json!({"choices": [{"message": {"content": reply}}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10}})
                .to_string()
                .into_bytes(),
                attempts: 1,
            }),
        }
    }
}
