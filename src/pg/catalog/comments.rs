//! Whether comments changed. `COMMENT ON` sends no invalidation of any kind; an event trigger of ours
//! (`sql/comments.sql`) sends one for it. Where somebody has switched that off, a fingerprint of each
//! table's comments, its columns' included, is compared at every question; it is read from the index,
//! without a query.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::ffi::{CStr, c_char, c_int};
use std::hash::Hasher;

use pgrx::pg_sys;

/// OIDs of `pg_description` and of its index over objoid, classoid, objsubid; fixed, as are the numbers of
/// its columns (`src/include/catalog/pg_description.h`).
const DESCRIPTION: u32 = 2609;
const DESCRIPTION_INDEX: u32 = 2675;
const OBJOID: pg_sys::AttrNumber = 1;
const CLASSOID: pg_sys::AttrNumber = 2;
const TEXT: c_int = 4;

/// The event trigger, and how its row says that it fires in every session.
const TRIGGER: &CStr = c"text2sql_tell_comment";
const ALWAYS: c_char = pg_sys::TRIGGER_FIRES_ALWAYS as c_char;

/// Whether every `COMMENT ON` tells.
pub(super) fn are_told() -> bool {
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

/// How a row of it begins.
#[repr(C)]
struct Described {
    _objoid: pg_sys::Oid,
    _classoid: pg_sys::Oid,
    objsubid: i32,
}

/// The fingerprints by OID; tables without comments are left out, and all where comments are told.
pub(super) fn fingerprints(oids: &[u32]) -> HashMap<u32, u64> {
    if are_told() {
        return HashMap::new();
    }
    let mut fingerprints = HashMap::with_capacity(oids.len());
    // SAFETY: a catalog and its index; what is opened is closed below or, after an ERROR, with the
    // (sub)transaction.
    unsafe {
        let lock = pg_sys::AccessShareLock as c_int;
        let catalog = pg_sys::table_open(DESCRIPTION.into(), lock);
        for &oid in oids {
            if let Some(fingerprint) = fingerprint(catalog, oid.into()) {
                fingerprints.insert(oid, fingerprint);
            }
        }
        pg_sys::table_close(catalog, lock);
    }
    fingerprints
}

/// # Safety
///
/// `catalog` must be `pg_description`, open.
unsafe fn fingerprint(catalog: pg_sys::Relation, relation: pg_sys::Oid) -> Option<u64> {
    // SAFETY: as many keys as there are in the array, of columns that the index begins with; a tuple
    // is used before the next one is fetched, and its text, which is never null, only measured and
    // read as it is stored: compressed or a pointer, it changes with the comment.
    unsafe {
        let mut keys = [pg_sys::ScanKeyData::default(); 2];
        let [first, second] = &mut keys;
        let equal = pg_sys::BTEqualStrategyNumber as pg_sys::StrategyNumber;
        let procedure = pg_sys::Oid::from(pg_sys::F_OIDEQ);
        pg_sys::ScanKeyInit(first, OBJOID, equal, procedure, relation.into());
        let tables = pg_sys::RelationRelationId;
        pg_sys::ScanKeyInit(second, CLASSOID, equal, procedure, tables.into());
        let scan = pg_sys::systable_beginscan(
            catalog,
            DESCRIPTION_INDEX.into(),
            true,
            std::ptr::null_mut(),
            keys.len() as c_int,
            keys.as_mut_ptr(),
        );
        let mut hasher = None;
        loop {
            let tuple = pg_sys::systable_getnext(scan);
            if tuple.is_null() {
                break;
            }
            let form = pg_sys::GETSTRUCT(tuple).cast::<Described>();
            let mut is_null = false;
            let text = pg_sys::heap_getattr(tuple, TEXT, (*catalog).rd_att, &mut is_null);
            let text = text.cast_mut_ptr::<pg_sys::varlena>();
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), pgrx::varsize_any(text));
            let hasher = hasher.get_or_insert_with(DefaultHasher::new);
            hasher.write_i32((*form).objsubid);
            hasher.write(bytes);
        }
        pg_sys::systable_endscan(scan);
        hasher.map(|hasher: DefaultHasher| hasher.finish())
    }
}
