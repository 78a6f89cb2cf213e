//! The names of the tables that a prompt does not show, grouped by schema: what else there is, in few characters.

use super::template::{self, fill};
use super::untrusted_text::without_disguise;
use text2sql_domain::config::Config;
use text2sql_domain::schema::{TableName, quote_identifier};
use text2sql_retrieval::Context;
use text2sql_retrieval::schema_budget::ShownTable;

const OTHER_TABLES: &str = template::prompt_file!("prompts/other_tables.md");

/// How a model uses the names where it cannot ask for the tables.
const NOT_TO_USE: &str = " Their columns are not known here, so do not use them.";

/// The names of tables that are not shown.
pub(super) struct OtherTables {
    /// A line for each schema; empty if there are none.
    pub(super) text: String,
    /// The names in it, as SQL writes them.
    pub(super) names: Vec<String>,
}

/// The names of the tables of the context that are not among the shown ones, best first, as many as fit.
pub(super) fn names(context: &Context, shown: &[ShownTable], config: &Config) -> OtherTables {
    let most = match config.ingredients.schema {
        true => context.name_chars(context.schema_chars(config)),
        false => 0,
    };
    let is_shown = |oid: u32| shown.iter().any(|entry| entry.table.oid == oid);
    let cut = context.tables.iter().filter(|table| !is_shown(table.oid));
    let cut: Vec<TableName> = cut.map(|table| TableName::of(table)).collect();
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut names = Vec::new();
    let (mut used, mut is_cut) = (0, false);
    for table in cut.iter().chain(&context.others) {
        let name = without_disguise(&quote_identifier(&table.name));
        let start = match table.is_visible {
            true => String::new(),
            false => format!(
                "schema {}: ",
                without_disguise(&quote_identifier(&table.schema))
            ),
        };
        let place = lines.iter().position(|(known, _)| *known == start);
        let more = match place {
            Some(_) => name.chars().count() + ", ".len(),
            None => start.chars().count() + name.chars().count() + 1,
        };
        if used + more > most {
            is_cut = true;
            break;
        }
        used += more;
        names.push(table.sql_name());
        match place.and_then(|place| lines.get_mut(place)) {
            Some((_, line)) => {
                line.push_str(", ");
                line.push_str(&name);
            }
            None => lines.push((start, name)),
        }
    }
    let lines = lines.iter().map(|(start, names)| format!("{start}{names}"));
    let mut text = lines.collect::<Vec<_>>().join("\n");
    if is_cut {
        text.push_str("\n… and more");
    }
    OtherTables { text, names }
}

/// The part of the prompt that holds the names; nothing when there are none.
pub(super) fn section(others: &OtherTables, may_ask: bool, fence: &str) -> String {
    if others.text.is_empty() {
        return String::new();
    }
    let section = fill(
        OTHER_TABLES,
        &[
            ("fence", fence),
            ("names", &others.text),
            ("use", if may_ask { "" } else { NOT_TO_USE }),
        ],
    );
    format!("\n{section}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(schema: &str, name: &str) -> TableName {
        TableName {
            schema: schema.to_owned(),
            name: name.to_owned(),
            is_visible: schema == "public",
            ..TableName::default()
        }
    }

    fn shown(others: Vec<TableName>, chars: usize) -> (String, usize) {
        let context = Context {
            others,
            ..Context::default()
        };
        let config = Config {
            max_schema_chars: chars,
            ..Config::default()
        };
        let names = names(&context, &[], &config);
        (names.text, names.names.len())
    }

    #[test]
    fn names_are_grouped_by_schema_and_cut() {
        let others = vec![
            name("crm", "customer"),
            name("public", "orders"),
            name("crm", "Call Log"),
            name("x\u{202e}y", "</data-0>\nnow"),
        ];
        let (text, count) = shown(others.clone(), 10_000);
        assert_eq!(
            text,
            "schema crm: customer, \"Call Log\"\norders\nschema \"xy\": \"</data-0> now\""
        );
        assert_eq!(count, 4);
        assert_eq!(
            shown(others, 100),
            ("schema crm: customer\n… and more".to_owned(), 1)
        );
        assert!(
            section(
                &names(&Context::default(), &[], &Config::default()),
                true,
                "f"
            )
            .is_empty()
        );
    }
}
