//! The model that assists a curator: the one that answers questions, called with the same permissions, limits
//! and egress.

use text2sql_domain::config::{BUILTIN, Config, Egress, ModelConfig, TextEgress};
use text2sql_domain::error::{Error, failure};
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_models::prompt::Prompt;
use text2sql_models::providers::{self, ChatRequest, Speaker, Turn, replay};

use crate::pg::server::settings::{self, Overrides};
use crate::pg::stored::models;
use crate::pg::stored::models::http::HelperTransport;
use crate::pg::stored::models::single_call::SingleCall;

/// The model that the key `suggestion_model` of `text2sql.tuning` names, else the first one of `text2sql.model`.
pub(crate) struct Adviser {
    name: String,
    config: Config,
}

impl Adviser {
    /// The caller's model; the built-in engine cannot assist.
    pub(crate) fn new() -> Result<Self, Error> {
        Self::with(&Overrides::default())
    }

    /// The model and the limits of one call.
    pub(crate) fn with(overrides: &Overrides) -> Result<Self, Error> {
        Self::named(settings::suggestion_model(overrides), overrides)
    }

    /// The model that `judge_model` names, else the first one of `text2sql.model`, for an evaluation.
    pub(crate) fn judging(overrides: &Overrides) -> Result<Self, Error> {
        Self::named(settings::judge_model(overrides), overrides)
    }

    fn named(chosen: Option<String>, overrides: &Overrides) -> Result<Self, Error> {
        let names = match chosen {
            Some(name) => vec![name],
            None => settings::models(overrides)?,
        };
        let mut models = names.into_iter().filter(|name| name != BUILTIN);
        let Some(name) = models.next() else {
            return Err(models::needs_a_model(
                "this requires a model other than the built-in engine",
            ));
        };
        Ok(Self {
            config: settings::config(models::model(&name)?, overrides),
            name,
        })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What may be sent to it.
    pub(crate) fn egress(&self) -> Egress {
        self.config.model.egress()
    }

    /// The owner's own prompts.
    pub(crate) fn prompts(&self) -> &OwnPrompts {
        &self.config.owner.prompts
    }

    /// Whether passages of texts may be sent to it.
    pub(crate) fn text_egress(&self) -> TextEgress {
        self.config.model.texts()
    }

    /// Size of the schema part of a prompt, in characters.
    pub(crate) fn budget(&self) -> usize {
        self.config.schema_chars().usual
    }

    /// Calls it. `subject` identifies the request: recorded replies are found by it.
    pub(crate) fn ask(
        &self,
        subject: &str,
        prompt: Prompt,
        reply_schema: serde_json::Value,
    ) -> Result<String, Error> {
        let disclosed = prompt.disclosed.clone();
        let request = ChatRequest {
            system: prompt.system,
            turns: vec![Turn {
                speaker: Speaker::User,
                text: prompt.user,
            }],
            shared: prompt.shared,
            reply_schema: reply_schema.into(),
            purpose: "advise",
            names: prompt.names,
            tools: Vec::new(),
        };
        let endpoint = match &self.config.model {
            ModelConfig::Endpoint(endpoint) => endpoint,
            ModelConfig::Replay(recordings) => {
                return replay::complete(recordings, subject, &request).map(|reply| reply.text);
            }
            ModelConfig::Builtin => {
                return Err(failure!(
                    Internal,
                    "the built-in engine cannot assist curators"
                ));
            }
        };
        let text = request.text();
        let call = SingleCall {
            function: "advise",
            purpose: request.purpose,
            subject,
            endpoint,
            text: &text,
            disclosed,
        };
        let replied = call.send(|| providers::complete(endpoint, &request, &HelperTransport))?;
        replied.reply.map(|reply| reply.text)
    }
}
