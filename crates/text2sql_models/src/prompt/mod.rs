//! Writes what a model gets to read: the instructions, one compact schema text, the question.
//!
//! The instructions never hold text from the database or from the person asking. Such text comes
//! after them, in the user's turn, between markers that it cannot forge (the marker is a hash of
//! the text itself), sanitised and capped. What may be in it depends on the endpoint's egress.

mod curator;
mod explained;
mod facts;
mod found;
pub mod opinion;
pub mod relevance;
mod rendered;
mod revise;
mod steps;
mod taught;
mod untrusted;

pub use self::curator::{render_check, render_suggest};
pub use self::explained::{render_faster, render_summary};
use self::rendered::rendered;
pub use self::revise::render_revise;
pub use self::steps::{StepResult, render_next_step, steps_instructions};
use self::untrusted::{fence_for, fill, without_disguise};
use text2sql_sql::masking::looks_private;

use std::fmt::Write;
use std::sync::Arc;

use text2sql_domain::config::{Config, Egress, ModelConfig};
use text2sql_domain::schema::{
    Column, ForeignKey, Table, TableKind, TypeCategory, quote_identifier, quote_literal,
};
use text2sql_domain::sql_result::{Cell, Execution, ResultColumn};
use text2sql_domain::strategy::Strategy;
use text2sql_domain::trace::Disclosed;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

const GENERATE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/generate.md"
));
const QUESTION: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/question.md"
));
const REPAIR: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/repair.md"
));

const NARRATE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/narrate.md"
));
const RESULT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/result.md"
));
const STRATEGY_DIRECT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/strategy_direct.md"
));
const STRATEGY_ONE_SHOT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/strategy_one_shot.md"
));
const STRATEGY_CHAIN_OF_THOUGHT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/strategy_chain_of_thought.md"
));
const STRATEGY_DECOMPOSE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/strategy_decompose.md"
));

/// Longest comment in a prompt, in characters. Comments are unbounded and anyone who owns a table
/// can write one.
const MAX_COMMENT_CHARS: usize = 300;

/// How many frequent values of a column are shown, and how long each may be.
const MAX_SAMPLE_VALUES: usize = 5;
const MAX_SAMPLE_CHARS: usize = 40;

/// Most enum labels shown.
const MAX_ENUM_LABELS: usize = 40;

/// What goes to a model for a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The instructions.
    pub system: String,
    /// Schema and question.
    pub user: String,
    /// What of the database is in it.
    pub disclosed: Disclosed,
}

impl Prompt {
    /// Length in characters.
    pub fn chars(&self) -> usize {
        self.system.chars().count() + self.user.chars().count()
    }
}

/// Renders the prompt of a question.
pub fn render(
    understanding: &Understanding,
    context: &Context,
    config: &Config,
    server_version: &str,
) -> Prompt {
    let egress = match &config.model {
        ModelConfig::Endpoint(endpoint) => endpoint.egress,
        ModelConfig::Builtin | ModelConfig::Replay(_) => Egress::Rows,
    };
    let (schema, shown) = found::schema(context, egress, config.max_schema_chars);
    let count = shown.len();
    let coverage = if context.is_whole && count == context.tables.len() {
        format!("complete, {count} tables")
    } else {
        format!("the {count} most relevant tables, there are more")
    };
    let question = without_disguise(understanding.text());
    let terms = taught::Terms::of(context);
    let (values, value_columns) = found::values(context, egress);
    let shown_examples = match config.stages.few_shot {
        true => context.examples.as_slice(),
        false => &[],
    };
    let examples = found::examples(shown_examples);
    let facts = facts::facts(&context.facts);
    let earlier = facts::earlier(&context.earlier);
    let texts = [
        &schema,
        &terms.used,
        &terms.related,
        &values,
        &examples,
        &earlier,
        &facts,
        &question,
    ];
    let fence = fence_for(&texts.map(String::as_str));
    let mut disclosed = disclose(shown.iter().map(|entry| entry.table.as_ref()), egress);
    for column in value_columns {
        if !disclosed.value_columns.contains(&column) {
            disclosed.value_columns.push(column);
        }
    }
    Prompt {
        disclosed,
        system: fill(
            GENERATE,
            &[
                ("server_version", server_version),
                ("today", understanding.today()),
            ],
        ),
        user: fill(
            QUESTION,
            &[
                ("fence", &fence),
                ("schema", &schema),
                ("coverage", &coverage),
                ("definitions", &terms.sections(&fence)),
                ("values", &found::values_section(&values, &fence)),
                ("examples", &found::examples_section(&examples, &fence)),
                ("earlier", &facts::earlier_section(&earlier, &fence)),
                ("facts", &facts::facts_section(&facts, &fence)),
                ("question", &question),
            ],
        ),
    }
}

