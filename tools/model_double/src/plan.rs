//! Decides what to reply to one request, and how to send it.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde_json::Value;

use crate::behaviour::{Behaviour, parse_path};
use crate::conversation::Conversation;
use crate::record::Record;
use crate::reply::{self, Shape};
use crate::script::Script;
use crate::vectors;

/// How the bytes of a reply leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    Whole,
    /// A byte every 100 ms.
    Drip,
    /// Piece by piece, without saying how long it will be.
    Pieces,
    /// Whole, and the connection is closed soon after.
    CloseAfter,
    /// Half of it, then the connection is closed or reset.
    Half {
        reset: bool,
    },
    /// Nothing: the connection is closed.
    HangUp,
}

/// A reply, ready to be sent.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) delay: Duration,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Bytes,
    pub(crate) delivery: Delivery,
}

impl Plan {
    fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        Self {
            delay: Duration::ZERO,
            status,
            headers: vec![("content-type", content_type.to_owned())],
            body: body.into(),
            delivery: Delivery::Whole,
        }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json; charset=utf-8", body.to_string())
    }
}

/// The facts of a request that decide the reply.
pub(crate) struct Asked<'a> {
    pub(crate) is_post: bool,
    pub(crate) path: &'a str,
    pub(crate) body: &'a Value,
    pub(crate) authorization: Option<&'a str>,
}

const BIG: usize = 20 * 1024 * 1024;

const HTML: &str = "<!doctype html><title>Sign in</title><p>Please sign in to the network.";

/// Plans the reply.
pub(crate) fn plan(script: &Script, record: &Record, asked: &Asked<'_>) -> Plan {
    let shape = match asked.path.ends_with("/messages") {
        true => Shape::Anthropic,
        false => Shape::OpenAi,
    };
    let named = match parse_path(asked.path) {
        Ok(named) => named,
        Err(segment) => {
            let message = format!("model double: unknown behaviour {segment:?}");
            return Plan::json(404, &reply::error(shape, 404, None, &message));
        }
    };
    let behaviours: Vec<Behaviour> = named.iter().map(|(_, b)| *b).collect();
    let conversation = Conversation::read(asked.body);
    let failure = named.iter().find_map(|(segment, behaviour)| {
        failure(shape, segment, *behaviour, record, &conversation, asked)
    });
    let mut plan = failure
        .unwrap_or_else(|| success(shape, &behaviours, script, record, &conversation, asked));
    for behaviour in behaviours {
        match behaviour {
            Behaviour::Delay(delay) => plan.delay += delay,
            Behaviour::Drip => plan.delivery = Delivery::Drip,
            Behaviour::CloseIdle => plan.delivery = Delivery::CloseAfter,
            Behaviour::CutBody => plan.delivery = Delivery::Half { reset: false },
            Behaviour::Reset => plan.delivery = Delivery::Half { reset: true },
            Behaviour::HangUp => plan.delivery = Delivery::HangUp,
            _ => {}
        }
    }
    plan
}

fn failure(
    shape: Shape,
    segment: &str,
    behaviour: Behaviour,
    record: &Record,
    conversation: &Conversation,
    asked: &Asked<'_>,
) -> Option<Plan> {
    let plan = match behaviour {
        Behaviour::Status { code, times } => {
            if times.is_some_and(|times| !record.fails_now(segment, times)) {
                return None;
            }
            Plan::json(code, &reply::error(shape, code, None, &reason(code, asked)))
        }
        Behaviour::RetryAfter {
            seconds,
            date,
            always,
        } => {
            if !always && !record.fails_now(segment, 1) {
                return None;
            }
            let value = match date {
                true => httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(seconds)),
                false => seconds.to_string(),
            };
            let mut plan = Plan::json(429, &reply::error(shape, 429, None, &reason(429, asked)));
            plan.headers.push(("retry-after", value));
            plan
        }
        Behaviour::NoStructured if conversation.wants_structure => {
            let message =
                "'response_format' of type 'json_schema' is not supported with this model";
            Plan::json(
                400,
                &reply::error(shape, 400, Some("unsupported_parameter"), message),
            )
        }
        Behaviour::NoMaxTokens if asked.body.get("max_tokens").is_some() => {
            let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
            Plan::json(
                400,
                &reply::error(shape, 400, Some("unsupported_parameter"), message),
            )
        }
        Behaviour::ModelNotFound => {
            let message = format!(
                "The model `{}` does not exist or you do not have access to it.",
                conversation.model
            );
            Plan::json(
                404,
                &reply::error(shape, 404, Some("model_not_found"), &message),
            )
        }
        Behaviour::Redirect => {
            let mut plan = Plan::new(302, "text/plain", "");
            plan.headers.push((
                "location",
                "http://169.254.169.254/latest/meta-data/".to_owned(),
            ));
            plan
        }
        Behaviour::Html => Plan::new(200, "text/html; charset=utf-8", HTML),
        Behaviour::EmptyBody => Plan::new(200, "application/json", ""),
        Behaviour::Big => {
            let mut plan = Plan::new(200, "application/json", vec![b' '; BIG]);
            plan.delivery = Delivery::Pieces;
            plan
        }
        _ => return None,
    };
    Some(plan)
}

/// An error's text. For 401 it shows the end of the key, as real services do, so that tests can
/// see whether error bodies leak.
fn reason(status: u16, asked: &Asked<'_>) -> String {
    let key = asked.authorization.unwrap_or_default();
    match status {
        401 => {
            let start = key
                .char_indices()
                .rev()
                .nth(3)
                .map_or(0, |(index, _)| index);
            let end = key.get(start..).unwrap_or_default();
            format!("Incorrect API key provided: ****{end}.")
        }
        429 => "Rate limit reached for requests.".to_owned(),
        _ => format!("The double was asked for status {status}."),
    }
}

fn success(
    shape: Shape,
    behaviours: &[Behaviour],
    script: &Script,
    record: &Record,
    conversation: &Conversation,
    asked: &Asked<'_>,
) -> Plan {
    if asked.path.ends_with("/models") && !asked.is_post {
        return Plan::json(200, &reply::models());
    }
    let vectors = match asked.path {
        path if path.ends_with("/embeddings") => Some(vectors::embeddings(script, asked.body)),
        path if path.ends_with("/rerank") => Some(vectors::rerank(script, asked.body)),
        _ => None,
    };
    if let Some(body) = vectors.filter(|_| asked.is_post) {
        return spoiled(&body, behaviours);
    }
    let is_chat = asked.path.ends_with("/chat/completions") || shape == Shape::Anthropic;
    if !is_chat || !asked.is_post {
        return Plan::json(
            404,
            &reply::error(shape, 404, None, "model double: no such endpoint"),
        );
    }
    let choice = script.choose(&conversation.user_messages);
    let earlier = record.count(&format!("rule {:?}", choice.rule));
    let scripted = choice.reply(conversation.assistant_messages, earlier);
    let body = reply::completion(shape, conversation, scripted, behaviours);
    spoiled(&body, behaviours)
}

/// The reply, its JSON broken as asked for.
fn spoiled(body: &Value, behaviours: &[Behaviour]) -> Plan {
    let mut plan = Plan::json(200, body);
    if behaviours.contains(&Behaviour::TruncatedJson) {
        plan.body = reply::first_half(&body.to_string()).into();
    }
    if behaviours.contains(&Behaviour::MalformedJson) {
        plan.body = body.to_string().replace("\":", "\" ").into();
    }
    plan
}
