//! Runs the probes of findings through the guard, within limits.

use std::time::Duration;
use text2sql_phrases::say;

use super::finding::COUNTED;
use super::literals::quoted_list;
use super::{Basis, Finding, Probe, Severity, ValueProbe, Verdict, tidy};
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::KnownValue;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::quote_literal;
use text2sql_domain::sql_result::Execution;
use text2sql_language::edit_distance::nearest;

/// Limits for all probes of one query together.
#[derive(Debug, Clone, PartialEq)]
pub struct Effort {
    /// Maximum number of statements.
    pub statements: usize,
    /// The limits of the caller for each statement, lowered to these.
    pub limits: Limits,
}

/// Maximum time of one probe: the user waits for all of them.
const PROBE_TIME: Duration = Duration::from_secs(2);

/// Maximum number of distinct values searched for similar ones.
const MAX_VALUES: usize = 5_000;

/// So few values of a column are all named where none is similar.
const FEW_VALUES: usize = 12;

impl Effort {
    /// The default effort, within the caller's limits.
    pub fn within(limits: &Limits) -> Self {
        Self {
            statements: 30,
            limits: Limits {
                max_result_rows: MAX_VALUES,
                max_result_bytes: limits.max_result_bytes.min(1024 * 1024),
                query_timeout: limits.query_timeout.min(PROBE_TIME),
                ..limits.clone()
            },
        }
    }
}

/// Removes what the result shows to be no fault.
pub fn remove_refuted(found: &mut Vec<Finding>, execution: &Execution) {
    found.retain(|finding| !finding.refuted_by.is_some_and(|by| by.holds(execution)));
}

/// What is known about a value without a query; `None` if nothing is.
pub type Known<'a> = dyn Fn(&ValueProbe) -> Option<KnownValue> + 'a;

/// Confirms or removes findings with probes. If a probe cannot run (rejected, too slow, over the limits),
/// the finding is unchanged.
pub fn measure(
    findings: Vec<Finding>,
    database: &dyn Database,
    effort: &Effort,
) -> Result<Vec<Finding>, Error> {
    measure_unknown(findings, &|_| None, database, effort)
}

/// The same, with known values.
pub fn measure_unknown(
    findings: Vec<Finding>,
    known: &Known<'_>,
    database: &dyn Database,
    effort: &Effort,
) -> Result<Vec<Finding>, Error> {
    let mut left = effort.statements;
    let mut decided = Vec::with_capacity(findings.len());
    for mut finding in findings {
        let measured = match finding.probe.clone() {
            None => Measured::Unknown,
            Some(Probe::Rows { sql, found, none }) => {
                match rows(&sql, database, &effort.limits, &mut left)? {
                    None => Measured::Unknown,
                    Some(rows) if rows.rows.is_empty() => {
                        none.map_or(Measured::Nothing, Measured::Is)
                    }
                    Some(rows) => Measured::Is(with_count(found, &rows)),
                }
            }
            Some(Probe::Value(value)) => {
                look_up(&value, known, database, &effort.limits, &mut left)?
            }
        };
        match measured {
            Measured::Unknown => {}
            Measured::Nothing => continue,
            Measured::Is(verdict) => {
                finding.severity = verdict.severity;
                finding.evidence = verdict.evidence;
                finding.basis = Basis::Measured;
            }
            Measured::Value(verdict, fix) => {
                finding.severity = verdict.severity;
                finding.evidence = verdict.evidence;
                finding.basis = Basis::Measured;
                finding.fix = fix;
            }
        }
        // A literal that was not looked up is no finding.
        if !finding.evidence.is_empty() {
            decided.push(finding);
        }
    }
    tidy(&mut decided);
    Ok(decided)
}

/// The verdict with what the probe counted.
fn with_count(verdict: Verdict, execution: &Execution) -> Verdict {
    let first = execution.rows.first().and_then(|row| row.first());
    let counted = first.and_then(|cell| cell.text.as_deref());
    Verdict {
        evidence: verdict.evidence.replace(COUNTED, counted.unwrap_or("?")),
        ..verdict
    }
}

