//! Every setting of ours: its default, its range and the reason for both. Nothing else reads
//! settings; a run gets a finished [`Config`].
//!
//! A cap is a pair: anyone may request (`USERSET`), a superuser bounds (`…_ceiling`, `SUSET`), and
//! the lower one counts. No key is ever a setting: until a library is loaded anyone can `SHOW` a
//! placeholder.

use std::ffi::CString;
use std::time::Duration;

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting, PostgresGucEnum};
use text2sql_core::config::{Config, Limits, ModelConfig};
use text2sql_core::judge::RepairTrigger;
use text2sql_core::strategy::Strategy;

use crate::pg::guard::GuardPolicy;
use crate::pg::registered;

/// Who writes the SQL. `builtin` needs no network and no key, so that a first try works.
static MODEL: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c"builtin"));

/// Repairs after a failed query. The literature finds the gain in the first two.
static MAX_REPAIRS: GucSetting<i32> = GucSetting::<i32>::new(2);

/// What sends a query back to the model. `findings`: blind repair of what ran makes things worse, so
/// only what is certain counts.
static REPAIR: GucSetting<RepairSetting> =
    GucSetting::<RepairSetting>::new(RepairSetting::Findings);

/// The values of `text2sql.repair`.
#[derive(Clone, Copy, PostgresGucEnum)]
enum RepairSetting {
    #[name = c"errors"]
    Errors,
    #[name = c"findings"]
    Findings,
}

/// Candidates asked for at the same time. One: each costs a call, and agreement is worth most where
/// the question matters.
static CANDIDATES: GucSetting<i32> = GucSetting::<i32>::new(1);

/// How a model gets to the query. `auto`: short questions at once, others in steps.
static STRATEGY: GucSetting<StrategySetting> =
    GucSetting::<StrategySetting>::new(StrategySetting::Auto);

/// The values of `text2sql.strategy`.
#[derive(Clone, Copy, PostgresGucEnum)]
enum StrategySetting {
    #[name = c"auto"]
    Auto,
    #[name = c"direct"]
    Direct,
    #[name = c"one_shot"]
    OneShot,
    #[name = c"chain_of_thought"]
    ChainOfThought,
    #[name = c"decompose"]
    Decompose,
}

/// Characters of schema in a prompt: about 8,000 tokens, which every current model reads well.
/// Pruning a schema that fits costs accuracy, so the default is generous.
static CONTEXT_CHARS: GucSetting<i32> = GucSetting::<i32>::new(30_000);

/// Rows: more than a person reads, little enough to hold in memory.
static MAX_ROWS: GucSetting<i32> = GucSetting::<i32>::new(1_000);
static MAX_ROWS_CEILING: GucSetting<i32> = GucSetting::<i32>::new(100_000);

/// Kilobytes of result: 4 MB is far more than a page of answers, and small beside `work_mem`.
static MAX_BYTES: GucSetting<i32> = GucSetting::<i32>::new(4 * 1024);
static MAX_BYTES_CEILING: GucSetting<i32> = GucSetting::<i32>::new(64 * 1024);

/// Planner cost: a full scan of a few hundred million rows still passes, a cross join of two
/// tables of a hundred thousand rows does not.
static MAX_COST: GucSetting<f64> = GucSetting::<f64>::new(5.0e6);
static MAX_COST_CEILING: GucSetting<f64> = GucSetting::<f64>::new(5.0e8);

/// Time for one generated query: as long as a person waits.
static STATEMENT_LIMIT: GucSetting<i32> = GucSetting::<i32>::new(30_000);
static STATEMENT_LIMIT_CEILING: GucSetting<i32> = GucSetting::<i32>::new(300_000);

/// Memory one generated query may add to the backend: `work_mem` does not bound single values and
/// aggregate states. 512 MB leaves a hash aggregate its room on a small server.
static MEMORY_LIMIT: GucSetting<i32> = GucSetting::<i32>::new(512 * 1024);
static MEMORY_LIMIT_CEILING: GucSetting<i32> = GucSetting::<i32>::new(2 * 1024 * 1024);

