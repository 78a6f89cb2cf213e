//! Replies of every status, and retries.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

use std::time::{Duration, Instant};

use support::{chat, double, helper, question, send, with_attempts};
use text2sql_domain::ports::{Method, TransportError};
use text2sql_domain::secret::Secret;

#[test]
fn returns_a_reply_with_its_type() {
    let (helper, double) = (helper(), double());
    let response = send(&helper, chat(&double, "ok")).unwrap();
    assert_eq!(response.status, 200);
    assert_eq!(response.attempts, 1);
    assert_eq!(response.content_type.as_deref(), Some("application/json"));
    let body: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(
        body.pointer("/choices/0/message/content").unwrap(),
        r#"{"sql":"SELECT 42"}"#
    );
}

#[test]
fn sends_method_headers_and_body() {
    let (helper, double) = (helper(), double());
    let mut request = chat(&double, "ok");
    let body = request.body.clone();
    request
        .secret_headers
        .push(("Authorization".into(), Secret::new("Bearer k")));
    send(&helper, request).unwrap();
    let mut listing = question(format!("{}/models", double.base_url("ok")));
    listing.method = Method::Get;
    listing.body.clear();
    assert_eq!(send(&helper, listing).unwrap().status, 200);

    let seen = double.requests();
    assert_eq!(seen[0].headers["authorization"], "Bearer k");
    assert_eq!(seen[0].headers["content-type"], "application/json");
    assert!(seen[0].headers["user-agent"].starts_with("pg_text2sql/"));
    let sent: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(seen[0].body, sent);
    assert_eq!(seen[1].method, "GET");
    assert_eq!(seen[1].path, "/ok/v1/models");
}

#[test]
fn does_not_retry_what_would_not_change() {
    let (helper, double) = (helper(), double());
    for status in [400, 401, 403, 404, 422] {
        let request = with_attempts(chat(&double, &format!("status-{status}")), 3);
        let response = send(&helper, request).unwrap();
        assert_eq!((response.status, response.attempts), (status, 1));
    }
    assert_eq!(double.requests().len(), 5);
}

#[test]
fn retries_what_may_pass() {
    let (helper, double) = (helper(), double());
    for status in [408, 409, 429, 500, 503, 529] {
        let behaviour = format!("status-{status}-x2-then-ok");
        let response = send(&helper, with_attempts(chat(&double, &behaviour), 3)).unwrap();
        assert_eq!((response.status, response.attempts), (200, 3), "{status}");
    }
}

#[test]
fn returns_the_last_refusal_when_the_attempts_are_used_up() {
    let (helper, double) = (helper(), double());
    let response = send(&helper, with_attempts(chat(&double, "status-429"), 3)).unwrap();
    assert_eq!((response.status, response.attempts), (429, 3));
    let response = send(&helper, with_attempts(chat(&double, "status-500"), 0)).unwrap();
    assert_eq!((response.status, response.attempts), (500, 1));
}

#[test]
fn waits_for_retry_after() {
    let (helper, double) = (helper(), double());
    let started = Instant::now();
    let response = send(&helper, with_attempts(chat(&double, "retry-after-1"), 2)).unwrap();
    assert_eq!((response.status, response.attempts), (200, 2));
    assert!(started.elapsed() >= Duration::from_secs(1));

    // A date has whole seconds, so the delay is between one and two seconds.
    let started = Instant::now();
    let request = with_attempts(chat(&double, "retry-after-date-2"), 2);
    assert_eq!(send(&helper, request).unwrap().attempts, 2);
    assert!(started.elapsed() >= Duration::from_millis(900));
}

#[test]
fn returns_at_once_when_retry_after_is_too_long() {
    let (helper, double) = (helper(), double());
    let started = Instant::now();
    let response = send(&helper, with_attempts(chat(&double, "retry-after-3"), 3)).unwrap();
    assert_eq!((response.status, response.attempts), (429, 1));
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[test]
fn returns_at_once_when_the_wait_would_pass_the_deadline() {
    let (helper, double) = (helper(), double());
    let mut request = with_attempts(chat(&double, "retry-after-always-2"), 3);
    // Waiting would end in a timeout without a reply.
    request.timeout = Duration::from_millis(1_900);
    let response = send(&helper, request).unwrap();
    assert_eq!((response.status, response.attempts), (429, 1));
}

#[test]
fn counts_the_deadline_over_all_attempts() {
    let (helper, double) = (helper(), double());
    let started = Instant::now();
    let mut request = with_attempts(chat(&double, "delay-200/status-500"), 100);
    request.timeout = Duration::from_millis(500);
    match send(&helper, request) {
        Err(TransportError::Timeout(after)) => assert_eq!(after, Duration::from_millis(500)),
        Ok(response) => assert_eq!(response.status, 500),
        other => panic!("{other:?}"),
    }
    // All attempts would take 20 seconds.
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn follows_no_redirect() {
    let (helper, double) = (helper(), double());
    let response = send(&helper, with_attempts(chat(&double, "redirect"), 3)).unwrap();
    assert_eq!((response.status, response.attempts), (302, 1));
}

#[test]
fn passes_on_what_it_does_not_judge() {
    let (helper, double) = (helper(), double());
    let html = send(&helper, chat(&double, "html")).unwrap();
    assert_eq!(
        (html.status, html.content_type.as_deref()),
        (200, Some("text/html"))
    );
    let empty = send(&helper, chat(&double, "empty-body")).unwrap();
    assert_eq!((empty.status, empty.body.len()), (200, 0));
    for behaviour in ["truncated-json", "malformed-json"] {
        let response = send(&helper, chat(&double, behaviour)).unwrap();
        assert_eq!(response.status, 200);
        assert!(serde_json::from_slice::<serde_json::Value>(&response.body).is_err());
    }
}
