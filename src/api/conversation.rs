//! `text2sql.drop_conversation()`: deletes the turns of a conversation.

use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::record::conversation;

/// Deletes the caller's turns of a conversation; returns their number.
#[pg_extern(volatile, parallel_unsafe, strict)]
fn drop_conversation(conversation: &str) -> Result<i64, ErrorReport> {
    conversation::forget(conversation).map_err(report)
}
