//! `text2sql.drop_conversation()`: forgets what was asked in a conversation.

use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::record::conversation;

/// Deletes the caller's turns of a conversation; gives how many.
#[pg_extern(volatile, parallel_unsafe, strict)]
fn drop_conversation(conversation: &str) -> Result<i64, ErrorReport> {
    conversation::forget(conversation).map_err(report)
}
