//! Every setting: its default, its range and the reason for both. Nothing else reads settings; a run
//! gets a finished [`Config`].
//!
//! Any user may set what limits a result. What protects the server (cost, time, memory) can be set by
//! superusers and by roles with `GRANT SET ON PARAMETER`; the `options` of a call can only lower it. No key of
//! an endpoint is a setting: until a library is loaded any user can `SHOW` a placeholder.

use std::collections::HashSet;
use std::ffi::CString;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use pgrx::guc::{GucSetting, PostgresGucEnum};
use text2sql_domain::config::Limits;
use text2sql_phrases::Language;

use super::allowed_function_oids;
use super::checked_text::CheckedText;
use super::guard_policy::GuardPolicy;
use super::tuning::{self, Tuning};

/// Seconds between two looks for what has changed, as `autovacuum_naptime`; 0 is none: the index is kept up to date by
/// `refresh()` alone.
pub(super) static MAINTENANCE_INTERVAL: GucSetting<i32> = GucSetting::<i32>::new(60);

/// The role that reads values in the background.
pub(super) static MAINTENANCE_ROLE: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// The databases that the launcher looks after. Empty: all.
pub(super) static MAINTENANCE_DATABASES: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// The language of explanations. `auto`: that of the question, else of the server's messages.
pub(super) static LANGUAGE: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"auto"));

/// `auto`, or a language of the catalogue.
pub(super) struct LanguageName;

impl CheckedText for LanguageName {
    fn check(text: &str) -> Result<(), String> {
        match text == "auto" || Language::named(text).is_some() {
            true => Ok(()),
            false => Err(format!("There is no language \"{text}\".")),
        }
    }

    fn hint() -> String {
        let tags: Vec<&str> = Language::all().map(Language::tag).collect();
        format!("Available values: auto, {}.", tags.join(", "))
    }
}

/// The language of explanations, if one is set.
pub(crate) fn language() -> Option<Language> {
    LANGUAGE
        .get()
        .and_then(|name| Language::named(&name.to_string_lossy()))
}

/// How questions are answered.
pub(super) static TUNING: LazyLock<&'static GucSetting<Option<CString>>> = LazyLock::new(|| {
    Box::leak(Box::new(GucSetting::<Option<CString>>::new(
        tuning::default_text(),
    )))
});

/// Maximum number of rows: more than a person reads, few enough to hold in memory.
pub(super) static MAX_RESULT_ROWS: GucSetting<i32> =
    GucSetting::<i32>::new(Limits::DEFAULT.max_result_rows as i32);

/// Whether the answers to questions of conversations are kept, for their role alone; each role may switch it off.
pub(super) static KEEP_ANSWERS: GucSetting<bool> = GucSetting::<bool>::new(true);

/// Maximum characters of a passage: a few paragraphs, which a sentence model still reads as one topic.
pub(super) static PASSAGE_LENGTH: GucSetting<i32> = GucSetting::<i32>::new(1_000);

/// Characters that the next passage repeats: a sentence or two, so that none is without what leads to it.
pub(super) static PASSAGE_OVERLAP: GucSetting<i32> = GucSetting::<i32>::new(150);

/// Maximum number of rows that are kept of an answer: as many as a chart shows.
pub(super) static MAX_KEPT_ROWS: GucSetting<i32> = GucSetting::<i32>::new(100);

/// Maximum kilobytes of a result: 4 MB is far more than a page of answers, and small compared with `work_mem`.
pub(super) static MAX_RESULT_SIZE: GucSetting<i32> =
    GucSetting::<i32>::new((Limits::DEFAULT.max_result_bytes / 1024) as i32);

/// What functions that return bare rows do with a truncated result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnTruncation {
    /// No rows are returned.
    Error,
    /// The first rows are returned, with a WARNING.
    Warning,
}

/// Planner cost: a full scan of a few hundred million rows still passes, a cross join of two
/// tables of a hundred thousand rows does not.
pub(super) static MAX_COST: GucSetting<f64> = GucSetting::<f64>::new(Limits::DEFAULT.max_cost);

