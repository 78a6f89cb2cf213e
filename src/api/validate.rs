//! `text2sql.validate(sql)`: the guard's verdict on a statement, and what the statement reads.
//!
//! The result is advice: nothing is run, and `run` checks again. A refusal is a row here, not an error.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_domain::ports::Outcome;
use text2sql_phrases::translated;

use crate::pg::Datum;
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::execution::inspect::Inspection;
use crate::pg::server::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::sqlstate;
use crate::statement::reader_language::in_reader_language;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.validate(sql text)
    RETURNS TABLE (
        allowed boolean,
        rule text,
        reason text,
        offender text,
        error_position integer,
        statement text,
        read_relations text[],
        read_columns text[],
        called_functions text[],
        estimated_cost double precision,
        estimated_rows double precision,
        sqlstate text,
        lineage json
    )
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_validate';
"#,
    name = "validate"
);
entry_point!(validate);

/// The `rule` of a statement that is invalid for the database itself.
const WRONG_SQL: &str = "error";

/// Checks a statement without running it.
fn validate(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let sql = call.required_text(0, "statement")?;
    let limits = settings::limits(&Overrides::default());
    let inspection = in_reader_language(|| Ok(GuardedDatabase::new()?.inspect(&sql, &limits)?))?;
    in_reader_language(|| set.hand_over_row(&row(&inspection)))
}

fn row(inspection: &Inspection) -> [Option<Datum>; 13] {
    let refused: String;
    let (rule, reason, offender, position) = match &inspection.outcome {
        Outcome::Passed(()) => (None, None, None, None),
        Outcome::Rejected(rejection) => {
            refused = translated(&rejection.reason);
            (
                Some(rejection.rule.as_str()),
                Some(&refused),
                rejection.offender.as_ref(),
                rejection.position,
            )
        }
        Outcome::Failed(error) => (Some(WRONG_SQL), Some(&error.message), None, error.position),
    };
    let contents = inspection.contents.as_ref();
    // A JSON value is stored as a text is.
    let lineage = contents.and_then(|contents| serde_json::to_string(&contents.lineage).ok());
    [
        rule.is_none().into_datum(),
        rule.and_then(text_datum),
        reason.and_then(|reason| text_datum(reason)),
        offender.and_then(|offender| text_datum(offender)),
        position
            .and_then(|position| i32::try_from(position).ok())
            .into_datum(),
        inspection.statement.as_deref().and_then(text_datum),
        contents.and_then(|contents| text_array(&contents.relations)),
        contents.and_then(|contents| text_array(&contents.columns)),
        contents.and_then(|contents| text_array(&contents.functions)),
        inspection
            .estimate
            .map(|estimate| estimate.cost)
            .into_datum(),
        inspection
            .estimate
            .map(|estimate| estimate.rows)
            .into_datum(),
        sqlstate_of(&inspection.outcome).and_then(text_datum),
        lineage.as_deref().and_then(text_datum),
    ]
}

/// The SQLSTATE that `run` would raise; `None` if none.
fn sqlstate_of(outcome: &Outcome<()>) -> Option<&str> {
    match outcome {
        Outcome::Passed(()) => None,
        Outcome::Rejected(rejection) => Some(sqlstate::of_rule(rejection.rule)),
        Outcome::Failed(error) => Some(&error.sqlstate),
    }
}
