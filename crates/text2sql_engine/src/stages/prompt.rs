//! Builds the prompt for a model. The built-in engine needs none.

use serde_json::{Value, json};

use crate::looks::tools;
use crate::multi_step;
use crate::query_generation::{Conversation, Looks, ReplyMayBe};
use crate::strategy_choice::strategies;
use text2sql_domain::config::{ModelConfig, Profile};
use text2sql_domain::instruction::ChosenInstructions;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::strategy::Strategy;
use text2sql_language::several_questions::may_be_several;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{
    Prompt, chosen_instructions, render, render_meaning, render_otherwise,
};
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
    // One way of asking: a model that reads a short prompt best can follow no plan, steps or parts.
    let is_short = cx.config.model.profile() == Profile::Compact;
    let asked = |way: Strategy| match is_short {
        true => Conversation::new(Some(prompt.clone())).or_asked(render_otherwise(
            understanding,
            context,
            cx.config,
        )),
        false => {
            let may = reply_may_be(cx, understanding, Some(way), takes_parts);
            Conversation::asked(own, prompt.clone(), &may).looking(looks(cx, context))
        }
    };
    let mut ways = chosen_strategies(cx, understanding, candidates);
    if cx.config.given_schema.is_some() {
        // A meaning is compiled to PostgreSQL.
        ways.retain(|way| *way != Strategy::Meaning);
    }
    let asks_meaning = ways.first() == Some(&Strategy::Meaning);
    let count = if is_short {
        1 + usize::from(asks_meaning && candidates > 1)
    } else {
        candidates
    };
    let begun = ways.into_iter().take(count).map(|way| match way {
        Strategy::Meaning => {
            let instead = (candidates == 1).then(|| asked(Strategy::Direct));
            let prompt = render_meaning(understanding, context, cx.config);
            Conversation::about_meaning(prompt, &context.tables, instead)
        }
        way => asked(way),
    });
    begun.collect()
}

fn looks(cx: &Run<'_>, context: &Context) -> Looks {
    Looks {
        tools: tools(cx),
        tables: context.tables.clone(),
        left: cx.config.max_looks,
    }
}

/// The first prompt that would be sent.
pub(crate) fn preview(cx: &Run<'_>, understanding: &Understanding, context: &Context) -> Prompt {
    if cx.config.strategy == Some(Strategy::Meaning) {
        return render_meaning(understanding, context, cx.config);
    }
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
