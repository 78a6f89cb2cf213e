//! Whether an object is visible to the current user and to questions: knowledge about an object names it, so it
//! is shown only to those who can see the object.

use pgrx::pg_sys::{self, Oid};

use super::{Level, of_relation};
use crate::pg::access::objects::references::{Place, References, WHOLE_SCHEMA, WHOLE_TABLE};
use crate::pg::server::compat::object_privileges;

/// Whether the current user can see all of them; `false` when one was dropped.
pub(crate) fn are_visible(references: &References) -> bool {
    references
        .places()
        .all(|place| place.is_some_and(is_visible))
}

/// Whether an existing object is visible to the current user and to questions.
pub(crate) fn is_visible(place: Place) -> bool {
    may_see(place) && is_shown(place)
}

/// Whether it is not hidden: knowledge about a hidden object names it.
fn is_shown(place: Place) -> bool {
    place.column_number == WHOLE_SCHEMA
        || of_relation(place.oid).is_ok_and(|levels| match place.column_number {
            WHOLE_TABLE => !levels.is_hidden(),
            number => levels.column(number) < Level::Hidden,
        })
}

fn may_see(place: Place) -> bool {
    let is_ok = |verdict| verdict == pg_sys::AclResult::ACLCHECK_OK;
    let select = pg_sys::ACL_SELECT as pg_sys::AclMode;
    // SAFETY: privilege checks in the system caches. Of an object that another session drops at this
    // moment they raise PostgreSQL's own ERROR, as a look-up by name would.
    unsafe {
        let user = pg_sys::GetUserId();
        if place.column_number == WHOLE_SCHEMA {
            return object_privileges::uses_schema(place.oid, user);
        }
        let schema = pg_sys::get_rel_namespace(place.oid);
        if schema == Oid::INVALID || !object_privileges::uses_schema(schema, user) {
            return false;
        }
        is_ok(pg_sys::pg_class_aclcheck(place.oid, user, select))
            || match place.column_number {
                WHOLE_TABLE => is_ok(pg_sys::pg_attribute_aclcheck_all(
                    place.oid,
                    user,
                    select,
                    pg_sys::AclMaskHow::ACLMASK_ANY,
                )),
                number => is_ok(pg_sys::pg_attribute_aclcheck(
                    place.oid, number, user, select,
                )),
            }
    }
}
