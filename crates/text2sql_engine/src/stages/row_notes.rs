//! Looks up what the rows of a result do not show: who shares a place of a ranking, and why nothing was found. The extra
//! queries run through the guard, as the caller, within small limits, whichever engine wrote the SQL.

use serde_json::json;

use crate::result_facts::{PeriodCondition, ReadQuery, data_range_sql, places_of};
use text2sql_analysis::findings::Effort;
use text2sql_analysis::why_empty::{CauseKind, why_empty};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::quote_literal;
use text2sql_domain::sql_result::Execution;
use text2sql_language::sentences::claims::reaches_beyond;
use text2sql_language::sentences::result::facts::{Places, QueryFacts, Reason, Role};
use text2sql_language::sentences::result::{Found, is_empty, is_zero, left_out, sentence};
use text2sql_language::sentences::values::fits;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::{Context, describe_named_in};

/// Maximum number of statements to find the cause of an empty result.
const MAX_STATEMENTS: usize = 12;

/// Maximum number of periods whose data are looked at.
const MAX_PERIODS: usize = 2;

/// Maximum number of values that are named as near to one that does not occur.
const MAX_NEAREST: usize = 3;

/// Maximum length of a condition in a sentence, in characters.
const MAX_PART: usize = 100;

/// What is known about a result beside its rows.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    facts: QueryFacts,
    places: Option<Places>,
    reasons: Vec<Reason>,
}

impl Noted {
    /// The sentence that states the answer; of a query that `is_off_topic` in the words of the query.
    pub(crate) fn sentence(
        &self,
        understanding: &Understanding,
        execution: &Execution,
        is_off_topic: bool,
    ) -> String {
        sentence(&Found {
            understanding,
            execution,
            is_off_topic,
            facts: &self.facts,
            places: self.places.as_ref(),
            reasons: &self.reasons,
        })
    }

    /// Whether there are rows, or groups of the query, that the result does not show.
    pub(crate) fn is_cut(&self, execution: &Execution) -> bool {
        let limit = self.facts.limit;
        execution.is_truncated || limit.is_some_and(|limit| execution.rows.len() as u64 >= limit)
    }

    /// Whether a sentence of a model speaks of rows that a cut result does not show.
    pub(crate) fn reaches_beyond(&self, sentence: &str, execution: &Execution) -> bool {
        reaches_beyond(sentence, self.facts.order.as_ref(), &execution.columns)
    }

    /// Whether several rows share the first place.
    pub(crate) fn is_tied(&self) -> bool {
        self.places.as_ref().is_some_and(|places| places.equal > 1)
    }
}

/// Looks up what the sentence needs, and adds the note about rows that are equal to the last one shown.
pub(crate) fn add(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    proposal: &mut SqlProposal,
    execution: &Execution,
) -> Result<Noted, Error> {
    if !cx.config.enable_narration {
        return Ok(Noted::default());
    }
    let tables = describe_named_in(cx, &proposal.sql, &context.tables)?;
    let Some(mut query) = ReadQuery::read(&proposal.sql, &tables) else {
        return Ok(Noted::default());
    };
    let places = places(cx, &query, execution)?;
    // The places of an order by names are no ranking.
    let is_ranked = places.is_some()
        && query.facts.order.as_ref().is_some_and(|order| {
            matches!(
                order.is.role,
                Role::Count | Role::DistinctCount | Role::Sum | Role::Measure
            )
        });
    if !is_ranked && query.facts.is_limited(understanding, execution.rows.len()) {
        query.facts.all = all_rows(cx, &query, execution)?;
    }
    let reasons = match is_empty(execution) || is_zero(execution) {
        true => reasons(cx, &query, proposal, execution)?,
        false => Vec::new(),
    };
    if let (Some(places), Some(limit)) = (&places, query.facts.limit) {
        if let Some(note) = &proposal.ties_note {
            proposal.notes.retain(|known| known != note);
        }
        proposal
            .notes
            .extend(left_out(understanding, places, limit));
    }
    Ok(Noted {
        facts: query.facts,
        places,
        reasons,
    })
}

/// The first places, unless all rows of the order are shown.
fn places(cx: &Run<'_>, query: &ReadQuery, execution: &Execution) -> Result<Option<Places>, Error> {
    // More rows than the limit are those equal to the last one: WITH TIES shows them.
    let is_cut = query
        .facts
        .limit
        .is_some_and(|limit| execution.rows.len() as u64 >= limit);
    let Some(sql) = query
        .places_sql()
        .filter(|_| is_cut && !execution.is_truncated)
    else {
        return Ok(None);
    };
    let limits = Effort::within(&cx.config.limits).limits;
    let stage = cx.stage("answer");
    let outcome = cx.database.run(&sql, &limits)?;
    stage.end(json!({"sql": sql}), outcome.summary());
    Ok(match outcome {
        Outcome::Passed(found) => places_of(&query.facts, execution, &found),
        Outcome::Rejected(_) | Outcome::Failed(_) => None,
    })
}

/// How many rows there are without LIMIT.
fn all_rows(cx: &Run<'_>, query: &ReadQuery, execution: &Execution) -> Result<Option<u64>, Error> {
    if execution.is_truncated {
        return Ok(None);
    }
    let sql = query.all_sql();
    let limits = Effort::within(&cx.config.limits).limits;
    let stage = cx.stage("answer");
    let outcome = cx.database.run(&sql, &limits)?;
    stage.end(json!({"sql": sql}), outcome.summary());
    let Outcome::Passed(found) = outcome else {
        return Ok(None);
    };
    let count = found
        .rows
        .first()
        .and_then(|row| row.first()?.text.as_deref()?.parse().ok());
    Ok(count)
}

