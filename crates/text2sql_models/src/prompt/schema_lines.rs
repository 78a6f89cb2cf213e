//! A line on each schema: what is said of it; and where schemas have tables of one name, which tables only it has.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::annotations::shortened;
use super::untrusted_text::without_disguise;
use text2sql_domain::ingredients::Ingredients;
use text2sql_domain::schema::{SchemaNote, TableName, quote_identifier};
use text2sql_retrieval::Context;
use text2sql_retrieval::schema_budget::ShownTable;

/// Limits: lines, characters of what is said of a schema, and tables that tell it from others.
const MAX_SCHEMAS: usize = 12;
const MAX_SAID: usize = 240;
const MAX_TABLES: usize = 6;

/// The lines, and the names of tables in them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SchemaLines {
    /// Each with a line end; empty where nothing is to be said.
    pub(super) text: String,
    pub(super) tables: Vec<String>,
}

/// The lines on the schemas of the shown tables, in their order.
pub(super) fn lines(
    context: &Context,
    shown: &[ShownTable],
    ingredients: Ingredients,
) -> SchemaLines {
    let mut schemas: Vec<&str> = Vec::new();
    for entry in shown {
        if !schemas.contains(&entry.table.schema.as_str()) {
            schemas.push(&entry.table.schema);
        }
    }
    let mut lines = SchemaLines::default();
    let mut known = None;
    for schema in schemas.iter().take(MAX_SCHEMAS) {
        let note = context
            .schema_notes
            .iter()
            .find(|note| note.name == *schema);
        let said = note.and_then(|note| said(note, ingredients));
        let said = said.map(|text| shortened(text, MAX_SAID));
        let twins = twins(shown, schema);
        let own = match twins.is_empty() {
            true => Vec::new(),
            false => {
                let known = known.get_or_insert_with(|| Known::of(context));
                known.only_in(schema, &twins)
            }
        };
        let names: Vec<String> = own
            .iter()
            .map(|table| without_disguise(&quote_identifier(&table.name)))
            .collect();
        let only = match names.is_empty() {
            true => None,
            false => Some(format!("only it has {}", names.join(", "))),
        };
        let parts: Vec<String> = said.into_iter().chain(only).collect();
        if parts.is_empty() {
            continue;
        }
        let name = without_disguise(&quote_identifier(schema));
        let line = format!("schema {name}: {}\n", parts.join("; "));
        lines.text.push_str(&line);
        lines
            .tables
            .extend(own.iter().map(|table| table.sql_name()));
    }
    lines
}

/// The description by `describe()`, else the comment.
fn said(note: &SchemaNote, ingredients: Ingredients) -> Option<&str> {
    let described = note
        .description
        .as_deref()
        .filter(|_| ingredients.descriptions);
    described.or(note.comment.as_deref().filter(|_| ingredients.comments))
}

/// The other schemas that have a shown table of the same name as a shown one of this schema.
fn twins<'a>(shown: &'a [ShownTable], schema: &str) -> Vec<&'a str> {
    let own = shown.iter().filter(|entry| entry.table.schema == schema);
    let names: HashSet<String> = own.map(|entry| entry.table.name.to_lowercase()).collect();
    let mut twins: Vec<&str> = Vec::new();
    for entry in shown {
        let other = entry.table.schema.as_str();
        let is_same = || names.contains(&entry.table.name.to_lowercase());
        if other != schema && !twins.contains(&other) && is_same() {
            twins.push(other);
        }
    }
    twins
}

/// All known tables, those of the context first, and their places by name in lower case. There may be a thousand, and a line
/// for each of twelve schemas: each table is looked at once.
struct Known<'a> {
    tables: Vec<Cow<'a, TableName>>,
    by_name: HashMap<String, Vec<usize>>,
}

