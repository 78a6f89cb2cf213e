//! No error carries a backtrace, whatever the server's environment says.
//!
//! pgrx adds one to the DETAIL of each error that passes through Rust where `RUST_BACKTRACE` is set, and
//! again at each level of a recursion: a statement of 10 kB then keeps a core busy for minutes, and
//! nothing ends it. A user has no use for addresses in this library either.

use std::backtrace::Backtrace;
use std::env;
use std::thread;

/// The variable that std looks at first.
const VARIABLE: &str = "RUST_LIB_BACKTRACE";

/// Runs once in each process that loads the library, before it starts any thread.
pub(crate) fn switch_off() {
    let before = env::var_os(VARIABLE);
    // Std looks at the environment when a backtrace is asked for the first time, and never again. The
    // variable is put back for other libraries of this process and for what the server starts.
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

/// The hook of pgrx notes panics of the main thread for the error that comes of them. Those of other
/// threads it would print to the server log, with a backtrace; whoever waits for a thread tells of its end.
fn keep_threads_quiet() {
    let main = thread::current().id();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().id() == main {
            hook(panic);
        }
    }));
}
