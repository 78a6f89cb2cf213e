//! The prompt templates that the owner has replaced, cached for the session. One that does not fit the template of
//! this version of the library is not used.

use std::sync::Arc;

use serde::Deserialize;
use text2sql_domain::error::Error;
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_models::prompt::problem_of_prompt;

use crate::pg::access::catalog::SessionCache;
use crate::pg::access::objects::own_tables::may_read;
use crate::pg::server::spi;
use crate::pg::server::spi::sandbox::keep_no_locks;

const READ_PROMPTS: &str = include_str!("../../../../sql/queries/read_prompts.sql");

thread_local! {
    /// By whether the role may read them: one without the privilege must not decide what the next one uses.
    static KNOWN: SessionCache<bool, Arc<OwnPrompts>> = SessionCache::new(2);
}

#[derive(Deserialize)]
struct Document {
    name: String,
    version: i32,
    text: String,
}

/// The templates in use.
pub(crate) fn in_use() -> Result<Arc<OwnPrompts>, Error> {
    SessionCache::get_or_read(&KNOWN, may_read(c"_prompts"), || {
        let mut prompts = OwnPrompts::default();
        for document in documents()? {
            if problem_of_prompt(&document.name, &document.text).is_none() {
                prompts.insert(&document.name, document.version, document.text);
            }
        }
        Ok(Arc::new(prompts))
    })
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
