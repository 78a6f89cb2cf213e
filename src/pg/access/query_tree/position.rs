//! Positions in the text of a statement.

use std::ffi::{c_char, c_int};

use pgrx::pg_sys;

/// The character position, from 1, of a byte offset in the statement.
pub(crate) fn position_of(source: *const c_char, location: c_int) -> Option<usize> {
    if location < 0 {
        return None;
    }
    // SAFETY: the offset lies within the NUL-terminated text that was parsed.
    let characters = unsafe { pg_sys::pg_mbstrlen_with_len(source, location) };
    usize::try_from(characters).ok().map(|before| before + 1)
}

/// The byte offset of the last of the nodes that has one, or -1.
///
/// # Safety
/// The nodes are valid.
pub(crate) unsafe fn last_location(nodes: &[*mut pg_sys::Node]) -> c_int {
    let locations = nodes.iter().rev().map(|node| {
        // SAFETY: promised by the caller.
        unsafe { pg_sys::exprLocation(*node) }
    });
    locations
        .into_iter()
        .find(|location| *location >= 0)
        .unwrap_or(-1)
}
