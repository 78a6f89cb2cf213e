//! Maps errors of `reqwest` to fixed messages.
//!
//! The texts of `reqwest` errors contain the URL and details of lower layers. Therefore they are
//! never used: the chain of causes is searched for known errors, and each has a fixed message.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

use rustls::CertificateError;
use text2sql_domain::ports::TransportError;

use crate::resolver::{NotResolved, OnlyPrivate};

/// A failed attempt.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: TransportError,
    /// Whether a retry may succeed.
    pub(crate) again: bool,
}

impl Failure {
    pub(crate) fn is_final(error: TransportError) -> Self {
        Self {
            error,
            again: false,
        }
    }

    fn may_pass(error: TransportError) -> Self {
        Self { error, again: true }
    }
}

/// Classifies an error that occurred before any part of the reply.
pub(crate) fn before_the_reply(error: &reqwest::Error, connect: Duration) -> Failure {
    if find::<OnlyPrivate>(error).is_some() {
        return Failure::is_final(TransportError::PrivateAddress);
    }
    if find::<NotResolved>(error).is_some() {
        // The resolver has retried already, and most unknown names are misspelt.
        return Failure::is_final(TransportError::Dns);
    }
    if let Some(tls) = find::<rustls::Error>(error) {
        return Failure::is_final(TransportError::Tls(describe_tls(tls)));
    }
    let io_kind = find::<io::Error>(error).map(io::Error::kind);
    if error.is_connect() {
        return Failure::may_pass(match io_kind {
            _ if error.is_timeout() => {
                TransportError::Connect(format!("none was made within {} ms", connect.as_millis()))
            }
            Some(ErrorKind::UnexpectedEof) => {
                TransportError::Tls("the handshake broke off".to_owned())
            }
            Some(kind) => TransportError::Connect(kind.to_string()),
            None => TransportError::Connect("the proxy refused or the handshake failed".to_owned()),
        });
    }
    if error.is_builder() {
        return Failure::is_final(TransportError::BadUrl("it cannot be requested".to_owned()));
    }
    let hyper = find::<hyper::Error>(error);
    if hyper.is_some_and(hyper::Error::is_parse) {
        return Failure::is_final(TransportError::Broken("it is not HTTP".to_owned()));
    }
    // An established connection broke: often an idle one that the peer was just closing.
    Failure::may_pass(TransportError::Broken(match io_kind {
        Some(kind) => kind.to_string(),
        None => "the connection was closed before it".to_owned(),
    }))
}

/// Classifies an error while reading the body. Not retried: the model has done its work by then, and
/// another attempt would cost as much.
pub(crate) fn within_the_body(error: &reqwest::Error) -> Failure {
    Failure::is_final(TransportError::Broken(
        match find::<io::Error>(error).map(io::Error::kind) {
            Some(ErrorKind::UnexpectedEof) | None => "its body is incomplete".to_owned(),
            Some(kind) => kind.to_string(),
        },
    ))
}

fn describe_tls(error: &rustls::Error) -> String {
    let certificate = match error {
        rustls::Error::InvalidCertificate(certificate) => certificate,
        rustls::Error::InvalidMessage(_) => return "the other end does not speak TLS".to_owned(),
        rustls::Error::AlertReceived(_) => return "the other end refused the handshake".to_owned(),
        _ => return "the handshake failed".to_owned(),
    };
    match certificate {
        CertificateError::UnknownIssuer => "the certificate's authority is not trusted",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the certificate has expired"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the certificate is not valid yet"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the certificate is for another host name"
        }
        CertificateError::Revoked => "the certificate is revoked",
        _ => "the certificate is not acceptable",
    }
    .to_owned()
}

/// Finds an error of type `E` among the causes.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        // `source()` of an `io::Error` skips the error that it wraps.
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        if let Some(found) = wrapped.and_then(|inner| find(inner)) {
            return Some(found);
        }
        next = error.source();
    }
    None
}
