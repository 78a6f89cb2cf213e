//! What the catalog has for a question.

use super::retrieve;
use super::understand::{recall, understand};
use crate::conversation::Turn;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_retrieval::Context;

/// Searches the catalog for a question, even if the whole schema would fit in a prompt.
pub fn find(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Context, Error> {
    let turns = recall(cx, turns)?;
    let (understanding, _) = understand(cx, question, &turns);
    retrieve::find(cx, &understanding, &turns)
}
