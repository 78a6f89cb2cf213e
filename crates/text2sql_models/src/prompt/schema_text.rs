//! The schema as a prompt shows it: the text of the retrieved tables, cut to the budget, and what of the
//! database it discloses.

use std::fmt::Write;
use std::sync::Arc;

use super::column_facts;
use super::near_duplicates::Duplicates;
use super::table_text_cache::table_text;
use text2sql_domain::config::{Config, Egress};
use text2sql_domain::schema::{Column, Table, quote_identifier};
use text2sql_domain::trace::Disclosed;
use text2sql_retrieval::Context;
use text2sql_retrieval::schema_budget::{self, ShownTable};
use text2sql_retrieval::tables::families::Family;

/// Maximum number of members of a family that are listed.
const MAX_MEMBERS: usize = 60;

/// What the configured model may see.
pub(super) fn egress(config: &Config) -> Egress {
    config.model.egress()
}

/// Says whether `shown` tables are the whole schema.
pub(super) fn coverage(context: &Context, shown: usize) -> String {
    if context.is_whole && shown == context.tables.len() {
        format!("complete, {shown} tables")
    } else {
        format!("the {shown} most relevant tables, there are more")
    }
}

/// What the signs of the schema text mean: only those that are in it.
pub(super) fn legend(schema: &str, shown: &[ShownTable]) -> String {
    let mut tables = shown.iter().map(|shown| &shown.table);
    let mut keys = tables.clone().flat_map(|table| &table.foreign_keys);
    let mut columns = tables.clone().flat_map(|table| &table.columns);
    let likely = tables.any(|table| !table.likely_joins.is_empty());
    let undeclared = match (keys.clone().any(|key| key.is_taught), likely) {
        (false, false) => "",
        (true, false) => "after `~>` a join that people use without one",
        (false, true) => "after `~>` a join that nobody declared and how likely it is right",
        (true, true) => {
            "after `~>` a join that people use without one, or, with a percentage, how likely it is right"
        }
    };
    let key = "`table(column)` after `->` is a foreign key";
    let has = |sign: &str| schema.contains(sign);
    // The note of a family has the words, too.
    let mut lines = schema.lines();
    let lists_values = lines.any(|line| !line.starts_with("  + ") && line.contains(" one of "));
    let signs = [
        (
            keys.any(|key| !key.is_taught) || !undeclared.is_empty(),
            key,
        ),
        (!undeclared.is_empty(), undeclared),
        (
            columns.any(|column| !column.not_null),
            "`?` marks columns that may be NULL",
        ),
        (has(" {'"), "`{…}` lists the allowed values"),
        (has(" ['"), "`['A' = active]` says what values mean"),
        (lists_values, "`one of` lists all values there are"),
        (has(" e.g. '"), "`e.g.` shows frequent ones"),
    ];
    let signs = signs.iter().filter(|(is_there, _)| *is_there);
    let signs: Vec<&str> = signs.map(|(_, sign)| *sign).collect();
    match signs.is_empty() {
        true => String::new(),
        false => format!(" {}.", signs.join(", ")),
    }
}

/// The schema text within `budget`, and the tables that it shows.
pub(super) fn schema(
    context: &Context,
    egress: Egress,
    budget: usize,
) -> (String, Vec<ShownTable>) {
    let tables = &context.tables;
    let shown = fitting(context, egress, budget);
    let duplicates = Duplicates::among(&shown);
    let mut text = String::new();
    for ShownTable {
        table,
        omitted_columns,
    } in &shown
    {
        text.push_str(table_text(table, tables, egress).text.trim_end());
        text.push('\n');
        if *omitted_columns > 0 {
            let _ = writeln!(text, "  … and {omitted_columns} more columns");
        }
        if let Some(family) = family_of(context, table) {
            text.push_str(&note(family, table));
        }
        text.push_str(&duplicates.note(table));
        text.push('\n');
    }
    (text.trim_end().to_owned(), shown)
}

