//! The role with whose privileges the background worker reads values.

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};

use crate::pg::server::settings;
use crate::pg::server::spi;
use crate::pg::server::spi::encoding::server_text;
use crate::pg::server::spi::role::{EffectiveRole, replacing_superuser, with_role};

const CALLER: &str =
    "SELECT r.oid FROM text2sql._index_state s JOIN pg_roles r ON r.rolname = s.refreshed_by";

/// `text2sql.maintenance_role`; without it, who called `refresh()` last, so that values do not come and go with the
/// reader; without a call, the owner of the extension. A superuser is replaced by the role that runs a superuser's
/// questions.
pub(crate) fn reader(owner: &EffectiveRole) -> Result<EffectiveRole, Error> {
    let run_as = settings::run_as();
    if let Some(name) = settings::maintenance_role() {
        let unknown = || {
            failure!(
                Setup,
                "role \"{name}\" of text2sql.maintenance_role does not exist"
            )
            .with_hint("RESET text2sql.maintenance_role, or name an existing role in it.")
        };
        let server_name = server_text(&name).ok_or_else(unknown)?;
        // SAFETY: a NUL-terminated name; `true` makes an unknown role InvalidOid instead of an error.
        let oid = unsafe { pg_sys::get_role_oid(server_name, true) };
        if oid == pg_sys::InvalidOid {
            return Err(unknown());
        }
        return replacing_superuser(oid, run_as.as_deref());
    }
    let caller: Option<pg_sys::Oid> = with_role(owner, || spi::read_one(CALLER, &[]))?;
    replacing_superuser(caller.unwrap_or(owner.oid), run_as.as_deref())
}
