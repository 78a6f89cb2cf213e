//! Whether enough stack is left for a tree walk.
//!
//! PostgreSQL's walkers raise an ERROR when there is not, which would pass through a guard at each level of the
//! walk. The walk therefore checks first, and ends with a value.

use std::hint::black_box;
use std::mem::MaybeUninit;

use pgrx::pg_sys;
use text2sql_domain::validate::{Rejection, Rule};

use super::verdict::refuse;

/// More than one level of any walk needs, including the functions that it calls.
const ROOM: usize = 64 * 1024;

/// Whether less than [`ROOM`] is left of `max_stack_depth`.
#[inline(never)]
pub(super) fn is_used_up() -> bool {
    // The server measures from its own frame, which this one moves down.
    let room = [MaybeUninit::<u8>::uninit(); ROOM];
    black_box(&raw const room);
    // SAFETY: compares an address with a setting.
    let is_used_up = unsafe { pg_sys::stack_is_too_deep() };
    black_box(&raw const room);
    is_used_up
}

/// The refusal when there is not enough.
pub(super) fn too_deep() -> Rejection {
    refuse(Rule::Limit, "the statement is nested too deeply")
}