/// Why nothing was found, as far as that can be told.
fn reasons(
    cx: &Run<'_>,
    query: &ReadQuery,
    proposal: &SqlProposal,
    execution: &Execution,
) -> Result<Vec<Reason>, Error> {
    let stage = cx.stage("answer");
    let found = look_up(cx, query, proposal, is_zero(execution))?;
    stage.end(
        json!({"rows": execution.rows.len()}),
        json!({"found": false, "reasons": found.len()}),
    );
    Ok(found)
}

fn look_up(
    cx: &Run<'_>,
    query: &ReadQuery,
    proposal: &SqlProposal,
    is_zero: bool,
) -> Result<Vec<Reason>, Error> {
    let effort = Effort {
        statements: MAX_STATEMENTS,
        ..Effort::within(&cx.config.limits)
    };
    let mut reasons = Vec::new();
    for period in query.periods().into_iter().take(MAX_PERIODS) {
        let range = data_range(cx, &period, &effort)?;
        let is_outside = range
            .iter()
            .any(|reason| !matches!(reason, Reason::Period { .. }));
        reasons.extend(range);
        if is_outside {
            return Ok(reasons);
        }
    }
    // A value close to a private value could reveal it.
    if query.may_be_private() {
        return Ok(reasons);
    }
    let cause = match &proposal.empty_cause {
        // The gate has looked it up.
        Some(known) => reason_of(known.kind, known.part.as_deref(), &known.nearest),
        None => cause(cx, query, &effort)?,
    };
    // The number 0 already says that no row meets a condition.
    let says_more = |reason: &Reason| match reason {
        Reason::Condition { nearest, .. } => !nearest.is_empty(),
        Reason::EmptyTable(_) | Reason::Join(_) => true,
        _ => false,
    };
    reasons.extend(cause.filter(|reason| !is_zero || says_more(reason)));
    Ok(reasons)
}

/// The days of the period, and the first or last date of the data if the period lies beyond it.
fn data_range(
    cx: &Run<'_>,
    period: &PeriodCondition,
    effort: &Effort,
) -> Result<Vec<Reason>, Error> {
    let mut limits = effort.limits.clone();
    limits.max_result_rows = 1;
    let Outcome::Passed(found) = cx.database.run(&data_range_sql(period), &limits)? else {
        return Ok(Vec::new());
    };
    let cell = |at: usize| found.rows.first()?.get(at)?.text.clone();
    let (from, to) = (cell(2), cell(3));
    let mut reasons = vec![Reason::Period {
        from: from.clone(),
        to: to.clone(),
    }];
    // A value of a private column is not shown.
    let (Some(first), Some(last), false) = (cell(0), cell(1), found.is_private) else {
        return Ok(reasons);
    };
    let column = period.label.clone();
    // Days are compared as `YYYY-MM-DD`.
    if from.is_some_and(|from| last < from) {
        reasons.push(Reason::LastDate { column, day: last });
    } else if to.is_some_and(|to| first > to) {
        reasons.push(Reason::FirstDate { column, day: first });
    }
    Ok(reasons)
}

/// The first cause that a sentence can tell.
fn cause(cx: &Run<'_>, query: &ReadQuery, effort: &Effort) -> Result<Option<Reason>, Error> {
    let Some(rows) = query.rows_sql() else {
        return Ok(None);
    };
    let Outcome::Passed(causes) = why_empty(&rows, query.tables(), cx.database, effort)? else {
        return Ok(None);
    };
    let reasons = causes
        .iter()
        .find_map(|cause| reason_of(cause.kind.as_str(), cause.part.as_deref(), &cause.nearest));
    Ok(reasons)
}

/// What a cause says to the reader of a sentence. `kind` is its name in the SQL interface.
fn reason_of(kind: &str, part: Option<&str>, nearest: &[String]) -> Option<Reason> {
    let part = part.filter(|part| is_readable(part)).map(str::to_owned);
    let nearest = nearest.iter().filter(|value| fits(value)).take(MAX_NEAREST);
    let is = |cause: CauseKind| cause.as_str() == kind;
    Some(match part {
        _ if is(CauseKind::NotEmpty) => Reason::NoValues,
        Some(table) if is(CauseKind::EmptyTable) || is(CauseKind::RowSecurity) => {
            Reason::EmptyTable(table)
        }
        Some(sql) if is(CauseKind::Filter) => Reason::Condition {
            sql,
            nearest: nearest.map(|value| shown(value)).collect(),
        },
        Some(sql) if is(CauseKind::GroupFilter) => Reason::GroupCondition(sql),
        Some(sql) if is(CauseKind::Join) => Reason::Join(sql),
        Some(sql) if is(CauseKind::Combination) => {
            Reason::Together(sql.split("; ").map(str::to_owned).collect())
        }
        _ => return None,
    })
}

/// Whether a sentence can quote the SQL: a part of some words without a query of its own.
fn is_readable(part: &str) -> bool {
    fits(part) && part.chars().count() <= MAX_PART && !part.to_lowercase().contains("select ")
}

/// A value as SQL writes it.
fn shown(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(_) => value.to_owned(),
        Err(_) => quote_literal(value),
    }
}
