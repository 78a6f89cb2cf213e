//! The clock and the notices of the caller's session.

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