/// Milliseconds for one generated query: as long as a person waits.
pub(super) static QUERY_TIMEOUT: GucSetting<i32> =
    GucSetting::<i32>::new(Limits::DEFAULT.query_timeout.as_millis() as i32);

/// Kilobytes that one generated query may add to the backend: `work_mem` does not limit single values and
/// aggregate states. 512 MB suffices for a hash aggregate on a small server.
pub(super) static MEMORY_LIMIT: GucSetting<i32> =
    GucSetting::<i32>::new((Limits::DEFAULT.memory_limit / 1024) as i32);

/// Whether a NOTICE reports each stage of a question.
pub(super) static ENABLE_PROGRESS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// What is recorded. Questions, because an administrator is responsible for what was asked; not prompts and replies, which
/// repeat the whole schema.
pub(super) static ENABLE_HISTORY: GucSetting<Recorded> =
    GucSetting::<Recorded>::new(Recorded::Questions);

/// The values of `text2sql.enable_history`.
#[derive(Clone, Copy, PartialEq, Eq, PostgresGucEnum)]
pub(super) enum Recorded {
    #[name = c"off"]
    Nothing,
    #[name = c"on"]
    Questions,
    #[name = c"prompts"]
    Prompts,
}

/// Minutes for which the history is kept: three months.
pub(super) static HISTORY_RETENTION: GucSetting<i32> = GucSetting::<i32>::new(90 * 24 * 60);

/// A week: the person who approves may be away for some days, and a query must not run long after it was judged.
pub(super) static APPROVAL_VALIDITY: GucSetting<i32> = GucSetting::<i32>::new(7 * 24 * 60);

/// The role that runs the queries of a superuser: it can read every table and do nothing else.
pub(super) static RUN_AS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"pg_read_all_data"));

/// The replica on which generated queries run; empty means this server.
pub(super) static RUN_ON: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Extensions whose non-volatile functions a query may call: they only compute.
pub(super) static TRUSTED_EXTENSIONS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(
    c"pg_trgm, hstore, citext, unaccent, fuzzystrmatch, vector, ltree, intarray, cube, earthdistance, btree_gin, btree_gist, isn, postgis, tsm_system_rows, tsm_system_time",
));

/// Schemas that questions may be about; empty means all that the caller can read.
pub(super) static ALLOWED_SCHEMAS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Whether a query may read `pg_catalog` and `information_schema`: they name objects that the caller cannot
/// read.
pub(super) static ALLOW_SYSTEM_CATALOGS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Whether a query may read foreign tables: reading one has a cost, and sometimes an effect, on another server.
pub(super) static ALLOW_FOREIGN_TABLES: GucSetting<bool> = GucSetting::<bool>::new(false);

/// User-defined functions that a query may call.
pub(super) static ALLOWED_FUNCTIONS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Maximum `work_mem` of a query in kilobytes: 256 MB sorts a few million rows in memory, and a plan may use it
/// several times.
pub(super) static MAX_WORK_MEM: GucSetting<i32> = GucSetting::<i32>::new(256 * 1024);

/// Maximum size of the temporary files of a query in kilobytes.
pub(super) static MAX_TEMP_FILE_SIZE: GucSetting<i32> = GucSetting::<i32>::new(256 * 1024);

/// Maximum number of workers under one node of a query's plan: more than most servers allow.
pub(super) static MAX_PARALLEL_WORKERS: GucSetting<i32> = GucSetting::<i32>::new(8);

/// Maximum number of questions that may wait for an endpoint at the same time in one database: a pool must not
/// fill up with waiting backends.
pub(super) static MAX_CONCURRENCY: GucSetting<i32> = GucSetting::<i32>::new(8);

/// The same for one role; 0 leaves one slot to the others. A role with a slow model must not block all others,
/// and an application that uses a single role needs nearly all slots.
pub(super) static MAX_CONCURRENCY_PER_ROLE: GucSetting<i32> = GucSetting::<i32>::new(0);

/// Background workers that answer submitted questions without a call. Two leave most of max_worker_processes to
/// others.
pub(super) static QUEUE_WORKERS: GucSetting<i32> = GucSetting::<i32>::new(2);

