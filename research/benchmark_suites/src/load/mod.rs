//! Makes a database of PostgreSQL of one of a benchmark.
//!
//! Each gets a database of its own, not a schema: the search index, the stored knowledge and the suite of the extension
//! belong to a database, and a question of a benchmark is about one database, not about two hundred. Names are in lower
//! case, as PostgreSQL reads them without quotes and SQLite compares them in any case. Texts are compared by their
//! bytes, as SQLite does, which decides what ORDER BY shows first.

mod column_type;
mod comments;
mod copy_line;
mod deciding;
mod keys;
mod loaded;
mod statements;
mod tables;

use postgres::Client;
use text2sql_domain::schema::quote_identifier;

pub(crate) use self::loaded::Loaded;
use crate::benchmark::{Database, DescribedTable, Keys, Source};
use crate::failure::Failure;
use crate::options::Options;
use crate::server::{connect, explained};
use crate::table::{Column, Table};
use crate::value::Raw;
use crate::{files, sqlite};

/// Makes the database and fills it.
pub(crate) fn load(database: &Database, name: &str, options: &Options) -> Result<Loaded, Failure> {
    create(name, options)?;
    let mut client = connect(options, Some(name))?;
    let mut loaded = Loaded::default();
    match &database.source {
        Source::Sqlite(file) => {
            let source = sqlite::open(file)?;
            let (found, own_keys, notes) = sqlite::read_schema(&source)?;
            loaded.notes = notes;
            for table in &found {
                tables::make(&mut client, table, &mut loaded, &|take| {
                    sqlite::each_row(&source, &table.name, take)
                })?;
            }
            let keys = keys::united(own_keys, &database.keys);
            keys::declare(&mut client, &found, &keys, &mut loaded)?;
        }
        Source::Described(described) => {
            let found: Vec<Table> = described.iter().map(declared).collect();
            for (table, described) in found.iter().zip(described) {
                if described.rows.is_none() {
                    loaded
                        .notes
                        .push(format!("{}: there is no file of its rows", table.name));
                }
                tables::make(&mut client, table, &mut loaded, &|take| {
                    each_record(described, take)
                })?;
            }
            let keys = keys::united(Keys::default(), &database.keys);
            keys::declare(&mut client, &found, &keys, &mut loaded)?;
        }
        Source::Statements(file) => statements::run(&mut client, file, &mut loaded)?,
    }
    comments::write(&mut client, &database.comments, &mut loaded.notes)?;
    finish(&mut client, options)?;
    Ok(loaded)
}

fn create(name: &str, options: &Options) -> Result<(), Failure> {
    let mut client = connect(options, None)?;
    let quoted = quote_identifier(name);
    let exists = client
        .query_opt(
            "SELECT 1 FROM pg_catalog.pg_database WHERE datname = $1",
            &[&name],
        )
        .map_err(|error| explained(&error))?
        .is_some();
    if exists {
        if !options.replaces {
            return Err("it exists\n  hint: --replace drops it first".into());
        }
        client
            .batch_execute(&format!("DROP DATABASE {quoted}"))
            .map_err(|error| explained(&error))?;
    }
    let statement =
        format!("CREATE DATABASE {quoted} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'");
    client
        .batch_execute(&statement)
        .map_err(|error| explained(&error).into())
}

/// The extension with its index, and the privileges of the role that evaluates.
fn finish(client: &mut Client, options: &Options) -> Result<(), Failure> {
    let words = |error: postgres::Error| explained(&error);
    client
        .batch_execute("ANALYZE; CREATE EXTENSION IF NOT EXISTS pg_text2sql CASCADE")
        .map_err(words)?;
    if let Some(role) = &options.role {
        let schemas = client
            .query(
                "SELECT nspname FROM pg_catalog.pg_namespace n
                  WHERE nspname NOT LIKE 'pg\\_%' AND nspname NOT LIKE 'text2sql%' AND nspname <> 'information_schema'
                    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                                     WHERE d.classid = 'pg_catalog.pg_namespace'::regclass AND d.objid = n.oid AND d.deptype = 'e')",
                &[],
            )
            .map_err(words)?;
        let role_name = quote_identifier(role);
        for schema in schemas {
            let schema = quote_identifier(schema.get(0));
            client
                .batch_execute(&format!(
                    "GRANT USAGE ON SCHEMA {schema} TO {role_name};
                     GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role_name}"
                ))
                .map_err(words)?;
        }
        client
            .execute("SELECT text2sql.grant_access($1, 'evaluation')", &[role])
            .map_err(words)?;
    }
    client
        .batch_execute("CALL text2sql.refresh()")
        .map_err(|error| words(error).into())
}

fn declared(described: &DescribedTable) -> Table {
    Table {
        name: described.name.clone(),
        columns: described
            .columns
            .iter()
            .map(|(name, declared)| Column {
                name: name.clone(),
                declared: declared.clone(),
                is_not_null: declared.to_uppercase().contains("NOT NULL"),
            })
            .collect(),
    }
}

/// The records of a CSV file in the order of the table's columns; an empty field is NULL.
fn each_record(
    described: &DescribedTable,
    mut take: impl FnMut(&[Raw]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(file) = &described.rows else {
        return Ok(());
    };
    for record in files::records(file)? {
        let row: Vec<Raw> = described
            .columns
            .iter()
            .map(|(column, _)| {
                let found = record
                    .iter()
                    .find(|(name, _)| name.eq_ignore_ascii_case(column));
                match found {
                    Some((_, text)) if !text.is_empty() && text != "NULL" => {
                        Raw::Text(text.clone())
                    }
                    _ => Raw::Null,
                }
            })
            .collect();
        take(&row)?;
    }
    Ok(())
}