/// Whether an answer carries a sentence.
static NARRATE: GucSetting<bool> = GucSetting::<bool>::new(true);

/// Whether each stage announces itself.
static PROGRESS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Whether questions are recorded. On: an administrator who does not know what was asked cannot
/// answer for it.
static HISTORY: GucSetting<bool> = GucSetting::<bool>::new(true);

/// Whether prompts and replies are recorded word for word. Off: they repeat the whole schema.
static HISTORY_PROMPTS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Days that the history is kept: a quarter, as long as people ask about.
static HISTORY_DAYS: GucSetting<i32> = GucSetting::<i32>::new(90);

/// Whose rights a superuser's questions run with: reads every table and can do nothing else.
static RUN_AS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"pg_read_all_data"));

/// Extensions whose non-volatile functions a query may call: they compute, and reach nothing.
static TRUSTED_EXTENSIONS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(
    c"pg_trgm, hstore, citext, unaccent, fuzzystrmatch, vector, ltree, intarray, cube, earthdistance, btree_gin, btree_gist, isn, postgis, tsm_system_rows, tsm_system_time",
));

/// Schemas that questions may be about; empty is all that the caller may read.
static SCHEMAS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// Whether a query may read `pg_catalog` and `information_schema`: they tell of objects that the
/// caller may not read.
static ALLOW_CATALOGS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Whether a query may read foreign tables: reading one is work, and sometimes an effect, elsewhere.
static ALLOW_FOREIGN_TABLES: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Functions of users that a query may call.
static REGISTERED_FUNCTIONS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Kilobytes of `work_mem` of a query: 256 MB sorts a few million rows in memory, and a plan may
/// take it several times.
static WORK_MEM_CEILING: GucSetting<i32> = GucSetting::<i32>::new(256 * 1024);

/// Kilobytes of temporary files of a query.
static TEMP_FILE_CEILING: GucSetting<i32> = GucSetting::<i32>::new(256 * 1024);

/// Workers under one node of a query's plan: more than most servers give.
static PARALLEL_CEILING: GucSetting<i32> = GucSetting::<i32>::new(8);

/// Questions that may wait for an endpoint at a time in one database: a pool must not fill up with
/// backends that wait.
static MAX_CONCURRENCY: GucSetting<i32> = GucSetting::<i32>::new(8);

/// Hosts that endpoints may have; empty allows any. The outer bound, above every server's options.
static ALLOWED_HOSTS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// Who makes the vectors of the search index. `hash` needs no network and no key.
static EMBEDDING_MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"hash"));

