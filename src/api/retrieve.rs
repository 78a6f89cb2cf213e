//! `text2sql.retrieve(question)`: what a question finds in the catalog, and why, for people.

use pgrx::JsonB;
use pgrx::prelude::*;
use serde_json::{Map, Value, json};
use text2sql_core::error::Error;
use text2sql_core::retrieve::search::{FoundTable, Reason};
use text2sql_core::schema::{Table, TableKind, quote_identifier, quote_literal};

use crate::pg::error::{ErrorReport, report};
use crate::question;

/// What was found for a question, best first: tables, with the reason of each, its place and score in
/// every leg of the search, and its best columns; then values that the question may mean.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity, reason = "the columns of the result")]
fn retrieve(
    question: Option<&str>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(rank, i32),
            name!(object, String),
            name!(kind, String),
            name!(why, String),
            name!(score, Option<f64>),
            name!(legs, Option<JsonB>),
            name!(columns, Option<Vec<String>>),
        ),
    >,
    ErrorReport,
> {
    let rows = rows(question).map_err(report)?;
    Ok(TableIterator::new(rows))
}

type Row = (
    i32,
    String,
    String,
    String,
    Option<f64>,
    Option<JsonB>,
    Option<Vec<String>>,
);

fn rows(question: Option<&str>) -> Result<Vec<Row>, Error> {
    let found = question::find(question)?;
    for note in &found.notes {
        pgrx::notice!("text2sql: {note}");
    }
    if found.is_whole && found.tables.iter().all(|(_, hit)| hit.is_none()) {
        pgrx::notice!(
            "text2sql: there is no search index, so nothing is ranked: CALL text2sql.refresh()"
        );
    }
    let tables = (1..).zip(&found.tables).map(|(rank, (table, hit))| {
        let why = match hit {
            Some(hit) => why(hit, &found.tables),
            None if found.is_whole => "every readable table fits".to_owned(),
            None => "its name, columns or comment share words with the question".to_owned(),
        };
        let columns = hit.as_ref().map(|hit| best_columns(hit, table));
        (
            rank,
            table.sql_name(),
            kind(table.kind).to_owned(),
            why,
            hit.as_ref().map(|hit| round(hit.score)),
            hit.as_ref().map(|hit| JsonB(legs(hit))),
            columns,
        )
    });
    let mut rows: Vec<Row> = tables.collect();
    rows.extend(values(&found));
    Ok(rows)
}

/// One row for each value of a table that was found, behind the tables.
fn values(found: &question::Found) -> Vec<Row> {
    let rows = found.values.iter().filter_map(|(phrase, hit)| {
        let (table, _) = found
            .tables
            .iter()
            .find(|(table, _)| table.oid == hit.table)?;
        let mut columns = table.columns.iter();
        let column = columns.find(|column| column.number == hit.column)?;
        let object = format!("{}.{}", table.sql_name(), quote_identifier(&column.name));
        let why = match hit.similarity < 1.0 {
            true => format!("{} is like \"{phrase}\"", quote_literal(&hit.value)),
            false => format!("{} may be \"{phrase}\"", quote_literal(&hit.value)),
        };
        let score = round(f64::from(hit.similarity));
        Some((0, object, "value".to_owned(), why, Some(score), None, None))
    });
    let mut rows: Vec<Row> = rows.collect();
    for (rank, row) in (1..).zip(&mut rows) {
        row.0 = rank;
    }
    rows
}

fn why(hit: &FoundTable, tables: &[question::Hit]) -> String {
    let reasons = hit.reasons.iter().map(|reason| match reason {
        Reason::Named => "the question names it".to_owned(),
        Reason::Matched => "shares words with the question".to_owned(),
        Reason::Value => "holds a value that the question mentions".to_owned(),
        Reason::Connects(other) => {
            let other = tables.iter().find(|(table, _)| table.oid == *other);
            let name = other.map_or("another one".to_owned(), |(table, _)| table.sql_name());
            format!("connects {name}")
        }
        Reason::Defined(term) => format!("\"{term}\" is defined over it"),
    });
    reasons.collect::<Vec<_>>().join("; ")
}

fn legs(hit: &FoundTable) -> Value {
    let legs = hit.ranks.iter().map(|place| {
        let value = json!({"rank": place.rank, "score": round(place.score)});
        (place.leg.name().to_owned(), value)
    });
    Value::Object(legs.collect::<Map<_, _>>())
}

fn best_columns(hit: &FoundTable, table: &Table) -> Vec<String> {
    let named = hit.columns.iter().filter_map(|(number, _)| {
        let column = table.columns.iter().find(|column| column.number == *number);
        column.map(|column| column.name.clone())
    });
    named.take(5).collect()
}

fn kind(kind: TableKind) -> &'static str {
    match kind {
        TableKind::Table => "table",
        TableKind::View => "view",
        TableKind::MaterializedView => "materialized view",
        TableKind::PartitionedTable => "partitioned table",
    }
}

/// Four digits say enough, and the same on every machine.
fn round(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
