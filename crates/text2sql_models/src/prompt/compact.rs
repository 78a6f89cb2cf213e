//! The prompt of a question for a small model: the tables as the statements that such models saw in their training, then
//! what depends on the question, and the question last. The reply is a query and nothing else.
//!
//! All that comes before the question is the same for every question of a role over one catalog, so that the state of a
//! model that has read it can be kept. There are no data markers, which small models take for parts of the schema; what
//! comes from the database is in comments of one line, and the guard judges every query.

use std::fmt::Write;
use std::sync::Arc;

use super::prompt_text::Prompt;
use super::replaceable::{COMPACT, COMPACT_OTHERWISE, COMPACT_QUESTION, COMPACT_REPAIR};
use super::untrusted_text::without_disguise;
use super::{
    annotations, column_facts, conversation, few_shot_examples, glossary, instructions,
    interpretation, linked_values, schema_text,
};
use crate::providers::Names;
use text2sql_domain::config::{Config, Egress};
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_domain::schema::{
    Column, ForeignKey, Table, TableKind, TypeCategory, quote_identifier,
};
use text2sql_domain::shown::Shows;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// How many examples and values are shown: more of either draws a small model away from the question.
const MAX_EXAMPLES: usize = 2;
const MAX_VALUES: usize = 4;

/// Longest comment, in characters.
const MAX_COMMENT: usize = 80;

/// Longest list of all values of a column, in characters, and most labels of an enum.
const MAX_LIST: usize = 100;
const MAX_ENUM_LABELS: usize = 12;

/// Renders the prompt of a question.
pub(super) fn render(
    understanding: &Understanding,
    context: &Context,
    config: &Config,
    server_version: &str,
) -> Prompt {
    let own = &config.owner.prompts;
    let shows = Shows::of(config);
    let schema = schema_text::schema(context, shows, schema_text::Form::of(context, config));
    let tables = in_order(&schema, context);
    let mut user = String::new();
    for table in &tables {
        push_table(&mut user, table, &context.tables, shows.egress);
    }
    push_joins(&mut user, &tables, &context.tables);
    let rules = comments(&instructions::lines(context, &tables));
    user.push_str(&rules);
    let value_columns = push_question(&mut user, understanding, context, config);
    let mut names = Names::default();
    names.add(tables);
    Prompt {
        disclosed: schema_text::disclose_shown(&schema.shown, value_columns, shows.egress),
        system: COMPACT.fill(own, &[("server_version", server_version)]),
        user,
        names,
        ..Prompt::default()
    }
}

/// Renders the same question otherwise: no rules, tables without notes, keys on lines of their own. What a small model
/// gets wrong in one form, it often gets right in the other.
pub fn render_otherwise(
    understanding: &Understanding,
    context: &Context,
    config: &Config,
) -> Prompt {
    let shows = Shows::of(config);
    let schema = schema_text::schema(context, shows, schema_text::Form::of(context, config));
    let tables = in_order(&schema, context);
    let mut statements = String::new();
    for table in &tables {
        push_bare_table(&mut statements, table, &context.tables);
    }
    let about = AboutQuestion::of(understanding, context, config);
    let mut names = Names::default();
    names.add(tables);
    let user = COMPACT_OTHERWISE.fill(
        &config.owner.prompts,
        &[
            ("schema", &statements),
            ("notes", &about.notes),
            ("today", &about.today),
            ("question", &about.question),
        ],
    );
    Prompt {
        disclosed: schema_text::disclose_shown(&schema.shown, about.value_columns, shows.egress),
        user,
        names,
        ..Prompt::default()
    }
}

/// The tables, in an order that is the same for every question where all of them fit: in that of a search, a catalog would
/// end with what matters least.
fn in_order<'s>(schema: &'s schema_text::SchemaText, context: &Context) -> Vec<&'s Table> {
    let shown = schema.shown.iter();
    let mut tables: Vec<&Table> = shown.map(|shown| shown.table.as_ref()).collect();
    if context.is_whole {
        tables.sort_by(|one, other| (&one.schema, &one.name).cmp(&(&other.schema, &other.name)));
    }
    tables
}