/// Hosts that endpoints may have; empty allows any. It takes precedence over the options of every server.
pub(super) static ALLOWED_HOSTS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// The model that makes the vectors of the search index. `auto` needs no network and no key.
pub(super) static EMBEDDING_MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"auto"));

/// Directory of the model of the embedder `local`. Only for superusers: it names a directory of the server.
pub(super) static LOCAL_MODEL_DIRECTORY: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Recorded replies for the model `replay`.
pub(super) static REPLAY_FILE: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// Settings that one call overrides, from its `options` argument.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Overrides {
    pub(crate) model: Option<String>,
    pub(crate) max_result_rows: Option<usize>,
    /// In bytes.
    pub(crate) max_result_bytes: Option<usize>,
    pub(crate) max_cost: Option<f64>,
    pub(crate) query_timeout: Option<Duration>,
    /// In bytes.
    pub(crate) memory_limit: Option<usize>,
    /// What the question means; its form was checked.
    pub(crate) meaning: Option<Arc<serde_json::Value>>,
    pub(crate) tuning: Tuning,
    /// Relations that the answer must not read; not an option of a caller.
    pub(crate) without: Vec<u32>,
    /// Verified examples that a prompt must not show; not an option of a caller.
    pub(crate) hidden_examples: HashSet<u32>,
}

impl Overrides {
    /// The same for a function that has no column for a sentence.
    pub(crate) fn without_narration(self) -> Self {
        Self {
            tuning: self.tuning.without_narration(),
            ..self
        }
    }
}

/// What a question is answered with, by the setting and by the options of the call.
pub(super) fn tuned(overrides: &Overrides) -> Tuning {
    // The check hook accepts only valid values.
    let set = Tuning::read(&text(*TUNING)).unwrap_or_default();
    overrides.tuning.over(set)
}

/// The limits of one generated statement. The options of a call were checked when they were read: they can only
/// lower the superuser's limits.
pub(crate) fn limits(overrides: &Overrides) -> Limits {
    Limits {
        max_result_rows: overrides
            .max_result_rows
            .unwrap_or_else(|| number(&MAX_RESULT_ROWS)),
        max_result_bytes: overrides
            .max_result_bytes
            .unwrap_or_else(|| number(&MAX_RESULT_SIZE).saturating_mul(1024)),
        max_cost: overrides.max_cost.unwrap_or_else(|| MAX_COST.get()),
        query_timeout: overrides
            .query_timeout
            .unwrap_or_else(|| Duration::from_millis(number(&QUERY_TIMEOUT) as u64)),
        memory_limit: overrides
            .memory_limit
            .unwrap_or_else(|| number(&MEMORY_LIMIT).saturating_mul(1024)),
    }
}

pub(super) fn number(setting: &GucSetting<i32>) -> usize {
    usize::try_from(setting.get()).unwrap_or(0)
}

/// What happens to a truncated result in functions that return bare rows.
pub(crate) fn on_truncation(overrides: &Overrides) -> OnTruncation {
    match tuned(overrides).word("on_truncation") {
        Some("warning") => OnTruncation::Warning,
        _ => OnTruncation::Error,
    }
}

/// How many rows of an answer are kept; `None` if no answer is. The owner of the server can set 0 for a role that
/// must keep none.
pub(crate) fn kept_rows() -> Option<usize> {
    let rows = usize::try_from(MAX_KEPT_ROWS.get()).ok();
    rows.filter(|rows| KEEP_ANSWERS.get() && *rows > 0)
}

/// Maximum number of earlier turns for a question of a conversation.
pub(crate) fn max_conversation_turns(overrides: &Overrides) -> i32 {
    tuned(overrides).conversation_turns()
}

/// Whether a NOTICE reports each stage of a question.
pub(crate) fn enable_progress() -> bool {
    ENABLE_PROGRESS.get()
}

/// Whether questions are recorded.
pub(crate) fn enable_history() -> bool {
    ENABLE_HISTORY.get() != Recorded::Nothing
}

/// Whether prompts and replies are recorded verbatim.
pub(crate) fn enable_prompt_history() -> bool {
    ENABLE_HISTORY.get() == Recorded::Prompts
}

/// Minutes for which the history is kept; 0 keeps all of it.
pub(crate) fn history_retention() -> i32 {
    HISTORY_RETENTION.get()
}

