//! Looks up facts about the result of a built-in engine query: ties at the top of a ranking, and why a
//! result is empty. The extra queries run through the guard, as the caller, within small limits.

use serde_json::json;

use text2sql_analysis::findings::Effort;
use text2sql_analysis::why_empty::{CauseKind, why_empty};
use text2sql_builtin::additional_queries::empty_result::{self, End};
use text2sql_builtin::additional_queries::ties::{self, TieReport};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::sentence_checks::Period;
use text2sql_domain::sql_result::Execution;
use text2sql_language::sentences::values::fits;
use text2sql_retrieval::Context;

/// Maximum number of statements to find the cause of an empty result.
const MAX_STATEMENTS: usize = 12;

/// Whether the result is empty: no rows, or a single row of NULLs.
pub(super) fn is_empty(execution: &Execution) -> bool {
    match execution.rows.as_slice() {
        _ if execution.is_truncated => false,
        [] => true,
        [row] => !row.is_empty() && row.iter().all(|cell| cell.text.is_none()),
        _ => false,
    }
}

/// Whether the result is the number 0, which is correct but may need an explanation.
fn is_zero(execution: &Execution) -> bool {
    let [row] = execution.rows.as_slice() else {
        return false;
    };
    matches!(row.as_slice(), [cell] if cell.text.as_deref() == Some("0"))
}

/// Looks up the facts and writes the sentence of the proposal.
pub(super) fn add(
    cx: &Run<'_>,
    context: &Context,
    proposal: &mut SqlProposal,
    execution: &Execution,
) -> Result<(), Error> {
    if !cx.config.enable_narration || proposal.emptiness.is_none() {
        return Ok(());
    }
    if is_empty(execution) {
        let stage = cx.stage("answer");
        let sentence = empty_sentence(cx, context, proposal)?;
        stage.end(
            json!({"rows": execution.rows.len()}),
            json!({"found": false}),
        );
        proposal.told = Some(sentence);
        return Ok(());
    }
    if is_zero(execution)
        && let Some(emptiness) = &proposal.emptiness
    {
        let effort = Effort::within(&cx.config.limits);
        for period in &emptiness.periods {
            if let Some(end) = data_end(cx, period, &effort)? {
                proposal
                    .notes
                    .push(empty_result::end_sentence(emptiness, period, end));
            }
        }
    }
    if let Some(leaders) = leaders(cx, proposal, execution)? {
        if let Some(ranking) = &proposal.ranking {
            proposal.notes.retain(|note| *note != ranking.note);
        }
        proposal.notes.extend(leaders.note);
        proposal.told = leaders.sentence;
    }
    Ok(())
}

fn leaders(
    cx: &Run<'_>,
    proposal: &SqlProposal,
    execution: &Execution,
) -> Result<Option<TieReport>, Error> {
    let Some(ranking) = &proposal.ranking else {
        return Ok(None);
    };
    let limits = Effort::within(&cx.config.limits).limits;
    let stage = cx.stage("answer");
    let outcome = cx.database.run(&ranking.sql, &limits)?;
    stage.end(json!({"sql": ranking.sql}), outcome.summary());
    Ok(match outcome {
        Outcome::Passed(found) => ties::report(ranking, execution, &found),
        Outcome::Rejected(_) | Outcome::Failed(_) => None,
    })
}

/// The sentence that says that nothing was found, and why.
fn empty_sentence(
    cx: &Run<'_>,
    context: &Context,
    proposal: &SqlProposal,
) -> Result<String, Error> {
    let Some(emptiness) = &proposal.emptiness else {
        return Ok("Nothing was found.".to_owned());
    };
    let effort = Effort {
        statements: MAX_STATEMENTS,
        ..Effort::within(&cx.config.limits)
    };
    for period in &emptiness.periods {
        if let Some(end) = data_end(cx, period, &effort)? {
            return Ok(empty_result::sentence(
                emptiness,
                Some(period),
                Some(end),
                None,
            ));
        }
    }
    let period = emptiness.periods.first();
    let cause = cause(cx, context, &emptiness.rows, &effort)?;
    Ok(empty_result::sentence(
        emptiness,
        period,
        None,
        cause.as_deref(),
    ))
}

/// The first or last date of the data, if the period lies beyond it.
fn data_end(cx: &Run<'_>, period: &Period, effort: &Effort) -> Result<Option<End>, Error> {
    let mut limits = effort.limits.clone();
    limits.max_result_rows = 1;
    let Outcome::Passed(found) = cx
        .database
        .run(&empty_result::data_range_sql(period), &limits)?
    else {
        return Ok(None);
    };
    // A value of a private column is not shown.
    if found.is_private {
        return Ok(None);
    }
    let cell = |at: usize| found.rows.first()?.get(at)?.text.as_deref();
    Ok(match (cell(0), cell(1)) {
        (Some(first), Some(last)) => empty_result::outside_data(period, first, last),
        _ => None,
    })
}

/// The cause of an empty result, if one condition alone is the cause.
fn cause(
    cx: &Run<'_>,
    context: &Context,
    rows: &str,
    effort: &Effort,
) -> Result<Option<String>, Error> {
    // A value close to a private value could reveal it.
    let has_private = context.tables.iter().any(|table| {
        rows.contains(&table.sql_name()) && table.columns.iter().any(|c| c.is_private)
    });
    if has_private {
        return Ok(None);
    }
    let Outcome::Passed(causes) = why_empty(rows, &context.tables, cx.database, effort)? else {
        return Ok(None);
    };
    let first = causes.into_iter().find(|cause| {
        !matches!(
            cause.kind,
            CauseKind::NotEmpty | CauseKind::Unknown | CauseKind::Limit
        )
    });
    Ok(first
        .map(|cause| cause.explanation)
        .filter(|sentence| fits(sentence)))
}
