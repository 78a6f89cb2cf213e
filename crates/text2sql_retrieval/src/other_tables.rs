//! The names of the readable tables that a prompt does not show, so that a model knows what else there is and can
//! ask for one by its name.
//!
//! Those that share most with the question come first, then those of the schemas of the best; of a catalog that is too large to list, there are no
//! others.

use std::collections::HashSet;

use crate::context::Context;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;

/// Maximum number of readable tables of a catalog that is listed: a prompt of 120,000 characters has room for about
/// as many names.
pub const MOST: usize = 1_000;

/// How many of the ranked tables are named first, and of how many of the best the schema says what is named next.
const NEXT_BEST: usize = 20;
const BEST: usize = 8;

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
    let mut known: HashSet<u32> = context.tables.iter().map(|table| table.oid).collect();
    known.extend(&cx.config.without);
    // The member that represents a family names the others.
    let families = context.families.iter();
    let represented = families.filter(|family| family.named.is_empty());
    known.extend(represented.flat_map(|family| family.members.iter().map(|one| one.table)));
    let mut others: Vec<u32> = Vec::new();
    let mut push = |oid: u32, others: &mut Vec<u32>| {
        if others.len() < MOST && known.insert(oid) {
            others.push(oid);
        }
    };
    for oid in ranked {
        push(*oid, &mut others);
    }
    // In a larger catalog, the tables that come first by name are no help, and reading them takes long.
    if count <= MOST {
        for oid in cx.catalog.find(&[], MOST)? {
            push(oid, &mut others);
        }
    }
    context.others = cx.catalog.names(&others)?;
    // After the next best, those beside the best: there are joins and namesakes.
    let best = context.tables.iter().take(BEST);
    let schemas: HashSet<&str> = best.map(|table| table.schema.as_str()).collect();
    let far = context.others.get_mut(NEXT_BEST..).unwrap_or_default();
    far.sort_by_key(|table| !schemas.contains(table.schema.as_str()));
    Ok(())
}
