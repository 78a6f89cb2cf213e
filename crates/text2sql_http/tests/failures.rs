//! All kinds of failed requests, and their errors.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use support::{chat, double, helper, question, send, with_attempts};
use text2sql_domain::ports::{HttpRequest, TransportError};
use text2sql_domain::secret::Secret;
use text2sql_http::MAX_BODY_BYTES;

/// A local port without a listener.
fn closed_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn failure(request: HttpRequest) -> TransportError {
    send(&helper(), request).unwrap_err()
}

#[test]
fn names_a_host_that_does_not_resolve() {
    // A label of 64 characters is invalid: the resolver rejects it without a query.
    let url = format!("http://{}.invalid/v1", "a".repeat(64));
    assert_eq!(
        failure(with_attempts(question(url), 3)),
        TransportError::Dns
    );
}

#[test]
fn refuses_a_name_that_resolves_to_this_machine() {
    let double = double();
    let mut request = question(format!("http://localhost:{}/ok/v1", double.port()));
    request.connection.allow_private = false;
    assert_eq!(failure(request), TransportError::PrivateAddress);
    let mut request = chat(&double, "ok");
    request.connection.allow_private = false;
    assert_eq!(failure(request), TransportError::PrivateAddress);
    assert_eq!(double.accepted_connections(), 0);
}

#[test]
fn reaches_a_name_of_this_machine_when_allowed() {
    let double = double();
    let url = format!("http://localhost:{}/ok/v1/chat/completions", double.port());
    assert_eq!(send(&helper(), question(url)).unwrap().status, 200);
}

#[test]
fn refuses_plain_http_unless_allowed() {
    let double = double();
    let mut request = chat(&double, "ok");
    request.connection.allow_http = false;
    assert_eq!(failure(request), TransportError::PlainHttp);
}

#[test]
fn reports_a_closed_port_and_retries() {
    let request = question(format!("http://127.0.0.1:{}/v1", closed_port()));
    let expected = TransportError::Connect("connection refused".to_owned());
    assert_eq!(failure(request.clone()), expected);
    let mut patient = with_attempts(request, 1000);
    patient.timeout = Duration::from_millis(300);
    let started = Instant::now();
    let error = failure(patient);
    assert!(matches!(
        error,
        TransportError::Connect(_) | TransportError::Timeout(_)
    ));
    assert!(started.elapsed() > Duration::from_millis(200));
}

#[test]
fn gives_up_connecting_before_the_deadline() {
    // The kernel completes the connection, but the TLS handshake gets no answer.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/v1", silent.local_addr().unwrap());
    let started = Instant::now();
    assert_eq!(
        failure(question(url)),
        TransportError::Connect("none was made within 400 ms".to_owned())
    );
    // The request's own timeout is five seconds.
    assert!(started.elapsed() < Duration::from_secs(4));
}

#[test]
fn cuts_off_a_slow_reply_and_a_dripping_one() {
    let double = double();
    for behaviour in ["delay-20000", "drip"] {
        let mut request = with_attempts(chat(&double, behaviour), 3);
        request.timeout = Duration::from_millis(300);
        let started = Instant::now();
        assert_eq!(
            failure(request),
            TransportError::Timeout(Duration::from_millis(300)),
            "{behaviour}"
        );
        let elapsed = started.elapsed().as_millis();
        assert!(
            (290..10_000).contains(&elapsed),
            "{behaviour}: {elapsed} ms"
        );
    }
}

#[test]
fn stops_reading_a_body_that_is_too_large() {
    let double = double();
    assert_eq!(
        failure(with_attempts(chat(&double, "big"), 3)),
        TransportError::TooLarge(MAX_BODY_BYTES)
    );
    assert_eq!(double.requests().len(), 1);
}

#[test]
fn reports_a_truncated_body() {
    let double = double();
    for behaviour in ["cut-body", "reset"] {
        let error = failure(with_attempts(chat(&double, behaviour), 3));
        assert!(
            matches!(error, TransportError::Broken(_)),
            "{behaviour}: {error}"
        );
    }
    assert_eq!(
        double.requests().len(),
        2,
        "a broken body was asked for again"
    );
}

#[test]
fn tries_again_when_the_connection_closes_before_the_reply() {
    let double = double();
    let error = failure(with_attempts(chat(&double, "hang-up"), 3));
    assert!(matches!(error, TransportError::Broken(_)), "{error}");
    assert_eq!(double.requests().len(), 3);
}

