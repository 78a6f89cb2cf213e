//! Values of the database that the question mentions.

use super::untrusted_text::without_disguise;
use text2sql_domain::config::Egress;
use text2sql_domain::schema::{quote_identifier, quote_literal};
use text2sql_domain::shown::Shows;
use text2sql_retrieval::Context;
use text2sql_sql::masking::looks_private;

/// The values that the question mentions, a line for each, and the columns they are of; none below
/// the egress of values, and no more than `most`.
pub(super) fn values(context: &Context, shows: Shows, most: usize) -> (String, Vec<String>) {
    let mut lines: Vec<String> = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    if shows.egress < Egress::Values || !shows.ingredients.schema {
        return (String::new(), columns);
    }
    for (phrase, hit) in &context.values {
        let table = context.tables.iter().find(|table| table.oid == hit.table);
        let column = table.and_then(|table| {
            let columns = table.columns.iter();
            columns.clone().find(|column| column.number == hit.column)
        });
        let (Some(table), Some(column)) = (table, column) else {
            continue;
        };
        if looks_private(&hit.value) {
            continue;
        }
        let name = format!("{}.{}", table.sql_name(), quote_identifier(&column.name));
        let line = format!(
            "{name} = {} for \"{}\"",
            quote_literal(&without_disguise(&hit.value)),
            without_disguise(phrase)
        );
        if !lines.contains(&line) && lines.len() < most {
            lines.push(line);
            columns.push(name);
        }
    }
    (lines.join("\n"), columns)
}

/// The part of the prompt that holds values; nothing when there are none.
pub(super) fn section(values: &str, fence: &str) -> String {
    if values.is_empty() {
        return String::new();
    }
    format!(
        "\nValues in the database that the question may mean. Spell them so.\n<data-{fence}>\n{values}\n</data-{fence}>\n"
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use text2sql_domain::ports::search_index::ValueHit;
    use text2sql_domain::schema::{Column, Table};

    #[test]
    fn values_go_only_where_the_owner_allows_it() {
        let table = Table {
            oid: 7,
            name: "countries".into(),
            is_visible: true,
            columns: vec![Column {
                number: 2,
                name: "name".into(),
                ..Column::default()
            }],
            ..Table::default()
        };
        let hit = ValueHit {
            phrase: 0,
            table: 7,
            column: 2,
            value: "Germany".into(),
            similarity: 1.0,
        };
        let context = Context {
            tables: vec![Arc::new(table)],
            values: vec![
                ("german".into(), hit.clone()),
                ("x".into(), ValueHit { column: 3, ..hit }),
            ],
            ..Context::default()
        };
        assert_eq!(values(&context, Egress::Schema.into(), 20).0, "");
        assert_eq!(
            values(&context, Egress::Values.into(), 20).0,
            "countries.name = 'Germany' for \"german\""
        );
    }
}
