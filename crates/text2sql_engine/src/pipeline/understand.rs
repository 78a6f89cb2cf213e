//! What was asked before, as far as the caller may still read it, and what the question says by itself.

use serde_json::json;

use crate::conversation::{self, Turn};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_language::understanding::Understanding;

/// Those of the turns that the caller may still read.
pub(super) fn recall(cx: &Run<'_>, turns: &[Turn]) -> Result<Vec<Turn>, Error> {
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

/// Understands the question once, for all stages: itself, or the reading of the last one that it picks. Also
/// whether it is a reading.
pub(super) fn understand(
    cx: &Run<'_>,
    question: &Question,
    turns: &[Turn],
) -> (Understanding, bool) {
    let understanding = Understanding::of(question.as_str(), &cx.session.today());
    match conversation::picked(turns, &understanding) {
        Some(reading) => (reading, true),
        None => (understanding, false),
    }
}
