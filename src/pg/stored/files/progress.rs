//! Progress of loading a large file, for sessions with `text2sql.enable_progress`.

use std::time::{Duration, Instant};

use crate::pg::server::settings;

/// Time between two notices.
const INTERVAL: Duration = Duration::from_secs(1);

/// When the last notice was sent.
pub(super) struct Progress {
    last: Instant,
    is_shown: bool,
}

impl Progress {
    pub(super) fn begin() -> Self {
        Self {
            last: Instant::now(),
            is_shown: settings::enable_progress(),
        }
    }

    /// Tells how many rows are inserted, at most once a second.
    pub(super) fn show(&mut self, rows: i64) {
        if self.is_shown && self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            pgrx::notice!("text2sql: {rows} rows");
        }
    }
}
