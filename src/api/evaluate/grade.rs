//! `text2sql_eval.grade`: grades a statement against a gold statement, without a model.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use serde_json::Value;
use text2sql_domain::error::{Error, ErrorKind};

use super::json;
use crate::evaluation::{self, Task};
use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::spi;
use crate::question::options::NOT_AN_OBJECT;

extension_sql!(
    r#"
CREATE FUNCTION text2sql_eval.grade(gold text, candidate text, options jsonb DEFAULT '{}')
    RETURNS TABLE (
        verdict text, ex boolean, ea_share double precision, em_share double precision,
        similarity double precision, columns_identified double precision, reasons text[],
        details json)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_grade';
"#,
    name = "grade",
    requires = ["eval_schema"]
);
entry_point!(grade);

/// Grades one statement against a gold statement.
fn grade(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let gold = call.required_text(0, "gold statement")?;
    let candidate = call.required_text(1, "statement to grade")?;
    let mut given = match call.json(2)?.map(|json| json.0) {
        None | Some(Value::Null) => serde_json::Map::new(),
        Some(Value::Object(options)) => options,
        Some(_) => return Err(Raised::from(bad_options(NOT_AN_OBJECT))),
    };
    let mut members = serde_json::Map::new();
    let question = given.remove("question").unwrap_or_else(|| Value::from(""));
    let ordered = given.remove("ordered").unwrap_or(Value::Null);
    let clock = match given.remove("clock") {
        Some(Value::String(moment)) => Some(moment_of(&moment)?),
        _ => None,
    };
    members.insert("clock".to_owned(), Value::from(clock));
    members.insert("question".to_owned(), question);
    members.insert("gold".to_owned(), Value::from(vec![gold]));
    members.insert("expected_status".to_owned(), Value::from("ok"));
    members.insert("ordered".to_owned(), ordered);
    members.insert("comparison".to_owned(), Value::Object(given));
    let task: Task = serde_json::from_value(Value::Object(members))
        .map_err(|error| Raised::from(bad_options(&error.to_string())))?;
    let grade = evaluation::grade_statement(&task, &candidate)?;
    let verdict = serde_json::to_value(grade.verdict).unwrap_or_default();
    set.hand_over_row(&[
        verdict.as_str().and_then(text_datum),
        grade.ex.into_datum(),
        grade.ea_share.into_datum(),
        grade.em_share.into_datum(),
        grade.similarity.into_datum(),
        grade.columns_identified.into_datum(),
        text_array(&grade.reasons),
        text_datum(&json(&grade)?),
    ])
}

/// A timestamp in microseconds since 2000-01-01; PostgreSQL reports invalid input.
fn moment_of(text: &str) -> Result<i64, Raised> {
    spi::read_one::<i64>(
        "SELECT ((extract(epoch FROM $1::timestamptz) - 946684800) * 1000000)::bigint",
        &[text.into()],
    )?
    .ok_or_else(|| Raised::from(bad_options("option \"clock\" must be finite")))
}

fn bad_options(reason: &str) -> Error {
    Error::new(ErrorKind::Setting, reason.to_owned()).with_hint(
        r#"Use these options: options => '{"ordered": true, "column_order": false, "column_names": false, "extra_columns": true, "ignore_duplicates": false, "decimals": 2, "tolerance": 1e-6, "clock": "2025-12-31"}'"#,
    )
}
