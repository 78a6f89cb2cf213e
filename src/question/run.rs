//! From a SQL call to a run of the pipeline: builds the configuration and the ports, and writes the history.
//! Shared by every function that takes a question.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{Config, Egress, ModelConfig, SideModel};
use text2sql_domain::engines::{Engines, OnlyEngine, write_list};
use text2sql_domain::error::Error;
use text2sql_domain::kept_answer::KeptAnswer;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::search_index::{NoIndex, ValueHit};
use text2sql_domain::ports::{NoTexts, Transport};
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_domain::score::Score;
use text2sql_engine::conversation::{NotKept, Turn, explain_missing_beginning};
use text2sql_engine::given_schema::{GivenCatalog, NameCheck};
use text2sql_engine::pipeline::{self, Written};
use text2sql_models::prompt::Prompt;
use text2sql_retrieval::certainty::Certainty;
use text2sql_retrieval::found_table::FoundTable;
use text2sql_sql::ddl::GivenSchema;

use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::execution::typed_rows::TypedRows;
use crate::pg::access::output::record_set::definition_hint;
use crate::pg::search::documents::TextsOnDemand;
use crate::pg::search::role_catalog::RoleCatalog;
use crate::pg::search::search_index::{PgSearchIndex, embedder};
use crate::pg::server::entry::Call as SqlCall;
use crate::pg::server::error::Raised;
use crate::pg::server::error_hints;
use crate::pg::server::session::PgSession;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi::committing::commit_before_waiting;
use crate::pg::server::spi::owner::{can_write, is_standby};
use crate::pg::stored::knowledge::prompts;
use crate::pg::stored::models::http::HelperTransport;
use crate::pg::stored::models::search_requests::SearchRequests;
use crate::pg::stored::models::slots::{SlotTransport, with_slot};
use crate::pg::stored::models::{self, question_budgets};
use crate::pg::stored::record::approvals;
use crate::pg::stored::record::audit;
use crate::pg::stored::record::conversation::Conversation;
use crate::pg::stored::record::history::{self, Ended, Record};
use crate::question::approval_texts::HINT_TO_ASK;
use crate::question::engines::{CallEngines, first_prompted};
use crate::question::options::{Accepted, Options};
use crate::question::record::{asked_endpoints, ended, settings_json};
use crate::statement::submitted_sql::SubmittedSql;

/// The outcome of a run, with what the SQL surface adds to it.
pub(crate) struct RunOutcome<T> {
    /// The answer, or the SQL.
    pub(crate) value: T,
    /// The typed rows, if requested.
    pub(crate) rows: Option<TypedRows>,
    /// Identifies the question in the history and the server log.
    pub(crate) trace_id: pgrx::Uuid,
    /// The complete question, if it continued another one or an interpretation was chosen.
    pub(crate) standalone: Option<String>,
    /// What the question means, where the built-in engine answered it.
    pub(crate) meaning: Option<serde_json::Value>,
    /// What gave the answer, or the configured models.
    pub(crate) model: String,
}

/// The arguments shared by every function that asks a question.
pub(crate) struct Request {
    function: &'static str,
    question: Option<String>,
    conversation: Option<Conversation>,
    /// The settings among the options.
    pub(crate) overrides: Overrides,
    /// Whether the switch of the function is on, among the options.
    pub(crate) is_on: bool,
}

impl Request {
    /// Reads them: the question is the first argument of the call, `conversation` is the n-th, counted from 0,
    /// and `options` follows it.
    pub(crate) fn read(
        call: &SqlCall,
        function: &'static str,
        n: usize,
        accepted: &Accepted,
    ) -> Result<Self, Raised> {
        let options = accepted.read(call.json(n + 1)?)?;
        Ok(Self {
            function,
            question: call.text(0)?,
            conversation: Conversation::named(call.text(n)?.as_deref())?,
            overrides: options.overrides,
            is_on: options.is_on,
        })
    }

    /// Reads those of a function without conversations: the question is the first argument, `options` the n-th.
    pub(crate) fn alone(
        call: &SqlCall,
        function: &'static str,
        n: usize,
        accepted: &Accepted,
    ) -> Result<Self, Raised> {
        let options = accepted.read(call.json(n)?)?;
        Ok(Self {
            function,
            question: call.text(0)?,
            conversation: None,
            overrides: options.overrides,
            is_on: options.is_on,
        })
    }

