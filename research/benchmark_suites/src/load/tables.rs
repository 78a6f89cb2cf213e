//! Makes a table and copies its rows.

use std::io::Write;

use postgres::Client;
use text2sql_domain::schema::quote_identifier;

use super::copy_line::copy_line;
use super::deciding::{Decision, Facts, decide};
use super::loaded::Loaded;
use crate::failure::Failure;
use crate::server::explained;
use crate::table::Table;
use crate::value::Raw;

/// Takes a row.
type Take<'a> = &'a mut dyn FnMut(&[Raw]) -> Result<(), Failure>;

/// Makes a table, with the types that its values have. `rows` hands over the rows, and is called twice.
pub(super) fn make(
    client: &mut Client,
    table: &Table,
    loaded: &mut Loaded,
    rows: &dyn Fn(Take<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let decisions = decisions(table, rows)?;
    let name = table.name.to_lowercase();
    let mut columns = Vec::new();
    for (column, decision) in table.columns.iter().zip(&decisions) {
        let plain = column.name.to_lowercase();
        loaded.columns.add(&name, &plain, decision.data_type.kind());
        for note in &decision.notes {
            loaded.notes.push(format!("{name}.{plain}: {note}"));
        }
        columns.push(format!(
            "{} {}",
            quote_identifier(&plain),
            decision.data_type.name()
        ));
    }
    let quoted = quote_identifier(&name);
    client
        .batch_execute(&format!("CREATE TABLE {quoted} ({})", columns.join(", ")))
        .map_err(|error| format!("table {name}: {}", explained(&error)))?;
    loaded.tables += 1;
    loaded.rows += copy(client, &quoted, &decisions, rows)
        .map_err(|error| format!("table {name}: {error}"))?;
    for column in table.columns.iter().filter(|column| column.is_not_null) {
        let plain = column.name.to_lowercase();
        let statement = format!(
            "ALTER TABLE {quoted} ALTER COLUMN {} SET NOT NULL",
            quote_identifier(&plain)
        );
        if client.batch_execute(&statement).is_err() {
            loaded
                .notes
                .push(format!("{name}.{plain}: declared NOT NULL, and has NULL"));
        }
    }
    Ok(())
}

fn decisions(
    table: &Table,
    rows: &dyn Fn(Take<'_>) -> Result<(), Failure>,
) -> Result<Vec<Decision>, Failure> {
    let mut facts: Vec<Facts> = table.columns.iter().map(|_| Facts::default()).collect();
    rows(&mut |row| {
        for (facts, value) in facts.iter_mut().zip(row) {
            facts.add(value);
        }
        Ok(())
    })?;
    let decided = table.columns.iter().zip(&facts);
    Ok(decided
        .map(|(column, facts)| decide(&column.declared, facts))
        .collect())
}

fn copy(
    client: &mut Client,
    table: &str,
    decisions: &[Decision],
    rows: &dyn Fn(Take<'_>) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let words = |error: postgres::Error| -> Failure { explained(&error).into() };
    let mut writer = client
        .copy_in(&format!("COPY {table} FROM STDIN"))
        .map_err(words)?;
    rows(&mut |row| {
        let values = row
            .iter()
            .zip(decisions)
            .map(|(value, decision)| decision.data_type.input(value));
        writer.write_all(copy_line(values).as_bytes())?;
        Ok(())
    })?;
    writer.finish().map_err(words)
}
