//! Declares primary and foreign keys, as far as the rows permit.
//!
//! SQLite does not enforce foreign keys unless it is set to, and the published files violate some. Such a key is
//! declared NOT VALID: it says how to join, and is not checked for the rows that are there. What cannot be declared at
//! all is a line of the report.
//!
//! SQLite compares a text with the number that it writes. Where one side of a key is text and the other is not, the
//! texts become what the other side has, if all of them are written so: the key can be declared, and queries that join by
//! it need no casts.

use postgres::Client;
use postgres::error::SqlState;
use text2sql_domain::schema::quote_identifier;

use super::column_type::Type;
use super::loaded::Loaded;
use crate::benchmark::{ForeignKey, Key, Keys};
use crate::failure::Failure;
use crate::server::explained;
use crate::table::Table;

/// The keys of the database, and those that the benchmark names beside it.
pub(super) fn united(own: Keys, named: &Keys) -> Keys {
    let mut keys = own;
    for key in &named.primary {
        let same = |known: &Key| known.table.eq_ignore_ascii_case(&key.table);
        if !keys.primary.iter().any(same) {
            keys.primary.push(key.clone());
        }
    }
    for key in &named.foreign {
        let same = |known: &ForeignKey| {
            known.from.is_like(&key.from) && known.to.table.eq_ignore_ascii_case(&key.to.table)
        };
        if !keys.foreign.iter().any(same) {
            keys.foreign.push(key.clone());
        }
    }
    keys
}

/// Declares them; what cannot be declared is noted.
pub(super) fn declare(
    client: &mut Client,
    tables: &[Table],
    keys: &Keys,
    loaded: &mut Loaded,
) -> Result<(), Failure> {
    for key in &keys.primary {
        let statement = format!(
            "ALTER TABLE {} ADD PRIMARY KEY ({})",
            key.quoted_table(),
            key.list()
        );
        if let Err(error) = client.batch_execute(&statement) {
            let note = format!("{key}: no primary key: {}", explained(&error));
            loaded.notes.push(note);
        }
    }
    for key in &keys.foreign {
        let Some(key) = complete(key, tables, &keys.primary) else {
            loaded.notes.push(format!(
                "{} to {}: no such table or column",
                key.from, key.to
            ));
            continue;
        };
        unite_types(client, &key, loaded)?;
        if let Some(note) = foreign(client, &key) {
            loaded
                .notes
                .push(format!("{} to {}: {note}", key.from, key.to));
        }
    }
    Ok(())
}

/// Gives text columns of a key the type of the columns on its other side, if that writes all their values as they are.
fn unite_types(client: &mut Client, key: &ForeignKey, loaded: &mut Loaded) -> Result<(), Failure> {
    for (from, to) in key.from.columns.iter().zip(&key.to.columns) {
        let own = type_of(client, &key.from.table, from)?;
        let other = type_of(client, &key.to.table, to)?;
        let (table, column, wanted) = match (own, other) {
            (Some(Type::Text), Some(wanted)) if wanted != Type::Text => {
                (&key.from.table, from, wanted)
            }
            (Some(wanted), Some(Type::Text)) if wanted != Type::Text => (&key.to.table, to, wanted),
            _ => continue,
        };
        let (table, column) = (table.to_lowercase(), column.to_lowercase());
        if becomes(client, &table, &column, wanted) {
            loaded.columns.add(&table, &column, wanted.kind());
            loaded.notes.push(format!(
                "{table}.{column}: declared as text, is {}, as is the other column of a key",
                wanted.name()
            ));
        }
    }
    Ok(())
}

fn type_of(client: &mut Client, table: &str, column: &str) -> Result<Option<Type>, Failure> {
    let found = client
        .query_opt(
            "SELECT pg_catalog.format_type(a.atttypid, NULL) FROM pg_catalog.pg_attribute a
              WHERE a.attrelid = pg_catalog.to_regclass(pg_catalog.quote_ident($1)) AND a.attname = $2",
            &[&table.to_lowercase(), &column.to_lowercase()],
        )
        .map_err(|error| explained(&error))?;
    let name: Option<String> = found.and_then(|row| row.get(0));
    Ok(name.as_deref().and_then(Type::named))
}

