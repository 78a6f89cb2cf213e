//! The commit before a model call, in a procedure that may commit: during the call not even the caller's
//! snapshot is held, which would keep VACUUM from removing dead rows.

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};

use crate::pg::server::spi;

/// Commits the work done so far. Only directly inside [`spi::with_commits`].
pub(crate) fn commit_before_waiting() -> Result<(), Error> {
    // SAFETY: reads a variable.
    let caller = unsafe { pg_sys::GetUserId() };
    spi::commit();
    // SAFETY: reads a variable.
    if unsafe { pg_sys::GetUserId() } == caller {
        return Ok(());
    }
    Err(failure!(
        Setup,
        "the commit before waiting for the model reset SET LOCAL ROLE"
    )
    .with_hint("Use SET ROLE without LOCAL before the CALL."))
}
