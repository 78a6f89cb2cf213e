//! Answers questions in plain language from inside PostgreSQL.
//!
//! Start reading at `api/ask.rs`, then `crates/text2sql_engine/src/pipeline/mod.rs`. `api/` is the SQL surface,
//! `pg/` the only code that talks to PostgreSQL; in it, `settings/` is the only one that reads settings.
#![allow(
    clippy::result_large_err,
    reason = "errors carry message, detail and hint, and end the statement: their size does not matter"
)]

use pgrx::prelude::*;

mod api;
mod evaluation;
mod impact;
mod learning;
mod pg;
mod question;
mod statement;

#[cfg(not(panic = "unwind"))]
compile_error!("a PostgreSQL ERROR crosses Rust frames as a panic: build with panic = \"unwind\"");

pgrx::pg_module_magic!(name, version);

extension_sql_file!(
    "../sql/schema/install_check.sql",
    name = "install_check",
    bootstrap
);
extension_sql_file!(
    "../sql/schema/privileges.sql",
    name = "privileges",
    finalize
);

/// What CREATE EXTENSION runs: scripts by name, each after functions and scripts that it needs.
macro_rules! scripts {
    ($($name:tt = $file:tt $(after $required:tt)?;)+) => {
        $(extension_sql_file!($file, name = $name $(, requires = $required)?);)+
    };
}

scripts! {
    "models" = "../sql/schema/model_servers.sql"
        after [api::models::validate_options, api::models::model_state];
    "replicas" = "../sql/schema/replicas.sql";
    "search_index" = "../sql/schema/search_index.sql" after ["knowledge"];
    "knowledge" = "../sql/schema/knowledge.sql" after ["objects"];
    "imports" = "../sql/schema/imports.sql"
        after ["knowledge", api::import_knowledge::import];
    "maintenance" = "../sql/schema/maintenance_triggers.sql"
        after ["search_index", "knowledge", "maintenance_functions"];
    "knowledge_views" = "../sql/schema/knowledge_views.sql"
        after ["knowledge", "imports", api::define::problem_of_definition,
            api::define::parts_of_definition, api::examples::problem_of_sql];
    "instructions" = "../sql/schema/instructions.sql"
        after ["knowledge", api::instructions::add_instruction];
    "documents" = "../sql/schema/documents.sql"
        after ["search_index", "instructions", api::documents::add_document,
            api::index_text::index_text, api::search_text::search_text];
    "prompts" = "../sql/schema/prompts.sql"
        after ["knowledge", api::prompts::set_prompt, api::prompts::list_default_prompts,
            api::prompts::problem_of_stored_prompt];
    "samples" = "../sql/schema/samples.sql"
        after ["knowledge", "protection", api::protect::level_of];
    "knowledge_follow" = "../sql/schema/knowledge_follow.sql"
        after ["knowledge", "feedback", "instructions", "documents", "samples"];
    "feedback" = "../sql/schema/feedback.sql"
        after ["knowledge", "history", api::examples::add_example];
    "protection" = "../sql/schema/protection.sql" after ["objects", api::objects::catalog_stamp];
    "permissions" = "../sql/schema/permissions.sql"
        after [api::protect::level_of, api::protect::is_shown];
    "eval_schema" = "../sql/schema/text2sql_eval/schema.sql";
    "suites" = "../sql/schema/text2sql_eval/suites.sql"
        after ["eval_attempt", api::evaluate::_read_cases, api::conversation::relations_of];
    "evaluations" = "../sql/schema/text2sql_eval/evaluations.sql" after ["suites", "grade"];
    "figures" = "../sql/schema/text2sql_eval/figures.sql"
        after ["evaluations", api::evaluate::statistics::wilson,
            api::evaluate::statistics::reliability, api::evaluate::statistics::mcnemar];
    "cases_from_knowledge" = "../sql/schema/text2sql_eval/cases_from_knowledge.sql"
        after ["suites", "knowledge", "feedback"];
    "training" = "../sql/schema/text2sql_eval/training.sql"
        after ["suites", "knowledge", "feedback", "training_line",
            api::evaluate::training::_choose_training];
    "perturbation" = "../sql/schema/text2sql_eval/perturbation.sql"
        after ["suites", "perturb", api::perturb::_boundaries];
    "ablation" = "../sql/schema/text2sql_eval/ablation.sql" after ["figures"];
    "tuning" = "../sql/schema/text2sql_eval/tuning.sql" after ["ablation"];
    "tuning_space" = "../sql/schema/text2sql_eval/tuning_space.sql"
        after ["tuning", api::evaluate::tuning::_tuning_space];
    "tuning_steps" = "../sql/schema/text2sql_eval/tuning_steps.sql"
        after ["tuning_space", api::evaluate::tuning::_decide_tuning,
            api::evaluate::tuning::_judge_tuning];
    "proposals" = "../sql/schema/text2sql_eval/proposals.sql" after ["tuning_steps"];
    "report" = "../sql/schema/text2sql_eval/report.sql"
        after ["ablation", "tuning", "opinion", api::evaluate::report::_render_report];
    "measures_by_group" = "../sql/schema/text2sql_eval/measures.sql"
        after ["report", api::evaluate::measures::_measure_table,
            api::evaluate::measures::_element_errors, api::evaluate::measures::_significance];
    "labels" = "../sql/schema/text2sql_eval/labels.sql"
        after ["measures_by_group", api::evaluate::measures::kappa_of_labels];
    "confidence" = "../sql/schema/text2sql_eval/confidence.sql"
        after ["figures", "knowledge", "feedback", api::fit_confidence::_fit_confidence,
            api::fit_confidence::_confidence_drift];
    "comments" = "../sql/schema/comments.sql";
    "conversation" = "../sql/schema/conversation.sql" after [api::conversation::relations_of];
    "history" = "../sql/schema/history.sql" after ["conversation"];
    "approvals" = "../sql/schema/approvals.sql"
        after ["answer", "writable", "grants"];
    "queue" = "../sql/schema/queue.sql" after ["ask", "submit", "history", "conversation", "documents"];
    "budgets" = "../sql/schema/question_budgets.sql" after [api::budgets::budget_usage];
    "access" = "../sql/schema/access.sql"
        after ["budgets", "knowledge", "conversation", "approvals", "suites", "evaluations"];
    "writable" = "../sql/schema/writable.sql";
    "grants" = "../sql/schema/grants.sql";
}

/// Runs in each process that loads the library: defines settings and installs hooks; where the postmaster loads it,
/// also maps the file of the embedder `multilingual`.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    pg::server::backtrace::switch_off();
    pg::server::memory_reserve::reserve();
    pg::server::limits::interrupt_checks::watch();
    pg::server::settings::init();
    pg::access::guard::install();
    pg::server::error_hints::watch();
    pg::stored::models::sentence_encoder::open_in_postmaster();
    pg::search::maintenance::launcher::register();
}
