//! One request with all its attempts, within one deadline.

use std::time::SystemTime;

use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Request, Response};
use text2sql_domain::ports::{HttpRequest, HttpResponse, TransportError};
use tokio::time::{Instant, sleep, timeout_at};

use crate::call::Outcome;
use crate::client::Clients;
use crate::failure::{Failure, before_the_reply, within_the_body};
use crate::request::prepare;
use crate::retry::{Timing, is_worth_retrying, read_retry_after};

/// Maximum size of a body. 8 MiB is many times the longest reply of a model, and small
/// compared with the memory of a backend's queries.
pub const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// Sends a request until it gets a final reply, or the attempts or the time are used up.
pub(crate) async fn send(request: HttpRequest, deadline: Instant, clients: &Clients) -> Outcome {
    let timeout = request.timeout;
    match timeout_at(deadline, attempt_all(request, deadline, clients)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(TransportError::Timeout(timeout)),
    }
}

async fn attempt_all(request: HttpRequest, deadline: Instant, clients: &Clients) -> Outcome {
    let policy = request.connection.clone();
    let max_attempts = request.max_attempts;
    let prepared = prepare(request)?;
    let client = clients.client(&policy, prepared.url())?;
    let mut attempts = 1;
    loop {
        let Some(copy) = prepared.try_clone() else {
            return Err(TransportError::Broken("the request is lost".to_owned()));
        };
        let result = attempt(&client, copy, attempts, &clients.timing).await;
        let retry_after = match &result {
            Ok(reply) if is_worth_retrying(reply.response.status) => reply.retry_after(),
            Err(failure) if failure.again => None,
            _ => return finish(result),
        };
        // If the deadline would pass meanwhile, the present reply is better than a timeout.
        let delay = clients
            .timing
            .delay(attempts, retry_after)
            .filter(|delay| attempts < max_attempts && Instant::now() + *delay < deadline);
        match delay {
            Some(delay) => sleep(delay).await,
            None => return finish(result),
        }
        attempts += 1;
    }
}

fn finish(result: Result<Reply, Failure>) -> Outcome {
    result
        .map(|reply| reply.response)
        .map_err(|failure| failure.error)
}

struct Reply {
    response: HttpResponse,
    headers: HeaderMap,
}

impl Reply {
    fn retry_after(&self) -> Option<std::time::Duration> {
        read_retry_after(text(&self.headers, RETRY_AFTER)?, SystemTime::now())
    }
}

async fn attempt(
    client: &Client,
    request: Request,
    attempts: u32,
    timing: &Timing,
) -> Result<Reply, Failure> {
    let mut response = client
        .execute(request)
        .await
        .map_err(|error| before_the_reply(&error, timing.connect))?;
    let headers = std::mem::take(response.headers_mut());
    Ok(Reply {
        response: HttpResponse {
            status: response.status().as_u16(),
            content_type: text(&headers, CONTENT_TYPE).and_then(read_content_type),
            body: read_body(response).await?,
            attempts,
        },
        headers,
    })
}

async fn read_body(mut response: Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| within_the_body(&error))?
    {
        if body.len() + piece.len() > MAX_BODY_BYTES {
            return Err(Failure::is_final(TransportError::TooLarge(MAX_BODY_BYTES)));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

fn text(headers: &HeaderMap, name: reqwest::header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn read_content_type(value: &str) -> Option<String> {
    let essence = value.split(';').next()?.trim();
    (!essence.is_empty()).then(|| essence.to_ascii_lowercase())
}
