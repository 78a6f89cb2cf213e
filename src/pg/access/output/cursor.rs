//! A cursor over rows that were already captured.
//!
//! The portal has no plan: its rows are in its hold store, where PostgreSQL keeps the remaining rows of a
//! holdable cursor after commit, and FETCH and MOVE read them from there. Nothing is computed again, so FETCH
//! returns exactly what the guard accepted.

use std::ffi::CStr;

use pgrx::pg_sys;

use crate::pg::access::execution::typed_rows::TypedRows;

/// Shown as the cursor's statement in `pg_cursors`.
const SOURCE: &CStr = c"text2sql.ask_into";

/// Whether a cursor of that name is open.
pub(crate) fn is_open(name: &CStr) -> bool {
    // SAFETY: looks a NUL-terminated name up.
    unsafe { !pg_sys::GetPortalByName(name.as_ptr()).is_null() }
}

/// Opens a scrollable cursor of that name, which must be free, over the rows. A holdable one outlives the
/// transaction.
pub(crate) fn open(name: &CStr, rows: TypedRows, is_held: bool) {
    let (store, descriptor) = rows.tuples.into_parts();
    // SAFETY: main thread, inside a transaction; a name that is taken is an ERROR. Store and descriptor belong to this
    // function; the portal is new, and everything it points to is copied into memory that it owns.
    unsafe {
        let portal = pg_sys::CreatePortal(name.as_ptr(), false, false);
        (*portal).visible = true;
        (*portal).cursorOptions = pg_sys::CURSOR_OPT_SCROLL as i32;
        pg_sys::PortalDefineQuery(
            portal,
            std::ptr::null(),
            SOURCE.as_ptr(),
            pg_sys::CommandTag::CMDTAG_SELECT,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        );
        pg_sys::PortalCreateHoldStore(portal);
        let before = pg_sys::MemoryContextSwitchTo((*portal).holdContext);
        (*portal).tupDesc = pg_sys::CreateTupleDescCopy(descriptor);
        copy(store, (*portal).holdStore, (*portal).tupDesc);
        pg_sys::MemoryContextSwitchTo(before);
        pg_sys::tuplestore_end(store);
        (*portal).strategy = pg_sys::PortalStrategy::PORTAL_ONE_SELECT;
        (*portal).atStart = true;
        (*portal).atEnd = false;
        (*portal).portalPos = 0;
        (*portal).status = pg_sys::PortalStatus::PORTAL_READY;
        if is_held {
            // As PostgreSQL marks a cursor WITH HOLD at commit, once its rows are in the store: from then on it
            // belongs to no transaction.
            (*portal).cursorOptions |= pg_sys::CURSOR_OPT_HOLD as i32;
            (*portal).resowner = std::ptr::null_mut();
            (*portal).createSubid = 0;
            (*portal).activeSubid = 0;
            (*portal).createLevel = 0;
        }
    }
}

/// Copies all rows from one store into another.
///
/// # Safety
/// Both stores hold rows of the descriptor; the current memory context is that of the second.
unsafe fn copy(
    from: *mut pg_sys::Tuplestorestate,
    to: *mut pg_sys::Tuplestorestate,
    descriptor: pg_sys::TupleDesc,
) {
    // SAFETY: promised by the caller; the slot is dropped before it returns.
    unsafe {
        let slot =
            pg_sys::MakeSingleTupleTableSlot(descriptor, &raw const pg_sys::TTSOpsMinimalTuple);
        while pg_sys::tuplestore_gettupleslot(from, true, false, slot) {
            pg_sys::tuplestore_puttupleslot(to, slot);
            pgrx::check_for_interrupts!();
        }
        pg_sys::ExecDropSingleTupleTableSlot(slot);
    }
}
