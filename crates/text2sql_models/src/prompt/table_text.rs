//! One table as a prompt shows it: a line for the table, a line for each column.

use std::fmt::Write;
use std::sync::Arc;

use super::{annotations, column_facts, samples};
use text2sql_domain::config::Egress;
use text2sql_domain::schema::{
    Column, ForeignKey, LikelyJoin, Table, TableKind, quote_identifier, quote_literal,
};
use text2sql_domain::shown::Shows;
use text2sql_retrieval::schema_budget::ShownTable;

/// Maximum number of enum labels shown.
const MAX_ENUM_LABELS: usize = 40;

/// Maximum length of the comment of a table on a line.
const MAX_BRIEF_COMMENT: usize = 120;

/// The text of `table` among `tables`, with an empty line at its end.
pub(super) fn render_table(table: &Table, tables: &[Arc<Table>], shows: Shows) -> String {
    let table = &*shows.ingredients.of(table);
    let egress = shows.egress;
    let mut text = table.sql_name();
    let mut facts = Vec::new();
    match table.kind {
        TableKind::Table => {}
        TableKind::View => facts.push("view".to_owned()),
        TableKind::MaterializedView => facts.push("materialized view".to_owned()),
        TableKind::PartitionedTable => facts.push("partitioned table".to_owned()),
    }
    facts.extend(annotations::derived(table));
    facts.extend(table.distribution.clone());
    if let Some(rows) = table.row_estimate {
        facts.push(format!("about {rows:.0} rows"));
    }
    if !table.primary_key.is_empty() {
        facts.push(format!("primary key {}", quoted_list(&table.primary_key)));
    }
    facts.extend(
        table
            .unique_keys
            .iter()
            .map(|key| format!("unique {}", quoted_list(key))),
    );
    for key in table
        .foreign_keys
        .iter()
        .filter(|key| key.columns.len() > 1)
    {
        facts.push(several_columns(key, tables));
    }
    for join in table
        .likely_joins
        .iter()
        .filter(|join| join.key.columns.len() > 1)
    {
        facts.push(format!(
            "({}) {}",
            quoted_list(&join.key.columns),
            likely_target(join, tables)
        ));
    }
    if !facts.is_empty() {
        let _ = write!(text, " ({})", facts.join("; "));
    }
    annotations::push_comment(&mut text, table.comment.as_deref());
    annotations::push_synonyms(&mut text, &table.synonyms);
    text.push('\n');
    for column in table
        .columns
        .iter()
        .filter(|column| !column.name.chars().any(char::is_control))
    {
        render_column(&mut text, table, tables, column, egress);
    }
    samples::push_rows(&mut text, table);
    text.push('\n');
    text
}

/// The table on a line: the names of its columns, which hold dates or numbers as text, and its keys.
pub(super) fn brief_table(entry: &ShownTable, tables: &[Arc<Table>]) -> String {
    let table = &entry.table;
    let mut text = table.sql_name();
    if let Some(derived) = annotations::derived(table) {
        let _ = write!(text, " ({derived})");
    }
    text.push_str(": ");
    let columns = table.columns.iter();
    let is_shown = |column: &&Column| !column.name.chars().any(char::is_control);
    let mut parts: Vec<String> = columns
        .filter(is_shown)
        .map(|column| {
            let mut part = quote_identifier(&column.name);
            // Without it, a model compares what is no date.
            if column_facts::is_stored_as_text(column) {
                part.push_str(" text");
            }
            push_targets(&mut part, table, tables, column);
            part
        })
        .collect();
    match entry.only_counts_omitted {
        true => parts.push(format!("… and {} more columns", entry.omitted.len())),
        false => parts.extend(entry.omitted.iter().map(|name| quote_identifier(name))),
    }
    let several = table
        .foreign_keys
        .iter()
        .filter(|key| key.columns.len() > 1);
    parts.extend(several.map(|key| several_columns(key, tables)));
    text.push_str(&parts.join(", "));
    let comment = table.comment.as_deref();
    let comment = comment.map(|comment| annotations::shortened(comment, MAX_BRIEF_COMMENT));
    annotations::push_comment(&mut text, comment.as_deref());
    annotations::push_synonyms(&mut text, &table.synonyms);
    text.push('\n');
    text
}

/// A foreign key of several columns: `(a, b) -> other(a, b)`.
fn several_columns(key: &ForeignKey, tables: &[Arc<Table>]) -> String {
    format!(
        "({}) {} {}({})",
        quoted_list(&key.columns),
        annotations::arrow(key),
        target_name(key, tables),
        quoted_list(&key.target_columns)
    )
}

/// The targets of the keys and likely joins of one column.
fn push_targets(text: &mut String, table: &Table, tables: &[Arc<Table>], column: &Column) {
    let single_key = |key: &&ForeignKey| key.columns == [column.name.clone()];
    for key in table.foreign_keys.iter().filter(single_key) {
        let _ = write!(
            text,
            " {} {}({})",
            annotations::arrow(key),
            target_name(key, tables),
            quoted_list(&key.target_columns)
        );
    }
    for join in &table.likely_joins {
        if join.key.columns == [column.name.clone()] {
            let _ = write!(text, " {}", likely_target(join, tables));
        }
    }
}

fn render_column(
    text: &mut String,
    table: &Table,
    tables: &[Arc<Table>],
    column: &Column,
    egress: Egress,
) {
    let _ = write!(
        text,
        "  {} {}",
        quote_identifier(&column.name),
        column.type_name
    );
    if !column.not_null {
        text.push('?');
    }
    column_facts::push_kind(text, column);
    if let Some(base) = &column.domain_base {
        let _ = write!(text, " ({base})");
    }
    // The labels of an enum are the values of its columns.
    if !column.enum_labels.is_empty() && !column.is_private {
        let labels = column.enum_labels.iter().take(MAX_ENUM_LABELS);
        let labels: Vec<_> = labels.map(|label| quote_literal(label)).collect();
        let _ = write!(text, " {{{}}}", labels.join(", "));
    }
    if !column.composite_fields.is_empty() {
        let _ = write!(text, " ({})", column.composite_fields.join(", "));
    }
    push_targets(text, table, tables, column);
    if !column.is_private {
        annotations::push_meanings(text, &column.value_meanings);
    }
    if egress >= Egress::Values && column.value_meanings.is_empty() {
        column_facts::push_values(text, table, column);
    }
    samples::push_column(text, table, column, egress);
    annotations::push_comment(text, column.comment.as_deref());
    annotations::push_synonyms(text, &column.synonyms);
    text.push('\n');
}

/// The table a key refers to, written as its own block writes it.
pub(super) fn target_name(key: &ForeignKey, tables: &[Arc<Table>]) -> String {
    let target = tables.iter().find(|table| table.oid == key.target);
    target.map_or_else(
        || {
            let (schema, name) = (&key.target_schema, &key.target_name);
            format!("{}.{}", quote_identifier(schema), quote_identifier(name))
        },
        |table| table.sql_name(),
    )
}

fn likely_target(join: &LikelyJoin, tables: &[Arc<Table>]) -> String {
    let columns = quoted_list(&join.key.target_columns);
    annotations::likely(&target_name(&join.key, tables), &columns, join.percent)
}

fn quoted_list(names: &[String]) -> String {
    names
        .iter()
        .map(|name| quote_identifier(name))
        .collect::<Vec<_>>()
        .join(", ")
}
