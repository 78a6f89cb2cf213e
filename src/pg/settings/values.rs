//! Every setting of ours: its default, its range and the reason for both. Nothing else reads
//! settings; a run gets a finished [`Config`].
//!
//! A cap is a pair: anyone may request (`USERSET`), a superuser bounds (`…_ceiling`, `SUSET`), and
//! the lower one counts. No key is ever a setting: until a library is loaded anyone can `SHOW` a
//! placeholder.

use std::ffi::CString;
use std::time::Duration;

use pgrx::guc::{GucSetting, PostgresGucEnum};
use text2sql_core::config::Limits;
use text2sql_core::judge::RepairTrigger;
use text2sql_core::strategy::Strategy;

use super::guard_policy::GuardPolicy;
use super::reading::ReadingOverrides;
use super::registered;

/// Who writes the SQL. `builtin` needs no network and no key, so that a first try works.
pub(super) static MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"builtin"));

/// Repairs after a failed query. The literature finds the gain in the first two.
pub(super) static MAX_REPAIRS: GucSetting<i32> = GucSetting::<i32>::new(2);

/// What sends a query back to the model. `findings`: blind repair of what ran makes things worse, so
/// only what is certain counts.
pub(super) static REPAIR: GucSetting<RepairSetting> =
    GucSetting::<RepairSetting>::new(RepairSetting::Findings);

/// The values of `text2sql.repair`.
#[derive(Clone, Copy, PostgresGucEnum)]
pub(super) enum RepairSetting {
    #[name = c"errors"]
    Errors,
    #[name = c"findings"]
    Findings,
    #[name = c"gate"]
    Gate,
}

/// Candidates asked for at the same time. One: each costs a call, and agreement is worth most where
/// the question matters.
pub(super) static CANDIDATES: GucSetting<i32> = GucSetting::<i32>::new(1);

/// How a model gets to the query. `auto`: short questions at once, others in steps.
pub(super) static STRATEGY: GucSetting<StrategySetting> =
    GucSetting::<StrategySetting>::new(StrategySetting::Auto);

/// The values of `text2sql.strategy`.
#[derive(Clone, Copy, PostgresGucEnum)]
pub(super) enum StrategySetting {
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

/// Dependent steps of an answer. Four: what takes more is several questions.
pub(super) static MAX_STEPS: GucSetting<i32> = GucSetting::<i32>::new(4);

/// Characters of schema in a prompt: about 8,000 tokens, which every current model reads well.
/// Pruning a schema that fits costs accuracy, so the default is generous.
pub(super) static CONTEXT_CHARS: GucSetting<i32> = GucSetting::<i32>::new(30_000);

/// Rows: more than a person reads, little enough to hold in memory.
pub(super) static MAX_ROWS: GucSetting<i32> = GucSetting::<i32>::new(1_000);
pub(super) static MAX_ROWS_CEILING: GucSetting<i32> = GucSetting::<i32>::new(100_000);

/// Kilobytes of result: 4 MB is far more than a page of answers, and small beside `work_mem`.
pub(super) static MAX_BYTES: GucSetting<i32> = GucSetting::<i32>::new(4 * 1024);
pub(super) static MAX_BYTES_CEILING: GucSetting<i32> = GucSetting::<i32>::new(64 * 1024);

/// What functions that return bare rows do with a result that a cap cut. `error`: clients do not show
/// warnings, and a count over a cut result is a wrong number.
pub(super) static ON_TRUNCATION: GucSetting<OnTruncation> =
    GucSetting::<OnTruncation>::new(OnTruncation::Error);

/// The values of `text2sql.on_truncation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PostgresGucEnum)]
pub(crate) enum OnTruncation {
    /// Nothing is handed over.
    #[name = c"error"]
    Error,
    /// The first rows are handed over, with a WARNING.
    #[name = c"warning"]
    Warning,
}

/// Planner cost: a full scan of a few hundred million rows still passes, a cross join of two
/// tables of a hundred thousand rows does not.
pub(super) static MAX_COST: GucSetting<f64> = GucSetting::<f64>::new(5.0e6);
pub(super) static MAX_COST_CEILING: GucSetting<f64> = GucSetting::<f64>::new(5.0e8);

/// Time for one generated query: as long as a person waits.
pub(super) static STATEMENT_LIMIT: GucSetting<i32> = GucSetting::<i32>::new(30_000);
pub(super) static STATEMENT_LIMIT_CEILING: GucSetting<i32> = GucSetting::<i32>::new(300_000);

/// Memory one generated query may add to the backend: `work_mem` does not bound single values and
/// aggregate states. 512 MB leaves a hash aggregate its room on a small server.
pub(super) static MEMORY_LIMIT: GucSetting<i32> = GucSetting::<i32>::new(512 * 1024);
pub(super) static MEMORY_LIMIT_CEILING: GucSetting<i32> = GucSetting::<i32>::new(2 * 1024 * 1024);

/// Whether an answer carries a sentence.
pub(super) static NARRATE: GucSetting<bool> = GucSetting::<bool>::new(true);

/// Whether each stage announces itself.
pub(super) static PROGRESS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Whether questions are recorded. On: an administrator who does not know what was asked cannot
/// answer for it.
pub(super) static HISTORY: GucSetting<bool> = GucSetting::<bool>::new(true);

/// Whether prompts and replies are recorded word for word. Off: they repeat the whole schema.
pub(super) static HISTORY_PROMPTS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Days that the history is kept: a quarter, as long as people ask about.
pub(super) static HISTORY_DAYS: GucSetting<i32> = GucSetting::<i32>::new(90);

/// Whose rights a superuser's questions run with: reads every table and can do nothing else.
pub(super) static RUN_AS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"pg_read_all_data"));

