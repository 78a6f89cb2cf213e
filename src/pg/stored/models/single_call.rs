//! A request to a model that belongs to no question: counted against the budgets, logged and recorded like those of
//! questions.

use serde_json::{Value, json};
use text2sql_domain::config::Endpoint;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::exchange::{Disclosed, Exchange};
use text2sql_domain::ports::Session;
use text2sql_domain::trace::{StageTrace, Trace};
use text2sql_models::providers::ChatReply;

use super::question_budgets;
use super::slots::with_slot;
use crate::pg::server::session::PgSession;
use crate::pg::stored::models;
use crate::pg::stored::record::audit;
use crate::pg::stored::record::history::{self, Ended, Record};

/// What is sent, and for whom.
pub(crate) struct SingleCall<'a> {
    /// The function that was called.
    pub(crate) function: &'static str,
    /// What the request is for.
    pub(crate) purpose: &'static str,
    /// What stands in the history instead of a question.
    pub(crate) subject: &'a str,
    pub(crate) endpoint: &'a Endpoint,
    /// All text that is sent.
    pub(crate) text: &'a str,
    /// What it discloses of the database.
    pub(crate) disclosed: Disclosed,
}

/// The reply of a model, and how long it took.
pub(crate) struct Replied {
    pub(crate) reply: Result<ChatReply, Error>,
    pub(crate) milliseconds: f64,
}

impl SingleCall<'_> {
    /// Sends it by `send`. The inner error is that of the endpoint; it is recorded as well, because the text has
    /// left the server.
    pub(crate) fn send(
        self,
        send: impl FnOnce() -> Result<ChatReply, Error>,
    ) -> Result<Replied, Error> {
        let name = self.endpoint.name.as_str();
        let has_budgets = question_budgets::charge_question()?;
        if has_budgets {
            question_budgets::check_currency(self.endpoint)?;
        }
        let session = PgSession::new();
        let trace_id = models::new_trace_id();
        let reply = audit::with_trace(trace_id, || with_slot(send));
        let milliseconds = session.elapsed_ms();
        let trace = self.trace(&reply, milliseconds);
        let (status, outcome) = match &reply {
            Ok(_) => ("ok", "ok"),
            Err(error) => ("failed", error.message()),
        };
        audit::log_question(trace_id, name, outcome, &trace);
        if has_budgets {
            question_budgets::charge_usage(&trace)?;
        }
        history::record(&Record {
            trace_id,
            function: self.function,
            conversation: None,
            question: self.subject,
            ended: Ended {
                status,
                ..Ended::default()
            },
            model: name,
            settings: json!({}),
            trace: &trace,
        })?;
        if let Ok(reply) = &reply {
            let refused = |is_refused: bool| is_refused.then(|| name.to_owned());
            models::remember_refusals(
                refused(reply.structured_refused).as_slice(),
                refused(reply.max_tokens_refused).as_slice(),
            );
        }
        Ok(Replied {
            reply,
            milliseconds,
        })
    }

    fn trace(&self, reply: &Result<ChatReply, Error>, milliseconds: f64) -> Trace {
        let none = ChatReply::default();
        let replied = reply.as_ref().unwrap_or(&none);
        let mut trace = Trace {
            prompt_chars: self.text.chars().count(),
            model_calls: u32::from(reply.is_ok()),
            requests: replied.requests,
            input_tokens: replied.input_tokens,
            output_tokens: replied.output_tokens,
            ..Trace::default()
        };
        trace.stages.push(StageTrace {
            stage: self.purpose,
            milliseconds,
            input: json!({"subject": self.subject}),
            output: Value::Null,
        });
        // Otherwise no slot was free.
        let is_sent = !matches!(reply, Err(error) if error.kind() == ErrorKind::Limit);
        if is_sent {
            trace.exchanges.push(Exchange {
                purpose: self.purpose,
                endpoint: self.endpoint.name.clone(),
                prompt: self.text.to_owned(),
                reply: replied.text.clone(),
                disclosed: self.disclosed.clone(),
                input_tokens: replied.input_tokens,
                output_tokens: replied.output_tokens,
                cost: self.endpoint.usage(replied.tokens()).cost,
                milliseconds,
            });
        }
        trace
    }
}
