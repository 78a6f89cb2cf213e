//! Reads a small table as if its rows were passages, for a question that SQL cannot express: to judge, to sum up or to
//! compare texts.

use std::sync::Arc;

use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::passages::{Origin, Passage, Place, TextProtection};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_domain::sql_result::{Execution, ResultColumn};

/// Maximum number of rows.
pub const MAX_ROWS: usize = 50;

/// Maximum length of a row, in characters.
const MAX_ROW_CHARS: usize = 600;

/// The rows of the table, each as a passage; `None` unless the table has a key, a text column and at most
/// [`MAX_ROWS`] short rows that may be shown to a model.
pub fn read(cx: &Run<'_>, table: &Arc<Table>) -> Result<Option<Vec<Passage>>, Error> {
    let key: Vec<&str> = table.primary_key.iter().map(String::as_str).collect();
    let is_text = |type_name: &str| {
        type_name == "text" || type_name.starts_with("character varying") || type_name == "varchar"
    };
    let has_text = table
        .columns
        .iter()
        .any(|column| is_text(&column.type_name));
    if key.is_empty() || !has_text {
        return Ok(None);
    }
    let columns = table
        .columns
        .iter()
        .map(|column| quote_identifier(&column.name));
    let sql = format!(
        "SELECT {} FROM {}.{} LIMIT {}",
        columns.collect::<Vec<_>>().join(", "),
        quote_identifier(&table.schema),
        quote_identifier(&table.name),
        MAX_ROWS + 1
    );
    let limits = Limits {
        max_result_rows: MAX_ROWS + 1,
        ..cx.config.limits.clone()
    };
    let Outcome::Passed(execution) = cx.database.run(&sql, &limits)? else {
        return Ok(None);
    };
    let is_small = (1..=MAX_ROWS).contains(&execution.rows.len()) && !execution.is_truncated;
    if execution.is_private || !is_small {
        return Ok(None);
    }
    Ok(passages(table, &key, &execution))
}

fn passages(table: &Table, key: &[&str], execution: &Execution) -> Option<Vec<Passage>> {
    let all = (1..).zip(&execution.rows).map(|(id, row)| {
        let cells = || execution.columns.iter().zip(row);
        let text = |name: &str| {
            let mut cells = cells();
            let (_, cell) = cells.find(|(column, _)| column.name == name)?;
            cell.text.clone()
        };
        let written: Vec<String> = cells()
            .filter_map(|(column, cell)| Some(format!("{}: {}", column.name, cell.text.as_ref()?)))
            .collect();
        let written = written.join("; ");
        let key = key
            .iter()
            .map(|name| Some(((*name).to_owned(), text(name)?)));
        let is_short = written.chars().count() <= MAX_ROW_CHARS;
        is_short.then_some(())?;
        Some(Passage {
            id,
            title: None,
            place: Place {
                headings: Vec::new(),
                part: 1,
                parts: 1,
            },
            origin: Origin::Row {
                table: table.oid,
                schema: table.schema.clone(),
                name: table.name.clone(),
                column: texts_of(&execution.columns).join(", "),
                key: key.collect::<Option<Vec<_>>>()?,
            },
            text: written,
            score: 1.0,
            similarity: None,
            protection: TextProtection::Open,
        })
    });
    all.collect()
}

fn texts_of(columns: &[ResultColumn]) -> Vec<&str> {
    let texts = columns
        .iter()
        .filter(|column| column.type_name == "text" || column.type_name.starts_with("character"));
    texts.map(|column| column.name.as_str()).collect()
}