/// Recorded replies for the model `replay`.
static REPLAY_FILE: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// Defines the settings, in the order above. Called once in each process that loads the library.
pub(crate) fn init() {
    use GucContext::{Sighup, Suset, Userset};
    let none = GucFlags::default();
    let (kilobytes, milliseconds) = (GucFlags::UNIT_KB, GucFlags::UNIT_MS);
    GucRegistry::define_string_guc(
        c"text2sql.model",
        c"Who writes the SQL.",
        c"'builtin', 'replay', or the name of a foreign server of the foreign-data wrapper text2sql on which the role has USAGE.",
        &MODEL,
        Userset,
        none,
    );
    GucRegistry::define_int_guc(
        c"text2sql.max_repairs",
        c"How often a failed query goes back to the model.",
        c"0 to 5; 0 never asks again. The built-in engine never does.",
        &MAX_REPAIRS,
        0,
        5,
        Userset,
        none,
    );
    GucRegistry::define_enum_guc(
        c"text2sql.repair",
        c"What sends a query back to the model.",
        c"'errors': an error or a refusal. 'findings': also what is certainly wrong with a query that ran, such as a value that does not occur.",
        &REPAIR,
        Userset,
        none,
    );
    GucRegistry::define_int_guc(
        c"text2sql.candidates",
        c"How many candidate queries a model writes at the same time.",
        c"1 to 5, each by another strategy; the rows that most of them give are the answer, which says how many agree.",
        &CANDIDATES,
        1,
        5,
        Userset,
        none,
    );
    GucRegistry::define_enum_guc(
        c"text2sql.strategy",
        c"How a model gets from the question to the query.",
        c"'auto', 'direct', 'one_shot', 'chain_of_thought' or 'decompose'.",
        &STRATEGY,
        Userset,
        none,
    );
    GucRegistry::define_int_guc(
        c"text2sql.context_chars",
        c"Characters of schema in a prompt.",
        c"Up to this size the whole readable schema is sent; above it the tables that fit the question best.",
        &CONTEXT_CHARS,
        1_000,
        2_000_000,
        Userset,
        none,
    );
    let caps: [(&_, &_, &_, &GucSetting<i32>, i32, GucContext, GucFlags); 11] = [
        (c"text2sql.max_rows", c"Most rows of an answer.", c"The lower of this and text2sql.max_rows_ceiling counts; 'truncated' says when it bit.", &MAX_ROWS, 1, Userset, none),
        (c"text2sql.max_rows_ceiling", c"Bound on text2sql.max_rows.", c"Set by a superuser for everybody.", &MAX_ROWS_CEILING, 1, Suset, none),
        (c"text2sql.max_bytes", c"Most bytes of an answer.", c"The lower of this and text2sql.max_bytes_ceiling counts; 'truncated' says when it bit.", &MAX_BYTES, 1, Userset, kilobytes),
        (c"text2sql.max_bytes_ceiling", c"Bound on text2sql.max_bytes.", c"Set by a superuser for everybody.", &MAX_BYTES_CEILING, 1, Suset, kilobytes),
        (c"text2sql.statement_limit", c"Time for one generated query.", c"The lower of this and text2sql.statement_limit_ceiling counts. Works beside statement_timeout, which ends the whole question.", &STATEMENT_LIMIT, 1, Userset, milliseconds),
        (c"text2sql.statement_limit_ceiling", c"Bound on text2sql.statement_limit.", c"Set by a superuser for everybody.", &STATEMENT_LIMIT_CEILING, 1, Suset, milliseconds),
        (c"text2sql.memory_limit", c"Memory that one generated query may add to the backend.", c"The lower of this and text2sql.memory_limit_ceiling counts. 0 asks for the ceiling.", &MEMORY_LIMIT, 0, Userset, kilobytes),
        (c"text2sql.memory_limit_ceiling", c"Bound on text2sql.memory_limit.", c"Set by a superuser for everybody. 0 does not watch memory.", &MEMORY_LIMIT_CEILING, 0, Suset, kilobytes),
        (c"text2sql.work_mem_ceiling", c"Bound on work_mem in a generated query.", c"The caller's work_mem counts up to this.", &WORK_MEM_CEILING, 64, Suset, kilobytes),
        (c"text2sql.temp_file_ceiling", c"Bound on temporary files of a generated query.", c"temp_file_limit, where it is lower, stays.", &TEMP_FILE_CEILING, 0, Suset, kilobytes),
        (c"text2sql.parallel_workers_ceiling", c"Bound on max_parallel_workers_per_gather in a generated query.", c"0 makes no plan parallel.", &PARALLEL_CEILING, 0, Suset, none),
    ];
    for (name, short, long, setting, least, context, flags) in caps {
        GucRegistry::define_int_guc(name, short, long, setting, least, i32::MAX, context, flags);
    }
    GucRegistry::define_float_guc(
        c"text2sql.max_cost",
        c"Highest planner cost of a generated query.",
        c"The lower of this and text2sql.max_cost_ceiling counts. 0 asks for the ceiling.",
        &MAX_COST,
        0.0,
        f64::MAX,
        Userset,
        none,
    );
    GucRegistry::define_float_guc(
        c"text2sql.max_cost_ceiling",
        c"Bound on text2sql.max_cost.",
        c"Set by a superuser for everybody. 0 allows any cost.",
        &MAX_COST_CEILING,
        0.0,
        f64::MAX,
        Suset,
        none,
    );
    let switches: [(&_, &_, &_, &GucSetting<bool>); 2] = [
        (
            c"text2sql.allow_catalogs",
            c"Whether a generated query may read the system catalogs.",
            c"They name also what the caller may not read and what is hidden.",
            &ALLOW_CATALOGS,
        ),
        (
            c"text2sql.allow_foreign_tables",
            c"Whether a generated query may read foreign tables.",
            c"The other server does what it is asked, with the rights of the user mapping.",
            &ALLOW_FOREIGN_TABLES,
        ),
    ];
    for (name, short, long, setting) in switches {
        GucRegistry::define_bool_guc(name, short, long, setting, Suset, none);
    }
    GucRegistry::define_bool_guc(
        c"text2sql.narrate",
        c"Whether an answer carries a sentence.",
        c"The sentence's placeholders are filled in the server; no row leaves it for that.",
        &NARRATE,
        Userset,
        none,
    );
    GucRegistry::define_bool_guc(
        c"text2sql.progress",
        c"Whether each stage of a question announces itself.",
        c"Sends a NOTICE with the elapsed time as each stage begins.",
        &PROGRESS,
        Userset,
        none,
    );
    GucRegistry::define_bool_guc(
        c"text2sql.history",
        c"Whether questions are recorded in text2sql.history.",
        c"Each with its SQL, cost and stages, and what left the server for it in text2sql.egress_log. Never a value of a row.",
        &HISTORY,
        Suset,
        none,
    );
    GucRegistry::define_bool_guc(
        c"text2sql.history_prompts",
        c"Whether prompts and replies are recorded word for word.",
        c"In text2sql.egress_log. They hold what the endpoint's egress allowed to leave the server, row values at 'values' and 'rows' included.",
        &HISTORY_PROMPTS,
        Suset,
        none,
    );
    GucRegistry::define_int_guc(
        c"text2sql.history_days",
        c"Days that the history is kept.",
        c"Older questions are deleted while new ones are recorded. 0 keeps them all.",
        &HISTORY_DAYS,
        0,
        36_500,
        Suset,
        none,
    );
    let texts: [(&_, &_, &_, &GucSetting<Option<CString>>, GucContext, GucFlags); 7] = [
        (c"text2sql.run_as", c"Whose rights a superuser's questions run with.", c"A role that is not a superuser. Everybody else asks with his own rights.", &RUN_AS, Suset, none),
        (c"text2sql.trusted_extensions", c"Extensions whose functions a generated query may call.", c"Comma-separated names. Their volatile and SECURITY DEFINER functions stay refused.", &TRUSTED_EXTENSIONS, Suset, none),
        (c"text2sql.registered_functions", c"Functions of users that a generated query may call.", c"Comma-separated signatures with schema, such as 'shop.net_price(numeric)'. They run as they were written: name only what you have read.", &REGISTERED_FUNCTIONS, Suset, none),
        (c"text2sql.schemas", c"Schemas that questions may be about.", c"Comma-separated names. Empty is every schema that the caller may read.", &SCHEMAS, Suset, none),
        (c"text2sql.allowed_hosts", c"Hosts that model endpoints may have.", c"Comma-separated names; '.example.com' allows every host below it. Empty allows any.", &ALLOWED_HOSTS, Sighup, none),
        (c"text2sql.embedding_model", c"Who makes the vectors of the search index.", c"'hash', or the name of a foreign server of protocol 'embeddings'. After a change: CALL text2sql.refresh().", &EMBEDDING_MODEL, Userset, none),
        (c"text2sql.replay_file", c"File of recorded replies for the model 'replay'.", c"JSON lines of question and replies, read by the server: for tests and repeatable evaluation.", &REPLAY_FILE, Suset, GucFlags::SUPERUSER_ONLY),
    ];
    for (name, short, long, setting, context, flags) in texts {
        GucRegistry::define_string_guc(name, short, long, setting, context, flags);
    }
    GucRegistry::define_int_guc(
        c"text2sql.max_concurrency",
        c"Questions that may wait for an endpoint at a time in this database.",
        c"1 to 1000. One more is refused at once, so that a connection pool does not fill up with waiting backends.",
        &MAX_CONCURRENCY,
        1,
        1_000,
        Suset,
        none,
    );
    crate::pg::startup::reserve_setting_prefix(c"text2sql");
}

