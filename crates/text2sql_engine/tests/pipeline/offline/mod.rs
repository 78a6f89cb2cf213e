//! The ports of a run that need nothing of the case at hand: no network, and a session with a fixed date.

use text2sql_domain::config::Config;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::search_index::NoIndex;
use text2sql_domain::ports::{
    Catalog, Database, HttpRequest, HttpResponse, NoTexts, Session, Transport, TransportError,
};

/// No network, and this date as today.
pub struct Offline(pub &'static str);

impl Offline {
    /// A run with these ports, and neither an index nor texts.
    pub fn run<'a>(
        &'a self,
        catalog: &'a dyn Catalog,
        database: &'a dyn Database,
        config: &'a Config,
    ) -> Run<'a> {
        Run {
            catalog,
            index: &NoIndex,
            texts: &NoTexts,
            database,
            transport: self,
            session: self,
            config,
            trace: Default::default(),
        }
    }
}

impl Transport for Offline {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        Err(match request.url.split_once("://") {
            None => TransportError::BadUrl("it has no scheme".to_owned()),
            Some((_, rest)) if rest.contains('@') => {
                TransportError::BadUrl("it holds a user or a password".to_owned())
            }
            Some(("http", _)) if !request.connection.allow_http => TransportError::PlainHttp,
            Some(_) => TransportError::Connect("no network".to_owned()),
        })
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
    fn elapsed_ms(&self) -> f64 {
        0.0
    }
}