/// Adds what depends on the question, and the question; returns the columns whose values are shown.
pub(super) fn push_question(
    user: &mut String,
    understanding: &Understanding,
    context: &Context,
    config: &Config,
) -> Vec<String> {
    let about = AboutQuestion::of(understanding, context, config);
    let variables = [
        ("notes", about.notes.as_str()),
        ("today", about.today.as_str()),
        ("question", about.question.as_str()),
    ];
    user.push_str(&COMPACT_QUESTION.fill(&config.owner.prompts, &variables));
    about.value_columns
}

/// What depends on the question, as comments, and the columns whose values are shown.
struct AboutQuestion {
    notes: String,
    today: String,
    question: String,
    value_columns: Vec<String>,
}

impl AboutQuestion {
    fn of(understanding: &Understanding, context: &Context, config: &Config) -> Self {
        let shows = Shows::of(config);
        let (values, value_columns) =
            linked_values::values(context, shows, config.shown.values.min(MAX_VALUES));
        let terms = glossary::Terms::of(context);
        let shown_examples = match config.stages.few_shot {
            true => config
                .shown
                .examples
                .min(MAX_EXAMPLES)
                .min(context.examples.len()),
            false => 0,
        };
        let examples = context.examples.get(..shown_examples).unwrap_or_default();
        let about = [
            ("Values", comments(&values)),
            ("Terms", comments(&terms.used)),
            ("Meaning", comments(&interpretation::facts(&context.facts))),
            ("Like it", comments(&few_shot_examples::examples(examples))),
            (
                "Before",
                comments(&conversation::earlier_turns(&context.earlier)),
            ),
        ];
        let mut notes = String::new();
        for (title, text) in about.iter().filter(|(_, text)| !text.is_empty()) {
            let _ = write!(notes, "-- {title}:\n{text}");
        }
        // Where no period is asked for, a small model makes a condition of the day.
        let today = match understanding.periods().is_empty() {
            true => String::new(),
            false => format!("-- Today is {}.\n", understanding.today()),
        };
        Self {
            notes,
            today,
            question: without_disguise(understanding.text()),
            value_columns,
        }
    }
}

/// The turn after a query failed.
pub(super) fn render_repair(
    own: &OwnPrompts,
    problem: &str,
    names: &[String],
    schema: &str,
) -> String {
    let names = match names.is_empty() {
        true => String::new(),
        false => without_disguise(&format!("Names that exist: {}.", names.join(", "))),
    };
    let variables = [
        ("problem", without_disguise(problem)),
        ("names", names),
        ("schema", schema.to_owned()),
    ];
    COMPACT_REPAIR.fill(
        own,
        &variables
            .each_ref()
            .map(|(name, value)| (*name, value.as_str())),
    )
}

fn comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "-- {line}");
        text
    })
}

fn push_table(text: &mut String, table: &Table, tables: &[Arc<Table>], egress: Egress) {
    let kind = match table.kind {
        TableKind::View | TableKind::MaterializedView => "VIEW",
        TableKind::Table | TableKind::PartitionedTable => "TABLE",
    };
    let _ = write!(text, "CREATE {kind} {} (", table.sql_name());
    push_note(
        text,
        table.comment.as_deref(),
        &table.synonyms,
        String::new(),
    );
    let is_shown = |column: &&Column| !column.name.chars().any(char::is_control);
    let columns: Vec<&Column> = table.columns.iter().filter(is_shown).collect();
    let has_key = table.primary_key.len() > 1;
    for (index, column) in columns.iter().enumerate() {
        let _ = write!(
            text,
            "  {} {}",
            quote_identifier(&column.name),
            column.type_name
        );
        if table.primary_key == [column.name.clone()] {
            text.push_str(" PRIMARY KEY");
        }
        let keys = table.foreign_keys.iter();
        for key in keys.filter(|key| key.columns == [column.name.clone()]) {
            push_reference(text, key, tables);
        }
        if index + 1 < columns.len() || has_key {
            text.push(',');
        }
        push_note(
            text,
            column.comment.as_deref(),
            &column.synonyms,
            facts(table, column, egress),
        );
    }
    if has_key {
        let _ = writeln!(text, "  PRIMARY KEY ({})", quoted(&table.primary_key));
    }
    text.push_str(");\n");
}

