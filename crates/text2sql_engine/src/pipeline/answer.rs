//! The last stage: builds the answer from the SQL that passed.

use serde_json::json;

use super::attempt::{End, Solved};
use super::withheld::{self, Omitted};
use super::row_notes::Noted;
use super::{interpret, row_notes};
use crate::answer_texts::{self, filled_sentence, states_a_value, with_extent};
use crate::narrate::{narrate, narrator};
use text2sql_builtin as builtin;
use text2sql_domain::answer::Answer;
use text2sql_domain::confidence::Signal;
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::sql_result::{Execution, ResultColumn};
use text2sql_language::sentences::result;
use text2sql_language::understanding::Understanding;

/// SQL that passed the guard but was not run, or the answer that explains why there is none.
pub type Written = Result<WrittenSql, Box<Answer>>;

/// SQL that passed the guard, and the parts of the question that it does not answer.
#[derive(Debug)]
pub struct WrittenSql {
    /// The query.
    pub sql: String,
    /// Its result columns.
    pub columns: Vec<ResultColumn>,
    /// The parts of the question that it does not answer.
    pub left_out: Omitted,
}

/// The answer to a question, with the assumptions made.
pub(super) fn with_rows(
    cx: &Run<'_>,
    end: End<Execution>,
    assumptions: Vec<String>,
) -> Result<Answer, Error> {
    let mut answer = match end {
        End::Solved(solved) => finish(cx, *solved)?,
        End::Answered(answer) => *answer,
    };
    answer.links.splice(0..0, assumptions);
    answer.trace = cx.trace.borrow().clone();
    Ok(answer)
}

/// The SQL for a question, with the assumptions made.
pub(super) fn with_sql(
    cx: &Run<'_>,
    end: End<Vec<ResultColumn>>,
    assumptions: Vec<String>,
) -> Result<Written, Error> {
    let solved = match end {
        End::Solved(solved) => *solved,
        End::Answered(answer) => return Ok(Err(answer)),
    };
    let (understanding, context) = (&solved.understanding, &solved.context);
    let mut left_out = withheld::find_omitted(cx, understanding, context, &solved.proposal)?;
    left_out.missing.splice(0..0, assumptions);
    Ok(Ok(WrittenSql {
        sql: solved.proposal.sql,
        columns: solved.result,
        left_out,
    }))
}

/// The answer with rows, with the implicit facts of the question.
fn finish(cx: &Run<'_>, solved: Solved<Execution>) -> Result<Answer, Error> {
    let Solved {
        understanding,
        context,
        mut proposal,
        result: execution,
    } = solved;
    interpret::state(&context.facts, &mut proposal);
    let noted = row_notes::add(cx, &understanding, &context, &mut proposal, &execution)?;
    let left_out = withheld::find_omitted(cx, &understanding, &context, &proposal)?;
    let sentence = sentence(cx, &understanding, &proposal, &execution, &noted)?;
    // The confidence was measured on answers with rows. An empty result may also mean that the question
    // was misread.
    let is_empty = matches!(cx.config.model, ModelConfig::Builtin) && result::is_empty(&execution);
    let confidence = confidence(cx, &proposal).filter(|_| !is_empty);
    let mut answer = Answer {
        confidence,
        ..answer_texts::answer(proposal, execution, sentence)
    };
    answer.withheld = left_out.withheld;
    answer.warnings.extend(left_out.missing);
    answer.warnings.extend(context.notes);
    Ok(answer)
}

/// The measured probability that the answer is right, if there is one. Not computed for a query that a
/// person verified.
fn confidence(cx: &Run<'_>, proposal: &SqlProposal) -> Option<f64> {
    if proposal.verified_by.is_some() {
        return None;
    }
    if matches!(cx.config.model, ModelConfig::Builtin) {
        return builtin::confidence::confidence(&proposal.sql);
    }
    let (fit, score) = (cx.config.confidence?, proposal.score.as_ref()?);
    Some(fit.probability(Signal {
        score: score.total(),
        agreement: score.agreement_share(),
    }))
}

/// The sentence for an answer with rows: that of the model if it states a value of the rows, else the one made from the
/// rows. Where no rules know the language of the question, that of the model comes first in any case.
fn sentence(
    cx: &Run<'_>,
    understanding: &Understanding,
    proposal: &SqlProposal,
    execution: &Execution,
    noted: &Noted,
) -> Result<Option<String>, Error> {
    if !cx.config.enable_narration {
        return Ok(None);
    }
    let stage = cx.stage("answer");
    let filled = filled_sentence(understanding, proposal, execution).filter(|_| !noted.is_tied());
    let states = filled.is_some() && states_a_value(proposal);
    stage.end(
        json!({"rows": execution.rows.len(), "truncated": execution.is_truncated}),
        json!({"sentence": proposal.sentence, "usable": filled.is_some(), "states_a_value": states}),
    );
    if let Some(sentence) = filled.as_ref().filter(|_| states) {
        return Ok(Some(with_extent(sentence.clone(), execution)));
    }
    if filled.is_none()
        && let Some(endpoint) = narrator(cx, execution)
    {
        let stage = cx.stage("narrate");
        let narrated = narrate(cx, endpoint, understanding, execution)?;
        stage.end(
            json!({"rows": execution.rows.len()}),
            json!({"supported": narrated.is_some()}),
        );
        if let Some(sentence) = narrated {
            return Ok(Some(with_extent(sentence, execution)));
        }
    }
    let own = noted.sentence(understanding, execution);
    Ok(Some(match filled.filter(|_| !result::has_rules(understanding)) {
        Some(sentence) => format!("{} {own}", with_extent(sentence, execution)),
        None => own,
    }))
}
