//! The prompt of a question: the instructions, one compact schema text, the question.
//!
//! The instructions never hold text from the database or from the person who asks. Such text comes
//! after them, in the user's turn, between markers that it cannot forge (the marker is made from the schema's
//! text and is in none of the texts), sanitised and cut to a limit. What may be in it depends on the endpoint's egress.
//!
//! Whatever does not depend on the question comes first, so that an endpoint can keep what it has read of it.

use std::collections::HashSet;

use super::prompt_text::Prompt;
use super::replaceable::QUESTION;
use super::untrusted_text::{fence_of, without_disguise};
use super::{
    compact, conversation, few_shot_examples, generation, glossary, interpretation, linked_values,
    near_duplicates, other_tables, schema_lines, schema_text,
};
use text2sql_domain::config::{Config, Profile};
use text2sql_domain::shown::Shows;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Renders the prompt of a question.
pub fn render(
    understanding: &Understanding,
    context: &Context,
    config: &Config,
    server_version: &str,
) -> Prompt {
    if config.model.profile() == Profile::Compact && config.given_schema.is_none() {
        return compact::render(understanding, context, config, server_version);
    }
    let own = &config.owner.prompts;
    let shows = Shows::of(config);
    let egress = shows.egress;
    let schema = schema_text::schema(context, shows, schema_text::Form::of(context, config));
    let shown = &schema.shown;
    let about = schema_lines::lines(context, shown, shows.ingredients);
    let schema_part = about.text + &schema.text;
    let others = other_tables::names(context, shown, config);
    let coverage = schema_text::coverage(context, shown.len());
    let question = without_disguise(understanding.text());
    let terms = glossary::Terms::of(context);
    let (values, value_columns) = linked_values::values(context, shows, config.shown.values);
    let shown_examples = match config.stages.few_shot {
        true => config.shown.examples.min(context.examples.len()),
        false => 0,
    };
    let examples =
        few_shot_examples::examples(context.examples.get(..shown_examples).unwrap_or_default());
    let facts = interpretation::facts(&context.facts);
    let readings = interpretation::readings(&context.facts);
    let earlier = conversation::earlier_turns(&context.earlier);
    let texts = [
        &others.text,
        &terms.used,
        &terms.related,
        &values,
        &examples,
        &earlier,
        &facts,
        &readings,
        &question,
    ];
    let fence = fence_of(&schema_part, &texts.map(String::as_str));
    let mut disclosed = schema_text::disclose_shown(shown, value_columns, egress);
    let other_names = other_tables::section(&others, config.enable_second_look, &fence);
    // Hundreds of names: none is compared with each.
    let mut known: HashSet<String> = disclosed.tables.iter().cloned().collect();
    let names = about.tables.into_iter().chain(others.names);
    let new = names.filter(|name| known.insert(name.clone()));
    disclosed.tables.extend(new);
    let may_ask_for_tables = config.enable_second_look
        && (!others.text.is_empty() || shown.iter().any(|table| !table.is_whole()));
    let mut rules = generation::rules(server_version, understanding, context, shown, config);
    if may_ask_for_tables {
        rules.of_question.push_str(&generation::rule_tables());
    }
    let (shared, rest) = QUESTION.fill_at(
        own,
        "rules",
        &[
            ("today", understanding.today()),
            ("rules", &rules.of_question),
            ("fence", &fence),
            ("schema", &schema_part),
            ("coverage", &coverage),
            ("legend", &schema_text::legend(&schema, egress)),
            ("duplicates", near_duplicates::rule(schema.has_namesakes)),
            ("others", &other_names),
            ("definitions", &terms.sections(&fence)),
            ("values", &linked_values::section(&values, &fence)),
            ("examples", &few_shot_examples::section(&examples, &fence)),
            ("earlier", &conversation::section(&earlier, &fence)),
            ("facts", &interpretation::section(&facts, &fence)),
            (
                "readings",
                &interpretation::readings_section(&readings, &fence),
            ),
            ("question", &question),
        ],
    );
    Prompt {
        // A reply is more than a query.
        names: Default::default(),
        disclosed,
        may_ask_for_tables,
        system: rules.of_all,
        rules_end: shared.len() + rules.of_question.len(),
        // The tables of a catalog that does not fit are others for each question.
        shared: if context.is_whole { shared.len() } else { 0 },
        user: shared + &rest,
    }
}