enum Measured {
    Unknown,
    Nothing,
    Is(Verdict),
    Value(Verdict, Option<String>),
}

/// Runs one probe; `None` if it could not run.
fn rows(
    sql: &str,
    database: &dyn Database,
    limits: &Limits,
    left: &mut usize,
) -> Result<Option<Execution>, Error> {
    let Some(rest) = left.checked_sub(1) else {
        return Ok(None);
    };
    *left = rest;
    Ok(match database.run(sql, limits)? {
        Outcome::Passed(execution) => Some(execution),
        Outcome::Rejected(_) | Outcome::Failed(_) => None,
    })
}

fn look_up(
    value: &ValueProbe,
    known: &Known<'_>,
    database: &dyn Database,
    limits: &Limits,
    left: &mut usize,
) -> Result<Measured, Error> {
    let ValueProbe {
        table,
        column,
        literal,
        ..
    } = value;
    let known = known(value).filter(|_| value.pattern.is_none());
    if known.as_ref().is_some_and(|known| known.occurs) {
        return Ok(Measured::Nothing);
    }
    // Known values may be outdated: only a query proves that a value does not occur.
    let operator = value.pattern.unwrap_or("=");
    let sql = format!("SELECT 1 FROM {table} WHERE {column} {operator} {literal} LIMIT 1");
    match rows(&sql, database, limits, left)? {
        None => return Ok(Measured::Unknown),
        Some(found) if !found.rows.is_empty() => return Ok(Measured::Nothing),
        Some(_) => {}
    }
    let (near, few) = match known.map(|known| known.nearest) {
        Some(near) if !near.is_empty() => (near, Vec::new()),
        _ => near_values(value, database, limits, left)?,
    };
    let shown = match value.pattern {
        Some(operator) => say!(
            "matches {operator} {text}",
            operator,
            text = quote_literal(&value.text)
        ),
        None => say!("is {literal}", literal),
    };
    let effect = if value.is_negated {
        say!("so the condition drops nothing")
    } else {
        say!("so the condition is never true")
    };
    // A value that none of many is near to may be asked for: then there is rightly nothing.
    let severity = match value.is_negated || (near.is_empty() && few.is_empty()) {
        true => Severity::Warning,
        false => Severity::Error,
    };
    let mut evidence = say!(
        "No value of {table}.{column} that you may see {shown}, {effect}.",
        table,
        column,
        shown,
        effect
    );
    if !near.is_empty() {
        evidence.push_str(&say!(
            " Nearest: {quoted_list}.",
            quoted_list = quoted_list(&near)
        ));
    }
    if !few.is_empty() {
        evidence.push_str(&say!(
            " It holds: {quoted_list}.",
            quoted_list = quoted_list(&few)
        ));
    }
    let fix = near.first().map(|first| match value.pattern {
        Some(operator) => format!(
            "{column} {operator} {}",
            quote_literal(&format!("%{first}%"))
        ),
        None => format!("{column} = {}", quote_literal(first)),
    });
    Ok(Measured::Value(Verdict { severity, evidence }, fix))
}

/// Values of the column that are similar to the literal; if there are none and the column has few, all of them.
fn near_values(
    value: &ValueProbe,
    database: &dyn Database,
    limits: &Limits,
    left: &mut usize,
) -> Result<(Vec<String>, Vec<String>), Error> {
    if !value.is_text {
        return Ok((Vec::new(), Vec::new()));
    }
    let ValueProbe { table, column, .. } = value;
    let sql = format!(
        "SELECT DISTINCT {column}::text FROM {table} WHERE {column} IS NOT NULL LIMIT {MAX_VALUES}"
    );
    let wanted = value.text.trim_matches('%');
    let known: Vec<String> = rows(&sql, database, limits, left)?
        .into_iter()
        .flat_map(|execution| execution.rows)
        .filter_map(|row| row.into_iter().next()?.text)
        .collect();
    let near = nearest(wanted, &known);
    Ok(match near.is_empty() && known.len() <= FEW_VALUES {
        true => (near, known),
        false => (near, Vec::new()),
    })
}
