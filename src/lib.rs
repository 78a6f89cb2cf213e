//! Answers questions in plain language from inside PostgreSQL.
//!
//! Start reading at `api/ask.rs`, then `pipeline/mod.rs` in `text2sql_core`. `api/` is the SQL surface,
//! `pg/` the only code that talks to PostgreSQL, `settings/` the only one that reads settings.
#![allow(
    clippy::result_large_err,
    reason = "errors carry message, detail and hint, and end the statement: their size costs nothing"
)]

use pgrx::prelude::*;

mod api;
mod evaluation;
mod explanation;
mod given;
mod pg;
mod question;
mod settings;

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
    requires = [api::models::validate_options]
);
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
    "../sql/schema/knowledge_follow.sql",
    name = "knowledge_follow",
    requires = ["knowledge", "feedback"]
);
extension_sql_file!(
    "../sql/schema/feedback.sql",
    name = "feedback",
    requires = ["knowledge", "history", api::examples::verify_example]
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
    "../sql/schema/evaluation.sql",
    name = "evaluation",
    requires = ["evaluate", api::evaluate::_read_cases]
);
extension_sql_file!(
    "../sql/schema/evaluation_views.sql",
    name = "evaluation_views",
    requires = [
        "evaluation",
        api::evaluate::wilson,
        api::evaluate::mcnemar,
        api::evaluate::reliability
    ]
);
extension_sql_file!(
    "../sql/schema/evaluation_examples.sql",
    name = "evaluation_examples",
    requires = ["evaluation", "knowledge", "feedback"]
);
extension_sql_file!(
    "../sql/schema/perturbation.sql",
    name = "perturbation",
    requires = ["evaluation", "perturb", api::evaluate::_boundaries]
);
extension_sql_file!(
    "../sql/schema/ablation.sql",
    name = "ablation",
    requires = ["evaluation_views", api::evaluate::_render_report]
);
extension_sql_file!(
    "../sql/schema/confidence.sql",
    name = "confidence",
    requires = [
        "evaluation_views",
        "knowledge",
        api::fit_confidence::_fit_confidence
    ]
);
extension_sql_file!("../sql/schema/comments.sql", name = "comments");
extension_sql_file!("../sql/schema/conversation.sql", name = "conversation");
extension_sql_file!(
    "../sql/schema/history.sql",
    name = "history",
    requires = ["conversation"]
);
extension_sql_file!("../sql/schema/budgets.sql", name = "budgets");
extension_sql_file!("../sql/schema/writable.sql", name = "writable");
extension_sql_file!("../sql/schema/grants.sql", name = "grants");
extension_sql_file!("../sql/schema/privileges.sql", name = "privileges", finalize);

/// Runs in each process that loads the library: settings and hooks, nothing that costs.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    pg::backtrace::switch_off();
    pg::interrupts::watch();
    settings::init();
    pg::guard::install();
}

/// What `cargo pgrx test` calls before the tests in the server.
#[cfg(test)]
pub mod pg_test {
    /// Nothing to set up.
    pub fn setup(_options: Vec<&str>) {}

    /// Nothing beyond the defaults.
    #[must_use]
    pub fn postgresql_conf_options() -> Vec<&'static str> {
        Vec::new()
    }
}
