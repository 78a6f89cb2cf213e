//! Ensures that no error carries a backtrace, whatever the server's environment is.
//!
//! Where `RUST_BACKTRACE` is set, pgrx adds a backtrace to the DETAIL of each error that passes through Rust,
//! again at each level of a recursion: a 10 kB statement then keeps a core busy for minutes and cannot be
//! interrupted. Users have no use for addresses in this library anyway.

use std::backtrace::Backtrace;
use std::env;
use std::thread;

/// The variable that std checks first.
const VARIABLE: &str = "RUST_LIB_BACKTRACE";

/// Runs once in each process that loads the library, before it starts any thread.
pub(crate) fn switch_off() {
    let before = env::var_os(VARIABLE);
    // Std reads the environment when a backtrace is first requested, and caches the result. The variable is
    // restored for other libraries of this process and for child processes.
    // SAFETY: this library has started no thread yet, and PostgreSQL has none that reads variables.
    unsafe { env::set_var(VARIABLE, "0") };
    drop(Backtrace::capture());
    // SAFETY: as above.
    unsafe {
        match before {
            Some(value) => env::set_var(VARIABLE, value),
            None => env::remove_var(VARIABLE),
        }
    }
    keep_threads_quiet();
}

/// pgrx's hook records panics of the main thread for the resulting error. For other threads it would print the
/// panic with a backtrace to the server log; the code that joins a thread reports how it ended.
fn keep_threads_quiet() {
    let main = thread::current().id();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().id() == main {
            hook(panic);
        }
    }));
}
