//! Registers every setting with PostgreSQL: name, range, who may set it, and what `\dconfig+` shows.

use std::ffi::{CStr, CString};

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};

use super::model_settings::{EngineList, MODEL};
use super::setting_values::{
    ALLOW_FOREIGN_TABLES, ALLOW_SYSTEM_CATALOGS, ALLOWED_FUNCTIONS, ALLOWED_HOSTS, ALLOWED_SCHEMAS,
    APPROVAL_VALIDITY, EMBEDDING_MODEL, ENABLE_HISTORY, ENABLE_PROGRESS, HISTORY_RETENTION,
    KEEP_ANSWERS, LANGUAGE, LOCAL_MODEL_DIRECTORY, LanguageName, MAINTENANCE_DATABASES,
    MAINTENANCE_INTERVAL, MAINTENANCE_ROLE, MAX_CONCURRENCY, MAX_CONCURRENCY_PER_ROLE, MAX_COST,
    MAX_KEPT_ROWS, MAX_PARALLEL_WORKERS, MAX_RESULT_ROWS, MAX_RESULT_SIZE, MAX_TEMP_FILE_SIZE,
    MAX_WORK_MEM, MEMORY_LIMIT, PASSAGE_LENGTH, PASSAGE_OVERLAP, QUERY_TIMEOUT, QUEUE_WORKERS,
    REPLAY_FILE, RUN_AS, RUN_ON, TRUSTED_EXTENSIONS, TUNING,
};
use super::tuning::TuningText;
use super::{checked_text, prefix};

/// A hundred years.
const MAX_RETENTION_MINUTES: i32 = 36_500 * 24 * 60;

/// Defines the settings. Called once in each process that loads the library.
pub(crate) fn init() {
    define_choices();
    define_switches();
    define_numbers();
    define_texts();
    prefix::reserve_setting_prefix(c"text2sql");
}

/// Settings with a fixed list of values.
fn define_choices() {
    GucRegistry::define_enum_guc(
        c"text2sql.enable_history",
        c"Enables recording of questions in text2sql.history.",
        c"Each question is recorded with its SQL, cost and stages, and what left the server for it is recorded in text2sql.egress_log. Values of rows are never recorded, except with 'prompts', which also records prompts and replies there: they contain what the egress of the endpoint allowed to leave the server.",
        &ENABLE_HISTORY,
        GucContext::Suset,
        GucFlags::default(),
    );
}

type Switch = (
    &'static CStr,
    &'static CStr,
    &'static CStr,
    &'static GucSetting<bool>,
    GucContext,
);

fn define_switches() {
    let switches: [Switch; 4] = [
        (
            c"text2sql.keep_answers",
            c"Keeps the sentence and the first rows of answers in conversations.",
            c"text2sql.conversation_turns shows them to the role that asked, while it may still run their queries. text2sql.max_kept_rows sets how many rows are kept.",
            &KEEP_ANSWERS,
            GucContext::Userset,
        ),
        (
            c"text2sql.enable_progress",
            c"Enables a NOTICE as each stage of a question begins.",
            c"The NOTICE names the stage and the elapsed time. Its SQLSTATE is T2S01, and its DETAIL is JSON for programs: the stage, and the query, what it does, its first rows and its score as they become known.",
            &ENABLE_PROGRESS,
            GucContext::Userset,
        ),
        (
            c"text2sql.allow_system_catalogs",
            c"Allows generated queries to read the system catalogs.",
            c"The catalogs also name objects that the caller may not read and objects that are hidden.",
            &ALLOW_SYSTEM_CATALOGS,
            GucContext::Suset,
        ),
        (
            c"text2sql.allow_foreign_tables",
            c"Allows generated queries to read foreign tables.",
            c"The other server runs the query with the rights of the user mapping.",
            &ALLOW_FOREIGN_TABLES,
            GucContext::Suset,
        ),
    ];
    for (name, short, long, setting, context) in switches {
        GucRegistry::define_bool_guc(name, short, long, setting, context, GucFlags::default());
    }
}

/// A number with its smallest and largest value.
type Number = (
    &'static CStr,
    &'static CStr,
    &'static CStr,
    &'static GucSetting<i32>,
    (i32, i32),
    GucContext,
    GucFlags,
);

