//! The schemas in which the current session looks up unqualified names.

use pgrx::pg_sys;

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
