//! `text2sql.set_prompt(name, text)`: prompt templates that replace those of the extension.

use pgrx::prelude::*;
use text2sql_models::prompt::{default_prompts, problem_of_prompt};

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::prompts;

/// Replaces a template for all roles and sessions, and returns its version; NULL restores that of the extension.
#[pg_extern(volatile, parallel_unsafe)]
fn set_prompt(name: Option<Text<'_>>, text: Option<Text<'_>>) -> Result<i32, ErrorReport> {
    let name = name.as_deref();
    let version = match text.as_deref() {
        Some(text) => prompts::set(name, text),
        None => prompts::reset(name),
    };
    version.map_err(report)
}

/// The templates of the extension that can be replaced, for the view `prompts`.
#[pg_extern(stable, parallel_unsafe, name = "_default_prompts")]
fn list_default_prompts() -> TableIterator<
    'static,
    (
        name!(name, String),
        name!(text, String),
        name!(placeholders, Vec<String>),
    ),
> {
    TableIterator::new(default_prompts().map(|prompt| {
        let placeholders = prompt.placeholders.iter().map(|name| (*name).to_owned());
        (
            prompt.name.to_owned(),
            prompt.text.to_owned(),
            placeholders.collect(),
        )
    }))
}

/// Why a text cannot replace a template, for the view `prompts`; NULL when it can, and for NULL.
#[pg_extern(stable, parallel_unsafe, name = "_problem_of_prompt")]
fn problem_of_stored_prompt(name: Option<Text<'_>>, text: Option<Text<'_>>) -> Option<String> {
    let name = name.as_deref();
    let text = text.as_deref();
    problem_of_prompt(name?, text?).map(|problem| format!("it {problem}"))
}
