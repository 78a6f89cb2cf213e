//! BIRD and its Mini-Dev: `dev.json` with evidence and difficulty, `dev_databases/NAME/NAME.sqlite`, beside it
//! `database_description/TABLE.csv`; `dev_tables.json` has keys.

use std::path::Path;

use serde_json::{Value, json};

use super::published_files::{question_files, sqlite_databases, text};
use super::tables_json;
use crate::benchmark::{Benchmark, Comment, Question, Source};
use crate::failure::Failure;
use crate::files;
use crate::kind::Kind;
use crate::options::Options;

pub(super) fn read(directory: &Path, options: &Options) -> Result<Benchmark, Failure> {
    let mut databases = sqlite_databases(
        directory,
        &["dev_databases", "train_databases", "databases", "database"],
    )?;
    for name in ["dev_tables.json", "train_tables.json"] {
        let file = directory.join(name);
        if file.is_file() {
            tables_json::add(&mut databases, &file)?;
        }
    }
    for database in &mut databases {
        let Source::Sqlite(file) = &database.source else {
            continue;
        };
        let descriptions = file.with_file_name("database_description");
        if descriptions.is_dir() {
            // They say more than the names in words.
            let described = descriptions_in(&descriptions)?;
            database.comments.retain(|one| {
                !described.iter().any(|better| {
                    better.table.eq_ignore_ascii_case(&one.table)
                        && better.column.eq_ignore_ascii_case(&one.column)
                })
            });
            database.comments.extend(described);
        }
    }
    let mut questions = Vec::new();
    for file in question_files(directory, options, &["dev.json", "mini_dev_sqlite.json"])? {
        let set = files::stem(&file);
        for (number, asked) in files::list(&file)?.iter().enumerate() {
            let optional = |name: &str| {
                asked
                    .get(name)
                    .and_then(Value::as_str)
                    .map(str::trim)
                    .filter(|text| !text.is_empty())
                    .map(str::to_owned)
            };
            let id = match asked.get("question_id") {
                Some(Value::Number(id)) => id.to_string(),
                _ => number.to_string(),
            };
            questions.push(Question {
                key: format!("{set}-{id}"),
                database: text(asked, "db_id", number, &file)?,
                question: text(asked, "question", number, &file)?,
                gold: vec![text(asked, "SQL", number, &file)?],
                previous: Vec::new(),
                evidence: optional("evidence"),
                level: optional("difficulty"),
                tags: vec![set.clone()],
                // BIRD compares sets of rows.
                ordered: Some(false),
            });
        }
    }
    Ok(Benchmark {
        kind: Kind::Bird,
        databases,
        questions,
        comparison: json!({"ignore_duplicates": true}),
    })
}

/// What the CSV files say about columns: name in words, description, meaning of values.
fn descriptions_in(directory: &Path) -> Result<Vec<Comment>, Failure> {
    let mut comments = Vec::new();
    for file in files::below(directory)? {
        if !files::ends_with(&file, "csv") {
            continue;
        }
        let table = files::stem(&file);
        for record in files::records(&file)? {
            let field = |name: &str| files::field(&record, name);
            let Some(column) = field("original_column_name") else {
                continue;
            };
            let mut parts: Vec<&str> = Vec::new();
            for part in [
                field("column_name"),
                field("column_description"),
                field("value_description"),
            ]
            .into_iter()
            .flatten()
            {
                let is_new = !part.eq_ignore_ascii_case(column)
                    && !parts.iter().any(|said| said.eq_ignore_ascii_case(part));
                if is_new {
                    parts.push(part);
                }
            }
            if !parts.is_empty() {
                comments.push(Comment {
                    table: table.clone(),
                    column: column.to_owned(),
                    text: parts.join(". "),
                });
            }
        }
    }
    Ok(comments)
}
