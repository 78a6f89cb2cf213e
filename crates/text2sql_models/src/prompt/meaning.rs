//! The prompt that asks a small model for the meaning of a question instead of a query: names with what they hold, then
//! what depends on the question. The reply is compiled, so that no key and no type has to be shown.

use serde_json::{Value, json};

use super::compact::push_question;
use super::prompt_text::Prompt;
use super::replaceable::MEANING;
use super::schema_text;
use super::untrusted_text::without_disguise;
use text2sql_domain::config::Config;
use text2sql_domain::schema::{Table, TypeCategory};
use text2sql_domain::shown::Shows;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Renders the prompt of a question.
pub fn render_meaning(understanding: &Understanding, context: &Context, config: &Config) -> Prompt {
    let shows = Shows::of(config);
    let schema = schema_text::schema(context, shows, schema_text::Form::of(context, config));
    let mut user = String::new();
    for shown in &schema.shown {
        let line = format!("{}\n", line_of(&shown.table, &context.tables));
        user.push_str(&without_disguise(&line));
    }
    let value_columns = push_question(&mut user, understanding, context, config);
    Prompt {
        disclosed: schema_text::disclose_shown(&schema.shown, value_columns, shows.egress),
        system: MEANING.fill(&config.owner.prompts, &[]),
        user,
        ..Prompt::default()
    }
}

/// The table with its columns that are no keys: "orders: total number, status, ordered_at date; has customers".
fn line_of(table: &Table, tables: &[std::sync::Arc<Table>]) -> String {
    let is_key = |name: &String| {
        let mut keys = table.foreign_keys.iter().flat_map(|key| &key.columns);
        keys.any(|column| column == name)
            || table.primary_key.contains(name) && table.columns.len() > 2
    };
    let columns = table.columns.iter().filter(|column| !is_key(&column.name));
    let columns = columns.map(|column| match column.category {
        TypeCategory::Integer | TypeCategory::Number => format!("{} number", column.name),
        TypeCategory::Date | TypeCategory::Timestamp => format!("{} date", column.name),
        TypeCategory::Boolean => format!("{} true or false", column.name),
        _ => column.name.clone(),
    });
    let mut line = format!("{}: {}", table.name, columns.collect::<Vec<_>>().join(", "));
    let has = table.foreign_keys.iter().filter_map(|key| {
        let target = tables.iter().find(|other| other.oid == key.target)?;
        Some(target.name.as_str())
    });
    let has: Vec<&str> = has.collect();
    if !has.is_empty() {
        line.push_str(&format!("; has {}", has.join(", ")));
    }
    line
}

/// The JSON Schema of the reply, for endpoints with structured output.
pub fn meaning_schema() -> Value {
    let text = json!({"type": ["string", "null"]});
    let texts = json!({"type": ["array", "null"], "items": {"type": "string"}});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["measure", "show", "by", "only", "date", "from", "before", "order", "top"],
        "properties": {
            "measure": text, "show": texts, "by": texts, "only": texts,
            "date": text, "from": text, "before": text,
            "order": text, "top": {"type": ["integer", "null"]}
        }
    })
}
