//! Whether the current statement should end because of a cancel, a timeout or a shutdown.
//!
//! PostgreSQL only sets a flag; code that runs for long must check it. The extension sets the check
//! ([`watch`]), long loops call it, and an error value ends the work. Until the extension has
//! served the request, every further [`check`] fails as well, so that code which ignores one
//! error does not lose the interrupt.

use std::cell::Cell;

use crate::error::{Error, failure};

thread_local! {
    static IS_PENDING: Cell<Option<fn() -> bool>> = const { Cell::new(None) };
}

/// Sets the function that reports a pending interrupt for this thread. Without it, none is ever pending.
pub fn watch(is_pending: fn() -> bool) {
    IS_PENDING.set(Some(is_pending));
}

/// Whether an interrupt is pending.
#[must_use]
pub fn is_pending() -> bool {
    IS_PENDING.get().is_some_and(|is_pending| is_pending())
}

/// Fails if an interrupt is pending.
///
/// # Errors
/// [`ErrorKind::Cancelled`](crate::error::ErrorKind::Cancelled); the extension replaces it with PostgreSQL's own error.
pub fn check() -> Result<(), Error> {
    if is_pending() {
        return Err(failure!(
            Cancelled,
            "canceling statement due to user request"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn nothing_is_pending_until_an_interrupt_is_reported() {
        assert!(check().is_ok());
        watch(|| true);
        assert_eq!(check().unwrap_err().kind(), ErrorKind::Cancelled);
        watch(|| false);
        assert!(!is_pending());
    }
}
