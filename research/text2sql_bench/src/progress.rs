//! Messages about the progress, which are not part of the report.

use std::io::Write;

/// Writes a line to standard error.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
