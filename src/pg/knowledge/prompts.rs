//! The prompt templates that the owner has replaced, cached for the session. One that does not fit the template of
//! this version of the library is not used.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use serde::Deserialize;
use text2sql_domain::error::Error;
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_models::prompt::problem_of_prompt;

use crate::pg::catalog::catalog_generation;
use crate::pg::objects::own_tables::may_read;
use crate::pg::spi;
use crate::pg::spi::sandbox::keep_no_locks;

const READ_PROMPTS: &str = include_str!("../../../sql/queries/read_prompts.sql");

thread_local! {
    /// Never borrowed while a query runs.
    static KNOWN: RefCell<Option<Arc<OwnPrompts>>> = const { RefCell::new(None) };
    /// The generation of the catalog in which they were read.
    static GENERATION: Cell<u64> = const { Cell::new(0) };
}

#[derive(Deserialize)]
struct Document {
    name: String,
    version: i32,
    text: String,
}

/// The templates in use.
pub(crate) fn in_use() -> Result<Arc<OwnPrompts>, Error> {
    let generation = catalog_generation();
    if GENERATION.replace(generation) != generation {
        KNOWN.set(None);
    }
    if let Some(known) = KNOWN.with_borrow(Clone::clone) {
        return Ok(known);
    }
    let mut prompts = OwnPrompts::default();
    for document in documents()? {
        if problem_of_prompt(&document.name, &document.text).is_none() {
            prompts.insert(&document.name, document.version, document.text);
        }
    }
    let prompts = Arc::new(prompts);
    // A role without the privilege must not decide what the next one uses.
    if may_read(c"_prompts") {
        KNOWN.set(Some(Arc::clone(&prompts)));
    }
    Ok(prompts)
}

/// The names of the templates that do not fit, each with the reason.
pub(crate) fn unfit() -> Result<Vec<(String, String)>, Error> {
    let unfit = documents()?.into_iter().filter_map(|document| {
        let problem = problem_of_prompt(&document.name, &document.text)?;
        Some((document.name, problem))
    });
    Ok(unfit.collect())
}

fn documents() -> Result<Vec<Document>, Error> {
    match may_read(c"_prompts") {
        true => keep_no_locks(|| spi::read_json(READ_PROMPTS, &[])),
        false => Ok(Vec::new()),
    }
}
