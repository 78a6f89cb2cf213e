//! `text2sql.optimize_workload(top, max_indexes, max_size)`: one set of indexes, and rewrites, for the statements that the
//! server has counted. Changes nothing and runs none of them.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_analysis::optimize::workload::{Budget, Gain};
use text2sql_domain::error::{Error, failure};

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::statement::reader_language::in_reader_language;
use crate::statement::workload;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.optimize_workload(
        top integer DEFAULT 50, max_indexes integer DEFAULT 5, max_size bigint DEFAULT NULL)
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
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000000 ROWS 10
    AS 'MODULE_PATHNAME', 'text2sql_optimize_workload';
"#,
    name = "optimize_workload"
);
entry_point!(
    text2sql_optimize_workload,
    pg_finfo_text2sql_optimize_workload,
    optimize_workload
);

/// Maximum number of statements: each is planned several times.
const MAX_TOP: usize = 500;

/// Maximum number of proposed indexes.
const MAX_INDEXES: usize = 50;

/// Proposes indexes and rewrites for the statements with the most time.
fn optimize_workload(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let top = within("top", call.integer(0), MAX_TOP)?;
    let budget = Budget {
        max_indexes: within("max_indexes", call.integer(1), MAX_INDEXES)?,
        max_bytes: match call.bigint(2) {
            Some(bytes) if bytes < 0 => {
                return Err(out_of_range("max_size", &bytes.to_string(), "0 or more").into());
            }
            bytes => bytes.map(|bytes| bytes as f64),
        },
    };
    let lines = in_reader_language(|| Ok(workload::optimize(top, &budget)?))?;
    let rows: Vec<_> = lines
        .iter()
        .map(|line| {
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
        })
        .collect::<Result<_, Error>>()?;
    set.hand_over_rows(rows)
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

fn within(name: &str, given: Option<i32>, most: usize) -> Result<usize, Error> {
    let number = given.and_then(|number| usize::try_from(number).ok());
    number.filter(|number| *number <= most).ok_or_else(|| {
        let value = given.map_or_else(|| "null".to_owned(), |number| number.to_string());
        out_of_range(name, &value, &format!("0 to {most}"))
    })
}

fn out_of_range(name: &str, value: &str, range: &str) -> Error {
    failure!(Setting, "{name} must be {range}, not {value}")
        .with_hint("SELECT * FROM text2sql.optimize_workload(top => 50, max_indexes => 5);")
}
