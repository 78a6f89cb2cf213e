//! What the server may want to end, besides the statement and the session.

/// Whether `transaction_timeout`, which PostgreSQL 17 added, is about to end the session.
pub(crate) fn is_transaction_over() -> bool {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    {
        false
    }
    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    {
        // SAFETY: an aligned integer that lives as long as the process; a signal handler changes it.
        unsafe { (&raw const pgrx::pg_sys::TransactionTimeoutPending).read_volatile() != 0 }
    }
}
