//! Every setting: its default, its range and the reason for both. Nothing else reads settings; a run
//! gets a finished [`Config`](text2sql_domain::config::Config).

pub(crate) mod allowed_function_oids;
pub(crate) mod checked_text;
mod config;
mod guard_policy;
mod model_settings;
mod prefix;
mod setting_list;
mod setting_values;
mod tuning;

pub(crate) use self::config::{config, switched_off};
pub(crate) use self::guard_policy::GuardPolicy;
pub(crate) use self::model_settings::{
    judge_model, models, narration_model, rerank_model, suggestion_model, table_choice_model,
};
pub(crate) use self::setting_list::init;
#[cfg(feature = "local")]
pub(crate) use self::setting_values::local_model_directory;
pub(crate) use self::setting_values::{
    OnTruncation, Overrides, allow_foreign_tables, allow_system_catalogs, allowed_functions,
    allowed_hosts, allowed_schemas, approval_validity, embedding_model, enable_history,
    enable_maintenance, enable_progress, enable_prompt_history, guard_policy, history_retention,
    kept_rows, language, limits, maintenance_databases, maintenance_interval, maintenance_role,
    max_concurrency, max_concurrency_per_role, max_conversation_turns, on_truncation,
    passage_length, passage_overlap, queue_workers, replay_file, run_as, run_on,
};
pub(crate) use self::tuning::{boolean, keys as tuning_keys, text as text_value, whole_number};
