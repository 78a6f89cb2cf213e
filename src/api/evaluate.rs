//! What `sql/schema/evaluation.sql` is built on: one attempt at one case, the check of gold statements, the
//! reading of cases, the statistics; and `text2sql.grade`, which grades a statement that somebody else
//! wrote.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use serde_json::Value;
use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::evaluate::boundaries::boundaries;
use text2sql_core::evaluate::case::read_cases;
use text2sql_core::evaluate::reliability::{self as agreement, Attempt};
use text2sql_core::evaluate::report::{self as page, Variant};
use text2sql_core::evaluate::run_data::RunData;
use text2sql_core::evaluate::statistics;

use crate::evaluation::{self, Task};
use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point, text_array, text_datum, text_result};
use crate::pg::error::{ErrorReport, Raised, report};
use crate::pg::{interrupts, spi};

extension_sql!(
    r#"
CREATE FUNCTION text2sql._attempt(task jsonb) RETURNS json
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_attempt';
CREATE FUNCTION text2sql._check_gold(gold jsonb, clock bigint) RETURNS json
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_check_gold';
CREATE FUNCTION text2sql._opinion(question text, gold text, candidate text, reasons text)
    RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_opinion';
CREATE FUNCTION text2sql.grade(gold text, candidate text, options jsonb DEFAULT '{}')
    RETURNS TABLE (
        verdict text, ex boolean, ea_share double precision, em_share double precision,
        similarity double precision, columns_identified double precision, reasons text[],
        details json)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_grade';
"#,
    name = "evaluate"
);
entry_point!(text2sql_attempt, pg_finfo_text2sql_attempt, attempt);
entry_point!(
    text2sql_check_gold,
    pg_finfo_text2sql_check_gold,
    check_gold
);
entry_point!(text2sql_opinion, pg_finfo_text2sql_opinion, opinion);
entry_point!(text2sql_grade, pg_finfo_text2sql_grade, grade);

fn attempt(call: &Call) -> Result<Datum, Raised> {
    let task: Task = task(call.json(0)?.map(|json| json.0).unwrap_or_default())?;
    let attempted = evaluation::attempt(&task)?;
    text_result(&json(&attempted)?)
}

/// The gold statements come as a JSON array; so do their problems, null for each that runs.
fn check_gold(call: &Call) -> Result<Datum, Raised> {
    let gold = call.json(0)?.map(|json| json.0).unwrap_or_default();
    let gold: Vec<String> = serde_json::from_value(gold).map_err(|error| not_a_task(&error))?;
    let clock = call.bigint(1);
    text_result(&json(&evaluation::check_gold(&gold, clock)?)?)
}

fn opinion(call: &Call) -> Result<Datum, Raised> {
    let text = |n: usize| call.text(n).unwrap_or_default();
    text_result(&evaluation::opinion(
        &text(0),
        &text(1),
        &text(2),
        &text(3),
    )?)
}

