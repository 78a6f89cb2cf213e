//! Gets a proposal, or a repaired one, from the model or the built-in engine.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use crate::help::Lookup;
use crate::looks::{MAX_CALLS, look};
use crate::model_side_call::is_unsent;
use crate::multi_step as plan_steps;
use crate::multi_step::PlanProposal;
use text2sql_builtin as builtin;
use text2sql_domain::config::{Egress, ModelConfig};
use text2sql_domain::error::{Error, failure};
use text2sql_domain::exchange::{Disclosed, Exchange};
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::Table;
use text2sql_domain::strategy::Strategy;
use text2sql_language::several_questions::MAX_PARTS;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{
    Prompt, add_strategy, meaning_schema, parts_instructions, render_looked, steps_instructions,
};
use text2sql_models::providers::{self, ChatReply, ChatRequest, Speaker, Tool, Turn, replay};
use text2sql_models::reply;
use text2sql_retrieval::Context;

/// What a reply may be besides a query.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplyMayBe {
    /// How the model gets to the query.
    pub strategy: Option<Strategy>,
    /// The number of dependent steps that it may ask for.
    pub max_steps: usize,
    /// Whether the question may need them: else the rules do not name them, and they are read anyway.
    pub needs_steps: bool,
    /// Whether it may be the questions that this one consists of.
    pub parts: bool,
}

impl ReplyMayBe {
    /// The prompt with the rules for it, and the form that they ask for.
    pub fn told(&self, own: &OwnPrompts, mut prompt: Prompt) -> (Prompt, ReplyForm) {
        let form = ReplyForm {
            has_plan: self.strategy.is_some_and(Strategy::has_plan),
            has_steps: self.max_steps > 1 && self.needs_steps,
            has_parts: self.parts,
            has_tables: prompt.may_ask_for_tables,
        };
        if let Some(strategy) = self.strategy {
            add_strategy(own, &mut prompt, strategy);
        }
        if form.has_steps {
            prompt.add_rule(&steps_instructions(own, self.max_steps));
        }
        if form.has_parts {
            prompt.add_rule(&parts_instructions(own, MAX_PARTS));
        }
        (prompt, form)
    }
}

/// What a reply consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplyForm {
    has_plan: bool,
    has_steps: bool,
    has_parts: bool,
    has_tables: bool,
}

impl ReplyForm {
    /// The JSON Schema, built once because it does not depend on the question.
    fn schema(self) -> Arc<Value> {
        static SCHEMAS: LazyLock<Vec<(ReplyForm, Arc<Value>)>> = LazyLock::new(|| {
            let forms = (0..16_u8).map(|bits| ReplyForm {
                has_plan: bits & 1 != 0,
                has_steps: bits & 2 != 0,
                has_parts: bits & 4 != 0,
                has_tables: bits & 8 != 0,
            });
            forms
                .map(|form| (form, Arc::new(form.new_schema())))
                .collect()
        });
        let known = SCHEMAS.iter().find(|(form, _)| *form == self);
        known.map_or_else(
            || Arc::new(self.new_schema()),
            |(_, schema)| Arc::clone(schema),
        )
    }

    fn new_schema(self) -> Value {
        let mut schema = match self.has_steps {
            true => plan_steps::json_schema_with_steps(self.has_plan),
            false => reply::json_schema(self.has_plan),
        };
        if self.has_parts {
            reply::add_parts(&mut schema);
        }
        if self.has_tables {
            reply::add_tables_status(&mut schema);
        }
        schema
    }
}

/// The conversation with the model about one question; empty for the built-in engine.
#[derive(Debug)]
pub struct Conversation {
    request: Option<ChatRequest>,
    /// The names and values of the database that the prompt contains.
    disclosed: Disclosed,
    strategy: Option<Strategy>,
    /// Whether the reply may be a plan of steps.
    takes_steps: bool,
    /// Whether the reply may be several questions.
    takes_parts: bool,
    /// The tables over which the reply is a meaning, and the conversation that follows where it is none.
    meant: Option<Meant>,
    /// The question in another form, for when nothing comes of this one.
    otherwise: Option<Prompt>,
    /// What the model may look at before it replies.
    looks: Option<Looks>,
}

