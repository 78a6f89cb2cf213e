//! Metrics: definitions that are made of others.

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
pub(crate) fn length(value: Option<&str>, what: &str) -> Result<Option<String>, Error> {
    match value {
        Some(text) if interval(text).is_none() => {
            Err(failure!(Setting, "\"{text}\" is not a length of time")
                .with_hint(format!("Write a number and a unit: {what} => '3 months'.")))
        }
        value => Ok(value.map(str::to_owned)),
    }
}

/// A unit of periods.
pub(crate) fn unit(value: &str, what: &str) -> Result<String, Error> {
    match UNITS.contains(&value) {
        true => Ok(value.to_owned()),
        false => Err(
            failure!(Setting, "invalid {what} \"{value}\"").with_hint(format!(
                "Use one of {}: {what} => 'month'.",
                UNITS.join(", ")
            )),
        ),
    }
}