/// Most rows of a result that a sentence is asked about: more than that nobody tells in two.
pub const MAX_ROWS_SHOWN: usize = 50;

/// Longest cell of a result shown, in characters.
const MAX_CELL_CHARS: usize = 200;

/// Renders what a model gets to read that says in a sentence what rows answer.
pub fn render_result(understanding: &Understanding, execution: &Execution) -> Prompt {
    let rows = cells(execution);
    let columns: Vec<String> = execution
        .columns
        .iter()
        .map(|column| without_disguise(&column.name))
        .collect();
    let columns = serde_json::Value::from(columns).to_string();
    let extent = match execution.is_truncated {
        true => format!("the first {} rows of more", execution.rows.len()),
        false => format!("{} rows, all there are", execution.rows.len()),
    };
    let question = without_disguise(understanding.text());
    let fence = fence_for(&[&rows, &question]);
    Prompt {
        system: fill(NARRATE, &[]),
        user: fill(
            RESULT,
            &[
                ("fence", &fence),
                ("question", &question),
                ("columns", &columns),
                ("rows", &rows),
                ("extent", &extent),
            ],
        ),
        disclosed: Disclosed {
            tables: execution.relations.clone(),
            value_columns: Vec::new(),
            result_rows: execution.rows.len().min(MAX_ROWS_SHOWN),
        },
    }
}

/// A row as a JSON array; what looks private does not leave.
fn shown_row(row: &[Cell], columns: &[ResultColumn]) -> String {
    let cells = row
        .iter()
        .zip(columns)
        .map(|(cell, column)| match &cell.text {
            None => serde_json::Value::Null,
            Some(text) if may_be_private(column) && looks_private(text) => "…".into(),
            Some(text) => without_disguise(text)
                .chars()
                .take(MAX_CELL_CHARS)
                .collect::<String>()
                .into(),
        });
    serde_json::Value::from_iter(cells).to_string()
}

/// The first rows of a result, one JSON array a line, without what looks private.
fn cells(execution: &Execution) -> String {
    let rows = execution.rows.iter().take(MAX_ROWS_SHOWN);
    let rows: Vec<String> = rows.map(|row| shown_row(row, &execution.columns)).collect();
    rows.join("\n")
}

/// Numbers and dates are what results are about; a large sum is no phone number.
fn may_be_private(column: &ResultColumn) -> bool {
    let measures = [
        "numeric",
        "integer",
        "bigint",
        "smallint",
        "real",
        "double precision",
        "money",
        "date",
        "timestamp",
        "time",
        "interval",
        "boolean",
    ];
    !measures
        .iter()
        .any(|measure| column.type_name.starts_with(measure))
}

/// The prompt's instructions with those of a strategy.
pub fn instructions(prompt: &Prompt, strategy: Strategy) -> String {
    let how = match strategy {
        Strategy::Direct => STRATEGY_DIRECT,
        Strategy::OneShot => STRATEGY_ONE_SHOT,
        Strategy::ChainOfThought => STRATEGY_CHAIN_OF_THOUGHT,
        Strategy::Decompose => STRATEGY_DECOMPOSE,
    };
    format!("{}\n\n{}", prompt.system, fill(how, &[]))
}

