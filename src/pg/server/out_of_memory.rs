//! What happens where the system has no memory left for the library.
//!
//! Rust aborts the process then, and when a backend aborts, the postmaster ends all others and recovers. Here only the
//! session ends, as by any FATAL of the server: its transaction is rolled back, and the client gets SQLSTATE 53200. An ERROR
//! is not possible, because nothing may unwind out of an allocation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use pgrx::{PgLogLevel, PgSqlErrorCode, pg_sys};

use crate::pg::server::ereport::{
    FlushErrorState, errcode, errdetail_internal, errfinish, errmsg_internal, errstart,
};

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

/// What ending a statement or the session needs: an error is copied, what it interrupts is undone, callbacks of an exit
/// allocate. A memory context that has grown asks for a megabyte at a time, and so does the C library. Nothing touches it
/// before, so it is no memory of the system.
const RESERVE: usize = 4 * 1024 * 1024;

static RESERVED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Ending may fail for want of memory as well, and is tried so often: the server goes on with the next callback.
const ATTEMPTS: usize = 8;

/// How long a thread waits for the main thread to end the process.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lays by what ending needs, unless it is there: when the library is loaded, and once in each statement.
pub(crate) fn reserve() {
    if !RESERVED.load(Ordering::SeqCst).is_null() {
        return;
    }
    // SAFETY: a new mapping, of which nobody else knows.
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

fn use_reserve() {
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
        if pg_sys::geterrcode() == PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY as c_int {
            use_reserve();
        }
        copy_error_data()
    }
}

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
