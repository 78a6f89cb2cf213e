//! Builds the prompt for a model. The built-in engine needs none.

use serde_json::{Value, json};

use crate::multi_step;
use crate::query_generation::{Conversation, ReplyMayBe};
use crate::strategy_choice::strategies;
use text2sql_domain::config::{ModelConfig, Profile};
use text2sql_domain::instruction::ChosenInstructions;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::strategy::Strategy;
use text2sql_language::several_questions::may_be_several;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{Prompt, chosen_instructions, render};
use text2sql_retrieval::Context;

/// The conversations with the model: one for each candidate, each with a different strategy.
pub(crate) fn prompt(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    candidates: usize,
    takes_parts: bool,
) -> Vec<Conversation> {
    let own = &cx.config.owner.prompts;
    if matches!(cx.config.model, ModelConfig::Builtin) {
        return vec![Conversation::new(None)];
    }
    let stage = cx.stage("prompt");
    let prompt = rendered(cx, understanding, context);
    let chars = prompt.chars();
    stage.end(
        json!({"tables": context.tables.len(), "budget": context.schema_chars(cx.config)}),
        with_instructions(cx, context, json!({"characters": chars})),
    );
    cx.trace.borrow_mut().prompt_chars = chars;
    if cx.config.model.profile() == Profile::Compact {
        // One way of asking: a model that reads a short prompt best can follow no plan, steps or parts.
        return vec![Conversation::new(Some(prompt))];
    }
    chosen_strategies(cx, understanding, candidates)
        .into_iter()
        .map(|way| reply_may_be(cx, understanding, Some(way), takes_parts))
        .map(|may| Conversation::asked(own, prompt.clone(), &may))
        .collect()
}

/// The first prompt that would be sent.
pub(crate) fn preview(cx: &Run<'_>, understanding: &Understanding, context: &Context) -> Prompt {
    let prompt = rendered(cx, understanding, context);
    if cx.config.model.profile() == Profile::Compact {
        return prompt;
    }
    let strategy = chosen_strategies(cx, understanding, 1).into_iter().next();
    let may = reply_may_be(cx, understanding, strategy, true);
    may.told(&cx.config.owner.prompts, prompt).0
}

fn reply_may_be(
    cx: &Run<'_>,
    understanding: &Understanding,
    strategy: Option<Strategy>,
    takes_parts: bool,
) -> ReplyMayBe {
    ReplyMayBe {
        strategy,
        max_steps: cx.config.max_steps,
        needs_steps: multi_step::may_be_needed(understanding),
        parts: takes_parts && may_be_several(understanding.text()),
    }
}

/// Adds to the trace which of the owner's instructions the prompt has, and for which there was no room.
pub(crate) fn with_instructions(cx: &Run<'_>, context: &Context, mut output: Value) -> Value {
    let chosen = chosen_instructions(context, cx.config);
    if let Some(members) = output.as_object_mut()
        && chosen != ChosenInstructions::default()
    {
        members.insert("instructions".to_owned(), json!(chosen.followed));
        if !chosen.left_out.is_empty() {
            members.insert("instructions_left_out".to_owned(), json!(chosen.left_out));
        }
    }
    cx.trace.borrow_mut().instructions = chosen;
    output
}

fn chosen_strategies(
    cx: &Run<'_>,
    understanding: &Understanding,
    candidates: usize,
) -> Vec<Strategy> {
    let (set, may_plan) = (cx.config.strategy, cx.config.stages.plan);
    strategies(set, may_plan, understanding.words(), candidates)
}

fn rendered(cx: &Run<'_>, understanding: &Understanding, context: &Context) -> Prompt {
    let version = cx.session.server_version();
    render(understanding, context, cx.config, &version)
}
