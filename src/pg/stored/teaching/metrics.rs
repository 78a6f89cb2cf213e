//! Metrics: definitions that are made of others.

use serde::Deserialize;
use serde_json::Value;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::schema::{Definition, TableName};
use text2sql_knowledge::metric::{Metric, Stored, UNITS, interval};

use super::definitions::{Judged, New, check_lengths, of_term, store};
use super::{required, visible_column};
use crate::pg::access::objects::{Object, ObjectKind};
use crate::pg::server::spi;
use crate::pg::stored::knowledge::glossary;
use crate::pg::stored::knowledge::stored_sql::SqlCheck;

const ORIGIN: &str = "SELECT origin FROM text2sql._definitions WHERE id = ANY ($1) LIMIT 1";
const IS_KNOWN: &str = "
    SELECT true FROM text2sql._definitions
    WHERE id = ANY ($1) AND meaning = $2 AND synonyms = $3 AND metric = $4::jsonb AND origin = $5 LIMIT 1";

/// A metric by a user.
#[derive(Debug)]
pub(crate) struct Given<'a> {
    pub(crate) term: Option<&'a str>,
    pub(crate) meaning: Option<&'a str>,
    pub(crate) synonyms: Vec<String>,
    pub(crate) metric: Metric,
    /// The columns that it names.
    pub(crate) columns: Vec<String>,
    pub(crate) origin: &'a str,
}

/// A metric as the argument of `define()` says it.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Said {
    Ratio {
        numerator: String,
        denominator: String,
    },
    Cumulative {
        measure: String,
        time_column: String,
        #[serde(default = "month")]
        per: String,
        over_last: Option<String>,
        since_start_of: Option<String>,
    },
    Conversion {
        base_time: String,
        base_entity: String,
        conversion_time: String,
        conversion_entity: String,
        within: Option<String>,
        base_condition: Option<String>,
        conversion_condition: Option<String>,
    },
}

fn month() -> String {
    "month".to_owned()
}

impl Said {
    /// The metric, and the columns that it names.
    fn read(self) -> Result<(Metric, Vec<String>), Error> {
        let named = |name: &str, what: &str| required(Some(name), what).map(str::to_owned);
        Ok(match self {
            Self::Ratio {
                numerator,
                denominator,
            } => {
                let metric = Metric::Ratio {
                    numerator: named(&numerator, "numerator")?,
                    denominator: named(&denominator, "denominator")?,
                };
                (metric, Vec::new())
            }
            Self::Cumulative {
                measure,
                time_column,
                per,
                over_last,
                since_start_of,
            } => {
                let start = since_start_of.map(|start| unit(&start, "since_start_of"));
                let metric = Metric::Cumulative {
                    measure: named(&measure, "measure")?,
                    per: unit(&per, "per")?,
                    over_last: length(over_last.as_deref(), "over_last")?,
                    since_start_of: start.transpose()?,
                };
                (metric, vec![named(&time_column, "time_column")?])
            }
            Self::Conversion {
                base_time,
                base_entity,
                conversion_time,
                conversion_entity,
                within,
                base_condition,
                conversion_condition,
            } => {
                let metric = Metric::Conversion {
                    within: length(within.as_deref(), "within")?,
                    base_condition,
                    conversion_condition,
                };
                let columns = vec![
                    named(&base_time, "base_time")?,
                    named(&base_entity, "base_entity")?,
                    named(&conversion_time, "conversion_time")?,
                    named(&conversion_entity, "conversion_entity")?,
                ];
                (metric, columns)
            }
        })
    }
}

