//! Every setting: its default, its range and the reason for both. Nothing else reads settings; a run
//! gets a finished [`Config`](text2sql_core::config::Config).

mod checked_text;
mod config;
mod define;
mod guard_policy;
mod judging;
mod prefix;
mod reading;
pub(crate) mod registered;
mod values;

pub(crate) use self::config::config;
pub(crate) use self::define::init;
pub(crate) use self::guard_policy::GuardPolicy;
pub(crate) use self::reading::conversation_turns;
#[cfg(feature = "local")]
pub(crate) use self::values::local_model_dir;
pub(crate) use self::values::{
    OnTruncation, Overrides, allow_catalogs, allow_foreign_tables, allowed_hosts, embedding_model,
    guard_policy, history, history_days, history_prompts, limits, max_concurrency,
    max_concurrency_per_role, model, on_truncation, progress, registered_functions, replay_file,
    rerank_model, result_caps, run_as, schemas,
};
