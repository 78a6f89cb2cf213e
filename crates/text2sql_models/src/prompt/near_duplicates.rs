//! Tables of one name in several schemas: what tells them apart, in few words, and a rule where there are such.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use super::untrusted_text::without_disguise;
use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_retrieval::schema_budget::ShownTable;

/// Limits of a note: namesakes of a table, and columns that tell two of them apart.
const MAX_NAMESAKES: usize = 6;
const MAX_COLUMNS: usize = 3;

const RULE: &str = "\nTables marked \"same name as\" are different tables, not parts of one. Choose by schema, description, rows and columns, read one of them unless the question asks for several, and name your choice in \"assumptions\".\n";

/// The shown tables whose name occurs in several schemas.
pub(super) struct Duplicates<'a> {
    by_name: HashMap<String, Vec<&'a Arc<Table>>>,
}

impl<'a> Duplicates<'a> {
    /// Those among the shown tables.
    pub(super) fn among(shown: &'a [ShownTable]) -> Self {
        let mut by_name: HashMap<String, Vec<&Arc<Table>>> = HashMap::new();
        let mut schemas = shown.iter().map(|entry| &entry.table.schema);
        let first = schemas.next();
        if schemas.all(|schema| Some(schema) == first) {
            return Self { by_name };
        }
        for entry in shown {
            let same = by_name.entry(entry.table.name.to_lowercase()).or_default();
            same.push(&entry.table);
        }
        by_name.retain(|_, tables| {
            let first = tables.first().map(|table| &table.schema);
            tables.iter().any(|table| Some(&table.schema) != first)
        });
        Self { by_name }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// The line below a table that says how it differs from its namesakes; empty if it has none.
    pub(super) fn note(&self, table: &Arc<Table>) -> String {
        let Some(same) = self.by_name.get(&table.name.to_lowercase()) else {
            return String::new();
        };
        let others = same.iter().filter(|other| other.oid != table.oid);
        let notes: Vec<String> = others
            .take(MAX_NAMESAKES)
            .map(|other| match only_in(table, other) {
                columns if columns.is_empty() => other.sql_name(),
                columns => format!("{} (which lacks {columns})", other.sql_name()),
            })
            .collect();
        match notes.as_slice() {
            [] => String::new(),
            notes => format!("  + same name as {}\n", without_disguise(&notes.join(", "))),
        }
    }
}

/// The first columns of a table that another one lacks.
fn only_in(table: &Table, other: &Table) -> String {
    let lacks = |name: &str| {
        let mut columns = other.columns.iter();
        !columns.any(|column| column.name.eq_ignore_ascii_case(name))
    };
    let mut own = table.columns.iter().filter(|column| lacks(&column.name));
    let mut text = String::new();
    for column in own.by_ref().take(MAX_COLUMNS) {
        let comma = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{comma}{}", quote_identifier(&column.name));
    }
    match own.count() {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// The rule for the model; nothing where no name occurs in several schemas.
pub(super) fn rule(has_namesakes: bool) -> &'static str {
    match has_namesakes {
        true => RULE,
        false => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::Column;

    fn table(oid: u32, schema: &str, columns: &[&str]) -> ShownTable {
        let columns = columns.iter().map(|name| Column {
            name: (*name).to_owned(),
            ..Column::default()
        });
        ShownTable {
            table: Arc::new(Table {
                oid,
                schema: schema.to_owned(),
                name: "customer".to_owned(),
                columns: columns.collect(),
                ..Table::default()
            }),
            omitted: Vec::new(),
            only_counts_omitted: false,
            is_brief: false,
        }
    }

    #[test]
    fn namesakes_are_told_apart_by_their_columns() {
        let shown = [
            table(1, "sales", &["id", "name", "region"]),
            table(2, "archive", &["id", "name"]),
        ];
        let duplicates = Duplicates::among(&shown);
        assert_eq!(
            duplicates.note(&shown[0].table),
            "  + same name as archive.customer (which lacks region)\n"
        );
        assert_eq!(
            duplicates.note(&shown[1].table),
            "  + same name as sales.customer\n"
        );
        assert!(!duplicates.is_empty() && Duplicates::among(&shown[..1]).is_empty());
        assert!(!rule(true).is_empty() && rule(false).is_empty());
        assert_eq!(Duplicates::among(&shown[..1]).note(&shown[0].table), "");
    }
}
