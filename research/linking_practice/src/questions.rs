//! Questions with the tables and columns that their gold queries use.

use std::collections::HashMap;

use serde_json::Value;
use text2sql_domain::schema::Table;

/// A question with what must be found for it.
pub(crate) struct Question {
    /// The schema it is about.
    pub schema: String,
    /// The question.
    pub text: String,
    /// Tables of the gold query.
    pub tables: Vec<u32>,
    /// Columns of the gold query.
    pub columns: Vec<(u32, i16)>,
}

/// Reads one question per line; the second part counts the lines that name an unknown table.
pub(crate) fn read(text: &str, tables: &[Table]) -> (Vec<Question>, usize) {
    let by_name: HashMap<(&str, &str), &Table> = tables
        .iter()
        .map(|table| ((table.schema.as_str(), table.name.as_str()), table))
        .collect();
    let mut questions = Vec::new();
    let mut unknown = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match question(line, &by_name) {
            Some(question) => questions.push(question),
            None => unknown += 1,
        }
    }
    (questions, unknown)
}

fn question(line: &str, by_name: &HashMap<(&str, &str), &Table>) -> Option<Question> {
    let line: Value = serde_json::from_str(line).ok()?;
    let schema = line.get("db")?.as_str()?;
    let names = |key: &str| -> Option<Vec<&str>> {
        line.get(key)?
            .as_array()?
            .iter()
            .map(Value::as_str)
            .collect()
    };
    let tables: Option<Vec<u32>> = names("gold_tables")?
        .into_iter()
        .map(|name| by_name.get(&(schema, name)).map(|table| table.oid))
        .collect();
    let columns = names("gold_columns")?.into_iter().filter_map(|name| {
        let (table, column) = name.split_once('.')?;
        let table = by_name.get(&(schema, table))?;
        Some((table.oid, table.column(column)?.number))
    });
    Some(Question {
        schema: schema.to_owned(),
        text: line.get("question")?.as_str()?.to_owned(),
        tables: tables?,
        columns: columns.collect(),
    })
}
