//! HTTP for one PostgreSQL backend, off its main thread.
//!
//! A backend is one thread that must keep listening: to a cancel, to a timeout, to a shutdown, to
//! barriers of other backends. So one helper thread owns everything asynchronous (a tokio runtime,
//! the `reqwest` clients with their connections), and the main thread waits on its latch together
//! with [`Helper::wake_fd`], checks for interrupts, and asks each [`Call`] for its outcome.
//!
//! What holds by construction:
//! - PostgreSQL is never called from here; the crate knows no pgrx. A `longjmp` or an unwinding
//!   ERROR of the main thread meets no future and no runtime on its stack.
//! - The helper thread, and the threads that tokio starts from it for name look-ups, have every
//!   signal blocked but those of a crash (`signals.rs`).
//! - A dropped [`Call`] aborts its request. FATAL does not run destructors, so
//!   [`Helper::shut_down`] aborts all of them and is for `before_shmem_exit`.
//! - Addresses are checked where the connection is made (`resolver.rs`), so that a name cannot
//!   resolve to one address for the check and to another for the connection.
//! - No error holds a URL, a header or a body.
//!
//! Nothing starts before [`Helper::start`]; nothing may start before the postmaster has forked.

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
