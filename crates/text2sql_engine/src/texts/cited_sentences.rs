//! Sentences of a model about passages, each with the passages that support it.
//!
//! The model is asked in a call of its own, without the schema, and no SQL is taken from its reply. A sentence that cites
//! no passage, or that its passages do not support, is not shown ([`text2sql_language::sentences::cited`]).

use serde_json::{Value, json};

use crate::model_side_call;
use text2sql_domain::citations::Citation;
use text2sql_domain::config::{Egress, Endpoint, ModelConfig, SideModel, TextEgress};
use text2sql_domain::engines::Engines;
use text2sql_domain::error::Error;
use text2sql_domain::passages::Passage;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::sql_result::Execution;
use text2sql_language::sentences::{
    self,
    cited::{Support, is_supported},
};
use text2sql_models::prompt::{Prompt, render_texts, shown_passage};
use text2sql_models::providers::failure;
use text2sql_phrases::Language;

/// Maximum number of sentences.
const MAX_SENTENCES: usize = 8;

/// What a model said from passages.
#[derive(Debug)]
pub struct Cited {
    /// The supported sentences with the numbers of their citations.
    pub text: String,
    /// The passages that they cite.
    pub citations: Vec<Citation>,
}

/// Which passages are about to be shown, beside which rows.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The question.
    pub question: &'a str,
    /// Its language.
    pub language: Language,
    /// The passages, best first.
    pub passages: &'a [Passage],
    /// The rows of the same answer.
    pub execution: Option<&'a Execution>,
    /// What permits to show them.
    pub permission: Permission,
}

/// What an endpoint must be permitted to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Passages of texts that a search found.
    Passages,
    /// Rows of a result: those of a small table, which are no stored passages.
    Rows,
}

impl Permission {
    fn is_given(self, endpoint: &Endpoint) -> bool {
        match self {
            Self::Passages => endpoint.texts == TextEgress::Passages,
            Self::Rows => endpoint.egress == Egress::Rows,
        }
    }
}

/// What writes the sentences.
#[derive(Debug)]
pub enum Narrator {
    /// This endpoint.
    Endpoint(Box<Endpoint>),
    /// Nobody: no model may be shown the passages.
    None,
    /// Nobody, because a model could not be asked, for this reason.
    Unusable(String),
}

/// The first endpoint of the engines that passages may be sent to: the model for sentences, else the one that writes
/// the SQL. An error only for a cancel.
pub fn narrator(engines: &dyn Engines, permission: Permission) -> Result<Narrator, Error> {
    let mut problem = None;
    for place in 0..engines.names().len() {
        let engine = match engines.start(place) {
            Ok(engine) => engine,
            Err(error) if error.is_of_endpoint() => {
                problem = problem.or(Some(without_summary(error.message())));
                continue;
            }
            Err(error) => return Err(error),
        };
        match (&engine.side_models.narrator, &engine.model) {
            (SideModel::Endpoint(endpoint), _)
            | (SideModel::Writer, ModelConfig::Endpoint(endpoint)) => {
                if permission.is_given(endpoint) {
                    return Ok(Narrator::Endpoint(endpoint.clone()));
                }
            }
            (SideModel::Unusable(why), _) => problem = problem.or(Some(why.clone())),
            (SideModel::Writer, ModelConfig::Builtin | ModelConfig::Replay(_))
            | (SideModel::None, _) => {}
        }
    }
    Ok(problem.map_or(Narrator::None, Narrator::Unusable))
}

/// The note that no model has summed up the passages.
fn without_summary(reason: &str) -> String {
    format!("no model has summed up the passages: {reason}")
}

/// The prompt for sentences, with only what may be sent to that endpoint; `None` if no passage may.
pub fn prompt(
    cx: &Run<'_>,
    endpoint: &Endpoint,
    shown: &Shown<'_>,
) -> Option<(Prompt, Vec<Passage>)> {
    let may_be_sent = |passage: &&Passage| match shown.permission {
        Permission::Passages => passage.may_be_sent(endpoint.texts),
        Permission::Rows => endpoint.egress == Egress::Rows,
    };
    let passages: Vec<Passage> = shown.passages.iter().filter(may_be_sent).cloned().collect();
    let may_see_rows =
        |execution: &&Execution| endpoint.egress == Egress::Rows && !execution.is_private;
    let execution = shown.execution.filter(may_see_rows);
    let own = &cx.config.owner.prompts;
    let mut prompt = render_texts(own, shown.question, &passages, execution);
    if shown.permission == Permission::Rows {
        prompt.disclosed.result_rows = passages.len();
        prompt.disclosed.passages.clear();
    }
    (!passages.is_empty()).then_some((prompt, passages))
}