/// The tables that fit into `budget`, with room for the names of the others.
fn fitting(context: &Context, egress: Egress, budget: usize) -> Vec<ShownTable> {
    let tables = &context.tables;
    let size = |table: &Arc<Table>| {
        let family = family_of(context, table).map_or(0, |family| note(family, table).len());
        table_chars(table, tables, egress) + family
    };
    let fit = |budget| schema_budget::fit(tables, &context.found, &context.joins, &size, budget);
    let shown = fit(budget);
    match context.others.is_empty() && shown.len() == tables.len() {
        true => shown,
        false => fit(budget.saturating_sub(context.name_chars(budget))),
    }
}

/// The tables whose columns a prompt shows.
pub fn shown_tables(context: &Context, config: &Config) -> Vec<u32> {
    let shown = fitting(context, egress(config), context.schema_chars(config));
    shown.iter().map(|entry| entry.table.oid).collect()
}

/// The family that the table represents; none when the question names its members.
fn family_of<'a>(context: &'a Context, table: &Table) -> Option<&'a Family> {
    let is_represented =
        |family: &&Family| family.representative == table.oid && family.named.is_empty();
    context.families.iter().find(is_represented)
}

fn note(family: &Family, table: &Table) -> String {
    let schema = if table.is_visible {
        String::new()
    } else {
        format!("{}.", quote_identifier(&table.schema))
    };
    let names: Vec<String> = family
        .members
        .iter()
        .take(MAX_MEMBERS)
        .map(|member| format!("{schema}{}", quote_identifier(&member.name)))
        .collect();
    let more = family.members.len().saturating_sub(MAX_MEMBERS);
    let more = if more > 0 {
        format!(", … {more} more")
    } else {
        String::new()
    };
    format!(
        "  + one of {} tables with these columns: {}{more}; unless the question means some of them, take all, with UNION ALL\n",
        family.members.len(),
        names.join(", ")
    )
}

/// Renders tables in order until `budget` characters are used; gives the text and how many fitted.
pub fn render_schema(tables: &[Arc<Table>], egress: Egress, budget: usize) -> (String, usize) {
    let mut text = String::new();
    let mut used = 0;
    let mut shown = 0;
    for table in tables {
        let block = table_text(table, tables, egress);
        if used + block.chars > budget && shown > 0 {
            break;
        }
        text.push_str(&block.text);
        used += block.chars;
        shown += 1;
    }
    (text.trim_end().to_owned(), shown)
}

/// How many characters a table takes in a prompt.
pub fn table_chars(table: &Arc<Table>, tables: &[Arc<Table>], egress: Egress) -> usize {
    table_text(table, tables, egress).chars
}

/// The names and columns with values that the texts of the tables disclose.
pub(super) fn disclose<'t>(tables: impl Iterator<Item = &'t Table>, egress: Egress) -> Disclosed {
    let mut disclosed = Disclosed::default();
    for table in tables {
        let name = table.sql_name();
        let shows_values = |column: &&Column| {
            let mut text = String::new();
            column_facts::push_values(&mut text, table, column);
            !text.is_empty()
        };
        let columns = table.columns.iter().filter(shows_values);
        if egress >= Egress::Values {
            let name_of = |column: &Column| format!("{name}.{}", quote_identifier(&column.name));
            disclosed.value_columns.extend(columns.map(name_of));
        }
        disclosed.tables.push(name);
    }
    disclosed
}

/// What the tables of [`schema`] and the values linked to the question disclose.
pub(super) fn disclose_shown(
    shown: &[ShownTable],
    value_columns: Vec<String>,
    egress: Egress,
) -> Disclosed {
    let mut disclosed = disclose(shown.iter().map(|entry| entry.table.as_ref()), egress);
    for column in value_columns {
        if !disclosed.value_columns.contains(&column) {
            disclosed.value_columns.push(column);
        }
    }
    disclosed
}