/// What one call may override, from its `options` argument.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Overrides {
    pub(crate) model: Option<String>,
    pub(crate) max_repairs: Option<u32>,
    pub(crate) candidates: Option<usize>,
    /// `Some(None)` is `auto`.
    pub(crate) strategy: Option<Option<Strategy>>,
    pub(crate) context_chars: Option<usize>,
    pub(crate) max_rows: Option<usize>,
    pub(crate) statement_limit: Option<u64>,
    pub(crate) narrate: Option<bool>,
}

/// The name of the model that is set, unless a call names another.
pub(crate) fn model(overrides: &Overrides) -> String {
    overrides.model.clone().unwrap_or_else(|| text(&MODEL))
}

/// The strategy that is set; `None` takes what fits the question.
fn strategy() -> Option<Strategy> {
    match STRATEGY.get() {
        StrategySetting::Auto => None,
        StrategySetting::Direct => Some(Strategy::Direct),
        StrategySetting::OneShot => Some(Strategy::OneShot),
        StrategySetting::ChainOfThought => Some(Strategy::ChainOfThought),
        StrategySetting::Decompose => Some(Strategy::Decompose),
    }
}

/// The finished configuration of a run.
pub(crate) fn config(model: ModelConfig, overrides: &Overrides) -> Config {
    let unsigned = |setting: &GucSetting<i32>| u32::try_from(setting.get()).unwrap_or(0);
    Config {
        model,
        max_repairs: overrides.max_repairs.unwrap_or(unsigned(&MAX_REPAIRS)),
        repair: match REPAIR.get() {
            RepairSetting::Errors => RepairTrigger::Errors,
            RepairSetting::Findings => RepairTrigger::Findings,
        },
        candidates: overrides
            .candidates
            .unwrap_or(unsigned(&CANDIDATES) as usize),
        strategy: overrides.strategy.unwrap_or_else(strategy),
        context_chars: overrides
            .context_chars
            .unwrap_or(unsigned(&CONTEXT_CHARS) as usize),
        retrieval: Default::default(),
        narrate: overrides.narrate.unwrap_or(NARRATE.get()),
        limits: limits(overrides),
    }
}

