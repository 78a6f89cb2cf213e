//! What a search sent to an endpoint where no model was asked: it counts against budgets and is recorded like the
//! requests of a question.

use pgrx::Uuid;
use serde_json::json;
use text2sql_domain::answer::Status;
use text2sql_domain::error::Error;
use text2sql_domain::trace::Trace;

use super::question_budgets;
use crate::pg::stored::record::history::{self, Ended, Record};

/// The search that sent something.
pub(crate) struct SearchRequests<'a> {
    pub(crate) trace_id: Uuid,
    /// The SQL function that was called.
    pub(crate) function: &'static str,
    pub(crate) conversation: Option<&'a str>,
    /// What was searched for.
    pub(crate) question: &'a str,
    /// What it did and sent.
    pub(crate) trace: Trace,
}

impl SearchRequests<'_> {
    /// Charges and records them; nothing if nothing was sent.
    pub(crate) fn record(&self) -> Result<(), Error> {
        if self.trace.exchanges.is_empty() {
            return Ok(());
        }
        question_budgets::charge_usage(&self.trace)?;
        history::record(&Record {
            trace_id: self.trace_id,
            function: self.function,
            conversation: self.conversation,
            question: self.question,
            ended: Ended {
                status: Status::Ok.as_str(),
                ..Ended::default()
            },
            model: "none",
            settings: json!({}),
            trace: &self.trace,
        })
    }
}
