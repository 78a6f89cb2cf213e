//! BEAVER: `dev_dw.json`, `dev_nw.json` (earlier `dev.json`, `queries.json`), `dev_tables.json` with columns, types and
//! keys, `dw_join_keys.json`, and the rows as CSV files, which are published apart: one for each table, in a directory
//! of the database's name, or anywhere below the directory if no other has that name.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::published_files::{question_files, text};
use crate::benchmark::{
    Benchmark, Comment, Database, DescribedTable, ForeignKey, Key, Keys, Question, Source,
};
use crate::failure::Failure;
use crate::files;
use crate::kind::Kind;
use crate::options::Options;

pub(super) fn read(directory: &Path, options: &Options) -> Result<Benchmark, Failure> {
    let databases = databases(directory)?;
    let mut questions = Vec::new();
    let names = ["dev_dw.json", "dev_nw.json", "dev.json", "queries.json"];
    for file in question_files(directory, options, &names)? {
        let set = files::stem(&file);
        for (number, asked) in files::list(&file)?.iter().enumerate() {
            questions.push(Question {
                key: format!("{set}-{number}"),
                database: text(asked, "db_id", number, &file)?,
                question: text(asked, "question", number, &file)?,
                gold: vec![text(asked, "sql", number, &file)?],
                previous: Vec::new(),
                evidence: mapping(asked),
                level: None,
                tags: vec![set.clone()],
                ordered: None,
            });
        }
    }
    Ok(Benchmark {
        kind: Kind::Beaver,
        databases,
        questions,
        comparison: json!({}),
    })
}

/// Which columns the words of a question mean, as the benchmark says it: BEAVER's column mapping.
fn mapping(asked: &Value) -> Option<String> {
    let mapped = asked.get("mapping")?.as_object()?;
    let lines: Vec<String> = mapped
        .iter()
        .map(|(words, columns)| {
            let columns: Vec<String> = columns
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_lowercase)
                .collect();
            format!("{words}: {}", columns.join(", "))
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}

fn databases(directory: &Path) -> Result<Vec<Database>, Failure> {
    let file = directory.join("dev_tables.json");
    let described = files::json(&file)?;
    let rows: Vec<PathBuf> = files::below(directory)?
        .into_iter()
        .filter(|file| files::ends_with(file, "csv"))
        .filter(|file| !file.components().any(|part| part.as_os_str() == "schema"))
        .collect();
    let mut databases: Vec<Database> = Vec::new();
    for table in described
        .as_object()
        .into_iter()
        .flatten()
        .map(|(_, table)| table)
    {
        let text = |name: &str| table.get(name).and_then(Value::as_str).unwrap_or_default();
        let (id, name) = (text("db_id"), text("table_name_original"));
        if databases.last().is_none_or(|last| last.id != id)
            && databases.iter().all(|known| known.id != id)
        {
            databases.push(Database {
                id: id.to_owned(),
                source: Source::Described(Vec::new()),
                comments: Vec::<Comment>::new(),
                keys: Keys::default(),
            });
        }
        let Some(database) = databases.iter_mut().find(|known| known.id == id) else {
            continue;
        };
        add_keys(&mut database.keys, name, table);
        if let Source::Described(tables) = &mut database.source {
            tables.push(DescribedTable {
                name: name.to_owned(),
                columns: names(table, "column_names_original")
                    .into_iter()
                    .zip(names(table, "column_types"))
                    .collect(),
                rows: file_of(&rows, id, name),
            });
        }
    }
    let joins = directory.join("dw_join_keys.json");
    if let (true, Some(database)) = (
        joins.is_file(),
        databases.iter_mut().find(|known| known.id == "dw"),
    ) {
        for pair in files::list(&joins)? {
            let ends: Vec<Key> = pair
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .filter_map(|end| end.split_once('.'))
                .map(|(table, column)| Key {
                    table: table.to_owned(),
                    columns: vec![column.to_owned()],
                })
                .collect();
            if let [from, to] = ends.as_slice() {
                database.keys.foreign.push(ForeignKey {
                    from: from.clone(),
                    to: to.clone(),
                });
            }
        }
    }
    Ok(databases)
}

fn names(table: &Value, name: &str) -> Vec<String> {
    table
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn add_keys(keys: &mut Keys, name: &str, table: &Value) {
    let primary = names(table, "primary_key");
    if !primary.is_empty() {
        keys.primary.push(Key {
            table: name.to_owned(),
            columns: primary,
        });
    }
    for key in table
        .get("foreign_key")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let list = |name: &str| match key.get(name) {
            Some(Value::String(one)) => vec![one.clone()],
            _ => names(key, name),
        };
        // Its name stands behind that of the database: `dw#sep#BUILDINGS`.
        let to = key
            .get("referenced_table_name")
            .and_then(Value::as_str)
            .map(|name| name.rsplit_once("#sep#").map_or(name, |(_, table)| table));
        if let Some(to) = to {
            keys.foreign.push(ForeignKey {
                from: Key {
                    table: name.to_owned(),
                    columns: list("column_name"),
                },
                to: Key {
                    table: to.to_owned(),
                    columns: list("referenced_column_name"),
                },
            });
        }
    }
}

/// The rows of a table: a file of its name in a directory of the database's name, or the only one of its name.
fn file_of(rows: &[PathBuf], id: &str, table: &str) -> Option<PathBuf> {
    let same: Vec<&PathBuf> = rows
        .iter()
        .filter(|file| files::stem(file).eq_ignore_ascii_case(table))
        .collect();
    let in_its_directory = same.iter().find(|file| {
        file.components()
            .any(|part| part.as_os_str().to_string_lossy().eq_ignore_ascii_case(id))
    });
    match (in_its_directory, same.as_slice()) {
        (Some(file), _) => Some((*file).clone()),
        (None, [only]) => Some((*only).clone()),
        _ => None,
    }
}
