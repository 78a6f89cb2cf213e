//! Notices a cancel by somebody else (the user, `pg_cancel_backend`, `statement_timeout`) while
//! cancels of our own are about: both end in the same flag, and the user's must never be taken
//! for ours. Somebody else's comes as the signal SIGINT, ours does not.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Watches from `start` until it is dropped.
pub(crate) struct UserCancelWatch {
    before: Option<libc::sigaction>,
}

impl UserCancelWatch {
    /// Puts itself in front of the server's handler.
    pub(crate) fn start() -> Self {
        SEEN.store(false, Ordering::SeqCst);
        // SAFETY: plain calls of libc on local structs. The new handler calls the one before it
        // and keeps its flags and mask.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut before) != 0
                || before.sa_flags & libc::SA_SIGINFO != 0
                || before.sa_sigaction == libc::SIG_DFL
                || before.sa_sigaction == libc::SIG_IGN
            {
                return Self { before: None };
            }
            SERVERS_HANDLER.store(before.sa_sigaction, Ordering::SeqCst);
            let mut ours = before;
            ours.sa_sigaction = on_signal as *const () as usize;
            libc::sigaction(libc::SIGINT, &raw const ours, std::ptr::null_mut());
            Self {
                before: Some(before),
            }
        }
    }

    /// Whether somebody else has asked for a cancel since the start.
    pub(crate) fn has_seen(&self) -> bool {
        SEEN.load(Ordering::SeqCst)
    }
}

impl Drop for UserCancelWatch {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: puts back what `start` found.
            unsafe { libc::sigaction(libc::SIGINT, before, std::ptr::null_mut()) };
        }
    }
}

static SEEN: AtomicBool = AtomicBool::new(false);
static SERVERS_HANDLER: AtomicUsize = AtomicUsize::new(0);

/// Runs inside the signal handler, on the main thread.
unsafe extern "C" fn on_signal(signal: c_int) {
    SEEN.store(true, Ordering::SeqCst);
    let handler = SERVERS_HANDLER.load(Ordering::SeqCst);
    if handler != 0 {
        // SAFETY: the address is that of the server's handler for this signal.
        unsafe {
            let handler: unsafe extern "C" fn(c_int) = std::mem::transmute(handler);
            handler(signal);
        }
    }
}
