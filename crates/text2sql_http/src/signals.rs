//! Keeps signals on the main thread.
//!
//! A signal sent to the process goes to any thread that does not block it. PostgreSQL's handlers
//! are written for the main thread: they change its counters without locks and may jump into its
//! stack. A new thread inherits the signal mask of the thread that starts it, so the mask is set around
//! the start and also applies to threads that tokio starts later. Not blocked are the signals
//! that the kernel raises for a thread's own fault: blocking them would hide a crash.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Blocks signals in the current thread until dropped. Not `Send`: it restores the mask of
/// the thread that created it.
pub struct SignalsBlocked {
    before: libc::sigset_t,
    not_send: PhantomData<*const ()>,
}

const OWN_FAULTS: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

impl SignalsBlocked {
    /// Blocks the signals.
    #[expect(
        clippy::new_without_default,
        reason = "what it makes is a scope, not a value"
    )]
    pub fn new() -> Self {
        let mut blocked = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: both sets live until the calls return; `sigfillset` initialises the first and
        // `pthread_sigmask` the second. Neither can fail with these arguments.
        unsafe {
            libc::sigfillset(blocked.as_mut_ptr());
            for signal in OWN_FAULTS {
                libc::sigdelset(blocked.as_mut_ptr(), signal);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, blocked.as_ptr(), before.as_mut_ptr());
            Self {
                before: before.assume_init(),
                not_send: PhantomData,
            }
        }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        // SAFETY: `pthread_sigmask` filled the set in, and this is still the same thread.
        unsafe {
            libc::pthread_sigmask(
                libc::SIG_SETMASK,
                &raw const self.before,
                std::ptr::null_mut(),
            );
        }
    }
}