    /// Makes those of a text that is looked up like a question.
    pub(crate) fn of_text(
        function: &'static str,
        text: Option<String>,
        overrides: Overrides,
    ) -> Self {
        Self {
            function,
            question: text,
            conversation: None,
            overrides,
            is_on: false,
        }
    }

    /// Makes those of a question that was submitted earlier.
    pub(super) fn submitted(
        question: Option<String>,
        conversation: Option<&str>,
        options: Options,
    ) -> Result<Self, Error> {
        Ok(Self {
            function: "submit",
            question,
            conversation: Conversation::named(conversation)?,
            overrides: options.overrides,
            is_on: options.is_on,
        })
    }

    /// The question, which must not be empty or null.
    pub(crate) fn question(&self) -> Result<Question, Error> {
        Question::required(self.question.as_deref())
    }

    /// The earlier turns of the conversation, oldest first.
    pub(super) fn turns(&self) -> Result<Vec<Turn>, Error> {
        match &self.conversation {
            Some(conversation) => {
                conversation.turns(settings::max_conversation_turns(&self.overrides))
            }
            None => Ok(Vec::new()),
        }
    }

    pub(super) fn call<'a>(&'a self, question: &'a Question) -> Call<'a> {
        Call {
            conversation: self.conversation.as_ref().map(Conversation::name),
            ..Call::of(self.function, question, &self.overrides)
        }
    }
}

/// Answers a question with typed rows. With `commits`, inside
/// [`spi::with_commits`](crate::pg::server::spi::with_commits), no snapshot is held during a model call.
pub(crate) fn ask(request: &Request, commits: bool) -> Result<RunOutcome<Answer>, Error> {
    let question = request.question()?;
    let overrides = request.overrides.clone().without_narration();
    let call = Call {
        overrides: &overrides,
        keep_rows: true,
        commits,
        ..request.call(&question)
    };
    let outcome = (ended, kept);
    let mut ran = run_in_conversation(request, &call, outcome, |run, engines, turns| {
        pipeline::ask_one(run, engines, &question, turns)
    })?;
    if ran.value.status == Status::Waiting {
        ran.value.hint = Some(HINT_TO_ASK.to_owned());
    }
    warn_of(&ran.value.withheld);
    for note in ran
        .value
        .execution
        .iter()
        .flat_map(|execution| &execution.notes)
    {
        pgrx::notice!("{note}");
    }
    for gave_up in ran.value.trace.engines_that_failed() {
        pgrx::warning!("{gave_up}");
    }
    Ok(ran)
}

/// Raises the warnings that rows alone, or SQL alone, cannot carry.
fn warn_of(withheld: &[String]) {
    for withheld in withheld {
        pgrx::warning!("withheld: {withheld}");
    }
}

/// Writes the SQL for a question without running it.
pub(crate) fn write(request: &Request) -> Result<RunOutcome<Written>, Error> {
    let question = request.question()?;
    let written_ended = |written: &Written| match written {
        Ok(written) => Ended {
            status: Status::Ok.as_str(),
            sql: Some(written.sql.clone()),
            ..Ended::default()
        },
        Err(answer) => ended(answer),
    };
    let call = request.call(&question);
    let outcome = (written_ended, |_: &Written, _: usize| None);
    let ran = run_in_conversation(request, &call, outcome, |run, engines, turns| {
        pipeline::write_in_order(run, engines, &question, turns)
    })?;
    if let Ok(written) = &ran.value {
        warn_of(&written.left_out.withheld);
        for missing in &written.left_out.missing {
            pgrx::warning!("{missing}");
        }
    }
    Ok(ran)
}