/// Grades one statement against a gold statement: nothing is asked of a model.
fn grade(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let gold = call.required_text(0, "gold statement")?;
    let candidate = call.required_text(1, "statement to grade")?;
    let mut given = match call.json(2)?.map(|json| json.0) {
        None | Some(Value::Null) => serde_json::Map::new(),
        Some(Value::Object(options)) => options,
        Some(_) => return Err(Raised::from(bad_options("options is not a JSON object"))),
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

/// A timestamp in microseconds since 2000; PostgreSQL says what is wrong with one that it cannot read.
fn moment_of(text: &str) -> Result<i64, Raised> {
    spi::read_one::<i64>(
        "SELECT ((extract(epoch FROM $1::timestamptz) - 946684800) * 1000000)::bigint",
        &[text.into()],
    )?
    .ok_or_else(|| Raised::from(bad_options("clock is infinite")))
}

fn task(given: Value) -> Result<Task, Raised> {
    serde_json::from_value(given).map_err(|error| not_a_task(&error))
}

fn not_a_task(error: &serde_json::Error) -> Raised {
    Raised::from(Error::new(
        ErrorKind::Setting,
        format!("the case cannot be read: {error}"),
    ))
}

fn bad_options(reason: &str) -> Error {
    Error::new(ErrorKind::Setting, reason.to_owned()).with_hint(
        r#"options => '{"ordered": true, "column_order": false, "column_names": false, "extra_columns": true, "ignore_duplicates": false, "decimals": 2, "tolerance": 1e-6, "clock": "2025-12-31"}'"#,
    )
}

fn json(value: &impl serde::Serialize) -> Result<String, Raised> {
    serde_json::to_string(value).map_err(|error| Raised::new("XX000", error.to_string()))
}

/// Reads lines of cases into a JSON array; the error names the line.
#[pg_extern(immutable, strict, parallel_safe)]
fn _read_cases(jsonl: &str) -> Result<pgrx::JsonB, ErrorReport> {
    let cases = read_cases(jsonl).map_err(report)?;
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

/// More attempts at one case than anybody makes.
const MAX_ATTEMPTS: usize = 10_000;

/// Agreement over the attempts at one case: their SQL, and the fingerprint or status of each.
#[pg_extern(immutable, strict, parallel_safe)]
fn reliability(
    sql: Vec<Option<String>>,
    outcomes: Vec<Option<String>>,
) -> Result<pgrx::JsonB, ErrorReport> {
    if sql.len() != outcomes.len() || sql.len() > MAX_ATTEMPTS {
        return Err(report(not_a_number(
            format!(
                "{} statements and {} outcomes cannot be compared",
                sql.len(),
                outcomes.len()
            ),
            &format!("give one outcome for each statement, at most {MAX_ATTEMPTS}"),
        )));
    }
    let attempts: Vec<Attempt> = sql
        .into_iter()
        .zip(outcomes)
        .map(|(sql, outcome)| Attempt {
            sql,
            outcome: outcome.unwrap_or_default(),
        })
        .collect();
    let found = agreement::reliability(&attempts);
    interrupts::serve();
    Ok(pgrx::JsonB(serde_json::to_value(found).unwrap_or_default()))
}

/// The error of an argument that a statistic says nothing about.
fn not_a_number(message: String, hint: &str) -> Error {
    Error::new(ErrorKind::Setting, message).with_hint(hint)
}

/// A run as an HTML page, with an earlier one and runs under other settings where there are any.
#[pg_extern(immutable, parallel_safe)]
fn _render_report(
    data: pgrx::Json,
    earlier: Option<pgrx::Json>,
    variants: Option<pgrx::Json>,
) -> Result<String, ErrorReport> {
    let run = |json: Value| -> Result<RunData, ErrorReport> {
        serde_json::from_value(json).map_err(|error| {
            report(
                Error::new(ErrorKind::Internal, "a run of ours has another shape")
                    .with_source(error),
            )
        })
    };
    let earlier = earlier.map(|json| run(json.0)).transpose()?;
    let variants = match variants.map(|json| json.0) {
        Some(Value::Object(variants)) => variants
            .into_iter()
            .map(|(name, json)| {
                Ok(Variant {
                    name,
                    data: run(json)?,
                })
            })
            .collect::<Result<Vec<Variant>, ErrorReport>>()?,
        _ => Vec::new(),
    };
    Ok(page::render(&run(data.0)?, earlier.as_ref(), &variants))
}

/// The literals that a statement compares columns with, for perturbed copies that hold them.
#[pg_extern(immutable, strict, parallel_safe)]
fn _boundaries(sql: &str) -> pgrx::JsonB {
    pgrx::JsonB(serde_json::to_value(boundaries(sql)).unwrap_or_default())
}

/// The 95 % Wilson interval of `successes` among `total`, as two numbers; NULL of nothing.
#[pg_extern(immutable, strict, parallel_safe)]
fn wilson(successes: f64, total: f64) -> Result<Option<Vec<f64>>, ErrorReport> {
    // Shares of cases that were added up may be a trace more than all of them.
    let at_most = total * (1.0 + 1e-9);
    if !total.is_finite() || total < 0.0 || !(0.0..=at_most).contains(&successes) {
        return Err(report(not_a_number(
            format!("{successes} of {total} is no share"),
            "give how many cases are right and how many there are: SELECT text2sql.wilson(81, 263)",
        )));
    }
    Ok(statistics::wilson(successes.min(total), total).map(|(low, high)| vec![low, high]))
}

/// McNemar's test of two runs over the same cases: the exact p and the mid-p.
#[pg_extern(immutable, strict, parallel_safe)]
fn mcnemar(only_first: i32, only_second: i32) -> Result<Vec<f64>, ErrorReport> {
    let (Ok(first), Ok(second)) = (u32::try_from(only_first), u32::try_from(only_second)) else {
        return Err(report(not_a_number(
            format!("{only_first} and {only_second} are not two numbers of cases"),
            "give how many cases only the first run got right, and how many only the second: SELECT text2sql.mcnemar(1, 7)",
        )));
    };
    let found = statistics::mcnemar(first, second);
    Ok(vec![found.exact, found.mid_p])
}
