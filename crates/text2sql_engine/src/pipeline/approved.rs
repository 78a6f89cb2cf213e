//! The rows of a query that somebody approved.

use super::prepare::Asked;
use super::{answer, hold};
use text2sql_domain::answer::Answer;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Question;

/// Answers a question with the rows of a query that was written for it before and approved since.
pub fn answer_approved(
    cx: &Run<'_>,
    question: &Question,
    approved: SqlProposal,
) -> Result<Answer, Error> {
    let prepared = Asked::of(cx, question, &[])?.prepare(cx, false)?;
    let end = hold::run_approved(cx, prepared.understanding, prepared.context, approved)?;
    answer::with_rows(cx, end, Vec::new())
}
