//! Errors that end a question. Invalid SQL is not one of them: see [`crate::validate::Rejection`] and
//! [`crate::sql_result::DatabaseError`], which are values passed to the repair.

pub use crate::failure;

/// The kind of an error; the extension maps each kind to an SQLSTATE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A setting or an argument has an invalid value.
    Setting,
    /// A required argument is NULL.
    Missing,
    /// A name in a call matches no object, or several.
    Undefined,
    /// A model, a key or a privilege on the model has to be set up first.
    Setup,
    /// The caller lacks a privilege: USAGE on the server or EXECUTE.
    Denied,
    /// The call would write, but the server is a standby or the transaction is read-only.
    ReadOnly,
    /// The endpoint cannot be reached, or did not answer in time.
    ModelUnreachable,
    /// The endpoint returned an unexpected reply.
    ModelReply,
    /// The replica on which the query should run failed, or cannot be reached.
    Replica,
    /// A limit on size, rows, time or concurrency was reached.
    Limit,
    /// A statement or a document is nested too deeply.
    Complexity,
    /// The statement was cancelled; the extension lets PostgreSQL raise its own error.
    Cancelled,
    /// A bug in this extension.
    Internal,
}

/// An error that ends a question: a message for people and a kind for programs.
///
/// Messages are lower case and name the invalid value. They contain no secret, no complete prompt
/// and no row value.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    detail: Option<String>,
    hint: Option<String>,
    is_of_endpoint: bool,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// An [`Error`] of a kind, with a message that is written as for `format!`.
#[macro_export]
macro_rules! failure {
    ($kind:ident, $($message:tt)+) => {
        $crate::error::Error::new($crate::error::ErrorKind::$kind, format!($($message)+))
    };
}

impl Error {
    /// Creates an error of `kind` with a message for the caller.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            detail: None,
            hint: None,
            is_of_endpoint: false,
            source: None,
        }
    }

    /// Adds the DETAIL.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Adds the HINT: SQL to run, if there is any.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Marks an error as a failure of the endpoint, or of the way to it. A cancel stays the caller's.
    #[must_use]
    pub fn of_endpoint(mut self) -> Self {
        self.is_of_endpoint = self.kind != ErrorKind::Cancelled;
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The kind, which determines the SQLSTATE.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the call was valid and only the model failed or could not be asked: the next engine then takes
    /// over, and functions that return a status return a failed question instead of raising the error.
    pub fn is_of_endpoint(&self) -> bool {
        self.is_of_endpoint
    }

    /// The message for the caller.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The DETAIL.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// The HINT.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}
