//! What the person who waits reads.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Writes a line for the person who waits.
pub(super) fn say(line: &str) {
    drop(writeln!(std::io::stderr(), "{line}"));
}

/// How far a file is: on a terminal a line that is written again and again, and where it was asked for a line from
/// time to time.
pub(super) struct Progress {
    bytes: usize,
    is_terminal: bool,
    is_asked_for: bool,
    begun: Instant,
    last: Instant,
}

/// Time between two lines.
const INTERVAL: Duration = Duration::from_secs(1);

impl Progress {
    /// Progress of loading a file of this size.
    pub(super) fn of(bytes: usize, is_asked_for: bool) -> Self {
        let now = Instant::now();
        Self {
            bytes,
            is_terminal: std::io::stderr().is_terminal(),
            is_asked_for,
            begun: now,
            last: now,
        }
    }

    /// Shows how many rows are loaded and how many bytes are read.
    pub(super) fn show(&mut self, rows: u64, read: usize) {
        let is_due = self.last.elapsed() >= INTERVAL || read + 1 >= self.bytes;
        if !(self.is_terminal || self.is_asked_for && is_due) {
            return;
        }
        self.last = Instant::now();
        let text = shown(rows, read, self.bytes, self.begun.elapsed());
        match self.is_terminal {
            false => say(&text),
            true => {
                let mut errors = std::io::stderr();
                drop(write!(errors, "\r{text}\u{1b}[K"));
                drop(errors.flush());
            }
        }
    }

    /// Ends the line.
    pub(super) fn end(&self) {
        if self.is_terminal {
            drop(write!(std::io::stderr(), "\r\u{1b}[K"));
        }
    }
}

fn shown(rows: u64, read: usize, bytes: usize, elapsed: Duration) -> String {
    let percent = (read.min(bytes) * 100).checked_div(bytes).unwrap_or(100);
    let each_second = rows as f64 / elapsed.as_secs_f64().max(0.001);
    format!("{rows} rows, {percent} %, {each_second:.0} rows/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_rows_share_and_speed() {
        let shown = |rows, read, bytes| shown(rows, read, bytes, Duration::from_secs(2));
        assert_eq!(shown(50_000, 25, 100), "50000 rows, 25 %, 25000 rows/s");
        // The last line has no end, or the file is empty.
        assert_eq!(shown(2, 101, 100), "2 rows, 100 %, 1 rows/s");
        assert_eq!(shown(0, 0, 0), "0 rows, 100 %, 0 rows/s");
    }
}
