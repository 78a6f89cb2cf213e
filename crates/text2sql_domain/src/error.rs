//! What ends a question. Broken SQL is not an error: see [`crate::validate::Rejection`] and
//! [`crate::sql_result::DatabaseError`], which are values that feed the repair.

/// Why a question ended; the extension gives each kind its SQLSTATE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A setting or an argument has a bad value.
    Setting,
    /// An argument that must be there is NULL.
    Missing,
    /// A name in a call means no object, or several.
    Undefined,
    /// Something has to be set up first: a model, a key, a privilege on the model.
    Setup,
    /// The caller may not do this: no USAGE on the server, no EXECUTE.
    Denied,
    /// It would write, on a standby or in a read-only transaction.
    ReadOnly,
    /// The endpoint cannot be reached, or not in time.
    ModelUnreachable,
    /// The endpoint answered, but not with what was asked for.
    ModelReply,
    /// A limit on size, rows, time or concurrency was reached.
    Limit,
    /// A statement or a document nests too deeply to be read.
    Complexity,
    /// The statement was cancelled; the edge lets PostgreSQL raise its own error.
    Cancelled,
    /// A bug in this extension.
    Internal,
}

/// What ended a question: a message for people, a kind for programs.
///
/// Messages are lower case, name the value that is wrong and hold neither a secret, nor a whole
/// prompt, nor a value from a row.
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

impl Error {
    /// Makes an error of `kind` with a message for the person who asked.
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

    /// Adds facts that help to find the cause.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Adds what to do about it: SQL that can be pasted, where there is any.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Marks what an endpoint did, or failed to do, when it was asked. A cancel is the caller's.
    #[must_use]
    pub fn of_endpoint(mut self) -> Self {
        self.is_of_endpoint = self.kind != ErrorKind::Cancelled;
        self
    }

    /// Keeps the cause.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The kind, which decides the SQLSTATE.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the call itself was in order and only the endpoint failed: a function that reports a
    /// status reports this one as a failed question.
    pub fn is_of_endpoint(&self) -> bool {
        self.is_of_endpoint
    }

    /// The message for the person who asked.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Facts that help to find the cause.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}
