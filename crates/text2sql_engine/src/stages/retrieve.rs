//! Retrieves the part of the catalog that a question needs.

use serde_json::json;

use crate::conversation::{self, Turn};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::table_chars;
use text2sql_retrieval::{Context, few_shot_examples, search_always};

/// Retrieves the context for a question. `turns` are searched too, because it may be a follow-up.
pub(crate) fn retrieve(
    cx: &Run<'_>,
    understanding: &Understanding,
    turns: &[Turn],
) -> Result<Context, Error> {
    let stage = cx.stage("retrieve");
    let with_turns = conversation::searched(turns, understanding);
    let understanding = with_turns.as_ref().unwrap_or(understanding);
    let mut context = text2sql_retrieval::retrieve(cx, understanding, table_chars)?;
    few_shot_examples::leave_out_superseded(&mut context.examples);
    if cx.config.owner.uses_instructions {
        context.instructions = cx.catalog.instructions()?;
    }
    cx.trace.borrow_mut().context.clone_from(&context.tables);
    let names: Vec<String> = context
        .tables
        .iter()
        .map(|table| table.sql_name())
        .collect();
    let examples: Vec<u32> = context.examples.iter().map(|example| example.id).collect();
    let certainty = context
        .certainty
        .as_ref()
        .map(|certainty| json!({"level": certainty.level.as_str(), "reason": certainty.reason()}));
    let mut found = json!({
        "tables": names, "whole_schema": context.is_whole, "examples": examples,
        "other_tables": context.others.len(), "certainty": certainty,
    });
    let read = context.read();
    if let Some(members) = found.as_object_mut().filter(|_| !read.is_empty()) {
        members.insert("read".to_owned(), json!(read));
    }
    stage.end(json!({"question": understanding.text()}), found);
    Ok(context)
}

/// Searches the catalog even if the whole schema would fit in a prompt.
pub(crate) fn find(
    cx: &Run<'_>,
    understanding: &Understanding,
    turns: &[Turn],
) -> Result<Context, Error> {
    let with_turns = conversation::searched(turns, understanding);
    search_always(
        cx,
        with_turns.as_ref().unwrap_or(understanding),
        table_chars,
    )
}