fn define_numbers() {
    use GucContext::{Sighup, Suset, Userset};
    let none = GucFlags::default();
    let (kilobytes, milliseconds) = (GucFlags::UNIT_KB, GucFlags::UNIT_MS);
    let numbers: [Number; 16] = [
        (c"text2sql.passage_length", c"Sets the maximum length of a passage of a document, in characters.", c"Documents are cut at headings, paragraphs and sentences. refresh() cuts again those that were cut with another length.", &PASSAGE_LENGTH, (100, 10_000), Suset, none),
        (c"text2sql.passage_overlap", c"Sets how much of the end of a passage the next one repeats, in characters.", c"Whole sentences are repeated, at most half of text2sql.passage_length.", &PASSAGE_OVERLAP, (0, 5_000), Suset, none),
        (c"text2sql.max_kept_rows", c"Sets the maximum number of rows that text2sql.keep_answers keeps of an answer.", c"0 keeps nothing, the sentence neither, whatever text2sql.keep_answers is.", &MAX_KEPT_ROWS, (0, 1_000), Suset, none),
        (c"text2sql.max_result_rows", c"Sets the maximum number of rows of a result.", c"The key on_truncation of text2sql.tuning says what happens to a larger result.", &MAX_RESULT_ROWS, (1, i32::MAX), Userset, none),
        (c"text2sql.max_result_size", c"Sets the maximum size of a result.", c"The key on_truncation of text2sql.tuning says what happens to a larger result.", &MAX_RESULT_SIZE, (1, i32::MAX), Userset, kilobytes),
        (c"text2sql.query_timeout", c"Sets the maximum time of one generated query.", c"statement_timeout applies as well and ends the whole question. The options of a call can lower the limit.", &QUERY_TIMEOUT, (1, i32::MAX), Suset, milliseconds),
        (c"text2sql.memory_limit", c"Sets the maximum memory that one generated query may add to the backend.", c"0 sets no limit. The options of a call can lower the limit.", &MEMORY_LIMIT, (0, i32::MAX), Suset, kilobytes),
        (c"text2sql.max_work_mem", c"Sets the maximum work_mem of a generated query.", c"A lower work_mem of the session is kept.", &MAX_WORK_MEM, (64, i32::MAX), Suset, kilobytes),
        (c"text2sql.max_temp_file_size", c"Sets the maximum temp_file_limit of a generated query.", c"A lower temp_file_limit is kept.", &MAX_TEMP_FILE_SIZE, (0, i32::MAX), Suset, kilobytes),
        (c"text2sql.max_parallel_workers", c"Sets the maximum max_parallel_workers_per_gather of a generated query.", c"0 turns parallel plans off. A lower value of the session is kept.", &MAX_PARALLEL_WORKERS, (0, i32::MAX), Suset, none),
        (c"text2sql.history_retention", c"Sets the time after which recorded questions are deleted.", c"They are deleted while new ones are recorded. 0 keeps all of them.", &HISTORY_RETENTION, (0, MAX_RETENTION_MINUTES), Suset, GucFlags::UNIT_MIN),
        (c"text2sql.approval_validity", c"Sets how long a query waits for approval, and how long an approval is valid.", c"After that the question has to be asked again.", &APPROVAL_VALIDITY, (1, MAX_RETENTION_MINUTES), Suset, GucFlags::UNIT_MIN),
        (c"text2sql.maintenance_interval", c"Sets the time after which a background worker looks for changes of the search index again.", c"A worker starts after DDL, new knowledge and questions, and in this interval where the library is in shared_preload_libraries; it waits longer where that took more than a twentieth of the time, and after a failure. With 0 there is none: only CALL text2sql.refresh() changes the index.", &MAINTENANCE_INTERVAL, (0, 86_400), Suset, GucFlags::UNIT_S),
        // In the configuration file alone: sessions count together, so all need the same value.
        (c"text2sql.max_concurrency", c"Sets the maximum number of questions that wait for endpoints at the same time in a database.", c"One more question is refused at once, so that a connection pool does not fill up with waiting backends.", &MAX_CONCURRENCY, (1, 1_000), Sighup, none),
        (c"text2sql.queue_workers", c"Sets the maximum number of background workers that answer submitted questions in a database.", c"They are started by submit(), and regularly where the library is in shared_preload_libraries. With 0 only CALL text2sql.work() has them answered.", &QUEUE_WORKERS, (0, 64), Sighup, none),
        (c"text2sql.max_concurrency_per_role", c"Sets the maximum number of questions of one role that wait for endpoints at the same time in a database.", c"0 stands for one less than text2sql.max_concurrency, so that one role cannot keep all others from asking.", &MAX_CONCURRENCY_PER_ROLE, (0, 1_000), Sighup, none),
    ];
    for (name, short, long, setting, (least, greatest), context, flags) in numbers {
        GucRegistry::define_int_guc(name, short, long, setting, least, greatest, context, flags);
    }
    GucRegistry::define_float_guc(
        c"text2sql.max_cost",
        c"Sets the maximum cost that the planner may estimate for a generated query.",
        c"0 sets no limit. The options of a call can lower the limit.",
        &MAX_COST,
        0.0,
        f64::MAX,
        Suset,
        none,
    );
}

type Text = (
    &'static CStr,
    &'static CStr,
    &'static CStr,
    &'static GucSetting<Option<CString>>,
    GucContext,
    GucFlags,
);

