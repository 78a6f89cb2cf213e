//! `text2sql._run_unrecorded(statement)`: what an administrator granted, granted again by an update script.
//!
//! PostgreSQL records privileges that a script of an extension grants as initial ones, and `pg_dump` omits those:
//! a role that an administrator granted something would lose it in a dump.

use pgrx::pg_sys;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::Raised;
use crate::pg::server::spi;

entry_point!(run_unrecorded);

/// Runs a GRANT or REVOKE as outside the script of an extension. Only the owner of the extension can call it, and
/// the statement runs with the caller's own privileges.
fn run_unrecorded(call: &Call) -> Result<Datum, Raised> {
    let statement = call.required_text(0, "statement")?;
    let _outside = OutsideScript::enter();
    spi::define(&statement)?;
    Ok(Datum::from(0_usize))
}

/// While it exists, the session counts as running no script of an extension. It is dropped after an ERROR, too.
struct OutsideScript {
    was_in_script: bool,
}

impl OutsideScript {
    fn enter() -> Self {
        // SAFETY: a variable of this process.
        unsafe {
            let was_in_script = pg_sys::creating_extension;
            pg_sys::creating_extension = false;
            Self { was_in_script }
        }
    }
}

impl Drop for OutsideScript {
    fn drop(&mut self) {
        // SAFETY: a variable of this process.
        unsafe { pg_sys::creating_extension = self.was_in_script };
    }
}
