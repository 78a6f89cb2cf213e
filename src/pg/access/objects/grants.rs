//! The relations of a GRANT, from the command passed to an event trigger: SQL can detect the command, but not
//! its objects and grantees.

use pgrx::{PgList, pg_sys};

use crate::pg::server::entry::Call;

/// The relations that the command in the call's first argument, a `pg_ddl_command`, granted to PUBLIC.
pub(crate) fn granted_to_public(call: &Call) -> Vec<pg_sys::Oid> {
    // SAFETY: the argument is declared as `pg_ddl_command`, which is a pointer that only the server
    // makes and that lives as long as its event trigger runs; which member of the union counts is
    // said by the type; the lists are lists of OIDs.
    unsafe {
        let Some(command) = call.argument(0) else {
            return Vec::new();
        };
        let command = command.cast_mut_ptr::<pg_sys::CollectedCommand>();
        if command.is_null() || (*command).type_ != pg_sys::CollectedCommandType::SCT_Grant {
            return Vec::new();
        }
        let grant = (*command).d.grant.istmt;
        if !(*grant).is_grant || (*grant).objtype != pg_sys::ObjectType::OBJECT_TABLE {
            return Vec::new();
        }
        let public = pg_sys::Oid::from(pg_sys::ACL_ID_PUBLIC);
        if !PgList::<pg_sys::Oid>::from_pg((*grant).grantees)
            .iter_oid()
            .any(|grantee| grantee == public)
        {
            return Vec::new();
        }
        PgList::<pg_sys::Oid>::from_pg((*grant).objects)
            .iter_oid()
            .collect()
    }
}