/// Asks `endpoint` for sentences. `None` if no passage may be sent, and, with a note, if the call fails or no sentence is
/// supported.
pub fn ask(
    cx: &Run<'_>,
    endpoint: &Endpoint,
    shown: &Shown<'_>,
    notes: &mut Vec<String>,
) -> Result<Option<Cited>, Error> {
    let Some((prompt, passages)) = prompt(cx, endpoint, shown) else {
        return Ok(None);
    };
    let stage = cx.stage("narrate_texts");
    let reply = model_side_call::ask(cx, endpoint, "narrate_texts", prompt, json_schema())?;
    let (said, failure) = match reply.map(|reply| read(&reply)) {
        Ok(Some(said)) => (said, None),
        Ok(None) => (Vec::new(), Some(failure::without_sentences(endpoint))),
        Err(error) => (Vec::new(), Some(error)),
    };
    let cited = supported(&said, &passages, shown);
    let kept = cited.as_ref().map_or(0, |cited| cited.citations.len());
    let failure = failure.as_ref().map(Error::message);
    stage.end(
        json!({"passages": passages.len()}),
        json!({"sentences": said.len(), "cited": kept, "failure": failure}),
    );
    let name = &endpoint.name;
    notes.extend(match (shown.permission, failure, &cited) {
        (_, None, Some(_)) => None,
        (Permission::Rows, Some(failure), _) => {
            Some(format!("no model has read the rows themselves: {failure}"))
        }
        // A query answers instead, and needs no excuse.
        (Permission::Rows, None, None) => None,
        (Permission::Passages, Some(failure), _) => Some(without_summary(failure)),
        (Permission::Passages, None, None) if said.is_empty() => Some(without_summary(&format!(
            "\"{name}\" found no answer in them"
        ))),
        (Permission::Passages, None, None) => Some(without_summary(&format!(
            "they do not support what \"{name}\" wrote"
        ))),
    });
    Ok(cited)
}

fn json_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["sentences"],
        "properties": {"sentences": {"type": "array", "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["text", "passages"],
            "properties": {
                "text": {"type": "string"},
                "passages": {"type": "array", "items": {"type": "integer"}}
            }
        }}}
    })
}

/// A sentence of a reply with the numbers of its passages, from 1.
type Said = (String, Vec<usize>);

/// The sentences of a reply, each on one line; `None` if it has no list of sentences.
fn read(text: &str) -> Option<Vec<Said>> {
    let value = text.find('{').and_then(|start| {
        let text = text.get(start..)?;
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        values.next()?.ok()
    });
    let sentences = value
        .as_ref()
        .and_then(|value| value.get("sentences")?.as_array())?;
    let read = |sentence: &Value| {
        let text = sentences::strip_markup(sentence.get("text")?.as_str()?);
        let passages = sentence.get("passages")?.as_array()?;
        let numbers = passages.iter().filter_map(Value::as_u64);
        let numbers = numbers.filter_map(|number| usize::try_from(number).ok());
        Some((text, numbers.collect()))
    };
    let sentences = sentences.iter().filter_map(read);
    Some(sentences.take(MAX_SENTENCES).collect())
}

/// The sentences that their passages support, with these numbered in the order of the text.
fn supported(said: &[Said], passages: &[Passage], shown: &Shown<'_>) -> Option<Cited> {
    let texts: Vec<String> = passages.iter().map(shown_passage).collect();
    let rows = shown.execution.map(rows_as_text).unwrap_or_default();
    let mut used: Vec<usize> = Vec::new();
    let mut lines = Vec::new();
    for (sentence, numbers) in said {
        let mut places: Vec<usize> = Vec::new();
        for place in numbers.iter().filter_map(|number| number.checked_sub(1)) {
            if place < texts.len() && !places.contains(&place) {
                places.push(place);
            }
        }
        let cited: Vec<&str> = places
            .iter()
            .filter_map(|place| texts.get(*place).map(String::as_str))
            .collect();
        let support = Support {
            passages: &cited,
            question: shown.question,
            rows: &rows,
            language: shown.language.dictionary(),
        };
        // A number in brackets would look like a citation.
        if sentence.contains('[') || !is_supported(sentence, &support) {
            continue;
        }
        let marks: Vec<String> = places
            .iter()
            .map(|place| {
                let known = used.iter().position(|used| used == place);
                let n = known.unwrap_or_else(|| {
                    used.push(*place);
                    used.len() - 1
                });
                format!("[{}]", n + 1)
            })
            .collect();
        lines.push(format!("{sentence} {}", marks.join("")));
    }
    let cited = used
        .iter()
        .filter_map(|place| passages.get(*place).cloned());
    (!lines.is_empty()).then(|| Cited {
        text: lines.join(" "),
        citations: Citation::numbered(cited),
    })
}

fn rows_as_text(execution: &Execution) -> String {
    let cells = execution.rows.iter().flatten();
    let texts: Vec<&str> = cells.filter_map(|cell| cell.text.as_deref()).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_sentences_with_their_passages() {
        let said = read(
            r#"{"sentences": [{"text": "A [b](http://x.example/y).", "passages": [2, 1]}, {"text": "C."}]}"#,
        );
        assert_eq!(said, Some(vec![("A b.".to_owned(), vec![2, 1])]));
        for reply in ["", "no", "{", r#"{"sentences": 1}"#] {
            assert_eq!(read(reply), None, "{reply}");
        }
        for reply in [r#"{"sentences": []}"#, r#"{"sentences": [1]}"#] {
            assert_eq!(read(reply), Some(Vec::new()), "{reply}");
        }
    }
}
