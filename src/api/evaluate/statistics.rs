//! The statistics of evaluations: `text2sql_eval.statistic('wilson', …)`, `'mcnemar'` and `'reliability'`.

use pgrx::prelude::*;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::interval;
use text2sql_metrics::reliability as agreement;
use text2sql_metrics::reliability::Attempt;
use text2sql_metrics::significance;

use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::limits::interrupt_checks;

/// The maximum number of attempts at one case.
const MAX_ATTEMPTS: usize = 10_000;

/// Agreement over the attempts at one case: their SQL, and the fingerprint or status of each result.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._reliability(sql text[], outcomes text[]) RETURNS jsonb
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn reliability(sql: Texts, outcomes: Texts) -> Result<pgrx::JsonB, ErrorReport> {
    if sql.len() != outcomes.len() || sql.len() > MAX_ATTEMPTS {
        return Err(report(undefined(
            format!(
                "{} statements and {} outcomes cannot be compared",
                sql.len(),
                outcomes.len()
            ),
            &format!("Give one outcome for each statement, and at most {MAX_ATTEMPTS}."),
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
    interrupt_checks::serve();
    Ok(pgrx::JsonB(serde_json::to_value(found).unwrap_or_default()))
}

/// The error for an argument for which a statistic is not defined.
fn undefined(message: String, hint: &str) -> Error {
    Error::new(ErrorKind::Setting, message).with_hint(hint)
}

/// The 95 % Wilson interval of `successes` among `total`, as two numbers; NULL when the total is 0.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._wilson(successes double precision, total double precision) RETURNS double precision[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn wilson(successes: f64, total: f64) -> Result<Option<Vec<f64>>, ErrorReport> {
    // A sum of shares may exceed the total by a rounding error.
    let at_most = total * (1.0 + 1e-9);
    if !total.is_finite() || total < 0.0 || !(0.0..=at_most).contains(&successes) {
        return Err(report(undefined(
            format!("{successes} out of {total} is not a proportion"),
            "Pass the number of correct cases and the total number of cases: SELECT text2sql_eval.statistic('wilson', '{\"successes\": 81, \"total\": 263}');",
        )));
    }
    Ok(interval::wilson(successes.min(total), total).map(|(low, high)| vec![low, high]))
}

/// McNemar's test for two evaluations over the same cases: the exact p and the mid-p.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._mcnemar(only_baseline integer, only_candidate integer) RETURNS double precision[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn mcnemar(only_baseline: i32, only_candidate: i32) -> Result<Vec<f64>, ErrorReport> {
    let (Ok(first), Ok(second)) = (u32::try_from(only_baseline), u32::try_from(only_candidate))
    else {
        return Err(report(undefined(
            format!("{only_baseline} and {only_candidate} are not two case counts"),
            "Pass the number of cases correct only in the first evaluation and the number correct only in the second: SELECT text2sql_eval.statistic('mcnemar', '{\"only_baseline\": 1, \"only_candidate\": 7}');",
        )));
    };
    let found = significance::mcnemar(first, second);
    Ok(vec![found.exact, found.mid_p])
}