/// Renders the prompts for a question: the one for SQL, and the one about texts if there is one. Needs no API key and
/// makes no request.
pub(crate) fn preview(request: &Request) -> Result<Vec<Prompt>, Error> {
    let question = request.question()?;
    let names = settings::models(&request.overrides)?;
    models::check_usage(&names)?;
    let model = models::model_without_key(first_prompted(&names))?;
    let mut config = with_own_prompts(settings::config(model, &request.overrides))?;
    if let Some(name) = settings::narration_model(&request.overrides) {
        config.side_models.narrator = match models::model_without_key(&name) {
            Ok(ModelConfig::Endpoint(endpoint)) => SideModel::Endpoint(endpoint),
            _ => SideModel::None,
        };
    }
    let database = GuardedDatabase::new()?;
    let index = PgSearchIndex::new(*database.role()).without_endpoints();
    let turns = request.turns()?;
    with_index(&config, &database, &HelperTransport, index, None, |run| {
        let mut prompts = vec![pipeline::preview(run, &question, &turns)?];
        // A preview sends nothing, not even a question to be embedded.
        if run.config.enable_narration && !embedder::question_waits(run.config) {
            let engine = OnlyEngine::of(run.config);
            prompts.extend(pipeline::preview_texts(run, &engine, &question, &turns)?);
        }
        Ok(prompts)
    })
}

/// The configuration with the owner's templates, unless the templates of the extension are asked for.
fn with_own_prompts(mut config: Config) -> Result<Config, Error> {
    if config.owner.uses_prompts {
        config.owner.prompts = prompts::in_use()?;
    }
    Ok(config)
}

/// Scores a statement for a question; calls no model.
pub(crate) fn score(request: &Request, given: &SubmittedSql) -> Result<Score, Error> {
    let question = request.question()?;
    let config = settings::config(ModelConfig::Builtin, &request.overrides);
    let turns = request.turns()?;
    with_ports(&config, &given.database, &HelperTransport, None, |run| {
        pipeline::score(run, &question, &turns, &given.sql, &given.tables)
    })
}

/// A table that was found, with its ranks in the search.
pub(crate) type Hit = (Arc<Table>, Option<FoundTable>);

/// The tables and values found for a question.
pub(crate) struct Found {
    /// The tables, best first.
    pub(crate) tables: Vec<Hit>,
    /// Values that phrases of the question may refer to, with the phrase.
    pub(crate) values: Vec<(String, ValueHit)>,
    /// Whether these are all readable tables.
    pub(crate) is_whole: bool,
    /// How certain the search is; `None` if there was none.
    pub(crate) certainty: Option<Certainty>,
    /// A note about the search for the caller.
    pub(crate) notes: Vec<String>,
}

/// Finds the tables for a question, through the search index where there is one.
pub(crate) fn find(request: &Request) -> Result<Found, Error> {
    let question = request.question()?;
    let config = settings::config(ModelConfig::Builtin, &request.overrides);
    let turns = request.turns()?;
    let trace_id = models::new_trace_id();
    let database = GuardedDatabase::new()?;
    let context = with_ports(&config, &database, &HelperTransport, None, |run| {
        let context = audit::with_trace(trace_id, || match embedder::question_waits(&config) {
            true => with_slot(|| pipeline::find(run, &question, &turns)),
            false => pipeline::find(run, &question, &turns),
        })?;
        let sent = SearchRequests {
            trace_id,
            function: request.function,
            conversation: request.conversation.as_ref().map(Conversation::name),
            question: question.as_str(),
            trace: run.trace.take(),
        };
        sent.record()?;
        Ok(context)
    })?;
    let mut hits: HashMap<u32, FoundTable> = context
        .found
        .into_iter()
        .map(|hit| (hit.table, hit))
        .collect();
    let tables = context.tables.into_iter().map(|table| {
        let hit = hits.remove(&table.oid);
        (table, hit)
    });
    Ok(Found {
        tables: tables.collect(),
        values: context.values,
        is_whole: context.is_whole,
        certainty: context.certainty,
        notes: context.notes,
    })
}

/// One call of an SQL function that takes a question.
pub(super) struct Call<'a> {
    pub(super) function: &'static str,
    pub(super) question: &'a Question,
    pub(super) conversation: Option<&'a str>,
    pub(super) overrides: &'a Overrides,
    pub(super) keep_rows: bool,
    /// Whether to commit before a model call.
    pub(super) commits: bool,
    /// The schema that the caller handed over, if the question is about one.
    pub(super) given: Option<&'a GivenSchema>,
}

