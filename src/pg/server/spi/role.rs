//! The role that runs generated SQL, and with whose privileges the catalog is read: the caller. Only a
//! superuser is replaced, by a role that can read and do nothing else.

use std::ffi::c_int;

use pgrx::pg_sys;
use text2sql_domain::error::{Error, ErrorKind};

use crate::pg::server::spi::encoding::{server_text, text_of};

/// The effective role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EffectiveRole {
    /// Its OID.
    pub(crate) oid: pg_sys::Oid,
    /// Whether it replaces a superuser.
    pub(crate) is_switched: bool,
}

impl EffectiveRole {
    /// Its name.
    pub(crate) fn name(&self) -> String {
        // SAFETY: a look-up in the role cache; returns a palloc'd, NUL-terminated name or, with
        // `true`, NULL for a dropped role.
        unsafe { text_of(pg_sys::GetUserNameFromId(self.oid, true)) }
    }
}

impl EffectiveRole {
    /// Whether it may log in; false for a dropped role.
    pub(crate) fn can_log_in(&self) -> bool {
        // SAFETY: the tuple is used between look-up and release; its struct is pg_authid's.
        unsafe {
            let tuple = pg_sys::SearchSysCache1(
                pg_sys::SysCacheIdentifier::AUTHOID.cast_signed() as c_int,
                pg_sys::Datum::from(self.oid),
            );
            if tuple.is_null() {
                return false;
            }
            let form = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_authid>();
            let can_log_in = (*form).rolcanlogin;
            pg_sys::ReleaseSysCache(tuple);
            can_log_in
        }
    }
}

/// The predefined role that reads every table and may do nothing else.
const DEFAULT_ROLE: &str = "pg_read_all_data";

/// Determines the effective role: the current user, or the configured role when the user is a superuser.
pub(crate) fn effective_role(run_as: Option<&str>) -> Result<EffectiveRole, Error> {
    // SAFETY: reads the session's state.
    let current = unsafe { pg_sys::GetUserId() };
    let role = replacing_superuser(current, run_as)?;
    Ok(EffectiveRole {
        is_switched: role.oid != current,
        ..role
    })
}

/// The role to switch to for work on behalf of `role`: itself, or the configured role when it is a superuser.
pub(crate) fn replacing_superuser(
    role: pg_sys::Oid,
    run_as: Option<&str>,
) -> Result<EffectiveRole, Error> {
    // SAFETY: reads the role cache.
    if !unsafe { pg_sys::superuser_arg(role) } {
        return Ok(EffectiveRole {
            oid: role,
            is_switched: true,
        });
    }
    let name = run_as
        .filter(|name| !name.is_empty())
        .unwrap_or(DEFAULT_ROLE);
    let hint =
        "Use SET ROLE to become a role that is not a superuser, or name one in text2sql.run_as.";
    let unusable = |message: String| Err(Error::new(ErrorKind::Setup, message).with_hint(hint));
    let Some(server_name) = server_text(name) else {
        return unusable("text2sql.run_as contains a NUL byte".to_owned());
    };
    // SAFETY: a NUL-terminated name; `true` makes an unknown role InvalidOid instead of an error.
    let (oid, is_superuser) = unsafe {
        let oid = pg_sys::get_role_oid(server_name, true);
        (oid, oid != pg_sys::InvalidOid && pg_sys::superuser_arg(oid))
    };
    if oid == pg_sys::InvalidOid {
        return unusable(format!("role \"{name}\" of text2sql.run_as does not exist"));
    }
    if is_superuser {
        return unusable(format!("role \"{name}\" of text2sql.run_as is a superuser"));
    }
    Ok(EffectiveRole {
        oid,
        is_switched: true,
    })
}

/// Runs `work` with the privileges of `role` and in a restricted security context: it cannot
/// change role, create temporary objects or leave a cursor open. Also restores on unwinding.
pub(crate) fn with_role<T>(role: &EffectiveRole, work: impl FnOnce() -> T) -> T {
    let restore = assume(role);
    let outcome = work();
    drop(restore);
    outcome
}

/// Takes on the role; the identity that is returned is the one before, and comes back when it is dropped.
#[inline(never)]
fn assume(role: &EffectiveRole) -> Identity {
    let mut before = Identity {
        user: pg_sys::InvalidOid,
        context: 0,
    };
    // SAFETY: both read or assign two variables of the session and raise no error.
    unsafe {
        pg_sys::GetUserIdAndSecContext(&raw mut before.user, &raw mut before.context);
        let mut context = before.context | pg_sys::SECURITY_RESTRICTED_OPERATION.cast_signed();
        if role.is_switched {
            context |= pg_sys::SECURITY_LOCAL_USERID_CHANGE.cast_signed();
        }
        pg_sys::SetUserIdAndSecContext(role.oid, context);
    }
    before
}

/// The identity to return to.
struct Identity {
    user: pg_sys::Oid,
    context: c_int,
}

impl Drop for Identity {
    fn drop(&mut self) {
        // SAFETY: assigns two variables and raises no error, so it may run while unwinding.
        unsafe { pg_sys::SetUserIdAndSecContext(self.user, self.context) }
    }
}
