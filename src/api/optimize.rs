//! `text2sql.optimize(sql, options)`: proposes ways to make a query faster, or, without one, the statements that the server
//! has counted. Changes nothing, and calls a model only with the option `use_model`.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_analysis::findings::Effort;
use text2sql_analysis::optimize::workload::{Budget, Gain};
use text2sql_analysis::optimize::{Inserted, Proposal, ProposalKind, optimize as proposals};
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::ports::Session;
use text2sql_statements::model_rewrites as suggested;
use text2sql_statements::model_rewrites::Judged;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::session::PgSession;
use crate::pg::server::settings::{Overrides, whole_number};
use crate::pg::stored::record::approvals;
use crate::pg::stored::teaching::adviser::Adviser;
use crate::question::options::{Accepted, bytes, each};
use crate::statement::planner::GuardedPlanner;
use crate::statement::reader_language::in_reader_language;
use crate::statement::submitted_sql::SubmittedSql;
use crate::statement::workload;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.optimize(sql text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS TABLE (
        kind text,
        explanation text,
        sql text,
        cost_before double precision,
        cost_after double precision,
        size bigint,
        caveats text,
        statements json
    )
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 5
    AS 'MODULE_PATHNAME', 'text2sql_optimize';
"#,
    name = "optimize"
);
entry_point!(optimize);

/// The options without a statement, each with a sample value.
const OF_WORKLOAD: [(&str, &str); 3] =
    [("top", "50"), ("max_indexes", "5"), ("max_size", "\"1GB\"")];

/// Maximum number of statements: each is planned several times.
const MAX_TOP: u64 = 500;

/// Maximum number of proposed indexes.
const MAX_INDEXES: u64 = 50;

fn optimize(call: &Call) -> Result<Datum, Raised> {
    match call.text(0)? {
        Some(statement) => optimize_one(call, statement),
        None => optimize_workload(call),
    }
}

/// Proposes one set of indexes, and rewrites, for the statements with the most time.
fn optimize_workload(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let (mut top, mut max_indexes, mut max_bytes) = (50, 5, None);
    each(call.json(1)?, &OF_WORKLOAD, |name, value| {
        match name {
            "top" => top = whole_number(value, 0, MAX_TOP)?,
            "max_indexes" => max_indexes = whole_number(value, 0, MAX_INDEXES)?,
            _ => max_bytes = Some(bytes(value, 0)? as f64),
        }
        Ok(())
    })?;
    let budget = Budget {
        max_indexes: max_indexes as usize,
        max_bytes,
    };
    let lines = in_reader_language(|| Ok(workload::optimize(top as usize, &budget)?))?;
    let rows = lines.iter().map(|line| {
        Ok([
            text_datum(line.kind),
            text_datum(&line.explanation),
            line.sql.as_deref().and_then(text_datum),
            line.cost_before.into_datum(),
            line.cost_after.into_datum(),
            line.size.map(|size| size as i64).into_datum(),
            line.caveats.as_deref().and_then(text_datum),
            json(&line.statements)?,
        ])
    });
    set.hand_over_rows(rows.collect::<Result<Vec<_>, Error>>()?)
}

/// A JSON value is stored as a text is.
fn json(statements: &[Gain]) -> Result<Option<Datum>, Error> {
    if statements.is_empty() {
        return Ok(None);
    }
    let text = serde_json::to_string(statements).map_err(|error| {
        failure!(Internal, "statements cannot be written as JSON").with_source(error)
    })?;
    Ok(text_datum(&text))
}

/// Proposes rewrites, indexes and statistics; with the option `use_model`, also rewrites by the model.
fn optimize_one(call: &Call, statement: String) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let options = Accepted::model_and("use_model").read(call.json(1)?)?;
    let inserted = Inserted::read(&statement).unwrap_or_default();
    let query = inserted.as_ref().and_then(Inserted::query);
    let given = SubmittedSql::judged(query.unwrap_or(statement), &options.overrides)?;
    let planner = GuardedPlanner::new(&given)?;
    let effort = Effort::within(&given.limits);
    let mut found = proposals(
        &given.sql,
        &given.tables,
        &planner,
        &given.database,
        &effort,
    )?;
    if options.is_on {
        let judged = Judged {
            sql: &given.sql,
            tables: &given.tables,
            planner: &planner,
            database: &given.database,
            limits: &given.limits,
        };
        match of_model(&judged, &options.overrides) {
            Ok(more) => found.extend(more),
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error.into()),
            // The other proposals do not depend on the model.
            Err(error) => found.push(Proposal::note(format!(
                "No rewrite by a model: {}.",
                error.message()
            ))),
        }
    }
    if let Some(inserted) = &inserted {
        for proposal in &mut found {
            if matches!(
                proposal.kind,
                ProposalKind::Rewrite | ProposalKind::Unproved
            ) && let Some(sql) = &proposal.sql
            {
                proposal.sql = inserted.with(sql)?;
            }
        }
        found.push(Proposal::note(
            "Costs are those of the query behind INSERT; nothing is inserted.",
        ));
    }
    set.hand_over_rows(found.iter().map(|proposal| {
        [
            text_datum(proposal.kind.as_str()),
            text_datum(&proposal.explanation),
            proposal.sql.as_deref().and_then(text_datum),
            proposal.cost_before.into_datum(),
            proposal.cost_after.into_datum(),
            proposal.size.map(|size| size as i64).into_datum(),
            proposal.caveats.as_deref().and_then(text_datum),
            None,
        ]
    }))
}

fn of_model(judged: &Judged<'_>, overrides: &Overrides) -> Result<Vec<Proposal>, Error> {
    // A rewrite is run to be compared.
    if approvals::of_caller()?.applies() {
        return Err(failure!(
            Setup,
            "queries that a model writes wait for approval"
        ));
    }
    let adviser = Adviser::with(overrides)?;
    let asked = suggested::ask(
        judged.sql,
        judged.tables,
        judged.planner,
        adviser.egress(),
        adviser.budget(),
        &PgSession::new().server_version(),
    )?;
    let Some(asked) = asked else {
        return Ok(vec![Proposal::note(
            "The model was not called: the constants of the statement could not be masked.",
        )]);
    };
    let subject = format!("optimize {}", judged.sql);
    let reply = adviser.ask(&subject, asked.prompt.clone(), suggested::json_schema())?;
    suggested::proposals(&asked, &reply, adviser.name(), judged)
}
