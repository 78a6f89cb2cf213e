//! `text2sql.define(term, meaning, …)`: business terms with their meaning in words, in SQL, or as a period; and
//! metrics that are made of them: `define_ratio`, `define_cumulative`, `define_conversion`.

use pgrx::prelude::*;
use pgrx::{Json, default};
use text2sql_domain::error::Error;
use text2sql_knowledge::metric::Metric;

use super::array_argument::elements;
use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::definitions::{self, Given};
use crate::pg::teaching::{metrics, required};

/// Defines a term, replacing an earlier definition. The server checks the SQL expression; it is evaluated over
/// the rows of `applies_to`, or of the one table whose columns it names. With `joins` it may read the tables of a
/// path, which begins at that table. With `period`, the term stands for days.
#[pg_extern(volatile, parallel_unsafe, name = "define")]
fn define_term(
    term: Option<&str>,
    meaning: default!(Option<&str>, "NULL"),
    sql_expression: default!(Option<&str>, "NULL"),
    applies_to: default!(Option<&str>, "NULL"),
    synonyms: default!(Option<Vec<Option<String>>>, "NULL"),
    period: default!(Option<&str>, "NULL"),
    joins: default!(Option<Vec<Option<String>>>, "NULL"),
) -> Result<(), ErrorReport> {
    let found = definitions::define(&Given {
        term,
        meaning,
        sql_expression,
        applies_to,
        synonyms: elements(synonyms, "synonyms")?,
        period,
        joins: elements(joins, "joins")?,
        origin: "taught",
        only_replaces: None,
    })
    .map_err(report)?;
    if let Some(table) = found {
        pgrx::notice!(
            "\"{}\" is about the rows of {table}",
            term.unwrap_or_default()
        );
    }
    Ok(())
}

/// Removes a definition.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_definition(
    term: Option<&str>,
    applies_to: default!(Option<&str>, "NULL"),
) -> Result<(), ErrorReport> {
    definitions::drop_definition(term, applies_to).map_err(report)
}

/// Defines a metric as one defined measure divided by another.
#[pg_extern(volatile, parallel_unsafe)]
fn define_ratio(
    term: Option<&str>,
    meaning: Option<&str>,
    numerator: Option<&str>,
    denominator: Option<&str>,
    synonyms: default!(Option<Vec<Option<String>>>, "NULL"),
) -> Result<(), ErrorReport> {
    let synonyms = elements(synonyms, "synonyms")?;
    let define = || -> Result<(), Error> {
        metrics::define(&metrics::Given {
            term,
            meaning,
            synonyms,
            metric: Metric::Ratio {
                numerator: required(numerator, "numerator")?.to_owned(),
                denominator: required(denominator, "denominator")?.to_owned(),
            },
            columns: Vec::new(),
            origin: "taught",
        })
    };
    define().map_err(report)
}

/// Defines a metric as a defined measure up to the end of each period.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn define_cumulative(
    term: Option<&str>,
    meaning: Option<&str>,
    measure: Option<&str>,
    time_column: Option<&str>,
    per: default!(Option<&str>, "'month'"),
    over_last: default!(Option<&str>, "NULL"),
    since_start_of: default!(Option<&str>, "NULL"),
    synonyms: default!(Option<Vec<Option<String>>>, "NULL"),
) -> Result<(), ErrorReport> {
    let synonyms = elements(synonyms, "synonyms")?;
    let define = || -> Result<(), Error> {
        let start = since_start_of.map(|start| metrics::unit(start, "since_start_of"));
        metrics::define(&metrics::Given {
            term,
            meaning,
            synonyms,
            metric: Metric::Cumulative {
                measure: required(measure, "measure")?.to_owned(),
                per: metrics::unit(required(per, "per")?, "per")?,
                over_last: metrics::length(over_last, "over_last")?,
                since_start_of: start.transpose()?,
            },
            columns: vec![required(time_column, "time_column")?.to_owned()],
            origin: "taught",
        })
    };
    define().map_err(report)
}

/// Defines a metric as the share of the rows of one table that a row of another one follows, of the same thing.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn define_conversion(
    term: Option<&str>,
    meaning: Option<&str>,
    base_time: Option<&str>,
    base_entity: Option<&str>,
    conversion_time: Option<&str>,
    conversion_entity: Option<&str>,
    within: default!(Option<&str>, "NULL"),
    base_condition: default!(Option<&str>, "NULL"),
    conversion_condition: default!(Option<&str>, "NULL"),
    synonyms: default!(Option<Vec<Option<String>>>, "NULL"),
) -> Result<(), ErrorReport> {
    let synonyms = elements(synonyms, "synonyms")?;
    let define = || -> Result<(), Error> {
        let columns = [
            required(base_time, "base_time")?,
            required(base_entity, "base_entity")?,
            required(conversion_time, "conversion_time")?,
            required(conversion_entity, "conversion_entity")?,
        ];
        metrics::define(&metrics::Given {
            term,
            meaning,
            synonyms,
            metric: Metric::Conversion {
                within: metrics::length(within, "within")?,
                base_condition: base_condition.map(str::to_owned),
                conversion_condition: conversion_condition.map(str::to_owned),
            },
            columns: columns.map(str::to_owned).to_vec(),
            origin: "taught",
        })
    };
    define().map_err(report)
}

/// Why the SQL of a definition cannot be used now, for the view `definitions`; NULL when it can.
/// STABLE, so that a query that does not read the column skips the check.
#[pg_extern(stable, parallel_unsafe, name = "_problem_of_definition")]
fn problem_of_definition(id: Option<i64>) -> Result<Option<String>, ErrorReport> {
    match id {
        Some(id) => definitions::problem_of(id).map_err(report),
        None => Ok(None),
    }
}

/// The joins, the grain and the query of a definition, for the view `definitions` and for exports.
#[pg_extern(stable, parallel_unsafe, name = "_parts_of_definition")]
fn parts_of_definition(id: Option<i64>) -> Result<Option<Json>, ErrorReport> {
    match id {
        Some(id) => definitions::parts_of(id)
            .map(|parts| parts.map(Json))
            .map_err(report),
        None => Ok(None),
    }
}
