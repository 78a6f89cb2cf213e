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
    "../sql/schema/models.sql",
    name = "models",
    requires = [api::models::validate_options, api::models::model_state]
);
extension_sql_file!("../sql/schema/replicas.sql", name = "replicas");
extension_sql_file!(
    "../sql/schema/search_index.sql",
    name = "search_index",
    requires = ["knowledge"]
);
extension_sql_file!(
    "../sql/schema/knowledge.sql",
    name = "knowledge",
    requires = ["objects"]
);
extension_sql_file!(
    "../sql/schema/imports.sql",
    name = "imports",
    requires = ["knowledge", api::import_knowledge::import]
);
extension_sql_file!(
    "../sql/schema/maintenance.sql",
    name = "maintenance",
    requires = ["search_index", "knowledge", "maintenance_functions"]
);
extension_sql_file!(
    "../sql/schema/knowledge_views.sql",
    name = "knowledge_views",
    requires = [
        "knowledge",
        "imports",
        api::define::problem_of_definition,
        api::define::parts_of_definition,
        api::examples::problem_of_sql
    ]
);
extension_sql_file!(
    "../sql/schema/instructions.sql",
    name = "instructions",
    requires = ["knowledge", api::instructions::add_instruction]
);
extension_sql_file!(
    "../sql/schema/documents.sql",
    name = "documents",
    requires = [
        "search_index",
        "instructions",
        api::documents::add_document,
        api::documents::import_documents,
        api::documents::share_document,
        api::index_text::index_text,
        api::search_text::search_text
    ]
);
extension_sql_file!(
    "../sql/schema/prompts.sql",
    name = "prompts",
    requires = [
        "knowledge",
        api::prompts::set_prompt,
        api::prompts::list_default_prompts,
        api::prompts::problem_of_stored_prompt
    ]
);
extension_sql_file!(
    "../sql/schema/samples.sql",
    name = "samples",
    requires = [
        "knowledge",
        "protection",
        api::protect::level_of,
        api::samples::add_samples
    ]
);
extension_sql_file!(
    "../sql/schema/knowledge_follow.sql",
    name = "knowledge_follow",
    requires = [
        "knowledge",
        "feedback",
        "instructions",
        "documents",
        "samples"
    ]
);
extension_sql_file!(
    "../sql/schema/feedback.sql",
    name = "feedback",
    requires = ["knowledge", "history", api::examples::add_example]
);
extension_sql_file!(
    "../sql/schema/protection.sql",
    name = "protection",
    requires = ["objects", api::objects::catalog_stamp]
);
extension_sql_file!(
    "../sql/schema/permissions.sql",
    name = "permissions",
    requires = [api::protect::level_of, api::protect::is_shown]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/schema.sql",
    name = "eval_schema"
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/suites.sql",
    name = "suites",
    requires = ["eval_attempt", api::evaluate::_read_cases]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/evaluations.sql",
    name = "evaluations",
    requires = ["suites", "grade"]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/figures.sql",
    name = "figures",
    requires = [
        "evaluations",
        api::evaluate::statistics::wilson,
        api::evaluate::statistics::reliability
    ]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/compare.sql",
    name = "compare",
    requires = ["figures", api::evaluate::statistics::mcnemar]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/cases_from_knowledge.sql",
    name = "cases_from_knowledge",
    requires = ["suites", "knowledge", "feedback"]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/training.sql",
    name = "training",
    requires = [
        "suites",
        "knowledge",
        "feedback",
        "training_line",
        api::evaluate::training::_choose_training
    ]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/perturbation.sql",
    name = "perturbation",
    requires = ["suites", "perturb", api::perturb::_boundaries]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/ablation.sql",
    name = "ablation",
    requires = ["compare"]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/tuning.sql",
    name = "tuning",
    requires = ["ablation"]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/tuning_space.sql",
    name = "tuning_space",
    requires = ["tuning", api::evaluate::tuning::_tuning_space]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/tuning_steps.sql",
    name = "tuning_steps",
    requires = [
        "tuning_space",
        api::evaluate::tuning::_decide_tuning,
        api::evaluate::tuning::_judge_tuning
    ]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/proposals.sql",
    name = "proposals",
    requires = ["tuning_steps"]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/report.sql",
    name = "report",
    requires = [
        "ablation",
        "tuning",
        "opinion",
        api::evaluate::report::_render_report
    ]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/measures.sql",
    name = "measures_by_group",
    requires = [
        "report",
        api::evaluate::measures::_measure_table,
        api::evaluate::measures::_element_errors,
        api::evaluate::measures::_significance
    ]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/labels.sql",
    name = "labels",
    requires = [
        "measures_by_group",
        api::evaluate::measures::kappa_of_labels
    ]
);
extension_sql_file!(
    "../sql/schema/text2sql_eval/confidence.sql",
    name = "confidence",
    requires = [
        "figures",
        "knowledge",
        "feedback",
        api::fit_confidence::_fit_confidence,
        api::fit_confidence::_confidence_drift
    ]
);
extension_sql_file!("../sql/schema/comments.sql", name = "comments");
extension_sql_file!(
    "../sql/schema/conversation.sql",
    name = "conversation",
    requires = [api::conversation::may_run]
);
extension_sql_file!(
    "../sql/schema/history.sql",
    name = "history",
    requires = ["conversation"]
);
extension_sql_file!(
    "../sql/schema/approvals.sql",
    name = "approvals",
    requires = ["answer", "writable", "grants", api::approvals::approve]
);
extension_sql_file!(
    "../sql/schema/queue.sql",
    name = "queue",
    requires = ["ask", "submit", "history", "conversation"]
);
extension_sql_file!(
    "../sql/schema/budgets.sql",
    name = "budgets",
    requires = [api::budgets::budget_usage]
);
extension_sql_file!(
    "../sql/schema/access.sql",
    name = "access",
    requires = [
        "budgets",
        "knowledge",
        "conversation",
        "approvals",
        "suites",
        "evaluations"
    ]
);
extension_sql_file!("../sql/schema/writable.sql", name = "writable");
extension_sql_file!("../sql/schema/grants.sql", name = "grants");
extension_sql_file!(
    "../sql/schema/privileges.sql",
    name = "privileges",
    finalize
);

/// Runs in each process that loads the library: defines settings and installs hooks; where the postmaster loads it,
/// also maps the file of the embedder `multilingual`.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    pg::server::backtrace::switch_off();
    pg::server::limits::interrupt_checks::watch();
    pg::server::settings::init();
    pg::access::guard::install();
    pg::server::error_hints::watch();
    pg::stored::models::sentence_encoder::open_in_postmaster();
    pg::search::maintenance::launcher::register();
}
