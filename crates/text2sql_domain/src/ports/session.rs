//! The clock and the notices of the session.

use crate::progress::Progress;

/// The clock and the notices of the session.
pub trait Session {
    /// Today's date in the session's time zone, `YYYY-MM-DD`, fixed for the transaction.
    fn today(&self) -> String;

    /// Major version of the server, such as `15`.
    fn server_version(&self) -> String;

    /// The current role as an SQL identifier.
    fn user(&self) -> String;

    /// What the caller may do to have a model answer, once in a session; `None` where the caller may do nothing about
    /// it, or has the advice already.
    fn model_advice(&self) -> Option<ModelAdvice> {
        None
    }

    /// Whether the current role may define terms.
    fn may_define(&self) -> bool {
        false
    }

    /// Whether anybody wants to know the progress (`text2sql.enable_progress`), and may: not where a function asks with rights
    /// of others.
    fn reports_progress(&self) -> bool {
        false
    }

    /// Reports the stage that begins. Called only where [`reports_progress`](Self::reports_progress) says so.
    fn progress(&self, _progress: &Progress<'_>) {}

    /// Milliseconds since a fixed moment, for the trace.
    fn elapsed_ms(&self) -> f64;
}

/// How a caller gets a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelAdvice {
    /// A new one: there is none that the caller may use.
    Add,
    /// The one of this name, which the caller may use.
    Set(String),
}
