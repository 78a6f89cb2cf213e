//! Tells PostgreSQL about every setting: name, range, who may set it, and what `\\dconfig+` shows.

use std::ffi::CString;

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};

use super::values::{
    ALLOW_CATALOGS, ALLOW_FOREIGN_TABLES, ALLOWED_HOSTS, CANDIDATES, CONTEXT_CHARS,
    EMBEDDING_MODEL, HISTORY, HISTORY_DAYS, HISTORY_PROMPTS, LOCAL_MODEL_DIR, MAX_BYTES,
    MAX_BYTES_CEILING, MAX_CONCURRENCY, MAX_CONCURRENCY_PER_ROLE, MAX_COST, MAX_COST_CEILING,
    MAX_REPAIRS, MAX_ROWS, MAX_ROWS_CEILING, MAX_STEPS, MEMORY_LIMIT, MEMORY_LIMIT_CEILING, MODEL,
    NARRATE, ON_TRUNCATION, PARALLEL_CEILING, PROGRESS, REGISTERED_FUNCTIONS, REPAIR, REPLAY_FILE,
    RERANK_MODEL, RUN_AS, SCHEMAS, STATEMENT_LIMIT, STATEMENT_LIMIT_CEILING, STRATEGY,
    TEMP_FILE_CEILING, TRUSTED_EXTENSIONS, WORK_MEM_CEILING,
};
use super::{judging, reading};

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
        c"'errors': an error or a refusal. 'findings': also what is certainly wrong with a query that ran, such as a value that does not occur. 'gate': also a score below text2sql.score_threshold, and an empty result.",
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
        c"text2sql.max_steps",
        c"Most dependent steps of an answer.",
        c"1 to 6; 1 takes one statement. A later step reads the rows of earlier ones, which leave the server only for an endpoint with egress 'rows'.",
        &MAX_STEPS,
        1,
        6,
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
        (c"text2sql.max_rows", c"Most rows of an answer.", c"The lower of this and text2sql.max_rows_ceiling counts; text2sql.on_truncation says what becomes of a larger one.", &MAX_ROWS, 1, Userset, none),
        (c"text2sql.max_rows_ceiling", c"Bound on text2sql.max_rows.", c"Set by a superuser for everybody.", &MAX_ROWS_CEILING, 1, Suset, none),
        (c"text2sql.max_bytes", c"Most bytes of an answer.", c"The lower of this and text2sql.max_bytes_ceiling counts; text2sql.on_truncation says what becomes of a larger one.", &MAX_BYTES, 1, Userset, kilobytes),
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
    GucRegistry::define_enum_guc(
        c"text2sql.on_truncation",
        c"What functions that return bare rows do with a result that text2sql.max_rows or text2sql.max_bytes cuts.",
        c"'error': nothing is returned. 'warning': the first rows are returned. ask, show and run_json always return them and say so.",
        &ON_TRUNCATION,
        Userset,
        none,
    );
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
    let texts: [(&_, &_, &_, &GucSetting<Option<CString>>, GucContext, GucFlags); 9] = [
        (c"text2sql.run_as", c"Whose rights a superuser's questions run with.", c"A role that is not a superuser. Everybody else asks with his own rights.", &RUN_AS, Suset, none),
        (c"text2sql.trusted_extensions", c"Extensions whose functions a generated query may call.", c"Comma-separated names. Their volatile and SECURITY DEFINER functions stay refused.", &TRUSTED_EXTENSIONS, Suset, none),
        (c"text2sql.registered_functions", c"Functions of users that a generated query may call.", c"Comma-separated signatures with schema, such as 'shop.net_price(numeric)'. They run as they were written: name only what you have read.", &REGISTERED_FUNCTIONS, Suset, none),
        (c"text2sql.schemas", c"Schemas that questions may be about.", c"Comma-separated names. Empty is every schema that the caller may read.", &SCHEMAS, Suset, none),
        (c"text2sql.allowed_hosts", c"Hosts that model endpoints may have.", c"Comma-separated names; '.example.com' allows every host below it. Empty allows any.", &ALLOWED_HOSTS, Sighup, none),
        (c"text2sql.embedding_model", c"Who makes the vectors of the search index.", c"'hash', 'local', or the name of a foreign server of protocol 'embeddings'. After a change: CALL text2sql.refresh().", &EMBEDDING_MODEL, Userset, none),
        (c"text2sql.rerank_model", c"Who puts the tables that a search found in order.", c"The name of a foreign server of protocol 'rerank' on which the role has USAGE. Empty leaves it to the server itself.", &RERANK_MODEL, Userset, none),
        (c"text2sql.local_model_dir", c"Directory of the model of the embedder 'local'.", c"With config.json, tokenizer.json and model.safetensors, read by the server.", &LOCAL_MODEL_DIR, Suset, GucFlags::SUPERUSER_ONLY),
        (c"text2sql.replay_file", c"File of recorded replies for the model 'replay'.", c"JSON lines of question and replies, read by the server: for tests and repeatable evaluation.", &REPLAY_FILE, Suset, GucFlags::SUPERUSER_ONLY),
    ];
    for (name, short, long, setting, context, flags) in texts {
        GucRegistry::define_string_guc(name, short, long, setting, context, flags);
    }
    // Of the configuration file alone: what sessions count together must mean the same for all of them.
    let concurrency: [(&_, &_, &_, &GucSetting<i32>, i32); 2] = [
        (c"text2sql.max_concurrency", c"Questions that may wait for an endpoint at a time in a database.", c"1 to 1000. One more is refused at once, so that a connection pool does not fill up with waiting backends.", &MAX_CONCURRENCY, 1),
        (c"text2sql.max_concurrency_per_role", c"Questions of one role that may wait for an endpoint at a time in a database.", c"0 to 1000; 0 is one less than text2sql.max_concurrency, so that one role cannot keep all others from asking.", &MAX_CONCURRENCY_PER_ROLE, 0),
    ];
    for (name, short, long, setting, least) in concurrency {
        GucRegistry::define_int_guc(name, short, long, setting, least, 1_000, Sighup, none);
    }
    judging::define();
    reading::define();
    super::prefix::reserve_setting_prefix(c"text2sql");
}