impl<'a> Call<'a> {
    /// One of a question by itself, about the database, whose rows are shown alone.
    pub(super) fn of(
        function: &'static str,
        question: &'a Question,
        overrides: &'a Overrides,
    ) -> Self {
        Self {
            function,
            question,
            conversation: None,
            overrides,
            keep_rows: false,
            commits: false,
            given: None,
        }
    }
}

/// What is kept of an answer, with at most `max_rows` rows.
pub(super) fn kept(answer: &Answer, max_rows: usize) -> Option<KeptAnswer> {
    Some(KeptAnswer::of(answer, max_rows))
}

/// Runs `work` with the earlier turns of the conversation, and stores this one: what the history has of its outcome,
/// and what is kept of the answer where the role wants that.
pub(super) fn run_in_conversation<T: Answered>(
    request: &Request,
    call: &Call<'_>,
    (ended, kept): (
        impl Fn(&T) -> Ended,
        impl Fn(&T, usize) -> Option<KeptAnswer>,
    ),
    work: impl FnOnce(&Run<'_>, &CallEngines<'_>, &[Turn]) -> Result<T, Error>,
) -> Result<RunOutcome<T>, Error> {
    let turns = request.turns()?;
    let egress = Cell::new(Egress::Rows);
    let mut ran = run(call, &ended, |run, engines| {
        let value = work(run, engines, &turns);
        egress.set(egress_of_answer(run));
        value
    })?;
    if let Some(answer) = ran.value.answer() {
        if let Some(execution) = &answer.execution {
            let list = definition_hint(&execution.columns);
            error_hints::remember_columns(call.question.as_str(), list);
        }
        if let Some(conversation) = request.conversation.as_ref().filter(|_| turns.is_empty()) {
            let (question, name) = (call.question.as_str(), conversation.name());
            explain_missing_beginning(question, name, why_not_kept(), answer);
        }
    }
    if let Some(conversation) = &request.conversation {
        let ended = ended(&ran.value);
        let turn = Turn {
            question: call.question.as_str().to_owned(),
            standalone: ran.standalone.clone(),
            // A question can continue one whose query waits.
            sql: ended.continued_sql.or(ended.sql).filter(|_| {
                [Status::Ok, Status::Waiting]
                    .map(Status::as_str)
                    .contains(&ended.status)
            }),
            readings: ended.readings,
            egress: egress.get(),
            meaning: ran.meaning.clone(),
        };
        let kept = settings::kept_rows().and_then(|max_rows| kept(&ran.value, max_rows));
        conversation.remember(ran.trace_id, ended.status, &turn, kept.as_ref())?;
    }
    Ok(ran)
}

/// What a run ended with: an answer, or SQL.
pub(super) trait Answered {
    /// The answer, if it is one.
    fn answer(&mut self) -> Option<&mut Answer>;
}

impl Answered for Answer {
    fn answer(&mut self) -> Option<&mut Answer> {
        Some(self)
    }
}

impl Answered for Written {
    fn answer(&mut self) -> Option<&mut Answer> {
        self.as_mut().err().map(Box::as_mut)
    }
}

/// Why a conversation does not keep its questions.
fn why_not_kept() -> Option<NotKept> {
    match is_standby() {
        true => Some(NotKept::Standby),
        false => (!can_write()).then_some(NotKept::ReadOnly),
    }
}

/// What the engine that answered may see; where none did, as much as any may.
pub(super) fn egress_of_answer(run: &Run<'_>) -> Egress {
    run.trace.borrow().engine_egress.unwrap_or(Egress::Rows)
}

