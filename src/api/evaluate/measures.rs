//! Functions behind the tables of evaluations: `text2sql_eval.measures`, `element_errors`, `compare` and the
//! agreement of judges. Each takes evaluations as JSON and returns rows as JSON.

use pgrx::prelude::*;
use serde_json::Value;
use text2sql_domain::error::failure;

use text2sql_metrics::kappa::kappa;
use text2sql_metrics::measures::{self, Dimension, Filter, Named, Phrasings};

use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::json_argument::JsonArgument;
use crate::pg::server::limits::interrupt_checks;

/// Means of all measures by the named dimensions.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._measure_table(evaluations json, by text[], levels text[], styles text[], tags text[]) RETURNS json
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _measure_table(
    evaluations: JsonArgument,
    by: Texts,
    levels: Texts,
    styles: Texts,
    tags: Texts,
) -> Result<pgrx::Json, ErrorReport> {
    let dimension = |name: &String| {
        Dimension::named(name).map_err(|known| {
            report(
                failure!(Setting, "cases cannot be grouped by \"{name}\"")
                    .with_detail(format!("They can be grouped by {known}."))
                    .with_hint("Use by => '{level,style}'."),
            )
        })
    };
    let by = by.iter().flatten().map(dimension);
    let by: Vec<Dimension> = by.collect::<Result<_, ErrorReport>>()?;
    let evaluations: Vec<Named> = read(evaluations.0)?;
    let cells = measures::table(&evaluations, &by, &filter(levels, styles, tags));
    interrupt_checks::serve();
    written(&cells)
}

/// The errors of each element of the statements.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._element_errors(evaluations json, levels text[], styles text[], tags text[]) RETURNS json
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _element_errors(
    evaluations: JsonArgument,
    levels: Texts,
    styles: Texts,
    tags: Texts,
) -> Result<pgrx::Json, ErrorReport> {
    let evaluations: Vec<Named> = read(evaluations.0)?;
    let found = measures::element_errors(&evaluations, &filter(levels, styles, tags));
    written(&found)
}

/// Every measure of each variant against the first evaluation.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._significance(evaluations json, levels text[], styles text[], tags text[], phrasings text[]) RETURNS json
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _significance(
    evaluations: JsonArgument,
    levels: Texts,
    styles: Texts,
    tags: Texts,
    phrasings: Texts,
) -> Result<pgrx::Json, ErrorReport> {
    let evaluations: Vec<Named> = read(evaluations.0)?;
    let filter = filter(levels, styles, tags);
    let phrasings = two_styles(phrasings)?;
    let found = match evaluations.split_first() {
        Some((baseline, variants)) => {
            measures::compare(baseline, variants, &filter, phrasings.as_ref())
        }
        None => Vec::new(),
    };
    interrupt_checks::serve();
    written(&found)
}

/// The agreement of two judges over the same items.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._kappa(one text[], other text[]) RETURNS jsonb
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'kappa_of_labels_wrapper';
",
    requires = ["eval_schema"]
)]
fn kappa_of_labels(one: Texts, other: Texts) -> Result<Option<pgrx::JsonB>, ErrorReport> {
    if one.len() != other.len() {
        return Err(report(
            failure!(Setting, "{} labels and {} labels are not of the same items",
                    one.len(),
                    other.len())
            .with_hint("Give two labels for each item: SELECT text2sql_eval.statistic('kappa', '{\"one\": [\"yes\", \"no\"], \"other\": [\"yes\", \"yes\"]}');"),
        ));
    }
    let pairs = one.iter().zip(other.iter());
    let pairs: Vec<(&str, &str)> = pairs
        .filter_map(|(one, other)| Some((one.as_deref()?, other.as_deref()?)))
        .collect();
    interrupt_checks::serve();
    let found = kappa(&pairs).and_then(|found| serde_json::to_value(found).ok());
    interrupt_checks::serve();
    Ok(found.map(pgrx::JsonB))
}

/// The styles to compare with each other; none of an empty list.
fn two_styles(names: Texts) -> Result<Option<Phrasings>, ErrorReport> {
    let names: Vec<String> = names.into_iter().flatten().collect();
    match <[String; 2]>::try_from(names) {
        Ok([baseline, candidate]) if baseline != candidate => Ok(Some(Phrasings {
            baseline,
            candidate,
        })),
        Err(names) if names.is_empty() => Ok(None),
        _ => Err(report(
            failure!(Setting, "phrasings are two styles, one of the baseline and one of the candidates")
                .with_hint("For example: SELECT * FROM text2sql_eval.compare(7, phrasings => '{formal,colloquial}');"),
        )),
    }
}

fn filter(levels: Texts, styles: Texts, tags: Texts) -> Filter {
    let names = |list: Texts| list.into_iter().flatten().collect();
    Filter {
        levels: names(levels),
        styles: names(styles),
        tags: names(tags),
    }
}

fn read(evaluations: Value) -> Result<Vec<Named>, ErrorReport> {
    serde_json::from_value(evaluations)
        .map_err(|error| report(failure!(Setting, "could not parse evaluations: {error}")))
}

fn written(rows: &impl serde::Serialize) -> Result<pgrx::Json, ErrorReport> {
    serde_json::to_value(rows)
        .map(pgrx::Json)
        .map_err(|error| report(failure!(Internal, "could not write rows").with_source(error)))
}
