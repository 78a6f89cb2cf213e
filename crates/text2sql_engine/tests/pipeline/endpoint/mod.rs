//! An endpoint for tests with a scripted transport.

use std::time::Duration;

use text2sql_domain::config::{
    ConnectionPolicy, Egress, Endpoint, ModelConfig, Profile, Protocol, TextEgress,
};

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
