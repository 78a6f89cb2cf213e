//! A caller that works as the extension does: it submits, polls the descriptor, clears it, checks the call.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use text2sql_domain::config::ConnectionPolicy;
use text2sql_domain::ports::{HttpRequest, HttpResponse, Method, TransportError};
use text2sql_http::{Call, Helper, Timing};

/// Short delays, so that tests of retries take less than a second.
pub const QUICK: Timing = Timing {
    connect: Duration::from_millis(400),
    first_delay: Duration::from_millis(20),
    longest_delay: Duration::from_millis(40),
    longest_retry_after: Duration::from_secs(2),
};

pub fn helper() -> Helper {
    Helper::start_with(QUICK).unwrap()
}

pub fn double() -> ModelDouble {
    ModelDouble::start(Script::new().otherwise(r#"{"sql":"SELECT 42"}"#)).unwrap()
}

/// A question to a local URL: one attempt, five seconds.
pub fn question(url: impl Into<String>) -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        url: url.into(),
        headers: vec![("Content-Type".into(), "application/json".into())],
        secret_headers: vec![],
        body: br#"{"model":"m","messages":[{"role":"user","content":"how many?"}]}"#.to_vec(),
        connection: ConnectionPolicy {
            allow_private: true,
            allow_http: true,
            ..ConnectionPolicy::default()
        },
        timeout: Duration::from_secs(5),
        max_attempts: 1,
        sends: None,
    }
}

pub fn chat(double: &ModelDouble, behaviour: &str) -> HttpRequest {
    question(format!("{}/chat/completions", double.base_url(behaviour)))
}

pub fn with_attempts(mut request: HttpRequest, max_attempts: u32) -> HttpRequest {
    request.max_attempts = max_attempts;
    request
}

/// Waits as PostgreSQL's main thread does.
pub fn wait(helper: &Helper, call: &Call) -> Result<HttpResponse, TransportError> {
    let started = Instant::now();
    loop {
        if let Some(outcome) = call.try_take() {
            return outcome;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "no outcome");
        poll(helper, 1000);
        helper.clear_wake();
    }
}

/// Whether the helper's descriptor became readable in time.
pub fn poll(helper: &Helper, milliseconds: i32) -> bool {
    let mut entry = libc::pollfd {
        fd: helper.wake_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one entry, which lives until the call returns.
    unsafe { libc::poll(&raw mut entry, 1, milliseconds) == 1 }
}

pub fn send(helper: &Helper, request: HttpRequest) -> Result<HttpResponse, TransportError> {
    wait(helper, &helper.submit(request))
}

/// Waits until a condition holds, at most twenty seconds.
pub fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(20), "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
