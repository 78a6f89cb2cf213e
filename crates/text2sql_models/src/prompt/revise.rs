//! Asks a model to change a given query, or a script.

use super::instructions::section as owners_instructions;
use super::prompt_text::Prompt;
use super::replaceable::{REVISE, REVISE_QUERY, REVISE_SCRIPT, REVISE_SCRIPT_GIVEN, Template};
use super::untrusted_text::{fence_for, without_disguise};
use super::{generation, glossary, linked_values, schema_text};
use text2sql_domain::config::Config;
use text2sql_domain::exchange::Disclosed;
use text2sql_domain::schema::Table;
use text2sql_domain::shown::Shows;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;
use text2sql_retrieval::schema_budget::ShownTable;

/// Renders the prompt of a change to `query`.
pub fn render_revise(
    understanding: &Understanding,
    query: &str,
    context: &Context,
    config: &Config,
    server_version: &str,
) -> Prompt {
    let own = &config.owner.prompts;
    let given = given(
        understanding,
        ("query", query),
        context,
        config,
        &REVISE_QUERY,
    );
    let rules = generation::rules(server_version, understanding, context, &given.shown, config);
    Prompt {
        disclosed: given.disclosed,
        system: format!(
            "{} Today is {}.{}\n\n{}",
            rules.of_all,
            understanding.today(),
            rules.of_question,
            REVISE.fill(own, &[])
        ),
        user: given.text,
        ..Prompt::default()
    }
}

/// Renders the prompt of a change to `script`, whose statements are numbered.
pub fn render_revise_script(
    understanding: &Understanding,
    script: &str,
    context: &Context,
    config: &Config,
    server_version: &str,
) -> Prompt {
    let own = &config.owner.prompts;
    let given = given(
        understanding,
        ("script", script),
        context,
        config,
        &REVISE_SCRIPT_GIVEN,
    );
    let variables = [
        ("server_version", server_version),
        ("today", understanding.today()),
    ];
    let rules = REVISE_SCRIPT.fill(own, &variables);
    let tables: Vec<&Table> = given
        .shown
        .iter()
        .map(|shown| shown.table.as_ref())
        .collect();
    Prompt {
        disclosed: given.disclosed,
        system: format!("{rules}{}", owners_instructions(context, &tables)),
        user: given.text,
        ..Prompt::default()
    }
}

/// The user's turn, and the tables in it.
struct Given {
    text: String,
    shown: Vec<ShownTable>,
    disclosed: Disclosed,
}

/// The schema, what is given, and the request.
fn given(
    understanding: &Understanding,
    (name, text): (&str, &str),
    context: &Context,
    config: &Config,
    template: &Template,
) -> Given {
    let own = &config.owner.prompts;
    let shows = Shows::of(config);
    let egress = shows.egress;
    let schema = schema_text::schema(context, shows, schema_text::Form::of(context, config));
    let coverage = schema_text::coverage(context, schema.shown.len());
    let definitions = glossary::definitions(&context.definitions, &context.tables);
    let (values, value_columns) = linked_values::values(context, shows, config.shown.values);
    let text: Vec<String> = text.lines().map(without_disguise).collect();
    let text = text.join("\n");
    let request = without_disguise(understanding.text());
    let fence = fence_for(&[&schema.text, &definitions, &values, &text, &request]);
    let disclosed = schema_text::disclose_shown(&schema.shown, value_columns, egress);
    let turn = template.fill(
        own,
        &[
            ("fence", &fence),
            ("schema", &schema.text),
            ("coverage", &coverage),
            ("legend", &schema_text::legend(&schema, egress)),
            ("definitions", &glossary::section(&definitions, &fence)),
            ("values", &linked_values::section(&values, &fence)),
            (name, &text),
            ("request", &request),
        ],
    );
    Given {
        text: turn,
        shown: schema.shown,
        disclosed,
    }
}
