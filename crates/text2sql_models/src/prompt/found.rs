//! What retrieval found, as a prompt shows it: the tables cut to the budget, families, values that the
//! question mentions, and verified examples.

use std::fmt::Write;
use std::sync::Arc;

use super::{rendered, table_chars, without_disguise};
use text2sql_domain::config::Egress;
use text2sql_domain::ports::search_index::Example;
use text2sql_domain::schema::{Table, quote_identifier, quote_literal};
use text2sql_retrieval::Context;
use text2sql_retrieval::schema_budget::{self, ShownTable};
use text2sql_retrieval::tables::families::Family;
use text2sql_sql::masking::looks_private;

/// Most members of a family that are listed, of most values, and of the longest example.
const MAX_MEMBERS: usize = 60;
const MAX_VALUES: usize = 20;
const MAX_EXAMPLE_CHARS: usize = 2_000;

/// The schema text within `budget`, and the tables that it shows.
pub(super) fn schema(
    context: &Context,
    egress: Egress,
    budget: usize,
) -> (String, Vec<ShownTable>) {
    let tables = &context.tables;
    let size = |table: &Arc<Table>| {
        let family = family_of(context, table).map_or(0, |family| note(family, table).len());
        table_chars(table, tables, egress) + family
    };
    let shown = schema_budget::fit(tables, &context.found, &context.joins, &size, budget);
    let mut text = String::new();
    for ShownTable { table, left_out } in &shown {
        text.push_str(rendered(table, tables, egress).text.trim_end());
        text.push('\n');
        if *left_out > 0 {
            let _ = writeln!(text, "  … and {left_out} more columns");
        }
        if let Some(family) = family_of(context, table) {
            text.push_str(&note(family, table));
        }
        text.push('\n');
    }
    (text.trim_end().to_owned(), shown)
}

/// The family that the table stands for; none when the question names its members.
fn family_of<'a>(context: &'a Context, table: &Table) -> Option<&'a Family> {
    let stands = |family: &&Family| family.representative == table.oid && family.named.is_empty();
    context.families.iter().find(stands)
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

/// The values that the question mentions, a line for each, and the columns they are of; none below
/// the egress of values.
pub(super) fn values(context: &Context, egress: Egress) -> (String, Vec<String>) {
    let mut lines: Vec<String> = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    if egress < Egress::Values {
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
        if !lines.contains(&line) && lines.len() < MAX_VALUES {
            lines.push(line);
            columns.push(name);
        }
    }
    (lines.join("\n"), columns)
}

/// The part of the prompt that holds values; nothing when there are none.
pub(super) fn values_section(values: &str, fence: &str) -> String {
    if values.is_empty() {
        return String::new();
    }
    format!(
        "\nValues in the database that the question may mean. Spell them so.\n<data-{fence}>\n{values}\n</data-{fence}>\n"
    )
}

/// The examples: question and SQL of each.
pub(super) fn examples(examples: &[Example]) -> String {
    let fits = |example: &&Example| example.sql.chars().count() <= MAX_EXAMPLE_CHARS;
    let shown = examples.iter().filter(fits).map(|example| {
        format!(
            "Question: {}\nSQL: {}",
            without_disguise(&example.question),
            without_disguise(&example.sql)
        )
    });
    shown.collect::<Vec<_>>().join("\n\n")
}

/// The part of the prompt that holds examples; nothing when there are none.
pub(super) fn examples_section(examples: &str, fence: &str) -> String {
    if examples.is_empty() {
        return String::new();
    }
    format!(
        "\nQuestions about this database with SQL that people verified. Follow their ways where they apply.\n<data-{fence}>\n{examples}\n</data-{fence}>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::ports::search_index::ValueHit;
    use text2sql_domain::schema::Column;

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
        assert_eq!(values(&context, Egress::Schema).0, "");
        assert_eq!(
            values(&context, Egress::Values).0,
            "countries.name = 'Germany' for \"german\""
        );
    }
}