#[test]
fn reports_a_peer_without_http() {
    let double = ModelDouble::start_tls(Script::new()).unwrap();
    let url = format!("http://127.0.0.1:{}/ok/v1", double.port());
    let error = failure(question(url));
    assert_eq!(error, TransportError::Broken("it is not HTTP".to_owned()));
}

#[test]
fn trusts_an_authority_only_if_configured() {
    let double = ModelDouble::start_tls(Script::new()).unwrap();
    let mut request = chat(&double, "ok");
    request.connection.allow_http = false;
    assert_eq!(
        failure(request.clone()),
        TransportError::Tls("the certificate's authority is not trusted".to_owned())
    );
    request.connection.ca_pem = double.ca_pem().map(str::to_owned);
    assert_eq!(send(&helper(), request).unwrap().status, 200);
    assert_eq!(double.requests()[0].version, "HTTP/2.0");
}

#[test]
fn refuses_a_certificate_for_another_host() {
    let double = ModelDouble::start_tls(Script::new()).unwrap();
    let mut request = question(format!(
        "https://[::ffff:127.0.0.1]:{}/ok/v1",
        double.port()
    ));
    request.connection.ca_pem = double.ca_pem().map(str::to_owned);
    assert_eq!(
        failure(request),
        TransportError::Tls("the certificate is for another host name".to_owned())
    );
}

#[test]
fn reports_a_peer_without_tls() {
    let double = double();
    let url = chat(&double, "ok").url.replace("http:", "https:");
    assert!(matches!(failure(question(url)), TransportError::Tls(_)));
}

#[test]
fn refuses_unusable_settings() {
    let double = double();
    let check = |change: &dyn Fn(&mut HttpRequest)| {
        let mut request = chat(&double, "ok");
        request.url = request.url.replace("http:", "https:");
        change(&mut request);
        let error = failure(request);
        assert!(matches!(error, TransportError::BadSettings(_)), "{error}");
        assert!(!error.to_string().contains("geheim"), "{error}");
    };
    check(&|r| r.connection.ca_pem = Some("geheim".to_owned()));
    check(&|r| {
        let pem = "-----BEGIN CERTIFICATE-----\nZ2VoZWlt\n-----END CERTIFICATE-----\n";
        r.connection.ca_pem = Some(pem.to_owned());
    });
    check(&|r| r.connection.proxy = Some("socks5://me:geheim@127.0.0.1".to_owned()));
    check(&|r| r.connection.proxy = Some("http://me:geheim@:80".to_owned()));
    check(&|r| r.headers.push(("bad name".into(), "geheim".into())));
}

#[test]
fn uses_a_proxy_only_if_configured() {
    let proxy = double();
    let mut request = question("http://model.invalid/ok/v1/chat/completions");
    request.connection.proxy = Some(proxy.url());
    assert_eq!(send(&helper(), request.clone()).unwrap().status, 200);
    assert_eq!(proxy.requests()[0].headers["host"], "model.invalid");

    request.connection.allow_private = false;
    assert_eq!(failure(request), TransportError::PrivateAddress);

    // A proxy that does not support CONNECT.
    let mut tunnel = question("https://model.invalid/ok/v1/chat/completions");
    tunnel.connection.proxy = Some(proxy.url());
    let error = failure(tunnel);
    assert!(matches!(error, TransportError::Connect(_)), "{error}");
}

#[test]
fn ignores_the_proxies_of_the_environment() {
    let test = "ignores_the_proxies_of_the_environment";
    if std::env::var_os("HTTP_PROXY").is_some_and(|proxy| proxy == "http://127.0.0.1:1") {
        let double = double();
        assert_eq!(send(&helper(), chat(&double, "ok")).unwrap().status, 200);
        return;
    }
    // In a separate process, because the environment is shared by all threads.
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env("HTTP_PROXY", "http://127.0.0.1:1")
        .env("http_proxy", "http://127.0.0.1:1")
        .env("ALL_PROXY", "http://127.0.0.1:1")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn shows_neither_key_nor_url_nor_body_in_any_error() {
    let double = double();
    for behaviour in [
        "delay-3000",
        "cut-body",
        "reset",
        "hang-up",
        "big",
        "redirect",
    ] {
        let mut request = chat(&double, &format!("{behaviour}/geheim"));
        request.timeout = Duration::from_millis(300);
        request.body = br#"{"messages":[{"role":"user","content":"geheim"}]}"#.to_vec();
        request
            .secret_headers
            .push(("authorization".into(), Secret::new("Bearer geheim")));
        if let Err(error) = send(&helper(), request) {
            let shown = format!("{error} {error:?}");
            assert!(
                !shown.contains("geheim") && !shown.contains("127.0.0.1"),
                "{shown}"
            );
        }
    }
}
