//! The schema as a prompt shows it: the text of the retrieved tables, cut to the budget, and what of the
//! database it discloses.

use std::sync::Arc;

use super::column_facts;
use super::near_duplicates::Duplicates;
use super::samples;
use super::table_text::brief_table;
use super::table_text_cache::{Signs, table_text};
use text2sql_domain::config::{Config, Egress, Profile};
use text2sql_domain::exchange::Disclosed;
use text2sql_domain::schema::{Column, Table, quote_identifier};
use text2sql_domain::shown::Shows;
use text2sql_retrieval::Context;
use text2sql_retrieval::column_choice;
use text2sql_retrieval::schema_budget::{Budget, ShownTable};
use text2sql_retrieval::tables::families::Family;

/// Maximum number of members of a family that are listed.
const MAX_MEMBERS: usize = 60;

/// Says whether `shown` tables are the whole schema.
pub(super) fn coverage(context: &Context, shown: usize) -> String {
    if shown == 0 && !context.tables.is_empty() {
        "not shown".to_owned()
    } else if context.is_whole && shown == context.tables.len() {
        format!("complete, {shown} tables")
    } else {
        format!("the {shown} most relevant tables, there are more")
    }
}

/// What the signs of the schema text mean: only those that are in it.
pub(super) fn legend(schema: &SchemaText, egress: Egress) -> String {
    let values = schema.signs;
    let mut tables = schema.shown.iter().map(|shown| &shown.table);
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
        (
            schema.shown.iter().any(|shown| shown.is_brief),
            "a table on one line is described in short, without values, and with a type only where text holds dates or numbers",
        ),
        (
            schema.shown.iter().any(|shown| !shown.omitted.is_empty()),
            "`more columns` are there and not described",
        ),
        (values.allowed, "`{…}` lists the allowed values"),
        (values.meanings, "`['A' = active]` says what values mean"),
        (values.all, "`one of` lists all values there are"),
        (
            values.frequent && (egress >= Egress::Values || values.consented),
            "`e.g.` shows frequent ones",
        ),
        (
            values.consented,
            "`(sample)` marks samples that the owner consented to show",
        ),
        (
            values.written,
            "`(written)` marks samples that the owner wrote",
        ),
        (
            values.invented,
            "`(invented)` marks samples that only show the form of values",
        ),
    ];
    let signs = signs.iter().filter(|(is_there, _)| *is_there);
    let signs: Vec<&str> = signs.map(|(_, sign)| *sign).collect();
    match signs.is_empty() {
        true => String::new(),
        false => format!(" {}.", signs.join(", ")),
    }
}

/// The schema as a prompt shows it.
pub(super) struct SchemaText {
    pub(super) text: String,
    /// The tables in it.
    pub(super) shown: Vec<ShownTable>,
    /// Whether tables of one name are in several schemas.
    pub(super) has_namesakes: bool,
    signs: Signs,
}

