//! Rows of a result in a prompt, without values that look private.

use super::untrusted_text::without_disguise;
use text2sql_domain::sql_result::{Cell, Execution, ResultColumn};
use text2sql_domain::words;
use text2sql_sql::masking::looks_private;

/// Maximum number of rows of a result in a prompt: a sentence or two cannot describe more.
pub const MAX_ROWS_SHOWN: usize = 50;

/// Maximum length of a cell, in characters.
const MAX_CELL_CHARS: usize = 200;

/// A row as a JSON array; values that look private are replaced by "…".
pub(super) fn shown_row(row: &[Cell], columns: &[ResultColumn]) -> String {
    let cells = row
        .iter()
        .zip(columns)
        .map(|(cell, column)| match &cell.text {
            None => serde_json::Value::Null,
            Some(text) if may_be_private(column) && looks_private(text) => "…".into(),
            Some(text) => without_disguise(text)
                .chars()
                .take(MAX_CELL_CHARS)
                .collect::<String>()
                .into(),
        });
    serde_json::Value::from_iter(cells).to_string()
}

/// The first rows of a result, one JSON array a line, without what looks private.
pub(super) fn first_rows(execution: &Execution) -> String {
    let rows = execution.rows.iter().take(MAX_ROWS_SHOWN);
    let rows: Vec<String> = rows.map(|row| shown_row(row, &execution.columns)).collect();
    rows.join("\n")
}

/// Numbers and dates are never masked: a large sum is not a telephone number.
fn may_be_private(column: &ResultColumn) -> bool {
    let measures = words!(
        "numeric, integer, bigint, smallint, real, double precision, money, date, \
         timestamp, time, interval, boolean"
    );
    !measures
        .iter()
        .any(|measure| column.type_name.starts_with(measure))
}
