//! WikiSQL: `dev.jsonl` has the questions, each with the parts of its query, `dev.tables.jsonl` headers and titles of the
//! tables, `dev.db` their rows for SQLite, in lower case. All tables of a set become one database; the table of a question
//! is named as its evidence, because the benchmark gives it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::published_files::{question_files, text};
use crate::benchmark::{Benchmark, Comment, Database, Keys, Question, Source};
use crate::failure::Failure;
use crate::files;
use crate::kind::Kind;
use crate::options::Options;

/// What a query computes of its column, and how it compares, by the numbers of the authors.
const AGGREGATES: [&str; 6] = ["", "max", "min", "count", "sum", "avg"];
const COMPARISONS: [&str; 3] = ["=", ">", "<"];

pub(super) fn read(directory: &Path, options: &Options) -> Result<Benchmark, Failure> {
    let (mut databases, mut questions) = (Vec::new(), Vec::new());
    for file in question_files(directory, options, &["dev.jsonl"])? {
        let set = files::stem(&file);
        let tables = tables(&file.with_file_name(format!("{set}.tables.jsonl")))?;
        for (number, asked) in files::lines(&file)?.iter().enumerate() {
            let id = text(asked, "table_id", number, &file)?;
            let of_table = tables.get(&id);
            let gold = of_table.and_then(|table| gold(table, asked.get("sql")?));
            let gold = gold.ok_or_else(|| {
                format!(
                    "{}: question {} has no query in the published form",
                    file.display(),
                    number + 1
                )
            })?;
            questions.push(Question {
                key: format!("{set}-{number}"),
                database: set.clone(),
                question: text(asked, "question", number, &file)?,
                gold: vec![gold],
                previous: Vec::new(),
                evidence: of_table.map(Table::named),
                level: None,
                tags: vec![set.clone()],
                // No query sorts.
                ordered: Some(false),
            });
        }
        databases.push(Database {
            source: Source::Sqlite(file.with_file_name(format!("{set}.db"))),
            comments: tables.values().flat_map(Table::comments).collect(),
            keys: Keys::default(),
            id: set,
        });
    }
    Ok(Benchmark {
        kind: Kind::WikiSql,
        databases,
        questions,
        comparison: json!({}),
    })
}

/// A table as it is described.
struct Table {
    name: String,
    title: String,
    header: Vec<String>,
    types: Vec<String>,
}

fn tables(file: &Path) -> Result<BTreeMap<String, Table>, Failure> {
    let mut tables = BTreeMap::new();
    for (number, described) in files::lines(file)?.iter().enumerate() {
        let id = text(described, "id", number, file)?;
        let said = |name: &str| described.get(name).and_then(Value::as_str);
        let texts = |name: &str| -> Vec<String> {
            let list = described.get(name).and_then(Value::as_array);
            let texts = list.into_iter().flatten();
            texts
                .map(|text| text.as_str().unwrap_or_default().to_owned())
                .collect()
        };
        let mut titles: Vec<&str> = Vec::new();
        for title in ["page_title", "section_title", "caption"] {
            let new = said(title).map(str::trim).unwrap_or_default();
            if !new.is_empty() && !titles.contains(&new) {
                titles.push(new);
            }
        }
        let table = Table {
            name: format!("table_{}", id.replace('-', "_")),
            title: titles.join(", "),
            header: texts("header"),
            types: texts("types"),
        };
        tables.insert(id, table);
    }
    Ok(tables)
}

impl Table {
    fn named(&self) -> String {
        match self.title.as_str() {
            "" => format!("The table is {}.", self.name),
            title => format!("The table is {} ({title}).", self.name),
        }
    }

    /// The names of columns in words: the file of rows calls them col0, col1, ….
    fn comments(&self) -> Vec<Comment> {
        let columns = self.header.iter().enumerate();
        columns
            .filter(|(_, text)| !text.trim().is_empty())
            .map(|(number, text)| Comment {
                table: self.name.clone(),
                column: format!("col{number}"),
                text: text.trim().to_owned(),
            })
            .collect()
    }
}

/// The query of a question, as the authors run it.
fn gold(table: &Table, sql: &Value) -> Option<String> {
    let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let column = format!("col{}", number(sql.get("sel")?)?);
    let shown = match *AGGREGATES.get(number(sql.get("agg")?)?)? {
        "" => column,
        aggregate => format!("{aggregate}({column})"),
    };
    let mut query = format!("SELECT {shown} FROM {}", table.name);
    let mut joint = " WHERE ";
    for condition in sql.get("conds")?.as_array()? {
        let [compared, comparison, value] = condition.as_array()?.as_slice() else {
            return None;
        };
        let compared = number(compared)?;
        let comparison = COMPARISONS.get(number(comparison)?)?;
        let is_number = table.types.get(compared).is_some_and(|kind| kind == "real");
        let value = constant(value, is_number)?;
        query.push_str(&format!("{joint}col{compared} {comparison} {value}"));
        joint = " AND ";
    }
    Some(query)
}

/// A constant: a number where the column has numbers, else a text in lower case, as the rows are.
fn constant(value: &Value, is_number: bool) -> Option<String> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    if !is_number {
        return Some(format!("'{}'", text.to_lowercase().replace('\'', "''")));
    }
    let plain = text.replace(',', "");
    if plain.trim().parse::<f64>().is_ok() {
        return Some(plain.trim().to_owned());
    }
    // The authors take the first number in the text.
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let mut parts = plain.split(|c| !is_of_number(c));
    parts
        .find(|part| part.parse::<f64>().is_ok())
        .map(str::to_owned)
}