/// The schema text within `budget`.
pub(super) fn schema(context: &Context, shows: Shows, form: Form) -> SchemaText {
    let tables = &context.tables;
    let mut shown = fitting(context, shows, form);
    for entry in &mut shown {
        entry.table = shows.ingredients.of_shared(&entry.table);
    }
    let duplicates = Duplicates::among(&shown);
    let has_namesakes = !duplicates.is_empty();
    let mut text = String::new();
    let mut signs = Signs::default();
    for entry in &shown {
        let table = &entry.table;
        if entry.is_brief {
            text.push_str(&brief_table(entry, tables));
        } else {
            let block = table_text(table, tables, shows);
            text.push_str(block.text.trim_end());
            text.push('\n');
            signs = signs.and(block.signs);
            text.push_str(&more_columns(entry));
        }
        if let Some(family) = family_of(context, table) {
            text.push_str(&note(family, table));
        }
        // On a line, the columns themselves tell two tables apart.
        if !entry.is_brief {
            text.push_str(&duplicates.note(table));
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    SchemaText {
        text,
        has_namesakes,
        signs,
        shown,
    }
}

/// How much of the tables a text shows.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// The number of characters.
    budget: usize,
    /// Whether tables that are less likely needed take a line each.
    has_brief: bool,
}

impl Form {
    /// That of the prompts for a question.
    pub(super) fn of(context: &Context, config: &Config) -> Self {
        Self {
            budget: context.schema_chars(config),
            has_brief: config.model.profile() == Profile::Full,
        }
    }
}

/// The tables that fit into the budget, with room for the names of the others; those that take a line come last.
fn fitting(context: &Context, shows: Shows, Form { budget, has_brief }: Form) -> Vec<ShownTable> {
    if !shows.ingredients.schema {
        return Vec::new();
    }
    let tables = &context.tables;
    let size = |entry: &ShownTable| {
        let table = &entry.table;
        let family = family_of(context, table).map_or(0, |family| note(family, table).len());
        if entry.is_brief {
            return brief_table(entry, tables).chars().count() + family;
        }
        table_chars(table, tables, shows) + family + more_columns(entry).chars().count()
    };
    let bounded = |table| column_choice::at_most(table, shows.columns, context);
    let mut bounded: Vec<ShownTable> = tables.iter().map(bounded).collect();
    if let Some(in_full) = context.in_full().filter(|_| has_brief) {
        for entry in &mut bounded {
            entry.is_brief = !in_full.contains(&entry.table.oid);
        }
        bounded.sort_by_key(|entry| entry.is_brief);
    }
    let mut shown = Budget::new(
        bounded,
        &context.found,
        &context.joins,
        &context.values,
        &size,
    );
    shown.cut(budget);
    if !context.others.is_empty() || shown.count() < tables.len() {
        shown.cut(budget.saturating_sub(context.name_chars(budget)));
    }
    shown.into_shown()
}

/// Says which columns are not described: a model that needs one can name it.
fn more_columns(entry: &ShownTable) -> String {
    let count = entry.omitted.len();
    let columns = match count {
        0 => return String::new(),
        1 => "column",
        _ => "columns",
    };
    if entry.only_counts_omitted {
        return format!("  … and {count} more {columns}\n");
    }
    let names: Vec<_> = entry
        .omitted
        .iter()
        .map(|name| quote_identifier(name))
        .collect();
    format!("  … and {count} more {columns}: {}\n", names.join(", "))
}

/// The tables whose columns a prompt shows.
pub fn shown_tables(context: &Context, config: &Config) -> Vec<u32> {
    let shown = fitting(context, Shows::of(config), Form::of(context, config));
    shown.iter().map(|entry| entry.table.oid).collect()
}

/// Those of which it leaves out nothing.
pub fn whole_tables(context: &Context, config: &Config) -> Vec<u32> {
    let shown = fitting(context, Shows::of(config), Form::of(context, config));
    let whole = shown.iter().filter(|entry| entry.is_whole());
    whole.map(|entry| entry.table.oid).collect()
}

/// The family that the text names with the table: its representative, or the first of the members that the question names,
/// where the others are shown as well.
fn family_of<'a>(context: &'a Context, table: &Table) -> Option<&'a Family> {
    let is_noted = |family: &&Family| match family.named.first() {
        None => family.representative == table.oid,
        Some(named) => context.is_whole && *named == table.oid,
    };
    context.families.iter().find(is_noted)
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
    let parts: Vec<&str> = family
        .members
        .iter()
        .filter(|member| family.named.contains(&member.table))
        .map(|member| member.part.as_str())
        .collect();
    let which = match parts.as_slice() {
        [] => "unless the question means some of them, take all, with UNION ALL".to_owned(),
        parts => format!("the question says {}", parts.join(", ")),
    };
    format!(
        "  + one of {} tables with these columns: {}{more}; {which}\n",
        family.members.len(),
        names.join(", ")
    )
}

/// Renders tables in order until `budget` characters are used; gives the text and how many fitted.
pub fn render_schema(
    tables: &[Arc<Table>],
    shows: impl Into<Shows>,
    budget: usize,
) -> (String, usize) {
    let shows = shows.into();
    let tables = match shows.ingredients.schema {
        true => tables,
        false => &[],
    };
    let mut text = String::new();
    let mut used = 0;
    let mut shown = 0;
    for table in tables {
        let block = table_text(table, tables, shows);
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
pub fn table_chars(table: &Arc<Table>, tables: &[Arc<Table>], shows: Shows) -> usize {
    table_text(table, tables, shows).chars
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
        let name_of = |column: &Column| format!("{name}.{}", quote_identifier(&column.name));
        let is_sent =
            |column: &&Column| egress >= Egress::Values || samples::shows_consented(column, egress);
        let columns = table.columns.iter().filter(is_sent);
        let sent = columns.filter(shows_values).map(name_of);
        disclosed.value_columns.extend(sent);
        let sampled = samples::columns(table, egress).map(name_of);
        disclosed.sample_columns.extend(sampled);
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
    let in_full = shown.iter().filter(|entry| !entry.is_brief);
    let mut disclosed = disclose(in_full.map(|entry| entry.table.as_ref()), egress);
    let brief = shown.iter().filter(|entry| entry.is_brief);
    let brief = brief.map(|entry| entry.table.sql_name());
    disclosed.tables.extend(brief);
    for column in value_columns {
        if !disclosed.value_columns.contains(&column) {
            disclosed.value_columns.push(column);
        }
    }
    disclosed
}