/// The caps on one generated statement: requests under their ceilings.
pub(crate) fn limits(overrides: &Overrides) -> Limits {
    let number = |setting: &GucSetting<i32>| usize::try_from(setting.get()).unwrap_or(0);
    let lower = |request: usize, ceiling: &GucSetting<i32>| request.min(number(ceiling));
    let milliseconds = overrides
        .statement_limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(number(&STATEMENT_LIMIT));
    Limits {
        max_rows: lower(
            overrides.max_rows.unwrap_or(number(&MAX_ROWS)),
            &MAX_ROWS_CEILING,
        ),
        max_bytes: lower(number(&MAX_BYTES), &MAX_BYTES_CEILING).saturating_mul(1024),
        max_cost: lower_or_any(MAX_COST.get(), MAX_COST_CEILING.get()),
        statement_limit: Duration::from_millis(lower(milliseconds, &STATEMENT_LIMIT_CEILING) as u64),
        memory_limit: lower_or_any_kilobytes(number(&MEMORY_LIMIT), number(&MEMORY_LIMIT_CEILING)),
    }
}

/// The lower of two, where 0 in a request asks for the ceiling and 0 in a ceiling sets none.
fn lower_or_any(request: f64, ceiling: f64) -> f64 {
    match (request > 0.0, ceiling > 0.0) {
        (true, true) => request.min(ceiling),
        (true, false) => request,
        (false, _) => ceiling,
    }
}

