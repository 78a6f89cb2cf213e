//! The model that assists a curator: the one that answers questions, called with the same permissions, limits
//! and egress.

use text2sql_domain::config::{BUILTIN, Config, Egress, ModelConfig};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::Session;
use text2sql_domain::trace::{Exchange, StageTrace, Trace};
use text2sql_models::prompt::Prompt;
use text2sql_models::providers::{self, ChatRequest, Speaker, Turn, replay};

use crate::pg::models::http::HelperTransport;
use crate::pg::models::slots::with_slot;
use crate::pg::models::{self, question_budgets};
use crate::pg::record::audit;
use crate::pg::record::history::{self, Ended, Record};
use crate::pg::session::PgSession;
use crate::pg::settings::{self, Overrides};

/// The model that `text2sql.suggestion_model` names, else the first one of `text2sql.model`.
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
        let names = match settings::suggestion_model(overrides) {
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
        let mut trace = Trace {
            prompt_chars: prompt.chars(),
            model_calls: 1,
            ..Trace::default()
        };
        let disclosed = prompt.disclosed.clone();
        let request = ChatRequest {
            system: prompt.system,
            turns: vec![Turn {
                speaker: Speaker::User,
                text: prompt.user,
            }],
            reply_schema: reply_schema.into(),
            purpose: "advise",
        };
        let endpoint = match &self.config.model {
            ModelConfig::Endpoint(endpoint) => endpoint,
            ModelConfig::Replay(recordings) => {
                return replay::complete(recordings, subject, &request).map(|reply| reply.text);
            }
            ModelConfig::Builtin => {
                return Err(Error::new(
                    ErrorKind::Internal,
                    "the built-in engine cannot assist curators",
                ));
            }
        };
        let has_budgets = question_budgets::charge_question()?;
        if has_budgets {
            question_budgets::check_currency(&self.config.model)?;
        }
        let session = PgSession::new();
        let trace_id = models::new_trace_id();
        let reply = audit::with_trace(trace_id, || {
            with_slot(|| providers::complete(endpoint, &request, &HelperTransport))
        });
        trace.stages.push(StageTrace {
            stage: "advise",
            milliseconds: session.elapsed_ms(),
            input: serde_json::json!({"subject": subject}),
            output: serde_json::Value::Null,
        });
        let outcome = match &reply {
            Ok(reply) => {
                trace.input_tokens = reply.input_tokens;
                trace.output_tokens = reply.output_tokens;
                trace.requests = reply.requests;
                "advice"
            }
            Err(error) => error.message(),
        };
        audit::log_question(trace_id, &self.name, outcome, &trace);
        let reply = reply?;
        trace.exchanges.push(Exchange {
            purpose: request.purpose,
            endpoint: endpoint.name.clone(),
            prompt: request.text(),
            reply: reply.text.clone(),
            disclosed,
            input_tokens: trace.input_tokens,
            output_tokens: trace.output_tokens,
            cost: endpoint.usage(reply.tokens()).cost,
            milliseconds: session.elapsed_ms(),
        });
        if has_budgets {
            question_budgets::charge_usage(&trace)?;
        }
        history::record(&Record {
            trace_id,
            function: "advise",
            conversation: None,
            question: subject,
            ended: Ended {
                status: "ok",
                ..Ended::default()
            },
            model: &self.name,
            settings: serde_json::json!({}),
            trace: &trace,
        })?;
        let refused = |is_refused: bool| is_refused.then(|| self.name.clone());
        models::remember_refusals(
            refused(reply.structured_refused).as_slice(),
            refused(reply.max_tokens_refused).as_slice(),
        );
        Ok(reply.text)
    }
}
