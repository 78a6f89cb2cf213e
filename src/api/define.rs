//! `text2sql.define(term, meaning, …)`: business terms with their meaning in words, in SQL, or as a period; and
//! metrics that are made of them: `define_ratio`, `define_cumulative`, `define_conversion`.

use pgrx::prelude::*;
use pgrx::{Json, default};
use text2sql_domain::error::Error;
use text2sql_knowledge::metric::Metric;

use super::array_argument::elements;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::definitions::{self, Given};
use crate::pg::stored::teaching::{metrics, required};

/// Defines a term, replacing an earlier definition. The server checks the SQL expression; it is evaluated over
/// the rows of `applies_to`, or of the one table whose columns it names. With `joins` it may read the tables of a
/// path, which begins at that table. With `period`, the term stands for days.
#[pg_extern(volatile, parallel_unsafe, name = "define")]
fn define_term(
    term: Option<Text<'_>>,
    meaning: default!(Option<Text<'_>>, "NULL"),
    sql_expression: default!(Option<Text<'_>>, "NULL"),
    applies_to: default!(Option<Text<'_>>, "NULL"),
    synonyms: default!(Option<Texts>, "NULL"),
    period: default!(Option<Text<'_>>, "NULL"),
    joins: default!(Option<Texts>, "NULL"),
) -> Result<(), ErrorReport> {
    let term = term.as_deref();
    let meaning = meaning.as_deref();
    let sql_expression = sql_expression.as_deref();
    let applies_to = applies_to.as_deref();
    let period = period.as_deref();
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
    term: Option<Text<'_>>,
    applies_to: default!(Option<Text<'_>>, "NULL"),
) -> Result<(), ErrorReport> {
    let term = term.as_deref();
    let applies_to = applies_to.as_deref();
    definitions::drop_definition(term, applies_to).map_err(report)
}

/// Defines a metric as one defined measure divided by another.
#[pg_extern(volatile, parallel_unsafe)]
fn define_ratio(
    term: Option<Text<'_>>,
    meaning: Option<Text<'_>>,
    numerator: Option<Text<'_>>,
    denominator: Option<Text<'_>>,
    synonyms: default!(Option<Texts>, "NULL"),
) -> Result<(), ErrorReport> {
    let term = term.as_deref();
    let meaning = meaning.as_deref();
    let numerator = numerator.as_deref();
    let denominator = denominator.as_deref();
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
    term: Option<Text<'_>>,
    meaning: Option<Text<'_>>,
    measure: Option<Text<'_>>,
    time_column: Option<Text<'_>>,
    per: default!(Option<Text<'_>>, "'month'"),
    over_last: default!(Option<Text<'_>>, "NULL"),
    since_start_of: default!(Option<Text<'_>>, "NULL"),
    synonyms: default!(Option<Texts>, "NULL"),
) -> Result<(), ErrorReport> {
    let term = term.as_deref();
    let meaning = meaning.as_deref();
    let measure = measure.as_deref();
    let time_column = time_column.as_deref();
    let per = per.as_deref();
    let over_last = over_last.as_deref();
    let since_start_of = since_start_of.as_deref();
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
    term: Option<Text<'_>>,
    meaning: Option<Text<'_>>,
    base_time: Option<Text<'_>>,
    base_entity: Option<Text<'_>>,
    conversion_time: Option<Text<'_>>,
    conversion_entity: Option<Text<'_>>,
    within: default!(Option<Text<'_>>, "NULL"),
    base_condition: default!(Option<Text<'_>>, "NULL"),
    conversion_condition: default!(Option<Text<'_>>, "NULL"),
    synonyms: default!(Option<Texts>, "NULL"),
) -> Result<(), ErrorReport> {
    let term = term.as_deref();
    let meaning = meaning.as_deref();
    let base_time = base_time.as_deref();
    let base_entity = base_entity.as_deref();
    let conversion_time = conversion_time.as_deref();
    let conversion_entity = conversion_entity.as_deref();
    let within = within.as_deref();
    let base_condition = base_condition.as_deref();
    let conversion_condition = conversion_condition.as_deref();
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
