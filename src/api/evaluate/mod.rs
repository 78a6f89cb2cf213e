//! Functions used by `sql/schema/text2sql_eval`: one attempt at one case, the check of gold statements, and the
//! parsing of cases.

pub(crate) mod grade;
pub(crate) mod measures;
pub(crate) mod report;
pub(crate) mod statistics;
pub(crate) mod training;
pub(crate) mod tuning;

use pgrx::prelude::*;
use serde_json::Value;
use text2sql_domain::error::failure;

use text2sql_metrics::case::read_cases;

use crate::evaluation::{self, Task};
use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_result};
use crate::pg::server::error::{ErrorReport, Raised, report as error_report};
use crate::pg::server::text_argument::FileText;

extension_sql!(
    r#"
CREATE FUNCTION text2sql_eval._attempt(task jsonb) RETURNS json
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_attempt';
CREATE FUNCTION text2sql_eval._check_gold(gold jsonb, clock bigint) RETURNS json
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_check_gold';
"#,
    name = "eval_attempt",
    requires = ["eval_schema"]
);
entry_point!(attempt);
entry_point!(check_gold);

fn attempt(call: &Call) -> Result<Datum, Raised> {
    let task: Task = task(call.json(0)?.map(|json| json.0).unwrap_or_default())?;
    let attempted = evaluation::attempt(&task)?;
    text_result(&json(&attempted)?)
}

/// Gold statements are a JSON array, and so are their errors, null for a statement that runs.
fn check_gold(call: &Call) -> Result<Datum, Raised> {
    let gold = call.json(0)?.map(|json| json.0).unwrap_or_default();
    let gold: Vec<String> = serde_json::from_value(gold).map_err(|error| not_a_task(&error))?;
    let clock = call.bigint(1);
    text_result(&json(&evaluation::check_gold(&gold, clock)?)?)
}

fn task(given: Value) -> Result<Task, Raised> {
    serde_json::from_value(given).map_err(|error| not_a_task(&error))
}

fn not_a_task(error: &serde_json::Error) -> Raised {
    Raised::from(failure!(Setting, "could not parse case: {error}"))
}

fn json(value: &impl serde::Serialize) -> Result<String, Raised> {
    serde_json::to_string(value).map_err(|error| Raised::new("XX000", error.to_string()))
}

/// Parses lines of cases into a JSON array; an error names the line.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._read_cases(jsonl text) RETURNS jsonb
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _read_cases(jsonl: FileText<'_>) -> Result<pgrx::JsonB, ErrorReport> {
    let jsonl = &*jsonl;
    let cases = read_cases(jsonl).map_err(error_report)?;
    let lines = jsonl
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let values = cases.iter().zip(lines).filter_map(|(case, (number, _))| {
        let mut value = serde_json::to_value(case).ok()?;
        value
            .as_object_mut()?
            .insert("line".to_owned(), Value::from(number + 1));
        Some(value)
    });
    Ok(pgrx::JsonB(Value::Array(values.collect())))
}
