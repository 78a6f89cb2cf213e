//! A line of the data: the prompt, and the reply in the form that the prompt asks for.

use serde::Serialize;

use super::constants::has_hidden_constant;
use text2sql_models::prompt::Prompt;
use text2sql_models::reply;
use text2sql_sql::script::without_comments;

/// What a line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Messages with roles.
    Chat,
    /// A prompt and its completion.
    Completion,
}

impl Format {
    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "chat" => Some(Self::Chat),
            "completion" => Some(Self::Completion),
            _ => None,
        }
    }
}

#[derive(Serialize)]
struct Chat<'a> {
    messages: [Message<'a>; 3],
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct Completion<'a> {
    prompt: String,
    completion: &'a str,
}

/// The line of a question; `None` if the SQL has a constant that the prompt does not show. Without SQL, the reply says that
/// the question cannot be answered. Comments of the SQL are removed.
pub fn line(
    format: Format,
    prompt: &Prompt,
    question: &str,
    sql: Option<&str>,
) -> Result<Option<String>, serde_json::Error> {
    if sql.is_some_and(|sql| has_hidden_constant(sql, &prompt.user, question)) {
        return Ok(None);
    }
    let sql = sql.map(without_comments);
    let reply = reply::write(sql.as_deref())?;
    let Prompt { system, user, .. } = prompt;
    let line = match format {
        Format::Chat => {
            let message = |role, content| Message { role, content };
            serde_json::to_string(&Chat {
                messages: [
                    message("system", system),
                    message("user", user),
                    message("assistant", &reply),
                ],
            })
        }
        Format::Completion => serde_json::to_string(&Completion {
            prompt: format!("{system}\n\n{user}"),
            completion: &reply,
        }),
    };
    line.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(format: Format, sql: Option<&str>) -> Option<Value> {
        let prompt = Prompt {
            system: "Reply with JSON.".into(),
            user: "orders (total)\n\nHow many orders above 500?".into(),
            ..Prompt::default()
        };
        let line = line(format, &prompt, "How many orders above 500?", sql).unwrap();
        line.map(|line| serde_json::from_str(&line).unwrap())
    }

    #[test]
    fn a_chat_has_three_messages_and_a_completion_two_texts() {
        let sql = "SELECT count(*) FROM orders -- of Anna\nWHERE total > 500;\n";
        let chat = of(Format::Chat, Some(sql)).unwrap();
        assert_eq!(
            chat["messages"][0],
            json!({"role": "system", "content": "Reply with JSON."})
        );
        let reply = chat["messages"][2]["content"].as_str().unwrap();
        let without = "SELECT count(*) FROM orders\nWHERE total > 500";
        let read: Value = serde_json::from_str(reply).unwrap();
        assert_eq!(read["sql"], without);
        assert!(reply.starts_with(r#"{"status":"ok","sql":"#), "{reply}");
        let completion = of(Format::Completion, Some(sql)).unwrap();
        assert_eq!(completion["completion"], reply);
        let prompt = completion["prompt"].as_str().unwrap();
        assert!(prompt.starts_with("Reply with JSON.\n\norders"), "{prompt}");
    }

    #[test]
    fn a_hidden_constant_gives_no_line_and_no_sql_an_honest_reply() {
        assert_eq!(
            of(Format::Chat, Some("SELECT 1 FROM orders WHERE total > 501")),
            None
        );
        assert_eq!(of(Format::Chat, Some("SELECT 'open")), None);
        let line = of(Format::Completion, None).unwrap();
        let reply: Value = serde_json::from_str(line["completion"].as_str().unwrap()).unwrap();
        assert_eq!(
            (&reply["status"], &reply["sql"]),
            (&json!("unanswerable"), &Value::Null)
        );
    }
}