/// Runs `work` with the configuration and the engines of this call; counts it against the budgets that apply to the
/// caller, and records it.
pub(super) fn run<T>(
    call: &Call<'_>,
    ended: impl Fn(&T) -> Ended,
    work: impl FnOnce(&Run<'_>, &CallEngines<'_>) -> Result<T, Error>,
) -> Result<RunOutcome<T>, Error> {
    let transport = SlotTransport::default();
    // The model is that of each engine.
    let config = settings::config(ModelConfig::Builtin, call.overrides);
    let config = with_own_prompts(match call.given {
        Some(given) => config.for_given_schema(given.dialect),
        None => config.under(approvals::of_caller()?),
    })?;
    let engines = CallEngines::of(call.overrides, &config, &transport)?;
    let scene = match call.given {
        Some(given) => Scene::Given(given),
        None if call.keep_rows => Scene::Own(Box::new(GuardedDatabase::keeping_rows()?)),
        None => Scene::Own(Box::new(GuardedDatabase::new()?)),
    };
    let trace_id = models::new_trace_id();
    if call.commits && engines.may_wait() {
        commit_before_waiting()?;
    }
    let id = Some(trace_id);
    let (value, standalone, meaning, model) = scene.with_ports(&config, &transport, id, |run| {
        let result = audit::with_trace(trace_id, || work(run, &engines));
        transport.give_back();
        let trace = run.trace.borrow();
        let asked = asked_endpoints(&trace);
        if !asked.is_empty() {
            let outcome = match &result {
                Ok(value) => match &trace.endpoint_failure {
                    Some(failure) => failure.as_str(),
                    None => ended(value).status,
                },
                Err(error) => error.message(),
            };
            audit::log_question(trace_id, &asked.join(", "), outcome, &trace);
        }
        models::remember_refusals(&trace.structured_refused, &trace.max_tokens_refused);
        if engines.counts_tokens() {
            question_budgets::charge_usage(&trace)?;
        }
        let value = result?;
        let model = trace.engine.clone();
        let model = model.unwrap_or_else(|| write_list(engines.names()));
        history::record(&Record {
            trace_id,
            function: call.function,
            conversation: call.conversation,
            question: call.question.as_str(),
            ended: ended(&value),
            model: &model,
            settings: settings_json(&config, call.overrides, engines.names(), &trace),
            trace: &trace,
        })?;
        let meaning = trace.meaning.clone();
        Ok((value, trace.standalone.clone(), meaning, model))
    })?;
    let sql = ended(&value).sql;
    Ok(RunOutcome {
        value,
        rows: sql.and_then(|sql| scene.into_rows(&sql)),
        trace_id,
        standalone,
        meaning,
        model,
    })
}

/// What a question is about.
enum Scene<'a> {
    /// This database.
    Own(Box<GuardedDatabase>),
    /// A schema that the caller handed over.
    Given(&'a GivenSchema),
}

impl Scene<'_> {
    fn with_ports<T>(
        &self,
        config: &Config,
        transport: &dyn Transport,
        trace_id: Option<pgrx::Uuid>,
        work: impl FnOnce(&Run<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            Self::Own(database) => with_ports(config, database, transport, trace_id, work),
            Self::Given(schema) => work(&Run {
                catalog: &GivenCatalog::of(schema),
                index: &NoIndex,
                texts: &NoTexts,
                database: &NameCheck(schema),
                transport,
                session: &PgSession::of_question(trace_id),
                config,
                trace: Default::default(),
            }),
        }
    }

    fn into_rows(self, sql: &str) -> Option<TypedRows> {
        match self {
            Self::Own(database) => database.into_rows(sql),
            Self::Given(_) => None,
        }
    }
}

/// Runs `work` with the ports of this backend.
fn with_ports<T>(
    config: &Config,
    database: &GuardedDatabase,
    transport: &dyn Transport,
    trace_id: Option<pgrx::Uuid>,
    work: impl FnOnce(&Run<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let index = PgSearchIndex::new(*database.role()).ranked_by(config.rerank_model.clone());
    with_index(config, database, transport, index, trace_id, work)
}

/// The same with a given search index.
fn with_index<T>(
    config: &Config,
    database: &GuardedDatabase,
    transport: &dyn Transport,
    index: PgSearchIndex,
    trace_id: Option<pgrx::Uuid>,
    work: impl FnOnce(&Run<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let index = Rc::new(index);
    work(&Run {
        catalog: &RoleCatalog::beside(*database.role(), Rc::clone(&index)),
        index: index.as_ref(),
        texts: &TextsOnDemand::default(),
        database,
        transport,
        session: &PgSession::of_question(trace_id),
        config,
        trace: Default::default(),
    })
}