/// What the rendered tables tell.
fn disclose<'t>(tables: impl Iterator<Item = &'t Table>, egress: Egress) -> Disclosed {
    let mut disclosed = Disclosed::default();
    for table in tables {
        let name = table.sql_name();
        let shows_values = |column: &&Column| {
            let mut text = String::new();
            push_values(&mut text, column);
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

/// Renders the user's turn after a query failed.
pub fn render_repair(problem: &str, names: &[String], schema: &str) -> String {
    let names = if names.is_empty() {
        String::new()
    } else {
        without_disguise(&format!("Names that exist: {}.", names.join(", ")))
    };
    let problem = without_disguise(problem);
    let schema = if schema.is_empty() {
        String::new()
    } else {
        format!("\nTables that were not shown yet:\n{schema}")
    };
    let fence = fence_for(&[&problem, &names, &schema]);
    fill(
        REPAIR,
        &[
            ("fence", &fence),
            ("problem", &problem),
            ("names", &names),
            ("schema", &schema),
        ],
    )
}

/// Renders tables in order until `budget` characters are used; gives the text and how many fitted.
pub fn render_schema(tables: &[Arc<Table>], egress: Egress, budget: usize) -> (String, usize) {
    let mut text = String::new();
    let mut used = 0;
    let mut shown = 0;
    for table in tables {
        let block = rendered(table, tables, egress);
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
    rendered(table, tables, egress).chars
}

fn render_table(table: &Table, tables: &[Arc<Table>], egress: Egress) -> String {
    let mut text = table.sql_name();
    let mut facts = Vec::new();
    match table.kind {
        TableKind::Table => {}
        TableKind::View => facts.push("view".to_owned()),
        TableKind::MaterializedView => facts.push("materialized view".to_owned()),
        TableKind::PartitionedTable => facts.push("partitioned table".to_owned()),
    }
    facts.extend(taught::derived(table));
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
        facts.push(format!(
            "({}) {} {}({})",
            quoted_list(&key.columns),
            taught::arrow(key),
            target_name(key, tables),
            quoted_list(&key.target_columns)
        ));
    }
    if !facts.is_empty() {
        let _ = write!(text, " ({})", facts.join("; "));
    }
    push_comment(&mut text, table.comment.as_deref());
    taught::push_synonyms(&mut text, &table.synonyms);
    text.push('\n');
    for column in table
        .columns
        .iter()
        .filter(|column| !column.name.chars().any(char::is_control))
    {
        render_column(&mut text, table, tables, column, egress);
    }
    text.push('\n');
    text
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
    let single_key = |key: &&ForeignKey| key.columns == [column.name.clone()];
    for key in table.foreign_keys.iter().filter(single_key) {
        let _ = write!(
            text,
            " {} {}({})",
            taught::arrow(key),
            target_name(key, tables),
            quoted_list(&key.target_columns)
        );
    }
    if !column.is_private {
        taught::push_meanings(text, &column.value_meanings);
    }
    if egress >= Egress::Values && column.value_meanings.is_empty() {
        push_values(text, column);
    }
    push_comment(text, column.comment.as_deref());
    taught::push_synonyms(text, &column.synonyms);
    text.push('\n');
}

fn push_values(text: &mut String, column: &Column) {
    let Some(statistics) = column.statistics.as_ref().filter(|_| !column.is_private) else {
        return;
    };
    match column.category {
        TypeCategory::Text => {
            let tame = |value: &&String| {
                value.chars().count() <= MAX_SAMPLE_CHARS
                    && !value.trim().is_empty()
                    && !looks_private(value)
            };
            let values: Vec<_> = statistics
                .most_common_values
                .iter()
                .filter(tame)
                .take(MAX_SAMPLE_VALUES)
                .map(|value| quote_literal(&without_disguise(value)))
                .collect();
            if !values.is_empty() {
                let _ = write!(text, " e.g. {}", values.join(", "));
            }
        }
        TypeCategory::Date | TypeCategory::Timestamp => {
            if let (Some(lowest), Some(highest)) = (&statistics.lowest, &statistics.highest) {
                let _ = write!(text, " from {lowest} to {highest}");
            }
        }
        _ => {}
    }
}

fn push_comment(text: &mut String, comment: Option<&str>) {
    let Some(comment) = comment else { return };
    let tidy = without_disguise(comment);
    if tidy.is_empty() {
        return;
    }
    let cut: String = tidy.chars().take(MAX_COMMENT_CHARS).collect();
    let ellipsis = if cut.len() < tidy.len() { "…" } else { "" };
    let _ = write!(text, " -- {cut}{ellipsis}");
}

/// The table a key refers to, written as its own block writes it.
fn target_name(key: &ForeignKey, tables: &[Arc<Table>]) -> String {
    let target = tables.iter().find(|table| table.oid == key.target);
    target.map_or_else(
        || {
            let (schema, name) = (&key.target_schema, &key.target_name);
            format!("{}.{}", quote_identifier(schema), quote_identifier(name))
        },
        |table| table.sql_name(),
    )
}

fn quoted_list(names: &[String]) -> String {
    names
        .iter()
        .map(|name| quote_identifier(name))
        .collect::<Vec<_>>()
        .join(", ")
}
