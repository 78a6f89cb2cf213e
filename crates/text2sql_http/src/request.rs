//! Converts a request to one of `reqwest`, or returns why it may not be sent.

use std::net::IpAddr;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Request, Url};
use text2sql_domain::config::ConnectionPolicy;
use text2sql_domain::ports::{HttpRequest, Method, TransportError};

use crate::address::is_public;

/// Headers that delimit the request. If set by the user, they could smuggle a second request
/// through a proxy.
const FRAMING: [&str; 5] = [
    "connection",
    "content-length",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Checks a URL without resolving its host.
pub fn check_url(text: &str, policy: &ConnectionPolicy) -> Result<(), TransportError> {
    checked_url(text, policy).map(drop)
}

fn checked_url(text: &str, policy: &ConnectionPolicy) -> Result<Url, TransportError> {
    let url = read_url(text)?;
    if url.scheme() == "http" && !policy.allow_http {
        return Err(TransportError::PlainHttp);
    }
    check_host(&url, policy)?;
    Ok(url)
}

/// Checks a request and prepares it for sending.
pub(crate) fn prepare(request: HttpRequest) -> Result<Request, TransportError> {
    let url = checked_url(&request.url, &request.connection)?;
    let method = match request.method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
    };
    let mut prepared = Request::new(method, url);
    let public = request.headers.iter().map(|(n, v)| (n, v.as_str(), false));
    let secret = request
        .secret_headers
        .iter()
        .map(|(n, v)| (n, v.expose(), true));
    for (name, value, is_secret) in public.chain(secret) {
        let (name, value) = header(name, value, is_secret)?;
        prepared.headers_mut().insert(name, value);
    }
    if !request.body.is_empty() || request.method == Method::Post {
        *prepared.body_mut() = Some(request.body.into());
    }
    Ok(prepared)
}

fn read_url(text: &str) -> Result<Url, TransportError> {
    let bad = |why: String| Err(TransportError::BadUrl(why));
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return bad(error.to_string()),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return bad(format!(
            "the scheme {:?} is neither http nor https",
            url.scheme()
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return bad("it holds a user name or a password".to_owned());
    }
    Ok(url)
}

/// Checks a host that is an IP address; the resolver checks names. The URL parser has already
/// normalised all notations (`0x7f.1`, `2130706433`).
pub(crate) fn check_host(url: &Url, policy: &ConnectionPolicy) -> Result<(), TransportError> {
    let Some(host) = url.host_str() else {
        return Err(TransportError::BadUrl("it has no host".to_owned()));
    };
    let address: Result<IpAddr, _> = host.trim_matches(['[', ']']).parse();
    match address {
        Ok(address) if !policy.allow_private && !is_public(address) => {
            Err(TransportError::PrivateAddress)
        }
        _ => Ok(()),
    }
}

fn header(
    name: &str,
    value: &str,
    is_secret: bool,
) -> Result<(HeaderName, HeaderValue), TransportError> {
    let bad = |what: &str| {
        Err(TransportError::BadSettings(format!(
            "header {name:?} {what}"
        )))
    };
    let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else {
        return bad("has an impossible name");
    };
    if FRAMING.contains(&header.as_str()) {
        return bad("is not for us to set");
    }
    let Ok(mut value) = HeaderValue::from_str(value) else {
        return bad("has a value that cannot be sent");
    };
    value.set_sensitive(is_secret);
    Ok((header, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use text2sql_domain::secret::Secret;

    fn request(url: &str) -> HttpRequest {
        HttpRequest {
            method: Method::Post,
            url: url.to_owned(),
            headers: vec![],
            secret_headers: vec![],
            body: b"{}".to_vec(),
            connection: ConnectionPolicy::default(),
            timeout: Duration::from_secs(1),
            max_attempts: 1,
            sends: None,
        }
    }

    fn refusal(url: &str) -> TransportError {
        prepare(request(url)).unwrap_err()
    }

    #[test]
    fn refuses_private_addresses_in_every_spelling() {
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "127.0.0.1.",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "169.254.169.254",
            "10.1.2.3",
            "0",
            "[fe80::1]",
            "①27.0.0.1",
        ] {
            let url = format!("https://{host}/v1");
            assert_eq!(refusal(&url), TransportError::PrivateAddress, "{host}");
            let mut allowed = request(&url);
            allowed.connection.allow_private = true;
            assert!(prepare(allowed).is_ok(), "{host}");
        }
        assert!(prepare(request("https://1.1.1.1/v1")).is_ok());
    }

    #[test]
    fn refuses_plain_http_and_other_schemes() {
        assert_eq!(
            refusal("http://model.example/v1"),
            TransportError::PlainHttp
        );
        assert!(matches!(
            refusal("file:///etc/passwd"),
            TransportError::BadUrl(_)
        ));
        assert!(matches!(
            refusal("model.example/v1"),
            TransportError::BadUrl(_)
        ));
    }

    #[test]
    fn refuses_secrets_in_the_url_without_showing_them() {
        for url in [
            "https://me:geheim@model.example/v1",
            "https://geheim@model.example",
        ] {
            let error = refusal(url);
            assert!(matches!(error, TransportError::BadUrl(_)));
            assert!(!error.to_string().contains("geheim"), "{error}");
        }
    }

    #[test]
    fn marks_secret_headers_and_never_shows_them() {
        let mut with_key = request("https://model.example/v1");
        with_key.headers.push(("x-title".into(), "pg".into()));
        with_key
            .secret_headers
            .push(("Authorization".into(), Secret::new("Bearer geheim")));
        let prepared = prepare(with_key.clone()).unwrap();
        assert!(prepared.headers()["authorization"].is_sensitive());
        assert!(!prepared.headers()["x-title"].is_sensitive());
        assert!(!format!("{prepared:?}").contains("geheim"));

        with_key.secret_headers[0].1 = Secret::new("geheim\n");
        let error = prepare(with_key).unwrap_err();
        assert!(matches!(error, TransportError::BadSettings(_)));
        assert!(!error.to_string().contains("geheim"), "{error}");
    }

    #[test]
    fn refuses_headers_that_frame_the_request() {
        let mut framed = request("https://model.example/v1");
        framed.headers.push(("Content-Length".into(), "3".into()));
        assert!(matches!(
            prepare(framed),
            Err(TransportError::BadSettings(_))
        ));
    }
}