/// The statement without notes, and with all keys, also likely ones, on lines of their own.
fn push_bare_table(text: &mut String, table: &Table, tables: &[Arc<Table>]) {
    let shown = table.columns.iter();
    let shown = shown.filter(|column| !column.name.chars().any(char::is_control));
    let mut parts: Vec<String> = shown
        .map(|column| format!("{} {}", quote_identifier(&column.name), column.type_name))
        .collect();
    if !table.primary_key.is_empty() {
        parts.push(format!("PRIMARY KEY ({})", quoted(&table.primary_key)));
    }
    let likely = table.likely_joins.iter().map(|join| &join.key);
    for key in table.foreign_keys.iter().chain(likely) {
        let mut part = format!("FOREIGN KEY ({})", quoted(&key.columns));
        push_reference(&mut part, key, tables);
        parts.push(part);
    }
    let (name, parts) = (table.sql_name(), parts.join(",\n    "));
    let _ = writeln!(text, "CREATE TABLE {name} (\n    {parts}\n);");
}

fn push_reference(text: &mut String, key: &ForeignKey, tables: &[Arc<Table>]) {
    let target = super::table_text::target_name(key, tables);
    let _ = write!(
        text,
        " REFERENCES {target}({})",
        quoted(&key.target_columns)
    );
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| quote_identifier(name)).collect();
    names.join(", ")
}

/// What is known of the values of a column.
fn facts(table: &Table, column: &Column, egress: Egress) -> String {
    let mut facts = String::new();
    if column.is_private {
        return facts;
    }
    if !column.enum_labels.is_empty() {
        let labels = column.enum_labels.iter().take(MAX_ENUM_LABELS);
        let labels: Vec<String> = labels
            .map(|label| format!("'{}'", without_disguise(label)))
            .collect();
        let _ = write!(facts, " one of {}", labels.join(", "));
    }
    annotations::push_meanings(&mut facts, &column.value_meanings);
    if egress >= Egress::Values && column.value_meanings.is_empty() && column.enum_labels.is_empty()
    {
        let mut values = String::new();
        column_facts::push_values(&mut values, table, column);
        let are_all = values.trim_start().starts_with("one of") || values.contains("mostly one of");
        // Examples and ranges are read as what to look for.
        if are_all && column.category == TypeCategory::Text && values.chars().count() <= MAX_LIST {
            facts.push_str(&values);
        }
    }
    facts.trim().to_owned()
}

fn push_note(text: &mut String, comment: Option<&str>, synonyms: &[String], facts: String) {
    let comment = comment.map(|comment| annotations::shortened(comment, MAX_COMMENT));
    let also = match synonyms.is_empty() {
        true => None,
        false => Some(annotations::shortened(&synonyms.join(", "), MAX_COMMENT)),
    };
    let notes = [comment, also, Some(facts)];
    let notes: Vec<String> = notes
        .into_iter()
        .flatten()
        .filter(|note| !note.is_empty())
        .collect();
    match notes.is_empty() {
        true => text.push('\n'),
        false => {
            let _ = writeln!(text, " -- {}", notes.join("; "));
        }
    }
}

