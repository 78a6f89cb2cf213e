//! Replaces the tables that the search found by those that a model chose by name.
//!
//! A name that the model was not shown is ignored. Tables that the question names, and those whose values it
//! mentions, stay: a choice can lose neither.

use std::sync::Arc;

use crate::context::Context;
use crate::found_table::Reason;
use crate::table_details::{describe_found, targets_not_among};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::schema::{Table, TableName};

/// Maximum number of tables that are referred to by chosen ones and added.
const MAX_REFERRED: usize = 5;

/// Keeps the tables of these names, at most `most`, in their order. Returns how many were chosen; with none, the
/// context stays as it is.
pub fn choose(
    cx: &Run<'_>,
    context: &mut Context,
    names: &[String],
    most: usize,
) -> Result<usize, Error> {
    let shown = context.tables.iter().map(|table| TableName::of(table));
    let all: Vec<TableName> = shown.chain(context.others.iter().cloned()).collect();
    let mut chosen: Vec<u32> = Vec::new();
    for name in names {
        for oid in called(&all, name) {
            if chosen.len() < most && !chosen.contains(&oid) {
                chosen.push(oid);
            }
        }
    }
    let count = chosen.len();
    if count == 0 {
        return Ok(0);
    }
    let is_said =
        |reason: &Reason| matches!(reason, Reason::Named | Reason::Value | Reason::Defined(_));
    let said = context
        .found
        .iter()
        .filter(|found| found.reasons.iter().any(is_said));
    let said: Vec<u32> = said.map(|found| found.table).collect();
    chosen.extend(
        said.into_iter()
            .filter(|oid| !chosen.contains(oid))
            .collect::<Vec<_>>(),
    );
    let known = |oid: &u32| context.tables.iter().find(|table| table.oid == *oid);
    let unknown: Vec<u32> = chosen
        .iter()
        .copied()
        .filter(|oid| known(oid).is_none())
        .collect();
    let described = describe_found(cx, &unknown, usize::MAX)?;
    let of = |oid: &u32| {
        let mut new = described.iter();
        known(oid).or_else(|| new.find(|table| table.oid == *oid))
    };
    let mut tables: Vec<Arc<Table>> = chosen.iter().filter_map(of).map(Arc::clone).collect();
    let mut referred = targets_not_among(&tables, &tables);
    referred.retain(|oid| !cx.config.without.contains(oid));
    referred.truncate(MAX_REFERRED);
    tables.extend(describe_found(cx, &referred, 0)?);
    let is_here = |oid: u32| tables.iter().any(|table| table.oid == oid);
    context.others = all
        .into_iter()
        .filter(|table| !is_here(table.oid))
        .collect();
    context.values.retain(|(_, hit)| is_here(hit.table));
    context.found.retain(|found| is_here(found.table));
    context.tables = tables;
    context.is_whole = context.others.is_empty();
    Ok(count)
}

/// The tables of a name: as SQL writes it, or bare, whatever its case.
fn called(all: &[TableName], name: &str) -> Vec<u32> {
    let name = name.trim().to_lowercase();
    let oids = |is_it: &dyn Fn(&TableName) -> bool| -> Vec<u32> {
        let called = all.iter().filter(|table| is_it(table));
        called.map(|table| table.oid).collect()
    };
    let whole = oids(&|table| {
        table.sql_name().to_lowercase() == name
            || format!("{}.{}", table.schema, table.name).to_lowercase() == name
    });
    match whole.is_empty() {
        true => oids(&|table| table.name.to_lowercase() == name.trim_matches('"')),
        false => whole,
    }
}