/// Minutes for which a query waits for approval, and for which an approval is valid.
pub(crate) fn approval_validity() -> i32 {
    APPROVAL_VALIDITY.get()
}

/// The role that runs the queries of a superuser.
pub(crate) fn run_as() -> Option<String> {
    Some(text(&RUN_AS)).filter(|role| !role.is_empty())
}

/// The replica on which generated queries run, if not here.
pub(crate) fn run_on() -> Option<String> {
    Some(text(&RUN_ON)).filter(|server| !server.is_empty())
}

/// The administrator's settings for generated SQL.
pub(crate) fn guard_policy() -> GuardPolicy {
    GuardPolicy {
        allowed_schemas: allowed_schemas(),
        allow_system_catalogs: allow_system_catalogs(),
        allow_foreign_tables: allow_foreign_tables(),
        trusted_extensions: list(&TRUSTED_EXTENSIONS),
        allowed_functions: allowed_functions()
            .iter()
            .filter_map(|signature| allowed_function_oids::oid_of(signature))
            .collect(),
        max_work_mem_kb: MAX_WORK_MEM.get(),
        max_parallel_workers: MAX_PARALLEL_WORKERS.get(),
        max_temp_file_size_kb: MAX_TEMP_FILE_SIZE.get(),
    }
}

/// Schemas that questions may be about; `None` is all.
pub(crate) fn allowed_schemas() -> Option<Vec<String>> {
    Some(list(&ALLOWED_SCHEMAS)).filter(|schemas| !schemas.is_empty())
}

/// Whether questions may be about the system catalogs.
pub(crate) fn allow_system_catalogs() -> bool {
    ALLOW_SYSTEM_CATALOGS.get()
}

/// Whether questions may be about foreign tables.
pub(crate) fn allow_foreign_tables() -> bool {
    ALLOW_FOREIGN_TABLES.get()
}

/// Signatures of functions that a query may call.
pub(crate) fn allowed_functions() -> Vec<String> {
    signatures(&text(&ALLOWED_FUNCTIONS))
}

/// Splits a list at the commas outside parentheses and quotes.
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

/// The model that makes the vectors of the search index.
pub(crate) fn embedding_model() -> String {
    text(&EMBEDDING_MODEL)
}

/// Whether the search index is kept up to date without calls of `refresh()`.
pub(crate) fn enable_maintenance() -> bool {
    MAINTENANCE_INTERVAL.get() > 0
}

/// Time between two looks for what has changed; where there are none, between two looks whether there are now.
pub(crate) fn maintenance_interval() -> Duration {
    match number(&MAINTENANCE_INTERVAL) {
        0 => Duration::from_mins(1),
        seconds => Duration::from_secs(seconds as u64),
    }
}

/// The role whose privileges decide which values are in the search index, if one is set.
pub(crate) fn maintenance_role() -> Option<String> {
    Some(text(&MAINTENANCE_ROLE)).filter(|role| !role.is_empty())
}

/// The databases that the launcher looks after; empty is all.
pub(crate) fn maintenance_databases() -> Vec<String> {
    list(&MAINTENANCE_DATABASES)
}

/// The directory of the embedder `local`, if one is set.
#[cfg(feature = "local")]
pub(crate) fn local_model_directory() -> Option<String> {
    Some(text(&LOCAL_MODEL_DIRECTORY)).filter(|directory| !directory.is_empty())
}

/// Questions that may wait for an endpoint at a time.
pub(crate) fn max_concurrency() -> u16 {
    u16::try_from(MAX_CONCURRENCY.get()).unwrap_or(1)
}

/// Background workers that answer submitted questions without a call.
pub(crate) fn queue_workers() -> u16 {
    u16::try_from(QUEUE_WORKERS.get()).unwrap_or(0)
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

/// Maximum characters of a passage.
pub(crate) fn passage_length() -> usize {
    usize::try_from(PASSAGE_LENGTH.get()).unwrap_or(1_000)
}

/// Characters that the next passage repeats.
pub(crate) fn passage_overlap() -> usize {
    usize::try_from(PASSAGE_OVERLAP.get()).unwrap_or(0)
}
