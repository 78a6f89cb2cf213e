//! Takes what the caller says is meant in place of what the question's words mean.

use std::sync::Arc;

use serde_json::{Value, json};

use text2sql_builtin as builtin;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Maximum number of tables that are described to find one by its name.
const MAX_FOUND: usize = 50;

/// Puts the statement of the meaning into the context. What the caller may not see is there for nobody here: it is
/// refused like a name that does not exist.
pub(crate) fn take(
    cx: &Run<'_>,
    meaning: &Value,
    understanding: &Understanding,
    context: &mut Context,
) -> Result<(), Error> {
    let stage = cx.stage("interpret");
    add_tables(cx, meaning, context)?;
    let proposal = builtin::of_meaning(
        meaning,
        understanding,
        &context.tables,
        &context.definitions,
    )
    .map_err(|problem| {
        Error::new(
            ErrorKind::Setting,
            format!("option \"meaning\" has no statement: {problem}"),
        )
        .with_hint("Change a meaning that text2sql.ask returned in clarification.")
    })?;
    stage.end(
        json!({"question": understanding.text()}),
        json!({"meaning": "given"}),
    );
    cx.trace
        .borrow_mut()
        .standalone
        .clone_from(&proposal.corrected_question);
    context.changed = Some(Box::new(proposal));
    Ok(())
}

/// Adds the tables that the meaning names and that were not found for the question.
fn add_tables(cx: &Run<'_>, meaning: &Value, context: &mut Context) -> Result<(), Error> {
    let mut named = Vec::new();
    add_names(meaning, &mut named);
    for (schema, name) in named {
        let is_named = |table: &Arc<Table>| table.schema == schema && table.name == name;
        if context.tables.iter().any(is_named) {
            continue;
        }
        let found = cx.catalog.find(&[name.to_lowercase()], MAX_FOUND)?;
        let described = cx.catalog.describe(&found)?;
        context
            .tables
            .extend(described.into_iter().filter(is_named));
    }
    Ok(())
}

/// The schemas and names of tables in it.
fn add_names<'v>(value: &'v Value, named: &mut Vec<(&'v str, &'v str)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_names(item, named)),
        Value::Object(members) => {
            let text = |name: &str| members.get(name).and_then(Value::as_str);
            if let (Some(schema), Some(name), 2) = (text("schema"), text("name"), members.len())
                && !named.contains(&(schema, name))
            {
                named.push((schema, name));
            }
            members.values().for_each(|member| add_names(member, named));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
