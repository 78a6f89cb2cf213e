//! The schemas in which the current session looks up unqualified names.

use pgrx::pg_sys;

use crate::pg::server::spi::encoding::text_of;

/// The schemas of the search path, in order, without the temporary one.
pub(crate) fn search_path() -> Vec<u32> {
    let mut schemas = vec![pg_sys::InvalidOid; 64];
    loop {
        let room = i32::try_from(schemas.len()).unwrap_or(i32::MAX);
        // SAFETY: writes at most `room` OIDs and returns how many there are.
        let count = unsafe { pg_sys::fetch_search_path_array(schemas.as_mut_ptr(), room) };
        let count = usize::try_from(count).unwrap_or(0);
        if count <= schemas.len() {
            return schemas.iter().take(count).map(|oid| oid.to_u32()).collect();
        }
        schemas.resize(count, pg_sys::InvalidOid);
    }
}

/// The same, for an internal query.
pub(crate) fn search_path_oids() -> Vec<pg_sys::Oid> {
    search_path().into_iter().map(pg_sys::Oid::from).collect()
}

/// The setting `search_path`, as it was written.
pub(crate) fn search_path_setting() -> String {
    // SAFETY: the setting exists in every session, and is a NUL-terminated string.
    unsafe {
        text_of(pg_sys::GetConfigOption(
            c"search_path".as_ptr(),
            true,
            false,
        ))
    }
}

/// The schema in which the caller's `search_path` creates objects; 0 when there is none.
pub(crate) fn creation_schema() -> pg_sys::Oid {
    // SAFETY: a list of OIDs in the current memory context, read before anything frees it.
    unsafe {
        let path = pg_sys::fetch_search_path(false);
        if path.is_null() || (*path).length == 0 {
            return pg_sys::InvalidOid;
        }
        (*(*path).elements).oid_value
    }
}