/// Extensions whose non-volatile functions a query may call: they compute, and reach nothing.
pub(super) static TRUSTED_EXTENSIONS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(
    c"pg_trgm, hstore, citext, unaccent, fuzzystrmatch, vector, ltree, intarray, cube, earthdistance, btree_gin, btree_gist, isn, postgis, tsm_system_rows, tsm_system_time",
));

/// Schemas that questions may be about; empty is all that the caller may read.
pub(super) static SCHEMAS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Whether a query may read `pg_catalog` and `information_schema`: they tell of objects that the
/// caller may not read.
pub(super) static ALLOW_CATALOGS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Whether a query may read foreign tables: reading one is work, and sometimes an effect, elsewhere.
pub(super) static ALLOW_FOREIGN_TABLES: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Functions of users that a query may call.
pub(super) static REGISTERED_FUNCTIONS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Kilobytes of `work_mem` of a query: 256 MB sorts a few million rows in memory, and a plan may
/// take it several times.
pub(super) static WORK_MEM_CEILING: GucSetting<i32> = GucSetting::<i32>::new(256 * 1024);

/// Kilobytes of temporary files of a query.
pub(super) static TEMP_FILE_CEILING: GucSetting<i32> = GucSetting::<i32>::new(256 * 1024);

/// Workers under one node of a query's plan: more than most servers give.
pub(super) static PARALLEL_CEILING: GucSetting<i32> = GucSetting::<i32>::new(8);

/// Questions that may wait for an endpoint at a time in one database: a pool must not fill up with
/// backends that wait.
pub(super) static MAX_CONCURRENCY: GucSetting<i32> = GucSetting::<i32>::new(8);

/// The same for one role; 0 leaves one place to the others. A role with a slow model must not keep everybody
/// else from asking, and an application that asks as one role needs nearly all of them.
pub(super) static MAX_CONCURRENCY_PER_ROLE: GucSetting<i32> = GucSetting::<i32>::new(0);

/// Hosts that endpoints may have; empty allows any. The outer bound, above every server's options.
pub(super) static ALLOWED_HOSTS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Who makes the vectors of the search index. `hash` needs no network and no key.
pub(super) static EMBEDDING_MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"hash"));

/// Who puts the found tables in order. Empty: the re-ranker in the process, which needs no network.
pub(super) static RERANK_MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Where the embedder `local` finds its model. A superuser's: it names a file of the server.
pub(super) static LOCAL_MODEL_DIR: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Recorded replies for the model `replay`.
pub(super) static REPLAY_FILE: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// What one call may override, from its `options` argument.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Overrides {
    pub(crate) model: Option<String>,
    pub(crate) max_repairs: Option<u32>,
    pub(crate) candidates: Option<usize>,
    /// `Some(None)` is `auto`.
    pub(crate) strategy: Option<Option<Strategy>>,
    pub(crate) max_steps: Option<usize>,
    pub(crate) context_chars: Option<usize>,
    pub(crate) max_rows: Option<usize>,
    pub(crate) on_truncation: Option<OnTruncation>,
    pub(crate) statement_limit: Option<u64>,
    pub(crate) narrate: Option<bool>,
    pub(crate) repair: Option<RepairTrigger>,
    pub(crate) stages_off: Option<String>,
    pub(crate) reading: ReadingOverrides,
    /// Relations that the answer must not read; no option of a caller.
    pub(crate) without: Vec<u32>,
}

/// The name of the model that is set, unless a call names another.
pub(crate) fn model(overrides: &Overrides) -> String {
    overrides.model.clone().unwrap_or_else(|| text(&MODEL))
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

/// What becomes of a cut result in functions that return bare rows.
pub(crate) fn on_truncation(overrides: &Overrides) -> OnTruncation {
    overrides.on_truncation.unwrap_or(ON_TRUNCATION.get())
}

/// The bounds on how much of a result may be asked for.
pub(crate) struct ResultCaps {
    pub(crate) max_rows_ceiling: usize,
    pub(crate) max_kilobytes_ceiling: usize,
}

/// The bounds on how much of a result may be asked for.
pub(crate) fn result_caps() -> ResultCaps {
    let number = |setting: &GucSetting<i32>| usize::try_from(setting.get()).unwrap_or(0);
    ResultCaps {
        max_rows_ceiling: number(&MAX_ROWS_CEILING),
        max_kilobytes_ceiling: number(&MAX_BYTES_CEILING),
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

/// Who puts the found tables in order, if anybody but the process itself.
pub(crate) fn rerank_model() -> Option<String> {
    Some(text(&RERANK_MODEL)).filter(|name| !name.is_empty())
}

/// The directory of the embedder `local`, if one is set.
#[cfg(feature = "local")]
pub(crate) fn local_model_dir() -> Option<String> {
    Some(text(&LOCAL_MODEL_DIR)).filter(|directory| !directory.is_empty())
}

/// Questions that may wait for an endpoint at a time.
pub(crate) fn max_concurrency() -> u16 {
    u16::try_from(MAX_CONCURRENCY.get()).unwrap_or(1)
}

/// Questions of one role that may wait for an endpoint at a time.
pub(crate) fn max_concurrency_per_role() -> u16 {
    match u16::try_from(MAX_CONCURRENCY_PER_ROLE.get()) {
        Ok(bound @ 1..) => bound,
        _ => max_concurrency().saturating_sub(1).max(1),
    }
}

/// The file of recorded replies, if one is set.
pub(crate) fn replay_file() -> Option<String> {
    Some(text(&REPLAY_FILE)).filter(|file| !file.is_empty())
}

pub(super) fn text(setting: &GucSetting<Option<CString>>) -> String {
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
