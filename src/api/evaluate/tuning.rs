//! The decisions of `text2sql_eval.tune`: each takes what is stored as JSON and returns what is decided.

use pgrx::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_metrics::tuning::{Problem, document};

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::json_argument::JsonArgument;
use crate::pg::server::limits::interrupt_checks;

/// The values of a declared space, with the number of combinations.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._tuning_space(space json, current json, objectives json) RETURNS json
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _tuning_space(
    space: JsonArgument,
    current: JsonArgument,
    objectives: JsonArgument,
) -> Result<pgrx::Json, ErrorReport> {
    let current: Map<String, Value> = read(current.0)?;
    document::read_objectives(&objectives.0).map_err(wrong)?;
    let values = document::values(&space.0, &current).map_err(wrong)?;
    let combinations = document::combinations(&space.0, &current).map_err(wrong)?;
    written(&serde_json::json!({"values": values, "combinations": combinations}))
}

/// The next step of a search.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._decide_tuning(search json) RETURNS json
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _decide_tuning(search: JsonArgument) -> Result<pgrx::Json, ErrorReport> {
    let decided = document::next(read(search.0)?).map_err(wrong)?;
    interrupt_checks::serve();
    written(&decided)
}

/// A proposal against the settings as they are, over cases that no trial was asked.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._judge_tuning(objectives json, as_it_is json, proposal json) RETURNS json
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _judge_tuning(
    objectives: JsonArgument,
    as_it_is: JsonArgument,
    proposal: JsonArgument,
) -> Result<pgrx::Json, ErrorReport> {
    let (as_it_is, proposal) = (read::<Vec<_>>(as_it_is.0)?, read::<Vec<_>>(proposal.0)?);
    let judgement = document::judgement(&objectives.0, &as_it_is, &proposal).map_err(wrong)?;
    interrupt_checks::serve();
    written(&judgement)
}

fn wrong(problem: Problem) -> ErrorReport {
    let message = match &problem.dimension {
        Some(name) => format!("setting \"{name}\" of the space {}", problem.what),
        None => problem.what,
    };
    report(Error::new(ErrorKind::Setting, message).with_hint(&problem.hint))
}

fn read<T: DeserializeOwned>(json: Value) -> Result<T, ErrorReport> {
    serde_json::from_value(json)
        .map_err(|error| report(failure!(Setting, "could not parse a search: {error}")))
}

fn written<T: Serialize>(value: &T) -> Result<pgrx::Json, ErrorReport> {
    let json = serde_json::to_value(value).map_err(|error| {
        report(failure!(Internal, "could not write a decision").with_source(error))
    })?;
    Ok(pgrx::Json(json))
}