/// What a model may look at, and how often.
#[derive(Debug, Clone, Default)]
pub struct Looks {
    /// The tools.
    pub tools: Vec<Tool>,
    /// The tables of the prompt.
    pub tables: Vec<Arc<Table>>,
    /// How many replies may still be calls.
    pub left: usize,
}

/// What a meaning is compiled over, and what is asked where there is none.
#[derive(Debug)]
struct Meant {
    tables: Vec<Arc<Table>>,
    instead: Option<Box<Conversation>>,
}

impl Conversation {
    /// Starts a conversation about what the question means, and another where that is not compiled.
    pub fn about_meaning(prompt: Prompt, tables: &[Arc<Table>], instead: Option<Self>) -> Self {
        let mut conversation = Self::new(Some(prompt));
        conversation.strategy = Some(Strategy::Meaning);
        if let Some(request) = &mut conversation.request {
            request.reply_schema = meaning_schema().into();
        }
        conversation.meant = Some(Meant {
            tables: tables.to_vec(),
            instead: instead.map(Box::new),
        });
        conversation
    }

    /// Starts a conversation with the prompt; none for the built-in engine.
    pub fn new(prompt: Option<Prompt>) -> Self {
        Self::in_form(prompt.map(|prompt| (prompt, ReplyForm::default())), None)
    }

    /// Starts a conversation with the prompt and the rules of what the reply may be.
    pub fn asked(own: &OwnPrompts, prompt: Prompt, may: &ReplyMayBe) -> Self {
        let conversation = Self::in_form(Some(may.told(own, prompt)), may.strategy);
        Self {
            takes_steps: may.max_steps > 1,
            takes_parts: may.parts,
            ..conversation
        }
    }

    fn in_form(prompt: Option<(Prompt, ReplyForm)>, strategy: Option<Strategy>) -> Self {
        let disclosed = prompt.as_ref().map(|(prompt, _)| prompt.disclosed.clone());
        let request = prompt.map(|(prompt, form)| ChatRequest {
            system: prompt.system,
            turns: vec![Turn {
                speaker: Speaker::User,
                text: prompt.user,
            }],
            shared: prompt.shared,
            reply_schema: form.schema(),
            purpose: "generate",
            names: prompt.names,
            tools: Vec::new(),
        });
        Self {
            request,
            disclosed: disclosed.unwrap_or_default(),
            strategy,
            takes_steps: false,
            takes_parts: false,
            meant: None,
            otherwise: None,
            looks: None,
        }
    }

    /// Lets the model look at these tables before it replies.
    pub fn looking(mut self, looks: Looks) -> Self {
        if let Some(request) = self.request.as_mut().filter(|_| !looks.tools.is_empty()) {
            request.tools.clone_from(&looks.tools);
            self.looks = Some(looks);
        }
        self
    }

    /// Adds how else the question may be asked.
    pub fn or_asked(self, otherwise: Prompt) -> Self {
        Self {
            otherwise: Some(otherwise),
            ..self
        }
    }

    /// Begins anew with the other form of the question; false if there is none that was not asked yet.
    pub fn ask_otherwise(&mut self) -> bool {
        let Some(prompt) = self.otherwise.take() else {
            return false;
        };
        *self = Self::new(Some(prompt));
        true
    }

    /// Adds a turn that contains `rows` rows of a result.
    pub fn ask_on(&mut self, text: String, rows: usize) {
        self.disclosed.result_rows += rows;
        self.object(text, &[]);
    }

    /// The strategy in the prompt; `None` for the built-in engine.
    pub fn strategy(&self) -> Option<Strategy> {
        self.strategy
    }

    /// Whether another request can give another reply.
    pub fn can_repair(&self) -> bool {
        // What asks for a meaning is followed by what asks for a query, not by a problem of one.
        self.request.is_some() && self.meant.is_none()
    }

    /// Whether the model may have read values of rows, in the results of earlier steps or in an error
    /// message. Its reply may then repeat them.
    fn may_show_rows(&self, egress: Egress) -> bool {
        let turns = self
            .request
            .as_ref()
            .map_or(0, |request| request.turns.len());
        self.disclosed.result_rows > 0 || (egress == Egress::Rows && turns > 1)
    }

