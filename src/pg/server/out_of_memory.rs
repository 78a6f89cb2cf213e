//! What happens where the system has no memory left for the library.
//!
//! Rust aborts the process then, and when a backend aborts, the postmaster ends all others and recovers. Here only the
//! session ends, as by any FATAL of the server: its transaction is rolled back, and the client gets SQLSTATE 53200. An ERROR
//! is not possible, because nothing may unwind out of an allocation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pgrx::{PgLogLevel, PgSqlErrorCode};

use crate::pg::server::ereport::{
    FlushErrorState, errcode, errdetail_internal, errfinish, errmsg_internal, errstart,
};
use crate::pg::server::memory_reserve::use_reserve;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// That of the system, which never says that there is no memory.
struct Allocator;

// SAFETY: every call is passed on to the system's allocator; where that fails, the call does not return.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by the caller.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by the caller.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as promised by the caller.
        given(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn given(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        give_up(bytes);
    }
    memory
}

/// Ending may fail for want of memory as well, and is tried so often: the server goes on with the next callback.
const ATTEMPTS: usize = 8;

/// How long a thread waits for the main thread to end the process.
const PATIENCE: Duration = Duration::from_secs(60);

#[cold]
fn give_up(bytes: usize) -> ! {
    static ATTEMPT: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: on the main thread, the only one of which the server knows; FATAL runs the callbacks of an exit and never
    // returns. Nothing here allocates but the server, for errors in memory that it has laid by.
    unsafe {
        use_reserve();
        if libc::gettid() != libc::getpid() {
            leave_it_to_the_main_thread();
        }
        // What is being reported will not be: errors within errors would be a PANIC, which restarts the server.
        FlushErrorState();
        if ATTEMPT.fetch_add(1, Ordering::SeqCst) < ATTEMPTS
            && errstart(PgLogLevel::FATAL as c_int, std::ptr::null())
        {
            errcode(PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY as c_int);
            errmsg_internal(c"out of memory".as_ptr());
            errdetail_internal(
                c"pg_text2sql got no %zu bytes from the system, and ended the session.".as_ptr(),
                bytes,
            );
            errfinish(c"out_of_memory.rs".as_ptr(), 0, c"pg_text2sql".as_ptr());
        }
        libc::abort()
    }
}

/// A thread beside the main one may not call the server. The main thread ends the process at its next look for interrupts.
fn leave_it_to_the_main_thread() -> ! {
    const LINE: &str = "pg_text2sql: out of memory in a thread, which ends the session\n";
    // SAFETY: plain calls of the C library; the signal is what pg_terminate_backend sends.
    unsafe {
        libc::write(libc::STDERR_FILENO, LINE.as_ptr().cast(), LINE.len());
        libc::kill(libc::getpid(), libc::SIGTERM);
        std::thread::sleep(PATIENCE);
        libc::abort()
    }
}
