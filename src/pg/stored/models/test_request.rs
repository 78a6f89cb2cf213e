//! One small request to an endpoint, to see whether it works: it holds nothing of the database.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use text2sql_domain::config::{Egress, Endpoint, ModelConfig, Protocol};
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::exchange::Disclosed;
use text2sql_domain::ports::{Embedder, Purpose, Reranker, sent_text};
use text2sql_models::providers::embeddings::EndpointEmbedder;
use text2sql_models::providers::rerank::EndpointReranker;
use text2sql_models::providers::{self, ChatReply, ChatRequest, Names, Speaker, Turn};

use super::http::HelperTransport;
use super::single_call::SingleCall;
use crate::pg::stored::models;

/// What a chat model is asked.
const REQUEST: &str = "Reply with the JSON object {\"answer\": \"ok\"}.";

/// What an embedding model is to embed, and a reranking model to rank.
const TEXT: &str = "test";

static REPLY_SCHEMA: LazyLock<Arc<Value>> = LazyLock::new(|| {
    Arc::new(json!({
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": false,
    }))
});

/// What a test shows.
pub(crate) struct Tested {
    pub(crate) milliseconds: f64,
    /// The model that replied, as the endpoint names it.
    pub(crate) replied_as: Option<String>,
    /// What may be sent to it; `None` for those that send nothing.
    pub(crate) egress: Option<Egress>,
    /// Why it does not work.
    pub(crate) problem: Option<Error>,
}

/// Tests the model of that name. An error is one of the call: there is no such model, or the caller may not use it.
pub(crate) fn test(name: &str) -> Result<Tested, Error> {
    if !models::exists(name) {
        return Err(failure!(Undefined, "model \"{name}\" does not exist")
            .with_hint("List the models: SELECT model FROM text2sql.models;"));
    }
    models::check_usage(&[name.to_owned()])?;
    let (model, problem) = match models::model(name) {
        Ok(model) => (model, None),
        // A missing key does not hide the model.
        Err(error) => match models::model_without_key(name) {
            Ok(model) => (model, Some(error)),
            Err(error) => return Ok(not_sent(None, Some(error))),
        },
    };
    let endpoint = match model {
        ModelConfig::Endpoint(endpoint) if problem.is_none() => endpoint,
        ModelConfig::Endpoint(endpoint) => return Ok(not_sent(Some(endpoint.egress), problem)),
        ModelConfig::Builtin | ModelConfig::Replay(_) => return Ok(not_sent(None, problem)),
    };
    match replied(&endpoint) {
        Err(error) if error.kind() == ErrorKind::Limit => {
            Ok(not_sent(Some(endpoint.egress), Some(error)))
        }
        tested => tested,
    }
}

fn not_sent(egress: Option<Egress>, problem: Option<Error>) -> Tested {
    Tested {
        milliseconds: 0.0,
        replied_as: None,
        egress,
        problem,
    }
}

fn replied(endpoint: &Endpoint) -> Result<Tested, Error> {
    let chat = ChatRequest {
        system: "You are asked whether you can be reached.".to_owned(),
        turns: vec![Turn {
            speaker: Speaker::User,
            text: REQUEST.to_owned(),
        }],
        shared: 0,
        reply_schema: Arc::clone(&REPLY_SCHEMA),
        purpose: "test",
        names: Names::default(),
        tools: Vec::new(),
    };
    let text = match endpoint.protocol {
        Protocol::Local | Protocol::OpenAi | Protocol::Anthropic => chat.text(),
        Protocol::Embeddings => TEXT.to_owned(),
        Protocol::Rerank => sent_text(TEXT, &[TEXT]),
    };
    let subject = format!("test of model \"{}\"", endpoint.name);
    let call = SingleCall {
        function: "test_model",
        purpose: "test",
        subject: &subject,
        endpoint,
        text: &text,
        disclosed: Disclosed::default(),
    };
    let replied = call.send(|| match endpoint.protocol {
        Protocol::Local | Protocol::OpenAi | Protocol::Anthropic => {
            providers::complete(endpoint, &chat, &HelperTransport)
        }
        Protocol::Embeddings => {
            let embedder = EndpointEmbedder::new(endpoint.clone(), &HelperTransport);
            embedder.embed(&[TEXT], Purpose::Question)?;
            Ok(without_text(embedder.usage().tokens.input))
        }
        Protocol::Rerank => {
            let reranker = EndpointReranker::new(endpoint.clone(), &HelperTransport);
            reranker.rerank(TEXT, &[TEXT])?;
            Ok(without_text(reranker.usage().tokens.input))
        }
    })?;
    let (replied_as, problem) = match replied.reply {
        Ok(reply) => (reply.model, None),
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(error) => (None, Some(error)),
    };
    Ok(Tested {
        milliseconds: replied.milliseconds,
        replied_as,
        egress: Some(endpoint.egress),
        problem,
    })
}

fn without_text(input_tokens: u64) -> ChatReply {
    ChatReply {
        input_tokens,
        requests: 1,
        ..ChatReply::default()
    }
}
