//! What the pipeline needs from outside. The extension implements these over the server it lives
//! in; tests implement them over plain data.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::config::Limits;
use crate::error::Error;
use crate::schema::{Definition, Table};
use crate::secret::Secret;
use crate::sql_result::{DatabaseError, Execution, ResultColumn};
use crate::validate::Rejection;

/// The catalog as the caller may see it. Nothing here may read the whole catalog of a large database.
pub trait Catalog {
    /// Counts the readable tables, but stops counting above `at_most`.
    fn count(&self, at_most: usize) -> Result<usize, Error>;

    /// Finds readable tables whose names, column names or comments match any of the words, best
    /// first, at most `limit`. With no words: the first tables by schema and name.
    fn find(&self, words: &[String], limit: usize) -> Result<Vec<u32>, Error>;

    /// Describes those of the tables that the caller may read, in the order given.
    fn describe(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error>;

    /// Describes them without what the planner knows of the values in their columns, unless that is at
    /// hand: reading it takes most of the time.
    fn outline(&self, oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
        self.describe(oids)
    }

    /// Definitions whose terms the question uses, those of the longest terms first: only ones about
    /// what the caller may read, and only ones whose expression the server accepts at this moment.
    fn definitions(&self, _question: &str) -> Result<Vec<Definition>, Error> {
        Ok(Vec::new())
    }

    /// Definitions of which a term is nearly written in the question: in parts, glued together, in an
    /// inflection that stemming does not know. Not those that [`Self::definitions`] gives; best first, with
    /// the same limits.
    fn similar_definitions(&self, _question: &str) -> Result<Vec<Definition>, Error> {
        Ok(Vec::new())
    }

    /// Names of tables, in schemas where the caller has USAGE, that match any of the words but
    /// that the caller may not read. They decide between "not permitted" and "unanswerable" and
    /// never go into a prompt.
    fn find_forbidden(&self, words: &[String], limit: usize) -> Result<Vec<String>, Error>;

    /// What exists for questions, is called exactly like one of the words, and may not be read: tables in
    /// schemas where the caller has USAGE, and columns of `tables`. Found by index, so that every answer
    /// can ask; never goes into a prompt.
    fn forbidden_names(
        &self,
        _words: &[String],
        _tables: &[u32],
    ) -> Result<Vec<ForbiddenName>, Error> {
        Ok(Vec::new())
    }
}

/// A table or column that the caller may not read, as SQL writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForbiddenName {
    /// `schema.table`.
    pub table: String,
    /// The column, where the table may be read in part.
    pub column: Option<String>,
}

impl ForbiddenName {
    /// A table as a whole.
    pub fn of_table(table: String) -> Self {
        Self {
            table,
            column: None,
        }
    }

    /// What the owner would have to grant: what follows `GRANT SELECT`, up to `TO`.
    pub fn grant(&self) -> String {
        match &self.column {
            Some(column) => format!(" ({column}) ON {}", self.table),
            None => format!(" ON {}", self.table),
        }
    }
}

impl fmt::Display for ForbiddenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "{}.{column}", self.table),
            None => f.write_str(&self.table),
        }
    }
}

/// Judges and runs generated SQL: always inside the guard, always read-only, always rolled back.
pub trait Database {
    /// Judges `sql` and, when it passes, runs the very tree that was judged.
    fn run(&self, sql: &str, limits: &Limits) -> Result<Outcome<Execution>, Error>;

    /// Names of functions that a query may call and that begin or end as `name` does, in any order.
    fn functions_like(&self, _name: &str) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    /// What makes `sql` give other rows each time it runs, such as a volatile function; `None` when
    /// nothing does.
    fn varies_by(&self, _sql: &str, _limits: &Limits) -> Result<Option<String>, Error> {
        Ok(None)
    }

    /// Judges and plans `sql` without running it; gives the columns it would return.
    fn check(&self, sql: &str, limits: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error>;
}

/// What became of a generated statement. Refusals and errors are values: broken SQL is normal here.
#[derive(Debug)]
pub enum Outcome<T> {
    /// It passed the guard, and ran if that was asked for.
    Passed(T),
    /// The guard refused it.
    Rejected(Rejection),
    /// The database raised an error while it analysed, planned or ran it.
    Failed(DatabaseError),
}

impl<T> Outcome<T> {
    /// What the trace keeps of it: no row value, hence no text of an error.
    pub fn summary(&self) -> Value {
        match self {
            Self::Passed(_) => json!({"outcome": "passed"}),
            Self::Rejected(rejection) => json!({
                "outcome": "rejected",
                "rule": rejection.rule.as_str(),
                "offender": rejection.offender,
            }),
            Self::Failed(error) => json!({"outcome": "failed", "sqlstate": error.sqlstate}),
        }
    }
}

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

/// How a connection to an endpoint may be made; from the server's options.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ConnectionPolicy {
    /// Loopback, private, link-local and other non-public addresses are allowed.
    pub allow_private: bool,
    /// Plain `http` is allowed.
    pub allow_http: bool,
    /// Proxy URL; the environment's proxies are never used.
    pub proxy: Option<String>,
    /// PEM text of additional certificate authorities.
    pub ca_pem: Option<String>,
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

/// Where the pipeline's clock and notices live.
pub trait Session {
    /// Today's date in the session's time zone, `YYYY-MM-DD`, fixed for the transaction.
    fn today(&self) -> String;

    /// Major version of the server, such as `15`.
    fn server_version(&self) -> String;

    /// The role that asks, written as SQL needs it.
    fn user(&self) -> String;

    /// Tells the person who waits which stage begins (a NOTICE when `text2sql.enable_progress` is on).
    fn progress(&self, stage: &str);

    /// Milliseconds since some fixed moment, for the trace.
    fn elapsed_ms(&self) -> f64;
}
