//! HTTP for a PostgreSQL backend, in a separate thread.
//!
//! A backend has a single thread, which must keep handling cancels, timeouts, shutdowns and
//! barriers of other backends. Therefore one helper thread owns everything asynchronous (a tokio runtime and
//! the `reqwest` clients with their connections), and the main thread waits on its latch together
//! with [`Helper::wake_fd`], checks for interrupts, and polls each [`Call`] for its outcome.
//!
//! Invariants:
//! - PostgreSQL is never called from here; the crate does not depend on pgrx. A `longjmp` or an unwinding
//!   ERROR of the main thread never crosses a future or a runtime on its stack.
//! - The helper thread, and the threads that tokio starts from it for name look-ups, have every
//!   signal blocked except those of a crash (`signals.rs`).
//! - A dropped [`Call`] aborts its request. FATAL does not run destructors, so
//!   [`Helper::shut_down`] aborts all of them and is called from `before_shmem_exit`.
//! - Addresses are checked where the connection is made (`resolver.rs`), so that a name cannot
//!   resolve to one address for the check and to another for the connection.
//! - No error contains a URL, a header or a body.
//!
//! Nothing starts before [`Helper::start`], which must not be called before the postmaster has forked.

mod address;
mod call;
mod client;
mod failure;
mod helper_thread;
mod request;
mod resolver;
mod retry;
mod send;
mod signals;
mod wake;

pub use call::Call;
pub use helper_thread::Helper;
pub use request::check_url;
pub use retry::Timing;
pub use send::MAX_BODY_BYTES;
pub use signals::SignalsBlocked;
