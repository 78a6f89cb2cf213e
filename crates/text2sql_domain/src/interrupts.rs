//! Whether the statement that called us is to end: a cancel, a timeout, a shutdown.
//!
//! The server only asks to end; who computes for long must look. The edge gives the means to look
//! ([`watch`]), long loops use it, and an error value ends what they were part of. Until the edge has
//! served the request, every further [`check`] fails as well, so it does not matter if somebody on the
//! way takes the error for a missing answer.

use std::cell::Cell;

use crate::error::{Error, ErrorKind};

thread_local! {
    static IS_PENDING: Cell<Option<fn() -> bool>> = const { Cell::new(None) };
}

/// Sets how this thread sees that it is to end. Without it nothing is ever pending.
pub fn watch(is_pending: fn() -> bool) {
    IS_PENDING.set(Some(is_pending));
}

/// Whether the statement is to end.
#[must_use]
pub fn is_pending() -> bool {
    IS_PENDING.get().is_some_and(|is_pending| is_pending())
}

/// Fails when the statement is to end.
///
/// # Errors
/// [`ErrorKind::Cancelled`]; the edge puts the server's own error in its place.
pub fn check() -> Result<(), Error> {
    if is_pending() {
        let message = "canceling statement due to user request";
        return Err(Error::new(ErrorKind::Cancelled, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_pending_until_the_edge_says_so() {
        assert!(check().is_ok());
        watch(|| true);
        assert_eq!(check().unwrap_err().kind(), ErrorKind::Cancelled);
        watch(|| false);
        assert!(!is_pending());
    }
}