/// Whether a text column has become one of another type. Not where a text is written in another way than the type
/// writes it, such as `007`, or is no value of it.
fn becomes(client: &mut Client, table: &str, column: &str, wanted: Type) -> bool {
    let (table, column) = (quote_identifier(table), quote_identifier(column));
    let name = wanted.name();
    let differs = client.query_one(
        &format!("SELECT EXISTS (SELECT FROM {table} WHERE {column}::{name}::text <> {column})"),
        &[],
    );
    let is_same = differs.is_ok_and(|row| !row.get::<_, bool>(0));
    is_same
        && client
            .batch_execute(&format!(
                "ALTER TABLE {table} ALTER COLUMN {column} TYPE {name} USING {column}::{name}"
            ))
            .is_ok()
}

/// Declares a foreign key; returns what must be said about it.
fn foreign(client: &mut Client, key: &ForeignKey) -> Option<String> {
    let statement = format!(
        "ALTER TABLE {} ADD FOREIGN KEY ({}) REFERENCES {} ({})",
        key.from.quoted_table(),
        key.from.list(),
        key.to.quoted_table(),
        key.to.list()
    );
    let mut error = client.batch_execute(&statement).err()?;
    if error.code() == Some(&SqlState::INVALID_FOREIGN_KEY) {
        let unique = format!(
            "ALTER TABLE {} ADD UNIQUE ({})",
            key.to.quoted_table(),
            key.to.list()
        );
        if let Err(error) = client.batch_execute(&unique) {
            return Some(format!("no foreign key: {}", explained(&error)));
        }
        error = client.batch_execute(&statement).err()?;
    }
    if error.code() == Some(&SqlState::FOREIGN_KEY_VIOLATION) {
        return Some(
            match client.batch_execute(&format!("{statement} NOT VALID")) {
                Ok(()) => "violated by rows, declared NOT VALID".to_owned(),
                Err(error) => format!("no foreign key: {}", explained(&error)),
            },
        );
    }
    Some(format!("no foreign key: {}", explained(&error)))
}

/// The key with the columns that it references; `None` where a name of it does not exist.
fn complete(key: &ForeignKey, tables: &[Table], primary: &[Key]) -> Option<ForeignKey> {
    let mut key = key.clone();
    if key.to.columns.is_empty() {
        let target = primary
            .iter()
            .find(|one| one.table.eq_ignore_ascii_case(&key.to.table))?;
        key.to.columns.clone_from(&target.columns);
    }
    let exists = |key: &Key| {
        tables
            .iter()
            .find(|table| table.name.eq_ignore_ascii_case(&key.table))
            .is_some_and(|table| {
                key.columns.iter().all(|column| {
                    table
                        .columns
                        .iter()
                        .any(|known| known.name.eq_ignore_ascii_case(column))
                })
            })
    };
    (key.from.columns.len() == key.to.columns.len() && exists(&key.from) && exists(&key.to))
        .then_some(key)
}

impl Key {
    fn is_like(&self, other: &Self) -> bool {
        let folded = |key: &Self| -> Vec<String> {
            std::iter::once(&key.table)
                .chain(&key.columns)
                .map(|name| name.to_lowercase())
                .collect()
        };
        folded(self) == folded(other)
    }

    fn quoted_table(&self) -> String {
        quote_identifier(&self.table.to_lowercase())
    }

    fn list(&self) -> String {
        let columns = self.columns.iter().map(|column| {
            let column = column.to_lowercase();
            quote_identifier(&column)
        });
        columns.collect::<Vec<String>>().join(", ")
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = format!("{} ({})", self.table, self.columns.join(", "));
        f.write_str(&name.to_lowercase())
    }
}
