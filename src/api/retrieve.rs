//! `text2sql.retrieve(question, conversation, options)`: the tables and values found for a question, and why.

use pgrx::prelude::*;
use pgrx::{IntoDatum, JsonB};
use serde_json::{Map, Value, json};
use text2sql_domain::error::Error;
use text2sql_domain::schema::{Table, TableKind, quote_identifier, quote_literal};
use text2sql_retrieval::found_table::{FoundTable, Reason};

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::settings;
use crate::pg::server::spi::encoding::for_client;
use crate::question::options::QUESTION;
use crate::question::{self, Request};

extension_sql!(
    r#"
CREATE FUNCTION text2sql.retrieve(question text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS TABLE (
        rank integer, object text, kind text, why text, score double precision, legs jsonb, best_columns text[])
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 10
    AS 'MODULE_PATHNAME', 'text2sql_retrieve';
"#,
    name = "retrieve"
);
entry_point!(retrieve);

/// What was found for a question, best first: tables, each with the reason, its rank and score in every part of
/// the search, and its best columns; then values that the question may refer to, and how certain the search is.
fn retrieve(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let request = Request::read(call, "retrieve", 1, &QUESTION)?;
    let rows = rows(&request)?;
    set.hand_over_rows(rows.iter().map(|row| {
        [
            row.rank.into_datum(),
            text_datum(&for_client(&row.object)),
            text_datum(row.kind),
            text_datum(&for_client(&row.why)),
            row.score.into_datum(),
            row.legs.clone().map(JsonB).into_datum(),
            row.best_columns.as_deref().and_then(text_array),
        ]
    }))
}

struct Row {
    rank: i32,
    object: String,
    kind: &'static str,
    why: String,
    score: Option<f64>,
    legs: Option<Value>,
    best_columns: Option<Vec<String>>,
}

fn rows(request: &Request) -> Result<Vec<Row>, Error> {
    let found = question::find(request)?;
    for note in &found.notes {
        pgrx::notice!("text2sql: {note}");
    }
    if found.is_whole && found.tables.iter().all(|(_, hit)| hit.is_none()) {
        let remedy = match settings::enable_maintenance() {
            true => "a background worker builds it",
            false => "CALL text2sql.refresh()",
        };
        pgrx::notice!("text2sql: there is no search index, so nothing is ranked: {remedy}");
    }
    let tables = (1..).zip(&found.tables).map(|(rank, (table, hit))| Row {
        rank,
        object: table.sql_name(),
        kind: kind(table.kind),
        why: match hit {
            Some(hit) => why(hit, &found.tables),
            None if found.is_whole => "every readable table fits".to_owned(),
            None => "name, columns or comment share words with the question".to_owned(),
        },
        score: hit.as_ref().map(|hit| round(hit.score)),
        legs: hit.as_ref().map(legs),
        best_columns: hit.as_ref().map(|hit| best_columns(hit, table)),
    });
    let mut rows: Vec<Row> = tables.collect();
    rows.extend(values(&found));
    rows.extend(found.certainty.as_ref().map(|certainty| Row {
        rank: 1,
        object: certainty.level.as_str().to_owned(),
        kind: "certainty",
        why: certainty.reason(),
        score: Some(round(certainty.explained)),
        legs: None,
        best_columns: None,
    }));
    Ok(rows)
}

/// One row for each value of a table that was found, after the tables.
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
        Some(Row {
            rank: 0,
            object,
            kind: "value",
            why,
            score: Some(score),
            legs: None,
            best_columns: None,
        })
    });
    let mut rows: Vec<Row> = rows.collect();
    for (rank, row) in (1..).zip(&mut rows) {
        row.rank = rank;
    }
    rows
}

fn why(hit: &FoundTable, tables: &[question::Hit]) -> String {
    let reasons = hit.reasons.iter().map(|reason| match reason {
        Reason::Named => "the question names it".to_owned(),
        Reason::Matched if hit.is_of_meaning_alone() => {
            "its meaning is close to that of the question".to_owned()
        }
        Reason::Matched => "shares words with the question".to_owned(),
        Reason::ReadAs { written, word } => format!("'{written}' is read as {word}"),
        Reason::Value => "holds a value that the question mentions".to_owned(),
        Reason::Connects(other) => format!("connects {}", name_of(*other, tables)),
        Reason::Joined(other) => format!("is joined to {}", name_of(*other, tables)),
        Reason::Defined(term) => format!("\"{term}\" is defined over it"),
    });
    reasons.collect::<Vec<_>>().join("; ")
}

fn name_of(table: u32, tables: &[question::Hit]) -> String {
    let named = tables.iter().find(|(known, _)| known.oid == table);
    named.map_or("another one".to_owned(), |(table, _)| table.sql_name())
}

fn legs(hit: &FoundTable) -> Value {
    let legs = hit.ranks.iter().map(|place| {
        let value = json!({"rank": place.rank, "score": round(place.score)});
        (place.leg.as_str().to_owned(), value)
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

/// Four digits are enough, and are the same on every platform.
fn round(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
