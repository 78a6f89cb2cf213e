//! Prompts that front ends send by themselves to the same model: for a title, tags, further questions, search terms.
//! Answered as questions they would be asked of the database, and billed. They are recognised by how they begin.

use serde_json::json;

/// Open WebUI begins all of them so (its `DEFAULT_…_PROMPT_TEMPLATE`s).
const OPEN_WEBUI: &str = "### Task:";
/// LibreChat's and others' prompts for titles.
const TITLES: [&str; 4] = [
    "Provide a concise, 5-word-or-less title",
    "Generate a concise, 5-word-or-less title",
    "Write a concise title for this conversation",
    "Generate a short title",
];
/// The longest title.
const TITLE: usize = 60;

/// The reply to such a prompt, made without a model; `None` for a question.
pub(super) fn reply(text: &str) -> Option<String> {
    let text = text.trim_start();
    if TITLES.iter().any(|title| text.starts_with(title)) {
        return Some(title(text));
    }
    if !text.starts_with(OPEN_WEBUI) {
        return None;
    }
    let task = text
        .get(OPEN_WEBUI.len()..)
        .unwrap_or_default()
        .trim_start();
    let task = task.lines().next().unwrap_or_default().to_lowercase();
    let reply = if task.contains("title") {
        json!({"title": title(text)})
    } else if task.contains("tag") {
        json!({"tags": []})
    } else if task.contains("follow") {
        json!({"follow_ups": []})
    } else if task.contains("quer") {
        json!({"queries": []})
    } else {
        json!({"text": ""})
    };
    Some(reply.to_string())
}

/// The first question of the chat, cut. It is in the prompt behind `USER:`.
fn title(text: &str) -> String {
    let question = text
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("USER:")
                .or_else(|| line.trim().strip_prefix("User:"))
        })
        .map(str::trim)
        .find(|question| !question.is_empty())
        .unwrap_or("Question");
    question.chars().take(TITLE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_front_ends_are_no_questions() {
        let prompt = "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n\
            <chat_history>\nUSER: How many orders were there?\nASSISTANT: 5\n</chat_history>";
        assert_eq!(
            reply(prompt).as_deref(),
            Some(r#"{"title":"How many orders were there?"}"#)
        );
        let tags =
            "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history.";
        assert_eq!(reply(tags).as_deref(), Some(r#"{"tags":[]}"#));
        assert!(reply("### Task:\nSuggest 3-5 relevant follow-up questions").is_some());
        assert!(reply("Provide a concise, 5-word-or-less title for the conversation").is_some());
        for question in ["How many tasks have a title?", "Generate 3 tags", ""] {
            assert_eq!(reply(question), None, "{question}");
        }
    }
}
