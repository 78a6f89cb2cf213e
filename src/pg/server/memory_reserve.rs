//! Memory that is laid by for errors without memory: those of the server, and the end of a session that the library needs.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use pgrx::{PgSqlErrorCode, pg_sys};

/// What ending a statement or the session needs: an error is copied, what it interrupts is undone, callbacks of an exit
/// allocate. A memory context that has grown asks for a megabyte at a time, and so does the C library. Nothing touches it
/// before, so it is no memory of the system.
const RESERVE: usize = 4 * 1024 * 1024;

static RESERVED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Lays by what ending needs, unless it is there: when the library is loaded, and once in each statement.
pub(crate) fn reserve() {
    if !RESERVED.load(Ordering::SeqCst).is_null() {
        return;
    }
    // SAFETY: a new mapping that nothing else refers to.
    let mapped = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            RESERVE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if mapped != libc::MAP_FAILED {
        RESERVED.store(mapped, Ordering::SeqCst);
    }
}

/// Gives it back to the system, for what comes now.
pub(crate) fn use_reserve() {
    let mapped = RESERVED.swap(std::ptr::null_mut(), Ordering::SeqCst);
    if !mapped.is_null() {
        // SAFETY: what `reserve` has mapped, taken once.
        unsafe { libc::munmap(mapped, RESERVE) };
    }
}

unsafe extern "C-unwind" {
    #[link_name = "__real_CopyErrorData"]
    fn copy_error_data() -> *mut pg_sys::ErrorData;
}

/// Copies the error that a function of the server has raised, in place of the server's `CopyErrorData`, as `build.rs` tells
/// the linker. pgrx copies each error before it unwinds, and a copy that fails is an error that it copies: after five of
/// them the server ends with a PANIC.
///
/// # Safety
/// As for the server's function.
#[unsafe(export_name = "__wrap_CopyErrorData")]
unsafe extern "C-unwind" fn copy_error_data_with_reserve() -> *mut pg_sys::ErrorData {
    // SAFETY: an error is being handled, so there is a code; the rest is up to the caller. Nothing here is to be dropped.
    unsafe {
        if pg_sys::geterrcode() == PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY as i32 {
            use_reserve();
        }
        copy_error_data()
    }
}
