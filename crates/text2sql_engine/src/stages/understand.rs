//! Filters the earlier turns by the caller's privileges, and parses the question.

use std::rc::Rc;

use serde_json::json;

use crate::conversation::{self, Turn};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_language::recent_questions::understood;
use text2sql_language::understanding::Understanding;

/// The turns that the caller may still read.
pub(crate) fn recall(cx: &Run<'_>, turns: &[Turn]) -> Result<Vec<Turn>, Error> {
    if turns.is_empty() {
        return Ok(Vec::new());
    }
    let stage = cx.stage("recall");
    let kept = conversation::recall(cx, turns)?;
    stage.end(
        json!({"turns": turns.len()}),
        json!({"readable": kept.len()}),
    );
    Ok(kept)
}

/// Parses the question once for all stages. If it picks a reading of the last turn, returns that reading
/// and `true`.
pub(crate) fn understand(
    cx: &Run<'_>,
    question: &Question,
    turns: &[Turn],
) -> (Rc<Understanding>, bool) {
    let understanding = understood(question.as_str(), &cx.session.today());
    match conversation::picked(turns, &understanding) {
        Some(reading) => (Rc::new(reading), true),
        None => (understanding, false),
    }
}
