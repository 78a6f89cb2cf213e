//! The names of the readable tables that a prompt does not show, so that a model knows what else there is and can
//! ask for one by its name.
//!
//! Of a catalog that is too large to list, those that share something with the question.

use std::collections::HashSet;

use crate::certainty::Level;
use crate::context::Context;
use crate::prompt_size;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;

/// Maximum number of names that are read: a prompt of 120,000 characters lists about as many.
pub const MOST: usize = 1_000;

/// Minimum size of a name in a prompt, with what separates it from the next.
const SHORTEST: usize = 6;

/// Adds the names of the tables that are not among those of the context: first `ranked` ones, best first, then all
/// others where they are few. `count` is the number of readable tables, as far as it was counted.
pub(crate) fn add(
    cx: &Run<'_>,
    context: &mut Context,
    ranked: &[u32],
    count: usize,
) -> Result<(), Error> {
    if context.is_whole {
        return Ok(());
    }
    let level = context
        .certainty
        .as_ref()
        .map_or(Level::Uncertain, |certainty| certainty.level);
    let chars = prompt_size::chars(level, cx.config.schema_chars());
    let most = (prompt_size::name_chars(level, chars) / SHORTEST).min(MOST);
    let mut known: HashSet<u32> = context.tables.iter().map(|table| table.oid).collect();
    known.extend(&cx.config.without);
    // The member that represents a family names the others.
    let families = context.families.iter();
    let represented = families.filter(|family| family.named.is_empty());
    known.extend(represented.flat_map(|family| family.members.iter().map(|one| one.table)));
    let mut others: Vec<u32> = Vec::new();
    let mut push = |oid: u32, others: &mut Vec<u32>| {
        if others.len() < most && known.insert(oid) {
            others.push(oid);
        }
    };
    for oid in ranked {
        push(*oid, &mut others);
    }
    if count <= most {
        for oid in cx.catalog.find(&[], most)? {
            push(oid, &mut others);
        }
    }
    context.others = cx.catalog.names(&others)?;
    Ok(())
}