    /// Adds a turn about what is wrong with the last reply, and the tables that the text describes.
    pub fn object(&mut self, problem: String, tables: &[Arc<Table>]) {
        self.add_turn("repair", problem, tables);
    }

    /// Adds a turn that describes tables for what the last reply lacks.
    pub fn show(&mut self, text: String, tables: &[Arc<Table>]) {
        self.add_turn("second_look", text, tables);
    }

    fn add_turn(&mut self, purpose: &'static str, text: String, tables: &[Arc<Table>]) {
        for name in tables.iter().map(|table| table.sql_name()) {
            if !self.disclosed.tables.contains(&name) {
                self.disclosed.tables.push(name);
            }
        }
        if let Some(request) = &mut self.request {
            request.purpose = purpose;
            if !request.names.tables.is_empty() {
                request.names.add(tables.iter().map(AsRef::as_ref));
            }
            request.turns.push(Turn {
                speaker: Speaker::User,
                text,
            });
        }
    }
}

/// What was generated: a proposal, or a reply without one.
#[derive(Debug)]
pub enum Generated {
    /// A proposal, with the model's plan if it may be stored.
    Proposal(Proposal, Option<String>),
    /// A plan of dependent steps, with the model's plan if it may be stored.
    Steps(PlanProposal, Option<String>),
    /// The questions that the question consists of.
    Several(Vec<String>),
    /// A reply without SQL, as the error to raise if no repair helps.
    NoSql(Error),
}

impl Generated {
    /// A summary for the trace.
    pub fn summary(&self) -> Value {
        match self {
            Self::Proposal(Proposal::Sql(proposal), plan) => with_plan(
                json!({
                    "proposal": "sql", "sql": proposal.sql, "assumptions": proposal.notes,
                    "sentence": proposal.sentence,
                }),
                plan,
            ),
            Self::Proposal(Proposal::Ambiguous { question, readings }, plan) => with_plan(
                json!({"proposal": "ambiguous", "clarification": question, "readings": readings}),
                plan,
            ),
            Self::Proposal(Proposal::Unanswerable { missing, .. }, plan) => with_plan(
                json!({"proposal": "unanswerable", "missing": missing}),
                plan,
            ),
            Self::Steps(steps, plan) => {
                let sentence = &steps.sentence;
                let steps: Vec<Value> = steps
                    .steps
                    .iter()
                    .map(|step| json!({"question": step.question, "sql": step.sql}))
                    .collect();
                with_plan(
                    json!({"proposal": "steps", "steps": steps, "sentence": sentence}),
                    plan,
                )
            }
            Self::Several(parts) => json!({"proposal": "parts", "parts": parts}),
            Self::NoSql(_) => json!({"proposal": null}),
        }
    }
}

/// Adds the model's plan to a summary for the trace.
fn with_plan(mut summary: Value, plan: &Option<String>) -> Value {
    if let (Some(members), Some(plan)) = (summary.as_object_mut(), plan) {
        members.insert("plan".to_owned(), plan.as_str().into());
    }
    summary
}

/// Asks for a proposal.
pub fn generate(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    conversation: &mut Conversation,
) -> Result<Generated, Error> {
    if conversation.request.is_none() {
        if let Some(changed) = &context.changed {
            let proposal = Proposal::Sql(changed.as_ref().clone());
            return Ok(Generated::Proposal(proposal, None));
        }
        let in_days = context.facts.in_days.as_ref();
        let in_days = in_days.map(|text| Understanding::of(text, understanding.today()));
        let ingredients = cx.config.ingredients;
        let tables: Vec<Arc<Table>> = match ingredients.schema {
            true => context
                .tables
                .iter()
                .map(|table| ingredients.of_shared(table))
                .collect(),
            false => Vec::new(),
        };
        let helped = builtin::propose_with_help(
            in_days.as_ref().unwrap_or(understanding),
            &tables,
            &context.definitions,
            &Lookup { cx, context },
        )?;
        cx.trace.borrow_mut().offer = Some(helped.offer);
        return Ok(Generated::Proposal(helped.proposal, None));
    }
    let generated = generate_one(cx, understanding, conversation);
    let instead = conversation
        .meant
        .as_mut()
        .and_then(|meant| meant.instead.take());
    match (&generated, instead) {
        (Ok(Generated::NoSql(_)), Some(instead)) => {
            *conversation = *instead;
            generate_one(cx, understanding, conversation)
        }
        _ => generated,
    }
}

