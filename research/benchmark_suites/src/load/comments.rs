//! Writes what a benchmark says about its columns as their comments.

use postgres::Client;
use text2sql_domain::schema::{quote_identifier, quote_literal};

use crate::benchmark::Comment;
use crate::failure::Failure;

/// Writes the comments. A table of a dump may be in any schema of the search path, or be named with it.
pub(super) fn write(
    client: &mut Client,
    comments: &[Comment],
    notes: &mut Vec<String>,
) -> Result<(), Failure> {
    for comment in comments {
        let table: Vec<String> = comment
            .table
            .split('.')
            .map(|part| quote_identifier(&part.to_lowercase()).to_string())
            .collect();
        let column = comment.column.to_lowercase();
        let statement = format!(
            "COMMENT ON COLUMN {}.{} IS {}",
            table.join("."),
            quote_identifier(&column),
            quote_literal(&comment.text)
        );
        if client.batch_execute(&statement).is_err() {
            notes.push(format!(
                "{}.{column} is described, and does not exist",
                comment.table.to_lowercase()
            ));
        }
    }
    Ok(())
}