impl<'a> Known<'a> {
    fn of(context: &'a Context) -> Self {
        let described = context.tables.iter().map(|table| TableName::of(table));
        let named = context.others.iter().map(Cow::Borrowed);
        let tables: Vec<Cow<'a, TableName>> = described.map(Cow::Owned).chain(named).collect();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, table) in tables.iter().enumerate() {
            by_name
                .entry(table.name.to_lowercase())
                .or_default()
                .push(place);
        }
        Self { tables, by_name }
    }

    /// The first tables of the schema that none of the others has.
    fn only_in(&self, schema: &str, others: &[&str]) -> Vec<&TableName> {
        let is_in_others = |place: &usize| {
            let table = self.tables.get(*place);
            table.is_some_and(|table| others.contains(&table.schema.as_str()))
        };
        let is_elsewhere = |table: &&TableName| {
            let same = self.by_name.get(&table.name.to_lowercase());
            same.is_some_and(|same| same.iter().any(is_in_others))
        };
        let tables = self.tables.iter().map(AsRef::as_ref);
        let own = tables.filter(|table| table.schema == schema && !is_elsewhere(table));
        own.take(MAX_TABLES).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use text2sql_domain::schema::Table;

    fn context(tables: &[(&str, &str)], notes: &[(&str, Option<&str>, Option<&str>)]) -> Context {
        let table = |(schema, name): &(&str, &str)| {
            Arc::new(Table {
                schema: (*schema).to_owned(),
                name: (*name).to_owned(),
                ..Table::default()
            })
        };
        let note = |(name, described, comment): &(&str, Option<&str>, Option<&str>)| SchemaNote {
            name: (*name).to_owned(),
            description: described.map(str::to_owned),
            comment: comment.map(str::to_owned),
        };
        Context {
            tables: tables.iter().map(table).collect(),
            schema_notes: notes.iter().map(note).collect(),
            ..Context::default()
        }
    }

    fn text(context: &Context, ingredients: Ingredients) -> String {
        let shown: Vec<ShownTable> = context.tables.iter().map(ShownTable::from).collect();
        lines(context, &shown, ingredients).text
    }

    #[test]
    fn what_is_said_of_a_schema_stands_before_its_tables() {
        let context = context(
            &[
                ("fleet", "boats"),
                ("fleet", "crews"),
                ("kitchen", "dishes"),
            ],
            &[
                ("fleet", Some("Boats\nof the harbour"), Some("generated")),
                ("kitchen", None, Some("the canteen")),
                ("attic", Some("not shown"), None),
            ],
        );
        assert_eq!(
            text(&context, Ingredients::ALL),
            "schema fleet: Boats of the harbour\nschema kitchen: the canteen\n"
        );
        let without = Ingredients {
            descriptions: false,
            ..Ingredients::ALL
        };
        assert!(text(&context, without).starts_with("schema fleet: generated\n"));
        let bare = Ingredients {
            comments: false,
            ..without
        };
        assert_eq!(text(&context, bare), "");
    }

    #[test]
    fn schemas_with_tables_of_one_name_are_told_apart_by_their_others() {
        let mut two = context(
            &[
                ("north", "boats"),
                ("south", "boats"),
                ("north", "moorings"),
                ("kitchen", "dishes"),
            ],
            &[("south", Some("laid up"), None)],
        );
        two.others = vec![
            TableName {
                schema: "south".into(),
                name: "Sheds".into(),
                ..TableName::default()
            },
            TableName {
                schema: "south".into(),
                name: "moorings".into(),
                ..TableName::default()
            },
        ];
        assert_eq!(
            text(&two, Ingredients::ALL),
            "schema south: laid up; only it has \"Sheds\"\n"
        );
        two.others.pop();
        let shown: Vec<ShownTable> = two.tables.iter().map(ShownTable::from).collect();
        let lines = lines(&two, &shown, Ingredients::ALL);
        assert_eq!(
            lines.text,
            "schema north: only it has moorings\nschema south: laid up; only it has \"Sheds\"\n"
        );
        assert_eq!(lines.tables, ["north.moorings", "south.\"Sheds\""]);
    }
}