fn generate_one(
    cx: &Run<'_>,
    understanding: &Understanding,
    conversation: &mut Conversation,
) -> Result<Generated, Error> {
    let mut all = generate_all(cx, understanding, vec![conversation]);
    all.pop()
        .unwrap_or_else(|| Err(failure!(Internal, "nothing was asked")))
}

/// Requests the next reply of each conversation, all concurrently.
pub fn generate_all(
    cx: &Run<'_>,
    understanding: &Understanding,
    conversations: Vec<&mut Conversation>,
) -> Vec<Result<Generated, Error>> {
    let started = cx.session.elapsed_ms();
    let requests: Vec<&ChatRequest> = conversations
        .iter()
        .filter_map(|conversation| conversation.request.as_ref())
        .collect();
    let replies = ask_all(cx, understanding, &requests);
    let milliseconds = cx.session.elapsed_ms() - started;
    conversations
        .into_iter()
        .zip(replies)
        .map(|(conversation, reply)| {
            // The prompt has left the server even if the request failed.
            let sent = reply.as_ref().ok().cloned().unwrap_or_default();
            if !reply.as_ref().is_err_and(is_unsent) {
                note_exchange(cx, conversation, &sent, milliseconds);
            }
            let reply = reply.map_err(Error::of_endpoint)?;
            note_cost(cx, &reply);
            let reply = after_looks(cx, understanding, conversation, reply)?;
            let has_seen_rows = conversation.may_show_rows(cx.egress());
            if let Some(request) = &mut conversation.request {
                request.turns.push(Turn {
                    speaker: Speaker::Assistant,
                    text: reply.text.clone(),
                });
            }
            Ok(read(cx, conversation, has_seen_rows, &reply))
        })
        .collect()
}

/// Answers calls of tools until the model replies, or has looked often enough.
fn after_looks(
    cx: &Run<'_>,
    understanding: &Understanding,
    conversation: &mut Conversation,
    mut reply: ChatReply,
) -> Result<ChatReply, Error> {
    while !reply.calls.is_empty() {
        let (Some(request), Some(may)) = (&mut conversation.request, &mut conversation.looks)
        else {
            break;
        };
        let Some(left) = may.left.checked_sub(1) else {
            break;
        };
        may.left = left;
        let mut shown = Vec::new();
        for call in reply.calls.iter().take(MAX_CALLS) {
            let found = look(cx, &may.tables, call, &mut conversation.disclosed)?;
            shown.push((call.name.clone(), found));
        }
        request.purpose = "look";
        request.turns.push(Turn {
            speaker: Speaker::Assistant,
            text: std::mem::take(&mut reply.text),
        });
        request.turns.push(Turn {
            speaker: Speaker::User,
            text: render_looked(&shown, left == 0),
        });
        if left == 0 {
            request.tools.clear();
        }
        let started = cx.session.elapsed_ms();
        let asked = ask_all(cx, understanding, &[&*request]).pop();
        let asked = asked.unwrap_or_else(|| Err(failure!(Internal, "nothing was asked")));
        let sent = asked.as_ref().ok().cloned().unwrap_or_default();
        if !asked.as_ref().is_err_and(is_unsent) {
            note_exchange(cx, conversation, &sent, cx.session.elapsed_ms() - started);
        }
        reply = asked.map_err(Error::of_endpoint)?;
        note_cost(cx, &reply);
    }
    Ok(reply)
}

/// Requests a reply that is no query, with instructions of its own: its text.
pub fn ask_other(
    cx: &Run<'_>,
    understanding: &Understanding,
    prompt: Prompt,
    purpose: &'static str,
    reply_schema: Value,
) -> Result<String, Error> {
    let started = cx.session.elapsed_ms();
    let mut conversation = Conversation::new(Some(prompt));
    if let Some(request) = &mut conversation.request {
        request.purpose = purpose;
        request.reply_schema = reply_schema.into();
    }
    let requests: Vec<&ChatRequest> = conversation.request.iter().collect();
    let reply = ask_all(cx, understanding, &requests).pop();
    let reply = reply.unwrap_or_else(|| Err(failure!(Internal, "nothing was asked")));
    let sent = reply.as_ref().ok().cloned().unwrap_or_default();
    let milliseconds = cx.session.elapsed_ms() - started;
    note_exchange(cx, &conversation, &sent, milliseconds);
    let reply = reply.map_err(Error::of_endpoint)?;
    note_cost(cx, &reply);
    Ok(reply.text)
}

