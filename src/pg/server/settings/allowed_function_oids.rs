//! User-defined functions that an administrator allows queries to call: `text2sql.allowed_functions` names them
//! by signature, and each question looks them up again, so that a function that was dropped and created again
//! with the same name is allowed, and a renamed one is not.

use pgrx::pg_sys;

use crate::pg::server::spi;
use crate::pg::server::spi::role::{self, EffectiveRole};
use crate::pg::server::spi::sandbox;

const FUNCTION_OID: &str = "SELECT to_regprocedure($1)::oid";

/// The bootstrap superuser of every cluster, who has USAGE on every schema; `BOOTSTRAP_SUPERUSERID`.
const LOOKS_UP: u32 = 10;

/// The OID for the signature; `None` when there is no such function or the signature is invalid.
pub(crate) fn oid_of(signature: &str) -> Option<u32> {
    let role = EffectiveRole {
        oid: LOOKS_UP.into(),
        is_switched: true,
    };
    // An invalid signature raises an ERROR.
    let found = sandbox::run_and_undo(
        |_| {
            role::with_role(&role, || {
                spi::read_one::<pg_sys::Oid>(FUNCTION_OID, &[signature.into()])
            })
        },
        |_| None,
    );
    match found {
        Ok(Ok(Some(oid))) => Some(oid.to_u32()),
        _ => None,
    }
}