fn lower_or_any_kilobytes(request: usize, ceiling: usize) -> usize {
    let kilobytes = match (request, ceiling) {
        (0, ceiling) => ceiling,
        (request, 0) => request,
        (request, ceiling) => request.min(ceiling),
    };
    kilobytes.saturating_mul(1024)
}

/// Whether stages announce themselves.
pub(crate) fn progress() -> bool {
    PROGRESS.get()
}

/// Whether questions are recorded.
pub(crate) fn history() -> bool {
    HISTORY.get()
}

/// Whether prompts and replies are recorded word for word.
pub(crate) fn history_prompts() -> bool {
    HISTORY_PROMPTS.get()
}

/// Days that the history is kept; 0 keeps it.
pub(crate) fn history_days() -> i32 {
    HISTORY_DAYS.get()
}

/// Whose rights a superuser's questions run with.
pub(crate) fn run_as() -> Option<String> {
    Some(text(&RUN_AS)).filter(|role| !role.is_empty())
}

/// What the administrator decided about generated SQL.
pub(crate) fn guard_policy() -> GuardPolicy {
    GuardPolicy {
        schemas: schemas(),
        allow_catalogs: allow_catalogs(),
        allow_foreign_tables: allow_foreign_tables(),
        trusted_extensions: list(&TRUSTED_EXTENSIONS),
        registered_functions: registered_functions()
            .iter()
            .filter_map(|signature| registered::oid_of(signature))
            .collect(),
        work_mem_ceiling_kb: WORK_MEM_CEILING.get(),
        max_parallel_workers: PARALLEL_CEILING.get(),
        temp_file_limit_kb: TEMP_FILE_CEILING.get(),
    }
}

/// Schemas that questions may be about; `None` is all.
pub(crate) fn schemas() -> Option<Vec<String>> {
    Some(list(&SCHEMAS)).filter(|schemas| !schemas.is_empty())
}

/// Whether questions may be about the system catalogs.
pub(crate) fn allow_catalogs() -> bool {
    ALLOW_CATALOGS.get()
}

/// Whether questions may be about foreign tables.
pub(crate) fn allow_foreign_tables() -> bool {
    ALLOW_FOREIGN_TABLES.get()
}

/// Signatures of functions that a query may call.
pub(crate) fn registered_functions() -> Vec<String> {
    signatures(&text(&REGISTERED_FUNCTIONS))
}

/// Parts a list at the commas that stand outside parentheses and quotes.
fn signatures(text: &str) -> Vec<String> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    let parts = text.split(|c: char| {
        match c {
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0 && !is_quoted
    });
    let parts = parts.map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Hosts that endpoints may have; empty allows any.
pub(crate) fn allowed_hosts() -> Vec<String> {
    list(&ALLOWED_HOSTS)
        .into_iter()
        .map(|host| host.to_ascii_lowercase())
        .collect()
}

/// Who makes the vectors of the search index.
pub(crate) fn embedding_model() -> String {
    text(&EMBEDDING_MODEL)
}

/// Questions that may wait for an endpoint at a time.
pub(crate) fn max_concurrency() -> u16 {
    u16::try_from(MAX_CONCURRENCY.get()).unwrap_or(1)
}

/// The file of recorded replies, if one is set.
pub(crate) fn replay_file() -> Option<String> {
    Some(text(&REPLAY_FILE)).filter(|file| !file.is_empty())
}

fn text(setting: &GucSetting<Option<CString>>) -> String {
    setting
        .get()
        .map(|value| value.to_string_lossy().trim().to_owned())
        .unwrap_or_default()
}

fn list(setting: &GucSetting<Option<CString>>) -> Vec<String> {
    let text = text(setting);
    let names = text
        .split(',')
        .map(|name| name.trim().trim_matches('"').to_owned());
    names.filter(|name| !name.is_empty()).collect()
}