fn ask_all(
    cx: &Run<'_>,
    understanding: &Understanding,
    requests: &[&ChatRequest],
) -> Vec<Result<ChatReply, Error>> {
    match &cx.config.model {
        ModelConfig::Endpoint(endpoint) => {
            providers::complete_all(endpoint, requests, cx.transport)
        }
        ModelConfig::Replay(recordings) => requests
            .iter()
            .map(|request| replay::complete(recordings, understanding.text(), request))
            .collect(),
        ModelConfig::Builtin => Vec::new(),
    }
}

fn read(
    cx: &Run<'_>,
    conversation: &Conversation,
    has_seen_rows: bool,
    reply: &ChatReply,
) -> Generated {
    if let Some(meant) = &conversation.meant {
        return read_meaning(meant, &reply.text);
    }
    let plan = reply::plan(&reply.text).filter(|_| !has_seen_rows);
    if let Some(steps) = plan_steps::read(&reply.text).filter(|_| conversation.takes_steps) {
        return Generated::Steps(steps, plan);
    }
    // Questions are recorded, so they must not repeat values of rows.
    let takes_parts = conversation.takes_parts && !has_seen_rows;
    if let Some(parts) = reply::parts(&reply.text).filter(|_| takes_parts) {
        return Generated::Several(parts);
    }
    match reply::read(&reply.text) {
        Some(proposal) => Generated::Proposal(proposal, plan),
        None => {
            let error = match &cx.config.model {
                ModelConfig::Endpoint(endpoint) => providers::failure::without_sql(endpoint),
                ModelConfig::Builtin | ModelConfig::Replay(_) => {
                    failure!(ModelReply, "the recorded reply holds no SQL")
                }
            };
            Generated::NoSql(error.of_endpoint())
        }
    }
}

/// The statement of the meaning that the reply has. Nothing else is taken from it: the model saw no keys to join by.
fn read_meaning(meant: &Meant, text: &str) -> Generated {
    let said = reply::object_with(text, &["measure", "show"]);
    let read = said.ok_or_else(|| "the reply has no meaning".to_owned());
    match read.and_then(|said| builtin::of_short_meaning(&said, &meant.tables)) {
        Ok(proposal) => Generated::Proposal(Proposal::Sql(proposal), None),
        Err(problem) => Generated::NoSql(failure!(ModelReply, "{problem}").of_endpoint()),
    }
}

/// Records what left the server. A replayed reply sends nothing.
fn note_exchange(cx: &Run<'_>, conversation: &Conversation, reply: &ChatReply, milliseconds: f64) {
    let (ModelConfig::Endpoint(endpoint), Some(request)) =
        (&cx.config.model, &conversation.request)
    else {
        return;
    };
    if endpoint.protocol.without_chat().is_some() {
        return;
    }
    cx.trace.borrow_mut().exchanges.push(Exchange {
        purpose: request.purpose,
        endpoint: endpoint.name.clone(),
        prompt: request.text(),
        reply: reply.text.clone(),
        disclosed: conversation.disclosed.clone(),
        input_tokens: reply.input_tokens,
        output_tokens: reply.output_tokens,
        cost: endpoint.usage(reply.tokens()).cost,
        milliseconds,
    });
}

fn note_cost(cx: &Run<'_>, reply: &ChatReply) {
    let mut trace = cx.trace.borrow_mut();
    trace.model_calls += 1;
    trace.requests += reply.requests;
    trace.input_tokens += reply.input_tokens;
    trace.output_tokens += reply.output_tokens;
    let name = cx.config.model.name();
    if reply.structured_refused {
        trace.structured_refused.push(name.to_owned());
    }
    if reply.max_tokens_refused {
        trace.max_tokens_refused.push(name.to_owned());
    }
}
