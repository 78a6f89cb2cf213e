//! How far a batch is, for its caller.

use serde_json::json;
use text2sql_domain::error::Error;

use super::store::{self, Counts};
use crate::pg::server::{ereport, settings, sqlstate};

/// The progress of a batch.
pub(crate) struct Progress<'a> {
    batch: &'a str,
    last: Option<Counts>,
}

impl<'a> Progress<'a> {
    pub(crate) fn of(batch: &'a str) -> Self {
        Self { batch, last: None }
    }

    /// Reports how far it is, where that is wanted and has changed.
    pub(crate) fn look(&mut self) -> Result<(), Error> {
        if !settings::enable_progress() || !ereport::is_notice_wanted() {
            return Ok(());
        }
        let counts = store::counts(self.batch)?;
        if self.last.replace(counts) == Some(counts) {
            return Ok(());
        }
        let report = json!({
            "stage": "batch",
            "batch": self.batch,
            "questions": counts.total,
            "done": counts.done,
            "failed": counts.failed,
            "left": counts.left,
        });
        let answered = counts.total - counts.left;
        ereport::notice(
            sqlstate::PROGRESS,
            &format!("text2sql: batch ({answered} of {})", counts.total),
            &report.to_string(),
            "batch",
        );
        Ok(())
    }

    /// Says how the batch ended.
    pub(crate) fn sum_up(&self) -> Result<(), Error> {
        let counts = store::counts(self.batch)?;
        pgrx::notice!(
            "batch \"{}\": {} questions, {} done, {} failed",
            self.batch,
            counts.total,
            counts.done,
            counts.failed
        );
        Ok(())
    }
}