/// Defines the metric that a user describes. `is_alone`: nothing else says what the term means.
pub(crate) fn define_taught(
    term: Option<&str>,
    meaning: Option<&str>,
    synonyms: Vec<String>,
    metric: Value,
    is_alone: bool,
) -> Result<(), Error> {
    let wrong = |problem: String| {
        failure!(Setting, "{problem}")
            .with_detail("A metric is of kind ratio (numerator, denominator), cumulative (measure, time_column, per, over_last, since_start_of) or conversion (base_time, base_entity, conversion_time, conversion_entity, within, base_condition, conversion_condition).")
            .with_hint(r#"Use metric => '{"kind": "ratio", "numerator": "sales", "denominator": "orders"}'."#)
    };
    if !is_alone {
        return Err(wrong(
            "a metric has no SQL, table, period or joins of its own".to_owned(),
        ));
    }
    let said =
        Said::deserialize(metric).map_err(|error| wrong(format!("invalid metric: {error}")))?;
    let (metric, columns) = said.read()?;
    define(&Given {
        term,
        meaning,
        synonyms,
        metric,
        columns,
        origin: "taught",
    })
}

/// Defines a metric, replacing an earlier one of that term.
pub(crate) fn define(given: &Given<'_>) -> Result<(), Error> {
    let term = required(given.term, "term")?;
    let meaning = required(given.meaning, "meaning")?;
    check_lengths(term, &[Some(meaning)])?;
    let mut columns = Vec::new();
    for name in &given.columns {
        columns.push(visible_column(Some(name))?);
    }
    let new = Stored {
        definition: Definition {
            term: term.to_owned(),
            ..Definition::default()
        },
        metric: Some(given.metric.clone()),
        columns: columns.iter().map(named).collect(),
        ..Stored::default()
    };
    let what = format!("\"{term}\" cannot be defined");
    let composed = glossary::composed_with(new)?.map_err(|why| {
        failure!(Setting, "{what}: {why}").with_hint(
            "List the definitions: SELECT term, kind, applies_to, sql_expression FROM text2sql.definitions;",
        )
    })?;
    let reads = match SqlCheck::new()?.reads(&composed.check)? {
        Ok(reads) => reads,
        Err(problem) => return Err(problem.into_error(&what)),
    };
    // The table that it is about first.
    let of_base =
        |object: &&Object| composed.table.is_some() && object.relation_oid == composed.table;
    let first = reads.iter().chain(&columns).find(of_base);
    let mut objects: Vec<Object> = first
        .or(reads.first())
        .map(whole_table)
        .into_iter()
        .collect();
    objects.extend(columns.iter().cloned());
    objects.extend(reads);
    let metric = written(&given.metric)?;
    store(&New {
        term,
        meaning,
        synonyms: &given.synonyms,
        expression: None,
        period: None,
        metric: Some(&metric),
        origin: given.origin,
        only_replaces: None,
        judged: &Judged {
            objects,
            kind: composed.is_expression.then_some("aggregate"),
            found: None,
            columns,
        },
    })
}

/// The origin of a definition of this term; `None` if there is none.
pub(crate) fn origin_of(term: &str) -> Result<Option<String>, Error> {
    spi::read_one(ORIGIN, &[of_term(term)?.into()])
}

/// Whether an identical metric of the same origin is stored.
pub(crate) fn is_known(given: &Given<'_>) -> Result<bool, Error> {
    let known: Option<bool> = spi::read_one(
        IS_KNOWN,
        &[
            of_term(given.term.unwrap_or_default())?.into(),
            given.meaning.into(),
            given.synonyms.clone().into(),
            written(&given.metric)?.into(),
            given.origin.into(),
        ],
    )?;
    Ok(known == Some(true))
}

fn written(metric: &Metric) -> Result<String, Error> {
    serde_json::to_string(metric)
        .map_err(|error| failure!(Internal, "a metric cannot be written").with_source(error))
}

fn named(column: &Object) -> (TableName, String) {
    let table = TableName {
        oid: column.relation_oid.unwrap_or_default(),
        schema: column.schema.clone(),
        name: column.relation.clone().unwrap_or_default(),
        is_visible: false,
    };
    (table, column.column.clone().unwrap_or_default())
}

fn whole_table(object: &Object) -> Object {
    Object {
        kind: ObjectKind::Relation,
        column: None,
        column_number: None,
        ..object.clone()
    }
}

/// A length of time that is one.
fn length(value: Option<&str>, what: &str) -> Result<Option<String>, Error> {
    match value {
        Some(text) if interval(text).is_none() => {
            Err(
                failure!(Setting, "\"{text}\" is not a length of time").with_hint(format!(
                    "Write a number and a unit: \"{what}\": \"3 months\"."
                )),
            )
        }
        value => Ok(value.map(str::to_owned)),
    }
}

/// A unit of periods.
fn unit(value: &str, what: &str) -> Result<String, Error> {
    match UNITS.contains(&value) {
        true => Ok(value.to_owned()),
        false => Err(
            failure!(Setting, "invalid {what} \"{value}\"").with_hint(format!(
                "Use one of {}: \"{what}\": \"month\".",
                UNITS.join(", ")
            )),
        ),
    }
}
