//! Prompts that people choose from a menu of their client.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

use super::resources::CACHE;

struct Template {
    name: &'static str,
    description: &'static str,
    argument: (&'static str, &'static str),
    text: &'static str,
}

const TEMPLATES: [Template; 3] = [
    Template {
        name: "ask",
        description: "Answer a question from the database",
        argument: ("question", "the question in plain language"),
        text: "Answer this question with the tool ask. Give its sentence, say each warning, and show the SQL. If it is \
               ambiguous, show me the readings and let me choose.\n\nQuestion: ",
    },
    Template {
        name: "review_sql",
        description: "Say what a query does and whether its figures can be trusted",
        argument: ("sql", "the query"),
        text: "Check this query with the tool check_sql. Say in plain words what it computes, then each finding with what \
               would mend it. Do not run it.\n\n",
    },
    Template {
        name: "teach",
        description: "Record what an answer got wrong",
        argument: ("what", "what was wrong, and what is right"),
        text: "The last answer was wrong. Find out with the tools find and describe which tables and columns are meant, \
               write the corrected SELECT, show it to me, and when I agree record it with the tool feedback and the \
               trace_id of that answer.\n\nWhat was wrong: ",
    },
];

pub(super) fn list() -> ListPromptsResult {
    let prompts = TEMPLATES
        .iter()
        .map(|template| {
            let (name, description) = template.argument;
            let argument = PromptArgument::new(name)
                .with_description(description)
                .with_required(true);
            Prompt::new(
                template.name,
                Some(template.description),
                Some(vec![argument]),
            )
        })
        .collect();
    let mut result = ListPromptsResult::with_all_items(prompts);
    result.cache_scope = Some(CACHE);
    result
}

pub(super) fn get(
    name: &str,
    arguments: Option<&JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let template = TEMPLATES
        .iter()
        .find(|template| template.name == name)
        .ok_or_else(|| ErrorData::invalid_params(format!("there is no prompt \"{name}\""), None))?;
    let argument = template.argument.0;
    let value = arguments
        .and_then(|arguments| arguments.get(argument))
        .and_then(Value::as_str)
        .ok_or_else(|| {
            ErrorData::invalid_params(format!("the argument \"{argument}\" is missing"), None)
        })?;
    let message = PromptMessage::new_text(Role::User, format!("{}{value}", template.text));
    Ok(GetPromptResult::new(vec![message]).with_description(template.description))
}
