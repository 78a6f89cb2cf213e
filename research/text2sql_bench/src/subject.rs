//! What is measured: a database with its questions and a double that knows their answers.

use model_double::ModelDouble;
use serde_json::Value;

use crate::cluster_names::{ROLE, SERVER};
use crate::direct_request::DirectRequest;
use crate::error::Fallible;
use crate::session::{Cluster, Session};
use crate::setup;
use crate::workload::{Question, script};

/// The double answers at once and well.
const BEHAVIOUR: &str = "ok";

/// A database, ready to be asked.
pub(crate) struct Subject<'a> {
    pub(crate) title: String,
    pub(crate) questions: Vec<AskedQuestion>,
    cluster: &'a Cluster,
    database: &'static str,
    double: ModelDouble,
    path: String,
}

/// A question with the request that the extension sends for it.
pub(crate) struct AskedQuestion {
    pub(crate) question: Question,
    pub(crate) body: Vec<u8>,
    pub(crate) prompt_characters: usize,
}

impl<'a> Subject<'a> {
    /// Starts the double, makes it a model of the database, and asks every question once to see
    /// what is sent.
    pub(crate) fn open(
        cluster: &'a Cluster,
        title: &str,
        database: &'static str,
        questions: Vec<Question>,
    ) -> Fallible<Self> {
        setup::prepare(cluster, database)?;
        let double = ModelDouble::start(script(&questions))?;
        setup::add_model(cluster, database, &double.base_url(BEHAVIOUR))?;
        let mut subject = Self {
            title: title.to_owned(),
            questions: Vec::new(),
            cluster,
            database,
            double,
            path: String::new(),
        };
        let mut session = subject.session()?;
        for question in questions {
            subject.double.reset();
            session.ask(&question)?;
            let requests = subject.double.requests();
            let [request] = requests.as_slice() else {
                return Err(format!(
                    "\"{}\" took {} requests instead of one",
                    question.text,
                    requests.len()
                )
                .into());
            };
            subject.path.clone_from(&request.path);
            subject.questions.push(AskedQuestion {
                body: serde_json::to_vec(&request.body)?,
                prompt_characters: prompt_characters(&request.body),
                question,
            });
        }
        subject.double.reset();
        Ok(subject)
    }

    /// A new connection of the ordinary role, set to the double.
    pub(crate) fn session(&self) -> Fallible<Session> {
        let mut session = self.cluster.connect(self.database, ROLE)?;
        session.run(&format!("SET text2sql.model = '{SERVER}'"))?;
        Ok(session)
    }

    /// A new connection of the administrator.
    pub(crate) fn administrate(&self) -> Fallible<Session> {
        self.cluster.administrate(self.database)
    }

    /// A new connection of the ordinary role to the built-in engine.
    pub(crate) fn builtin_session(&self) -> Fallible<Session> {
        let mut session = self.cluster.connect(self.database, ROLE)?;
        session.run("SET text2sql.model = 'builtin'")?;
        Ok(session)
    }

    /// A new connection to the double, for the baseline.
    pub(crate) fn direct_request(&self) -> Fallible<DirectRequest> {
        DirectRequest::connect(self.double.port(), &self.path)
    }

    /// The questions over and over, starting at the `first`.
    pub(crate) fn rotation(&self, first: usize) -> impl Iterator<Item = &AskedQuestion> {
        let length = self.questions.len().max(1);
        self.questions.iter().cycle().skip(first % length)
    }
}

/// Characters of all messages of a request in the shape of OpenAI.
fn prompt_characters(body: &Value) -> usize {
    let messages = body.get("messages").and_then(Value::as_array);
    messages
        .into_iter()
        .flatten()
        .filter_map(|message| message.get("content").and_then(Value::as_str))
        .map(|text| text.chars().count())
        .sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_prompt_is_what_the_messages_say() {
        let body = json!({"messages": [
            {"role": "system", "content": "größe"}, {"role": "user", "content": "two"},
        ]});
        assert_eq!(prompt_characters(&body), 8);
        assert_eq!(prompt_characters(&json!({})), 0);
    }
}
