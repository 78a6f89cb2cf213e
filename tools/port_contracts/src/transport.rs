//! The contract of [`Transport`].

use std::time::Duration;

use text2sql_domain::config::ConnectionPolicy;
use text2sql_domain::ports::{HttpRequest, Method, Transport, TransportError};
use text2sql_domain::secret::Secret;

/// The discard port, which has no listener.
const DISCARD_PORT: &str = "http://127.0.0.1:9/v1/chat";

/// Texts in the request that must not appear in an error.
const SECRETS: [&str; 3] = ["sk-secret-4711", "the secret body", "secret-password"];

fn request(url: &str, allow_http: bool) -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        url: url.to_owned(),
        headers: Vec::new(),
        secret_headers: vec![(
            "authorization".to_owned(),
            Secret::new(format!("Bearer {}", SECRETS[0])),
        )],
        body: format!(r#"{{"text": "{}"}}"#, SECRETS[1]).into_bytes(),
        connection: ConnectionPolicy {
            allow_private: true,
            allow_http,
            ..ConnectionPolicy::default()
        },
        timeout: Duration::from_secs(5),
        max_attempts: 1,
        sends: None,
    }
}

/// What any transport must do if no server answers. It connects to this machine only.
pub fn transport(transport: &dyn Transport) {
    let error = |request: &HttpRequest| {
        let error = transport.send(request).expect_err("nobody answers");
        let text = format!("{error} {error:?}");
        for secret in SECRETS {
            assert!(!text.contains(secret), "{text}");
        }
        error
    };
    let (unreachable, not_allowed) = (request(DISCARD_PORT, true), request(DISCARD_PORT, false));
    let password = format!("http://somebody:{}@127.0.0.1:9/v1", SECRETS[2]);
    let with_password = request(&password, true);
    let no_url = request("no URL", true);

    assert!(
        matches!(error(&unreachable), TransportError::Connect(_)),
        "nobody listens"
    );
    assert_eq!(
        error(&not_allowed),
        TransportError::PlainHttp,
        "the policy comes before the connection"
    );
    for request in [&with_password, &no_url] {
        let error = error(request);
        assert!(matches!(error, TransportError::BadUrl(_)), "{error:?}");
    }

    // Concurrently: one result each, in the order of the requests, the same as one by one.
    assert!(transport.send_all(&[]).is_empty(), "no request, no result");
    let requests = [
        unreachable.clone(),
        not_allowed.clone(),
        no_url,
        unreachable,
    ];
    let together: Vec<TransportError> = transport
        .send_all(&requests)
        .into_iter()
        .map(|result| result.expect_err("nobody answers"))
        .collect();
    let alone: Vec<TransportError> = requests.iter().map(error).collect();
    assert_eq!(together, alone);
    let one = transport.send_all(&[not_allowed]);
    assert!(matches!(one.as_slice(), [Err(TransportError::PlainHttp)]));
}
