//! Reports the progress of a refresh.

use std::cell::Cell;
use std::time::{Duration, Instant};
use text2sql_domain::with_defaults;

/// Seconds between two messages: often enough to show progress.
const BETWEEN: Duration = Duration::from_secs(5);

with_defaults! {
    /// When the last message was written.
    pub(super) struct Progress {
        last: Cell<Instant> = Cell::new(Instant::now()),
    }
}

impl Progress {
    /// Writes a NOTICE when it is time for one.
    pub(super) fn tell(&self, done: usize, total: usize, what: &str) {
        if self.last.get().elapsed() >= BETWEEN && done < total {
            self.last.set(Instant::now());
            pgrx::notice!("text2sql: {done} of {total} {what}");
        }
    }
}
