//! The ports of a run that need nothing of the case at hand: no network, and a session with a fixed date.

use text2sql_core::ports::{HttpRequest, HttpResponse, Session, Transport, TransportError};

/// No network, and this date as today.
pub struct Offline(pub &'static str);

impl Transport for Offline {
    fn send(&self, _request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        Err(TransportError::Dns)
    }
}

impl Session for Offline {
    fn today(&self) -> String {
        self.0.to_owned()
    }
    fn server_version(&self) -> String {
        "15".into()
    }
    fn user(&self) -> String {
        "analyst".into()
    }
    fn progress(&self, _stage: &str) {}
    fn elapsed_ms(&self) -> f64 {
        0.0
    }
}
