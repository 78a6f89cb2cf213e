//! The file descriptor with which the helper thread wakes the main thread: an eventfd, because
//! setting a latch would be a call into PostgreSQL.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// A counter that `poll` can wait for.
#[derive(Debug)]
pub(crate) struct Wake(File);

impl Wake {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: takes no pointers; a negative result is an error, any other a descriptor that
        // nothing else owns.
        let descriptor = unsafe {
            let descriptor = libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC);
            if descriptor < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(descriptor)
        };
        Ok(Self(File::from(descriptor)))
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Makes the descriptor readable. Fails only if it is readable already.
    pub(crate) fn set(&self) {
        let _ = (&self.0).write(&1_u64.to_ne_bytes());
    }

    /// Makes the descriptor unreadable. Fails only if it is unreadable already.
    pub(crate) fn clear(&self) {
        let _ = (&self.0).read(&mut [0; 8]);
    }
}
