//! Lets a model choose the tables by their names before the SQL is written, if enabled.
//!
//! A small schema needs no choice. Where the call fails or the reply names no table, those that the search found
//! stay, and the answer says so.

use serde_json::{Value, json};

use crate::model_side_call;
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{render_schema, render_table_choice};
use text2sql_models::reply::object_with;
use text2sql_retrieval::{Context, chosen_tables};

/// Maximum number of tables that a model may choose.
const MAX_CHOSEN: usize = 20;

/// Maximum number of names that are read from a reply.
const MAX_NAMES: usize = 100;

/// Replaces the tables of the context by those that the model chooses.
pub(crate) fn choose_tables(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &mut Context,
) -> Result<(), Error> {
    if !cx.config.enable_table_choice || matches!(cx.config.model, ModelConfig::Builtin) {
        return Ok(());
    }
    let Some(endpoint) = cx
        .config
        .side_endpoint(&cx.config.side_models.table_chooser)
    else {
        return Ok(());
    };
    let budget = cx.config.schema_chars().usual;
    let (_, fitting) = render_schema(&context.tables, cx.shows(), budget);
    if context.is_whole && fitting == context.tables.len() {
        return Ok(());
    }
    let stage = cx.stage("choose_tables");
    let candidates = context.tables.len() + context.others.len();
    let prompt = render_table_choice(
        &cx.config.owner.prompts,
        understanding,
        context,
        cx.config.ingredients,
        MAX_CHOSEN,
        budget,
    );
    let reply = model_side_call::ask(cx, endpoint, "choose_tables", prompt, json_schema())?;
    let names = reply.as_deref().map(read).unwrap_or_default();
    let failure = reply.as_ref().err().map(Error::message);
    let chosen = chosen_tables::choose(cx, context, &names, MAX_CHOSEN)?;
    let tables: Vec<String> = context
        .tables
        .iter()
        .map(|table| table.sql_name())
        .collect();
    stage.end(
        json!({"candidates": candidates}),
        json!({"chosen": chosen, "tables": if chosen > 0 { tables } else { Vec::new() }, "failure": failure}),
    );
    if chosen == 0 {
        let problem = failure.unwrap_or("the reply names none of the tables");
        context.notes.push(format!(
            "the tables are those of the search, not of enable_table_choice: {problem}"
        ));
    }
    cx.trace.borrow_mut().context.clone_from(&context.tables);
    Ok(())
}

fn json_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["tables"],
        "properties": {"tables": {"type": "array", "items": {"type": "string"}}}
    })
}

/// The names in a reply.
fn read(text: &str) -> Vec<String> {
    let object = object_with(text, &["tables"]);
    let names = object
        .as_ref()
        .and_then(|object| object.get("tables")?.as_array());
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    names.take(MAX_NAMES).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_and_nothing_else() {
        assert_eq!(read("Sure: {\"tables\": [\"a\", 7, \"b\"]}"), ["a", "b"]);
        for reply in ["", "a, b", "{\"tables\": \"a\"}", "[\"a\"]"] {
            assert!(read(reply).is_empty(), "{reply}");
        }
        let many = json!({"tables": vec!["x"; 5_000]}).to_string();
        assert_eq!(read(&many).len(), MAX_NAMES);
    }
}
