//! How requests reach model endpoints.

use std::time::Duration;

use crate::config::ConnectionPolicy;
use crate::secret::Secret;

/// Sends one HTTP request and waits for the reply, listening for cancel all the while.
pub trait Transport {
    /// Sends `request`. Retries on connection errors and on 408, 409, 429 and 5xx happen inside,
    /// within the request's deadline.
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError>;

    /// Sends all of them at the same time and waits until each has its reply or its error.
    fn send_all(&self, requests: &[HttpRequest]) -> Vec<Result<HttpResponse, TransportError>> {
        requests.iter().map(|request| self.send(request)).collect()
    }
}

/// An HTTP request, complete but for the connection.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// `GET` or `POST`.
    pub method: Method,
    /// Absolute URL, without any secret.
    pub url: String,
    /// Headers without secrets.
    pub headers: Vec<(String, String)>,
    /// Headers whose value is a secret: sent as sensitive, never printed.
    pub secret_headers: Vec<(String, Secret)>,
    /// The body: JSON for POST, empty for GET.
    pub body: Vec<u8>,
    /// How the connection may be made.
    pub connection: ConnectionPolicy,
    /// For the request with all its retries.
    pub timeout: Duration,
    /// How many attempts at most, 1 or more.
    pub max_attempts: u32,
    /// What is on record of it before it is sent; `None` where it holds nothing of a question or the database.
    pub sends: Option<Sends>,
}

/// What a request sends, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sends {
    /// Name of the foreign server.
    pub endpoint: String,
    /// What it is for: the stage's name.
    pub purpose: &'static str,
    /// All text that is sent, as the trace keeps it.
    pub text: String,
}

/// HTTP method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// GET.
    Get,
    /// POST.
    Post,
}

/// An HTTP reply, whatever its status.
#[derive(Debug, Clone)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// `Content-Type`, lower case, without parameters.
    pub content_type: Option<String>,
    /// Body, at most 8 MiB.
    pub body: Vec<u8>,
    /// How many attempts it took.
    pub attempts: u32,
}

/// Why there is no reply. No variant holds a secret, a URL or a body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The URL cannot be used.
    #[error("the URL cannot be used: {0}")]
    BadUrl(String),
    /// The host name does not resolve.
    #[error("the host name does not resolve")]
    Dns,
    /// Every address of the host is loopback, private or otherwise not public.
    #[error("the host has only non-public addresses")]
    PrivateAddress,
    /// Plain `http` is not allowed.
    #[error("plain http is not allowed")]
    PlainHttp,
    /// No connection: refused, unreachable, reset.
    #[error("no connection: {0}")]
    Connect(String),
    /// The certificate is not trusted or TLS failed otherwise.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// The deadline passed.
    #[error("no complete reply within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The reply broke off or was not HTTP.
    #[error("the reply broke off: {0}")]
    Broken(String),
    /// The reply is larger than the cap.
    #[error("the reply is larger than {0} bytes")]
    TooLarge(usize),
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A CA file, a proxy URL or a header is unusable.
    #[error("the connection's settings cannot be used: {0}")]
    BadSettings(String),
}
