//! Whether a value may be returned as another type: the guard's verdict on casts that the caller's column
//! definition list requires, outside the statement.
//!
//! Such a cast runs after the sandbox, as the caller: it must be built in or reviewed. Otherwise `CREATE CAST …
//! WITH FUNCTION … AS ASSIGNMENT` by the owner of a type would run that owner's code with the caller's
//! privileges, and so would the CHECK of a domain.

use pgrx::pg_sys::{self, CoercionPathType, Oid};

use super::functions::{FunctionRules, Standing};
use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::server::settings::GuardPolicy;

/// Whether values of type `from` may be converted to `to` with the modifier.
pub(crate) fn may_convert(from: Oid, to: Oid, modifier: i32, policy: &GuardPolicy) -> bool {
    let rules = FunctionRules::new(policy);
    let is_reviewed = |function: Oid| {
        matches!(
            rules.standing(function),
            Standing::Reviewed | Standing::Registered
        )
    };
    // SAFETY: look-ups in the caches by OIDs of existing types.
    unsafe {
        if pg_sys::getBaseType(to) != to {
            return false;
        }
        let mut adjustment = pg_sys::InvalidOid;
        if modifier != -1 {
            pg_sys::find_typmod_coercion_function(to, &mut adjustment);
        }
        let adjusts_safely = adjustment == pg_sys::InvalidOid || is_reviewed(adjustment);
        let mut function = pg_sys::InvalidOid;
        let assignment = pg_sys::CoercionContext::COERCION_ASSIGNMENT;
        let source = pg_sys::getBaseType(from);
        let converts_safely =
            match pg_sys::find_coercion_pathway(to, source, assignment, &mut function) {
                _ if source == to => true,
                CoercionPathType::COERCION_PATH_RELABELTYPE => true,
                CoercionPathType::COERCION_PATH_FUNC => is_reviewed(function),
                CoercionPathType::COERCION_PATH_COERCEVIAIO => {
                    reads_and_writes_by_the_server(source, to)
                }
                CoercionPathType::COERCION_PATH_ARRAYCOERCE => {
                    let is_own =
                        |array: Oid| pg_sys::get_element_type(array).to_u32() < FIRST_USER_OID;
                    is_own(source) && is_own(to)
                }
                _ => false,
            };
        converts_safely && adjusts_safely
    }
}

/// Whether the output function of one type and the input function of the other are both built in.
///
/// # Safety
/// Both types exist.
unsafe fn reads_and_writes_by_the_server(from: Oid, to: Oid) -> bool {
    let (mut output, mut input) = (pg_sys::InvalidOid, pg_sys::InvalidOid);
    let (mut is_varlena, mut parameter) = (false, pg_sys::InvalidOid);
    // SAFETY: promised by the caller.
    unsafe {
        pg_sys::getTypeOutputInfo(from, &mut output, &mut is_varlena);
        pg_sys::getTypeInputInfo(to, &mut input, &mut parameter);
    }
    output.to_u32() < FIRST_USER_OID && input.to_u32() < FIRST_USER_OID
}
