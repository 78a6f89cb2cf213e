//! Which part of the readable catalog is visible to questions: schemas in scope, and objects that are not
//! hidden. Values of private columns are removed here, before anything that writes prompts can see them.

use std::sync::Arc;

use pgrx::pg_sys;
use text2sql_domain::error::Error;
use text2sql_domain::schema::{Column, ForeignKey, Table};
use text2sql_knowledge::samples::private_column;

use crate::pg::access::protection::availability::is_available;
use crate::pg::access::protection::{self, Level, RelationLevels};
use crate::pg::server::settings;

/// The settings that decide which relations are visible to questions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Scope {
    schemas: Option<Vec<String>>,
    /// Whether foreign tables are visible.
    pub(super) allows_foreign_tables: bool,
}

impl Scope {
    /// The current one.
    pub(super) fn current() -> Self {
        Self {
            schemas: settings::allowed_schemas(),
            allows_foreign_tables: settings::allow_foreign_tables(),
        }
    }

    /// Whether the relation is visible to questions.
    pub(super) fn shows(&self, oid: u32) -> Result<bool, Error> {
        // SAFETY: a look-up in the cache; 0 for a dropped relation.
        let kind = unsafe { pg_sys::get_rel_relkind(oid.into()) }.cast_unsigned();
        let is_open = kind != pg_sys::RELKIND_FOREIGN_TABLE || self.allows_foreign_tables;
        Ok(is_open && is_available(oid.into(), self.schemas.as_deref())?)
    }

    /// The first `limit` visible relations among those that `fetch` returns, best first, for a given maximum.
    pub(super) fn first(
        &self,
        limit: usize,
        fetch: impl Fn(i64) -> Result<Vec<u32>, Error>,
    ) -> Result<Vec<u32>, Error> {
        let mut most = limit;
        loop {
            let fetched = fetch(i64::try_from(most).unwrap_or(i64::MAX))?;
            let is_all = fetched.len() < most;
            let mut shown = Vec::with_capacity(fetched.len().min(limit));
            for oid in fetched {
                if shown.len() < limit && self.shows(oid)? {
                    shown.push(oid);
                }
            }
            if is_all || shown.len() >= limit {
                return Ok(shown);
            }
            // Invisible relations were among them: fetch more.
            most = most.saturating_mul(4).max(1);
        }
    }

    /// The table as visible to questions, if it is.
    pub(super) fn narrow(&self, table: &Arc<Table>) -> Result<Option<Arc<Table>>, Error> {
        if !self.shows(table.oid)? {
            return Ok(None);
        }
        if self.schemas.is_none() && protection::protects_nothing()? {
            return Ok(Some(Arc::clone(table)));
        }
        let levels = protection::of_relation(table.oid.into())?;
        let mut narrowed = Table::clone(table);
        let mut keys = Vec::new();
        for key in narrowed.foreign_keys {
            if self.shows_key(&key)? {
                keys.push(key);
            }
        }
        narrowed.foreign_keys = keys;
        let mut likely = Vec::new();
        for join in narrowed.likely_joins {
            if self.shows_key(&join.key)? {
                likely.push(join);
            }
        }
        narrowed.likely_joins = likely;
        for column in &mut narrowed.columns {
            hide_fields(table.oid, column)?;
        }
        with_consent(&mut narrowed, &levels);
        let narrowed = without_protected(narrowed, &levels);
        // An unchanged description stays the same object, for caches that refer to it.
        Ok(Some(if narrowed == **table {
            Arc::clone(table)
        } else {
            Arc::new(narrowed)
        }))
    }

    /// Whether the table and columns referenced by a foreign key are visible to questions.
    fn shows_key(&self, key: &ForeignKey) -> Result<bool, Error> {
        if !self.shows(key.target)? {
            return Ok(false);
        }
        let hidden = protection::hidden_names(key.target.into());
        let mut columns = key.target_columns.iter();
        Ok(!columns.any(|column| hidden.contains(column)))
    }
}

/// Marks the columns whose samples the owner consents to show. A consent for a table leaves out columns whose names
/// or frequent values look private.
fn with_consent(table: &mut Table, levels: &RelationLevels) {
    if !levels.shows_any_samples() {
        return;
    }
    for column in &mut table.columns {
        let is_private = private_column(&table.name, column).is_some();
        column.shows_samples = levels.shows_samples(column.number, !is_private);
    }
}

/// Removes hidden columns, and values of private ones, from a table's description.
fn without_protected(mut table: Table, levels: &RelationLevels) -> Table {
    if levels.strictest() == Level::Open {
        return table;
    }
    let (hidden, shown): (Vec<Column>, Vec<Column>) = table
        .columns
        .into_iter()
        .partition(|column| levels.column(column.number) == Level::Hidden);
    table.columns = shown;
    for column in &mut table.columns {
        column.is_private = levels.column(column.number) >= Level::Private;
        if let Some(facts) = column.statistics.as_mut().filter(|_| column.is_private) {
            facts.most_common_values.clear();
            facts.holds = None;
            facts.most_common_shares.clear();
            facts.lowest = None;
            facts.highest = None;
        }
    }
    if hidden.is_empty() {
        return table;
    }
    let is_shown = |name: &String| !hidden.iter().any(|column| column.name == *name);
    let all_shown = |names: &[String]| names.iter().all(is_shown);
    if !all_shown(&table.primary_key) {
        table.primary_key.clear();
    }
    table.unique_keys.retain(|key| all_shown(key));
    table.foreign_keys.retain(|key| all_shown(&key.columns));
    table
        .likely_joins
        .retain(|join| all_shown(&join.key.columns));
    // The text contains names of columns.
    table.partition_key = None;
    table.distribution = None;
    table
}

/// Removes the fields of a row type whose table has hidden columns.
fn hide_fields(table: u32, column: &mut Column) -> Result<(), Error> {
    if column.composite_fields.is_empty() {
        return Ok(());
    }
    // SAFETY: a look-up in the cache; what is missing is InvalidOid.
    let declared = unsafe { pg_sys::get_atttype(table.into(), column.number) };
    if declared == pg_sys::InvalidOid {
        // Dropped since it was described: its fields are unknown.
        column.composite_fields.clear();
        return Ok(());
    }
    // SAFETY: look-ups in the caches; what is missing is InvalidOid, but for the base of a type that
    // another session drops at this moment: that is PostgreSQL's own ERROR.
    let relation = unsafe {
        let own = pg_sys::getBaseType(declared);
        let element = pg_sys::get_element_type(own);
        let item = if element == pg_sys::InvalidOid {
            own
        } else {
            element
        };
        pg_sys::get_typ_typrelid(item)
    };
    if protection::of_relation(relation)?.strictest() == Level::Hidden {
        column.composite_fields.clear();
    }
    Ok(())
}
