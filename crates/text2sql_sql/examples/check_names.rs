//! Checks queries against the DDL text of their database, and counts those that pass: gold queries should all pass.
//!
//! `check_names FOLDER QUESTIONS.jsonl [DIALECT]`: the folder has a file `<database>.sql` for each database; each line
//! has `database` and `gold`, a list of queries. With `--planted`, a table, a column and a function that do not exist
//! are put into each query instead, and those that are found are counted.
#![allow(clippy::print_stdout, reason = "a program that measures")]

use std::collections::HashMap;
use std::error::Error;
use std::fs;

use serde_json::Value;
use text2sql_domain::dialect::Dialect;
use text2sql_sql::ddl::{self, GivenSchema};
use text2sql_sql::names::{self, Verdict};

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, arguments): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let [folder, questions, rest @ ..] = arguments.as_slice() else {
        return Err("check_names FOLDER QUESTIONS.jsonl [DIALECT] [--planted]".into());
    };
    let dialect = Dialect::named(rest.first().map_or("postgresql", String::as_str))?;
    let is_planted = flags.iter().any(|flag| flag == "--planted");
    let mut schemas: HashMap<String, GivenSchema> = HashMap::new();
    let (mut passed, mut all, mut unread) = (0, 0, 0);
    for line in fs::read_to_string(questions)?.lines() {
        let question: Value = serde_json::from_str(line)?;
        let database = question["database"].as_str().unwrap_or_default().to_owned();
        if !schemas.contains_key(&database) {
            let text = fs::read_to_string(format!("{folder}/{database}.sql"))?;
            schemas.insert(database.clone(), ddl::read(&text, dialect)?);
        }
        let Some(schema) = schemas.get(&database) else {
            continue;
        };
        for gold in question["gold"].as_array().into_iter().flatten() {
            let gold = gold.as_str().unwrap_or_default();
            let statements = match is_planted {
                true => planted(gold, schema),
                false => vec![gold.to_owned()],
            };
            for sql in statements {
                all += 1;
                match names::check(&sql, schema)? {
                    Verdict::Passed(_) => {
                        passed += 1;
                        if is_planted {
                            println!("{database}: not found: {sql}");
                        }
                    }
                    Verdict::Wrong(error) if error.sqlstate == "42601" => {
                        unread += 1;
                        println!("{database}: {}: {sql}", error.message);
                    }
                    verdict if !is_planted => println!("{database}: {verdict:?}: {sql}"),
                    _ => {}
                }
            }
        }
    }
    println!("{all} queries, {passed} passed, {unread} could not be parsed");
    Ok(())
}

/// The query with one name replaced by one that does not exist: each table, each column and each function of it once.
fn planted(sql: &str, schema: &GivenSchema) -> Vec<String> {
    let known = |word: &str| {
        let word = word.to_lowercase();
        let is_name = schema.tables.iter().any(|table| {
            table.name.to_lowercase() == word
                || table
                    .columns
                    .iter()
                    .any(|column| column.name.to_lowercase() == word)
        });
        is_name || matches!(word.as_str(), "count" | "sum" | "avg" | "min" | "max")
    };
    let mut planted: Vec<String> = Vec::new();
    let mut word_start = None;
    let mut is_text = false;
    for (place, c) in sql.char_indices().chain([(sql.len(), ' ')]) {
        if c == '\'' {
            is_text = !is_text;
        }
        match (c.is_alphanumeric() || c == '_', word_start) {
            (true, None) if !is_text => word_start = Some(place),
            (false, Some(start)) => {
                let word = sql.get(start..place).unwrap_or_default();
                let before = sql.get(..start).unwrap_or_default();
                let is_alias = before.trim_end().to_lowercase().ends_with(" as");
                if known(word) && !is_alias {
                    let rest = sql.get(place..).unwrap_or_default();
                    planted.push(format!("{before}{word}_zzz{rest}"));
                }
                word_start = None;
            }
            _ => {}
        }
    }
    planted
}
