//! Defog: CSV files of questions of `sql-eval` (`data/*_postgres.csv`), and of `defog-data` a file of statements for
//! each database (`NAME/NAME.sql`) with what is known about its columns (`NAME/NAME.json`). Both repositories may be
//! below the directory, or copied into it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::benchmark::{Benchmark, Comment, Database, Keys, Question, Source};
use crate::failure::Failure;
use crate::files;
use crate::kind::Kind;
use crate::options::Options;

pub(super) fn read(directory: &Path, options: &Options) -> Result<Benchmark, Failure> {
    let found = files::below(directory)?;
    let mut databases = Vec::new();
    for file in found.iter().filter(|file| files::ends_with(file, "sql")) {
        let id = files::stem(file);
        let is_of_its_directory = file
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|parent| parent.to_string_lossy() == id.as_str());
        if is_of_its_directory && databases.iter().all(|known: &Database| known.id != id) {
            databases.push(Database {
                comments: comments(&file.with_extension("json"))?,
                id,
                source: Source::Statements(file.clone()),
                keys: Keys::default(),
            });
        }
    }
    let named =
        |file: &&PathBuf| files::ends_with(file, "csv") && files::stem(file).ends_with("_postgres");
    let lists: Vec<PathBuf> = match options.questions.is_empty() {
        true => found.iter().filter(named).cloned().collect(),
        false => options.questions.clone(),
    };
    let mut questions = Vec::new();
    for file in &lists {
        let set = files::stem(file).replace("_postgres", "");
        for (number, record) in files::records(file)?.iter().enumerate() {
            let field = |name: &str| {
                files::field(record, name).ok_or_else(|| {
                    format!(
                        "{}: question {} has no \"{name}\"",
                        file.display(),
                        number + 1
                    )
                })
            };
            let question = field("question")?;
            let category = files::field(record, "query_category").unwrap_or_default();
            let mut tags = vec![set.clone()];
            tags.extend((!category.is_empty()).then(|| category.to_owned()));
            questions.push(Question {
                key: format!("{set}-{number}"),
                database: field("db_name")?.to_owned(),
                question: question.to_owned(),
                gold: alternatives(field("query")?),
                previous: Vec::new(),
                evidence: files::field(record, "instructions")
                    .or_else(|| files::field(record, "full_instructions"))
                    .map(str::to_owned),
                level: None,
                tags,
                ordered: Some(category == "order_by" || asks_for_an_order(question)),
            });
        }
    }
    Ok(Benchmark {
        kind: Kind::Defog,
        databases,
        questions,
        // Defog takes an answer with more columns for right, and drops repeated rows.
        comparison: json!({"extra_columns": true, "ignore_duplicates": true}),
    })
}

fn asks_for_an_order(question: &str) -> bool {
    question
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "order" | "sort" | "arrange"))
}

/// The queries that a query of Defog stands for: several are separated by a semicolon, and of `{a, b}` any columns
/// will do; `GROUP BY {}` groups by the same.
fn alternatives(query: &str) -> Vec<String> {
    let mut all = Vec::new();
    for query in parts(query, ';') {
        let Some((before, list, after)) = braces(&query) else {
            all.push(query);
            continue;
        };
        let columns = parts(list, ',');
        // Some queries name a dozen: each alone, and all of them, are what people answer.
        let subsets: Vec<Vec<&str>> = match columns.len() {
            0..=4 => (1..1_usize << columns.len())
                .map(|bits| {
                    let is_in = |place: &usize| bits >> place & 1 == 1;
                    let places = (0..columns.len()).filter(is_in);
                    places
                        .filter_map(|place| columns.get(place).map(String::as_str))
                        .collect()
                })
                .collect(),
            _ => columns
                .iter()
                .map(|column| vec![column.as_str()])
                .chain([columns.iter().map(String::as_str).collect()])
                .collect(),
        };
        for subset in subsets {
            let shown = subset.join(", ");
            all.push(format!("{before}{shown}{}", after.replace("{}", &shown)));
        }
    }
    all
}

/// What is before, in and after the first braces that hold something.
fn braces(query: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = query.split_once('{')?;
    let (list, after) = rest.split_once('}')?;
    (!list.trim().is_empty()).then_some((before, list, after))
}

/// Splits at a sign outside of quotes and parentheses; empty parts are left out.
fn parts(text: &str, sign: char) -> Vec<String> {
    let (mut all, mut part, mut depth, mut quoted) = (Vec::new(), String::new(), 0_i32, false);
    for c in text.chars() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        if c == sign && !quoted && depth == 0 {
            all.push(std::mem::take(&mut part));
        } else {
            part.push(c);
        }
    }
    all.push(part);
    all.iter()
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// What the metadata say about columns.
fn comments(file: &Path) -> Result<Vec<Comment>, Failure> {
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let described = files::json(file)?;
    let tables = described.get("table_metadata").unwrap_or(&described);
    let mut comments = Vec::new();
    for (table, columns) in tables.as_object().into_iter().flatten() {
        for column in columns.as_array().into_iter().flatten() {
            let text = |name: &str| column.get(name).and_then(Value::as_str).map(str::trim);
            if let (Some(name), Some(said)) = (text("column_name"), text("column_description"))
                && !said.is_empty()
            {
                comments.push(Comment {
                    table: table.clone(),
                    column: name.to_owned(),
                    text: said.to_owned(),
                });
            }
        }
    }
    Ok(comments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_stands_for_all_that_it_accepts() {
        assert_eq!(
            alternatives("SELECT {a.id, a.name}, count(*) FROM a GROUP BY {};"),
            [
                "SELECT a.id, count(*) FROM a GROUP BY a.id",
                "SELECT a.name, count(*) FROM a GROUP BY a.name",
                "SELECT a.id, a.name, count(*) FROM a GROUP BY a.id, a.name",
            ]
        );
        assert_eq!(
            alternatives("SELECT 1 WHERE ';' = ';'; SELECT 2;"),
            ["SELECT 1 WHERE ';' = ';'", "SELECT 2"]
        );
        assert_eq!(
            alternatives("SELECT {concat(a, b), c} FROM t").len(),
            3,
            "a comma of a call separates nothing"
        );
        assert_eq!(alternatives("SELECT {a,b,c,d,e} FROM t").len(), 6);
    }

    #[test]
    fn an_order_counts_where_the_question_asks_for_it() {
        assert!(asks_for_an_order("Sort them by name."));
        assert!(!asks_for_an_order("How many orders were there?"));
    }
}