/// The joins that no column of a statement shows.
fn push_joins(text: &mut String, shown: &[&Table], tables: &[Arc<Table>]) {
    for table in shown {
        let several = table
            .foreign_keys
            .iter()
            .filter(|key| key.columns.len() > 1);
        let likely = table.likely_joins.iter().map(|join| &join.key);
        for key in several.chain(likely) {
            let target = super::table_text::target_name(key, tables);
            let pairs = key
                .columns
                .iter()
                .zip(&key.target_columns)
                .map(|(from, to)| {
                    let (from, to) = (quote_identifier(from), quote_identifier(to));
                    format!("{}.{from} = {target}.{to}", table.sql_name())
                });
            let _ = writeln!(
                text,
                "-- {} can be joined with {target} on {}",
                table.sql_name(),
                pairs.collect::<Vec<_>>().join(" AND ")
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::ColumnStatistics;

    fn column(name: &str, type_name: &str) -> Column {
        Column {
            name: name.into(),
            type_name: type_name.into(),
            ..Column::default()
        }
    }

    fn harbour() -> Context {
        let ports = Table {
            oid: 1,
            schema: "public".into(),
            name: "ports".into(),
            is_visible: true,
            primary_key: vec!["id".into()],
            columns: vec![column("id", "integer"), column("name", "text")],
            ..Table::default()
        };
        let mut kind = column("kind", "text");
        kind.category = TypeCategory::Text;
        kind.statistics = Some(ColumnStatistics {
            most_common_values: vec!["sail".into(), "motor".into()],
            distinct_values: Some(2.0),
            ..ColumnStatistics::default()
        });
        kind.comment = Some("what it\nis driven by".into());
        let boats = Table {
            oid: 2,
            schema: "public".into(),
            name: "boats".into(),
            is_visible: true,
            row_estimate: Some(9.0),
            columns: vec![column("port_id", "integer"), kind],
            foreign_keys: vec![ForeignKey {
                columns: vec!["port_id".into()],
                target: 1,
                target_schema: "public".into(),
                target_name: "ports".into(),
                target_columns: vec!["id".into()],
                is_taught: false,
            }],
            ..Table::default()
        };
        Context {
            tables: vec![Arc::new(ports), Arc::new(boats)],
            is_whole: true,
            ..Context::default()
        }
    }

    fn asked(question: &str) -> Prompt {
        let config = Config {
            model: text2sql_domain::config::ModelConfig::Replay(Vec::new()),
            ..Config::default()
        };
        let question = Understanding::of(question, "2025-06-15");
        render(&question, &harbour(), &config, "17")
    }

    #[test]
    fn tables_are_statements_and_the_question_is_last() {
        let prompt = asked("How many boats sail?");
        assert_eq!(
            prompt.user,
            "CREATE TABLE boats (\n  port_id integer REFERENCES ports(id),\n  \
             kind text -- what it is driven by; one of 'sail', 'motor'\n);\n\
             CREATE TABLE ports (\n  id integer PRIMARY KEY,\n  name text\n);\n\
             -- Question: How many boats sail?"
        );
        assert_eq!(prompt.disclosed.value_columns, ["boats.kind"]);
        assert_eq!(prompt.names.tables, ["boats", "ports"]);
        assert_eq!(prompt.names.columns, ["id", "kind", "name", "port_id"]);
    }

    #[test]
    fn the_other_form_has_bare_tables_and_keys_on_lines_of_their_own() {
        let question = Understanding::of("How many boats sail?", "2025-06-15");
        let prompt = render_otherwise(&question, &harbour(), &Config::default());
        assert_eq!(prompt.system, "");
        assert_eq!(
            prompt.user,
            "CREATE TABLE boats (\n    port_id integer,\n    kind text,\n    \
             FOREIGN KEY (port_id) REFERENCES ports(id)\n);\n\
             CREATE TABLE ports (\n    id integer,\n    name text,\n    PRIMARY KEY (id)\n);\n\n\
             Write a PostgreSQL query that answers this question. Reply with SQL only.\n\n\
             How many boats sail?"
        );
        assert_eq!(prompt.names.tables, ["boats", "ports"]);
    }

    #[test]
    fn what_comes_before_the_question_is_the_same_for_each() {
        let (one, other) = (
            asked("How many boats sail?"),
            asked("Which ports are empty?"),
        );
        assert_eq!(one.system, other.system);
        let before = |prompt: &Prompt| prompt.user.split("-- Question").next().map(str::to_owned);
        assert_eq!(before(&one), before(&other));
    }

    #[test]
    fn the_day_is_said_where_a_period_is_asked_for() {
        assert!(!asked("How many boats sail?").user.contains("2025-06-15"));
        let dated = asked("How many boats came last month?");
        assert!(
            dated.user.contains("-- Today is 2025-06-15."),
            "{}",
            dated.user
        );
    }
}