fn define_texts() {
    use GucContext::{Sighup, Suset, Userset};
    let none = GucFlags::default();
    let texts: [Text; 11] = [
        (c"text2sql.embedding_model", c"Sets the model that makes the vectors of the search index.", c"The value is 'auto', 'multilingual', 'hash', 'local', or the name of a model of protocol 'embeddings'. With 'auto' it is 'multilingual' where the file of that embedder is installed, else 'hash'. A change for the database takes effect with the next background worker, any other with CALL text2sql.refresh(). A session whose value names the embedder of CALL text2sql.refresh(second_embedder => …) uses the vectors that this made.", &EMBEDDING_MODEL, Userset, none),
        (c"text2sql.run_as", c"Sets the role with whose privileges the questions of a superuser run.", c"The role must not be a superuser. All other roles ask with their own privileges.", &RUN_AS, Suset, none),
        (c"text2sql.run_on", c"Sets the replica on which generated queries run.", c"The value is the name of a foreign server of the wrapper text2sql_replica on which the role has USAGE. If it is empty, they run on this server.", &RUN_ON, Userset, none),
        (c"text2sql.maintenance_role", c"Sets the role whose privileges decide which values a background worker puts into the search index.", c"If it is empty, that is the role that called refresh() last, or the owner of the extension. A superuser is replaced by text2sql.run_as.", &MAINTENANCE_ROLE, Suset, none),
        (c"text2sql.maintenance_databases", c"Sets the databases for which the launcher starts background workers.", c"The value is a comma-separated list of names. If it is empty, it starts them for all databases. It has an effect only where the library is in shared_preload_libraries.", &MAINTENANCE_DATABASES, Sighup, none),
        (c"text2sql.allowed_schemas", c"Sets the schemas that questions may be about.", c"The value is a comma-separated list of names. If it is empty, questions may be about every schema that the caller may read.", &ALLOWED_SCHEMAS, Suset, none),
        (c"text2sql.allowed_functions", c"Sets the user-defined functions that generated queries may call.", c"The value is a comma-separated list of signatures with schema, such as 'shop.net_price(numeric)'. The functions run as they were written, so read a function before you allow it.", &ALLOWED_FUNCTIONS, Suset, none),
        (c"text2sql.trusted_extensions", c"Sets the extensions whose functions generated queries may call.", c"The value is a comma-separated list of names. Volatile and SECURITY DEFINER functions of these extensions are still refused.", &TRUSTED_EXTENSIONS, Suset, none),
        (c"text2sql.allowed_hosts", c"Sets the hosts that endpoints of models may have.", c"The value is a comma-separated list of names; '.example.com' allows every host below it. If it is empty, any host is allowed.", &ALLOWED_HOSTS, Sighup, none),
        (c"text2sql.local_model_directory", c"Sets the directory of the embedding model 'local'.", c"The server reads config.json, tokenizer.json and model.safetensors from it.", &LOCAL_MODEL_DIRECTORY, Suset, GucFlags::SUPERUSER_ONLY),
        (c"text2sql.replay_file", c"Sets the file of recorded replies for the model 'replay'.", c"The server reads JSON lines of questions and replies from it, for tests and repeatable evaluation.", &REPLAY_FILE, Suset, GucFlags::SUPERUSER_ONLY),
    ];
    for (name, short, long, setting, context, flags) in texts {
        GucRegistry::define_string_guc(name, short, long, setting, context, flags);
    }
    checked_text::define::<LanguageName>(
        c"text2sql.language",
        c"Sets the language of explanations, findings, lessons and exercises.",
        c"The value is 'auto', or a language such as 'en' or 'de'. With 'auto' it is the language of the question, and without a question that of lc_messages, if it is one of the others; else English.",
        &LANGUAGE,
        Userset,
    );
    checked_text::define::<EngineList>(
        c"text2sql.model",
        c"Sets the models that write the SQL, in the order in which they are asked.",
        c"The value is a comma-separated list of 'builtin', 'replay', and names of models that were added with text2sql.add_model() and on which the role has USAGE. The first one that is sure answers; the next one takes over where one declines, fails, has no key, or a budget is used up.",
        &MODEL,
        Userset,
    );
    checked_text::define::<TuningText>(
        c"text2sql.tuning",
        c"Sets how questions are answered, as a JSON object.",
        c"The keys are on_ambiguity (ask or choose: whether the readings of an ambiguous question are returned, or the likeliest is answered), on_truncation (error or warning: what functions that return bare rows do with a result above max_result_rows or max_result_size), enable_narration (whether an answer has a sentence; no row leaves the server for it), max_conversation_turns (how many earlier turns a question is given), max_repairs, repair_on, enable_relevance_check, enable_table_choice, judge_model, narration_model, table_choice_model, suggestion_model, rerank_model, max_schema_chars, usual_schema_chars, candidates, strategy, max_steps, max_looks, without, score_weights, score_threshold, topic_threshold, completeness_threshold, relevance_threshold, relevance_share, example_count, value_count, column_count, table_word_weight, table_vector_weight, table_value_weight, text_depth, text_word_weight, text_vector_weight, instructions and prompts. A key that is left out has its default.",
        *TUNING,
        Userset,
    );
}
