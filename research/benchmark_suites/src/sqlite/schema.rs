//! Tables, columns and keys of a database of SQLite.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::benchmark::{ForeignKey, Key, Keys};
use crate::failure::Failure;
use crate::table::{Column, Table};

/// The tables, the keys, and what is not taken over.
pub(crate) fn read(connection: &Connection) -> Result<(Vec<Table>, Keys, Vec<String>), Failure> {
    let mut tables = Vec::new();
    let mut keys = Keys::default();
    let mut notes = Vec::new();
    let mut statement = connection.prepare(
        "SELECT name, type FROM sqlite_master
          WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )?;
    let names: Vec<(String, String)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (name, kind) in names {
        if kind == "view" {
            notes.push(format!("view {name} is not taken over"));
            continue;
        }
        tables.push(table(connection, &name, &mut keys)?);
        foreign_keys(connection, &name, &mut keys)?;
    }
    Ok((tables, keys, notes))
}

fn table(connection: &Connection, name: &str, keys: &mut Keys) -> Result<Table, Failure> {
    let mut statement = connection
        .prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1) ORDER BY cid")?;
    let mut primary = BTreeMap::new();
    let mut columns = Vec::new();
    let mut rows = statement.query([name])?;
    while let Some(row) = rows.next()? {
        let column: String = row.get(0)?;
        let place: i64 = row.get(3)?;
        if place > 0 {
            primary.insert(place, column.clone());
        }
        columns.push(Column {
            name: column,
            declared: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            is_not_null: row.get::<_, i64>(2)? != 0,
        });
    }
    if !primary.is_empty() {
        keys.primary.push(Key {
            table: name.to_owned(),
            columns: primary.into_values().collect(),
        });
    }
    Ok(Table {
        name: name.to_owned(),
        columns,
    })
}

fn foreign_keys(connection: &Connection, name: &str, keys: &mut Keys) -> Result<(), Failure> {
    let mut statement = connection.prepare(
        "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1) ORDER BY id, seq",
    )?;
    let mut found: BTreeMap<i64, ForeignKey> = BTreeMap::new();
    let mut rows = statement.query([name])?;
    while let Some(row) = rows.next()? {
        let to: String = row.get(1)?;
        let key = found.entry(row.get(0)?).or_insert_with(|| ForeignKey {
            from: Key {
                table: name.to_owned(),
                columns: Vec::new(),
            },
            to: Key {
                table: to,
                columns: Vec::new(),
            },
        });
        key.from.columns.push(row.get(2)?);
        key.to.columns.extend(row.get::<_, Option<String>>(3)?);
    }
    keys.foreign.extend(found.into_values());
    Ok(())
}
