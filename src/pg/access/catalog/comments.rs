//! The comments of tables and of their columns, and whether they changed. `COMMENT ON` sends no invalidation
//! message; an event trigger of the extension (`sql/schema/comments.sql`) sends one. Where that trigger is
//! disabled, a fingerprint of each table's comments is compared at every question.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::ffi::{CStr, c_char};
use std::hash::Hasher;

use pgrx::pg_sys;

use super::rows::for_each;

/// OIDs of `pg_description` and of its index over objoid, classoid, objsubid; fixed, as are the numbers of
/// its columns (`src/include/catalog/pg_description.h`).
const DESCRIPTION: u32 = 2609;
const DESCRIPTION_INDEX: u32 = 2675;
const OBJOID: u32 = 1;
const TEXT: u32 = 4;

/// A comment is read up to this many characters, where `sql/queries` read comments as well: nothing bounds what an owner
/// writes, and every session that asks would hold it. `left()` unpacks only what it returns.
pub(super) const MAX_COMMENT_CHARS: i32 = 4_000;

/// Bytes of the comments of one table; beyond them a comment is read up to so many characters.
const MAX_TABLE_BYTES: usize = 128 * 1024;
const FEW_CHARS: i32 = 100;

/// The event trigger, and the value of its row for firing in every session.
const TRIGGER: &CStr = c"text2sql_notify_comment";
const ALWAYS: c_char = pg_sys::TRIGGER_FIRES_ALWAYS as c_char;

/// Whether every `COMMENT ON` sends an invalidation message.
pub(super) fn are_notified() -> bool {
    // SAFETY: a look-up in the cache of event triggers by a NUL-terminated name; the tuple is used between
    // look-up and release.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(
            pg_sys::SysCacheIdentifier::EVENTTRIGGERNAME.cast_signed(),
            pg_sys::Datum::from(TRIGGER.as_ptr()),
        );
        if tuple.is_null() {
            return false;
        }
        let form = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_event_trigger>();
        let fires = (*form).evtenabled;
        pg_sys::ReleaseSysCache(tuple);
        fires == ALWAYS
    }
}

/// The fixed part of its row.
#[repr(C)]
struct Described {
    _objoid: pg_sys::Oid,
    classoid: pg_sys::Oid,
    objsubid: i32,
}

/// The fingerprints by OID; empty for tables without comments, and for all tables where comments send
/// invalidation messages.
pub(super) fn fingerprints(oids: &[u32]) -> HashMap<u32, u64> {
    if are_notified() {
        return HashMap::new();
    }
    let mut fingerprints = HashMap::with_capacity(oids.len());
    for &oid in oids {
        if let Some(fingerprint) = fingerprint(oid.into()) {
            fingerprints.insert(oid, fingerprint);
        }
    }
    fingerprints
}

fn fingerprint(relation: pg_sys::Oid) -> Option<u64> {
    let mut hasher: Option<DefaultHasher> = None;
    // SAFETY: the catalog, its index and the beginning of its rows; a text, which is never null, is only
    // measured and read as it is stored: compressed or a pointer, it changes with the comment.
    unsafe {
        for_each(
            DESCRIPTION.into(),
            DESCRIPTION_INDEX,
            (OBJOID, relation),
            |row| {
                let form = row.form::<Described>();
                if form.classoid != pg_sys::RelationRelationId {
                    return;
                }
                let text = row.datum(TEXT).0.cast_mut_ptr::<pg_sys::varlena>();
                let bytes = std::slice::from_raw_parts(text.cast::<u8>(), pgrx::varsize_any(text));
                let hasher = hasher.get_or_insert_with(DefaultHasher::new);
                hasher.write_i32(form.objsubid);
                hasher.write(bytes);
            },
        );
    }
    hasher.map(|hasher| hasher.finish())
}

/// The beginning of a text.
fn beginning(text: pg_sys::Datum, chars: i32) -> Option<String> {
    let arguments = [Some(text), Some(chars.into())];
    // SAFETY: a function of the server for a text and an integer, neither of which is NULL.
    unsafe { pgrx::direct_function_call(pg_sys::text_left, &arguments) }
}

/// The comments by column number; 0 is the table itself.
pub(super) fn texts(relation: pg_sys::Oid) -> HashMap<i32, String> {
    let mut texts = HashMap::new();
    let mut bytes = 0;
    // SAFETY: as above; the text is one.
    unsafe {
        for_each(
            DESCRIPTION.into(),
            DESCRIPTION_INDEX,
            (OBJOID, relation),
            |row| {
                let form = row.form::<Described>();
                let chars = match bytes < MAX_TABLE_BYTES {
                    true => MAX_COMMENT_CHARS,
                    false => FEW_CHARS,
                };
                if form.classoid == pg_sys::RelationRelationId
                    && let Some(text) = beginning(row.datum(TEXT).0, chars)
                {
                    bytes += text.len();
                    texts.insert(form.objsubid, text);
                }
            },
        );
    }
    texts
}
