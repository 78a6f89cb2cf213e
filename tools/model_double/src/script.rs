//! What the double answers, chosen by the question.
//!
//! A script is a JSON list of rules, tried in order:
//!
//! ```json
//! [
//!   { "match": "how many customers", "replies": [{ "sql": "SELECT count(*) FROM customer" }] },
//!   { "match": "repair me", "replies": ["SELECT broken", "SELECT 1"] },
//!   { "replies": ["SELECT 1"] }
//! ]
//! ```
//!
//! A rule matches when its text occurs, without regard to case, in the last user message; if no
//! rule does, the earlier user messages are tried, newest first, because the last message of a
//! repair often holds only the error. A rule without `match` is the default and is used when
//! nothing else matches. A reply is a text, or any other JSON value, which is sent as text. `{"call": {"tool": {…}}}` calls
//! tools with these arguments where the request offers any.
//!
//! Where there are several replies, the first answers a request without assistant messages, the second one
//! with one such message, and so on; the last serves all further ones. With `"sequence": true` the
//! replies are instead handed out in the order of the requests, for callers that repair in a fresh
//! conversation.

use serde::Deserialize;
use serde_json::Value;

/// Rules that choose a reply.
#[derive(Debug, Clone, Default)]
pub struct Script {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(rename = "match", default)]
    pattern: String,
    replies: Vec<Value>,
    #[serde(default)]
    sequence: bool,
}

/// The rule a request met, and what it says.
pub(crate) struct Choice<'a> {
    /// Index of the rule, or `None` when the script has nothing to say.
    pub(crate) rule: Option<usize>,
    replies: &'a [Value],
    sequence: bool,
}

/// The reply of a script that has no rule for a question.
const NOTHING_SCRIPTED: &str = r#"{"sql":"SELECT 1 AS one"}"#;

impl Script {
    /// Makes a script without rules: every reply is `{"sql":"SELECT 1 AS one"}`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a script from its JSON text.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let mut rules: Vec<Rule> = serde_json::from_str(text)?;
        for rule in &mut rules {
            rule.pattern = rule.pattern.to_lowercase();
        }
        Ok(Self { rules })
    }

    /// Adds a rule: these replies for questions that contain `pattern`.
    #[must_use]
    pub fn on<R: Into<String>>(
        mut self,
        pattern: &str,
        replies: impl IntoIterator<Item = R>,
    ) -> Self {
        self.rules.push(Rule {
            pattern: pattern.to_lowercase(),
            replies: replies
                .into_iter()
                .map(|r| Value::String(r.into()))
                .collect(),
            sequence: false,
        });
        self
    }

    /// Adds the reply to everything that no rule matches.
    #[must_use]
    pub fn otherwise(self, reply: impl Into<String>) -> Self {
        self.on("", [reply.into()])
    }

    /// What a text means to the double that embeds: the first reply of the first rule whose text
    /// occurs in it.
    pub(crate) fn meaning(&self, text: &str) -> Option<String> {
        let text = text.to_lowercase();
        let mut rules = self.rules.iter();
        let rule = rules.find(|r| !r.pattern.is_empty() && text.contains(&r.pattern))?;
        rule.replies.first()?.as_str().map(str::to_owned)
    }

    pub(crate) fn choose(&self, user_messages: &[String]) -> Choice<'_> {
        let found = user_messages
            .iter()
            .rev()
            .find_map(|message| {
                let message = message.to_lowercase();
                self.rules
                    .iter()
                    .position(|r| !r.pattern.is_empty() && message.contains(&r.pattern))
            })
            .or_else(|| self.rules.iter().position(|r| r.pattern.is_empty()));
        match found.and_then(|index| self.rules.get(index)) {
            Some(rule) => Choice {
                rule: found,
                replies: &rule.replies,
                sequence: rule.sequence,
            },
            None => Choice {
                rule: None,
                replies: &[],
                sequence: false,
            },
        }
    }
}

impl Choice<'_> {
    /// The reply to a request with this many assistant messages, after this many requests that met
    /// the same rule.
    pub(crate) fn reply(&self, assistant_messages: usize, earlier_requests: usize) -> String {
        let index = match self.sequence {
            true => earlier_requests,
            false => assistant_messages,
        };
        match self.replies.get(index).or_else(|| self.replies.last()) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => NOTHING_SCRIPTED.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(script: &str, messages: &[&str], assistant: usize, earlier: usize) -> String {
        let messages: Vec<String> = messages.iter().map(|m| (*m).to_owned()).collect();
        Script::from_json(script)
            .unwrap()
            .choose(&messages)
            .reply(assistant, earlier)
    }

    const RULES: &str = r#"[
        { "replies": ["default"] },
        { "match": "How Many", "replies": ["first", {"sql": "SELECT 2"}] },
        { "match": "in turn", "replies": ["one", "two"], "sequence": true }
    ]"#;

    #[test]
    fn matches_without_regard_to_case() {
        assert_eq!(reply(RULES, &["so HOW MANY are there"], 0, 7), "first");
    }

    #[test]
    fn falls_back_to_the_rule_without_match() {
        assert_eq!(reply(RULES, &["something else"], 0, 0), "default");
        assert_eq!(reply("[]", &["x"], 0, 0), NOTHING_SCRIPTED);
    }

    #[test]
    fn looks_at_earlier_messages_for_a_repair() {
        let messages = ["how many?", "column x does not exist"];
        assert_eq!(reply(RULES, &messages, 1, 0), r#"{"sql":"SELECT 2"}"#);
        assert_eq!(reply(RULES, &messages, 5, 0), r#"{"sql":"SELECT 2"}"#);
    }

    #[test]
    fn hands_a_sequence_out_in_order() {
        assert_eq!(reply(RULES, &["in turn"], 0, 0), "one");
        assert_eq!(reply(RULES, &["in turn"], 0, 1), "two");
        assert_eq!(reply(RULES, &["in turn"], 0, 2), "two");
    }

    #[test]
    fn refuses_unknown_fields() {
        assert!(Script::from_json(r#"[{"mach": "x", "replies": []}]"#).is_err());
    }
}
