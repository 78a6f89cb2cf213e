//! Sends requests to model endpoints.

use std::time::Duration;

use crate::config::ConnectionPolicy;
use crate::secret::Secret;

/// Sends an HTTP request and waits for the reply, checking for interrupts meanwhile.
pub trait Transport {
    /// Sends `request`. Connection errors and the statuses 408, 409, 429 and 5xx are retried
    /// within the request's deadline.
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError>;

    /// Sends all requests concurrently and waits until each has its reply or its error.
    fn send_all(&self, requests: &[HttpRequest]) -> Vec<Result<HttpResponse, TransportError>> {
        requests.iter().map(|request| self.send(request)).collect()
    }
}

/// An HTTP request, except for the connection.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// `GET` or `POST`.
    pub method: Method,
    /// Absolute URL, without any secret.
    pub url: String,
    /// Headers without secrets.
    pub headers: Vec<(String, String)>,
    /// Headers with secret values: marked sensitive and never printed.
    pub secret_headers: Vec<(String, Secret)>,
    /// The body: JSON for POST, empty for GET.
    pub body: Vec<u8>,
    /// Which connections are permitted.
    pub connection: ConnectionPolicy,
    /// Time limit for the request including all retries.
    pub timeout: Duration,
    /// Maximum number of attempts, 1 or more.
    pub max_attempts: u32,
    /// The record written before it is sent; `None` if it contains nothing of a question or the database.
    pub sends: Option<Sends>,
}

/// The record of what a request sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sends {
    /// Name of the foreign server.
    pub endpoint: String,
    /// The purpose: the stage's name.
    pub purpose: &'static str,
    /// The complete text sent, as kept in the trace.
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
    /// Number of attempts made.
    pub attempts: u32,
}

/// Why there is no reply. No variant contains a secret, a URL or a body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The URL is invalid.
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
    /// Too many questions wait for endpoints: nothing was sent.
    #[error("{message}")]
    Busy {
        /// How many.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A CA file, a proxy URL or a header is unusable.
    #[error("the connection's settings cannot be used: {0}")]
    BadSettings(String),
}
