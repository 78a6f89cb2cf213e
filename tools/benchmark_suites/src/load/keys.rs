//! Declares primary and foreign keys, as far as the rows permit.
//!
//! SQLite does not enforce foreign keys unless it is told to, and the published files violate some. Such a key is
//! declared NOT VALID: it says how to join, and is not checked for the rows that are there. What cannot be declared at
//! all is a line of the report.

use postgres::Client;
use postgres::error::SqlState;
use text2sql_domain::schema::quote_identifier;

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
    notes: &mut Vec<String>,
) -> Result<(), Failure> {
    for key in &keys.primary {
        let statement = format!(
            "ALTER TABLE {} ADD PRIMARY KEY ({})",
            key.quoted_table(),
            key.list()
        );
        if let Err(error) = client.batch_execute(&statement) {
            notes.push(format!("{key}: no primary key: {}", explained(&error)));
        }
    }
    for key in &keys.foreign {
        let Some(key) = complete(key, tables, &keys.primary) else {
            notes.push(format!(
                "{} to {}: no such table or column",
                key.from, key.to
            ));
            continue;
        };
        if let Some(note) = foreign(client, &key) {
            notes.push(format!("{} to {}: {note}", key.from, key.to));
        }
    }
    Ok(())
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
