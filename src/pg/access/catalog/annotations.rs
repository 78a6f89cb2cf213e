//! Merges stored knowledge into the descriptions of tables: descriptions, meanings of values, synonyms and
//! priorities of the objects, samples, joins that no foreign key declares among the foreign keys, and those that are only
//! likely apart from them.
//!
//! It is read and cached with the tables. A change of the underlying tables reaches every session as an
//! invalidation message, and then every cached table is read again: such changes are rare.
//!
//! `describe()` takes precedence over `COMMENT ON`: it is written for questions, while a comment may be
//! generated.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::CStr;

use pgrx::pg_sys;
use serde::Deserialize;
use serde_json::{Map, Value};
use text2sql_domain::error::Error;
use text2sql_domain::object_name;
use text2sql_domain::sample::Sample;
use text2sql_domain::schema::{DerivedBy, ForeignKey, LikelyJoin, Table};

use super::cache;
use crate::pg::access::objects::catalog_stamp;
use crate::pg::access::objects::own_tables::{may_read, own_table};
use crate::pg::access::objects::references::WHOLE_TABLE;
use crate::pg::server::spi;
use crate::pg::server::spi::owner::{as_owner_of, has_no_block};

const READ_ANNOTATIONS: &str = include_str!("../../../../sql/queries/read_annotations.sql");
const READ_JOINS: &str = include_str!("../../../../sql/queries/read_joins.sql");

const READ_SAMPLES: &str = include_str!("../../../../sql/queries/read_samples.sql");

const IS_ANYTHING: &str = "SELECT EXISTS (SELECT FROM text2sql._annotations)
     OR EXISTS (SELECT FROM text2sql._samples)
     OR EXISTS (SELECT FROM text2sql._joins j WHERE j.status = 'accepted' OR j.status = 'suggested' AND j.certainty IS NOT NULL)";

/// By the owner of the joins: row-level security hides those whose tables the current user may not read.
const TARGETS: &str = "SELECT k.object_oids[1]::int8, t.target::int8 FROM text2sql._joins AS k
     CROSS JOIN LATERAL unnest(k.object_oids[cardinality(k.object_oids) / 2 + 1:]) AS t(target)
     WHERE k.object_oids[1] = ANY ($1)";

/// What is cached with tables.
const REMEMBERED: [&CStr; 3] = [c"_annotations", c"_joins", c"_samples"];

#[derive(Deserialize)]
struct Annotation {
    table: u32,
    column: i16,
    description: Option<String>,
    value_meanings: Option<Map<String, Value>>,
    synonyms: Vec<String>,
    is_rarely_useful: bool,
    is_derived: bool,
    made_of: Vec<u32>,
}

#[derive(Deserialize)]
struct StoredSample {
    table: u32,
    is_invented: bool,
    columns: Vec<i16>,
    values: Vec<Option<String>>,
}

#[derive(Deserialize)]
struct Join {
    table: u32,
    target: u32,
    columns: Vec<String>,
    target_schema: String,
    target_name: String,
    target_columns: Vec<String>,
    /// Set only for an inferred join that is neither accepted nor rejected.
    certainty: Option<f32>,
}

/// OIDs of the extension's tables whose rows are part of a table's description.
pub(super) fn sources() -> impl Iterator<Item = u32> {
    REMEMBERED
        .into_iter()
        .filter_map(own_table)
        .map(pg_sys::Oid::to_u32)
}

/// Whether the current user can see no knowledge about tables. Cached until a relation changes, including
/// these.
fn is_nothing() -> Result<bool, Error> {
    thread_local! {
        /// Role and state of the catalog in which nothing was visible.
        static NOTHING: Cell<Option<(u32, u64)>> = const { Cell::new(None) };
    }
    // SAFETY: reads a variable.
    let now = (unsafe { pg_sys::GetUserId() }.to_u32(), cache::generation());
    if NOTHING.get() == Some(now) {
        return Ok(true);
    }
    let is_something: Option<bool> = spi::read_one(IS_ANYTHING, &[])?;
    let is_nothing = is_something == Some(false);
    if is_nothing {
        NOTHING.set(Some(now));
    }
    Ok(is_nothing)
}

/// Adds the stored knowledge to the tables. A role that cannot read the extension's tables gets nothing from
/// them.
pub(super) fn add(tables: &mut [Table]) -> Result<(), Error> {
    if tables.is_empty() || !REMEMBERED.into_iter().all(may_read) || is_nothing()? {
        return Ok(());
    }
    let oids: Vec<u32> = tables.iter().map(|table| table.oid).collect();
    let names: Vec<String> = tables
        .iter()
        .map(|table| object_name::join(&[&table.schema, &table.name]))
        .collect();
    let annotations: Vec<Annotation> = spi::read_json(
        READ_ANNOTATIONS,
        &[
            spi::oid_array(oids.iter().copied()),
            names.into(),
            catalog_stamp().into(),
        ],
    )?;
    let joins: Vec<Join> = spi::read_json(
        READ_JOINS,
        &[spi::oid_array(oids.iter().copied()), catalog_stamp().into()],
    )?;
    let samples: Vec<StoredSample> = spi::read_json(
        READ_SAMPLES,
        &[spi::oid_array(oids.iter().copied()), catalog_stamp().into()],
    )?;
    let places: HashMap<u32, usize> = oids.into_iter().zip(0..).collect();
    for annotation in annotations {
        let place = places.get(&annotation.table);
        if let Some(table) = place.and_then(|place| tables.get_mut(*place)) {
            annotate(table, annotation);
        }
    }
    for stored in samples {
        let place = places.get(&stored.table);
        if let Some(table) = place.and_then(|place| tables.get_mut(*place)) {
            table.samples.push(Sample {
                is_invented: stored.is_invented,
                values: stored.columns.into_iter().zip(stored.values).collect(),
            });
        }
    }
    for join in joins {
        let place = places.get(&join.table);
        if let Some(table) = place.and_then(|place| tables.get_mut(*place)) {
            join_by(table, join);
        }
    }
    Ok(())
}

/// The tables to which stored joins lead from each of the tables, also by joins that the current user does not see: a
/// grant on such a table shows the join.
pub(super) fn targets_of_joins(tables: &[Table]) -> Result<HashMap<u32, Vec<u32>>, Error> {
    let mut targets: HashMap<u32, Vec<u32>> = HashMap::new();
    if tables.is_empty() || has_no_block(c"_joins") {
        return Ok(targets);
    }
    let oids = spi::oid_array(tables.iter().map(|table| table.oid));
    let found = as_owner_of(c"_joins", || {
        spi::read_rows(TARGETS, &[oids], 0, |row| {
            Ok((
                row.read::<i64>(1)?.unwrap_or_default(),
                row.read::<i64>(2)?.unwrap_or_default(),
            ))
        })
    })?;
    for (table, target) in found {
        if let (Ok(table), Ok(target)) = (u32::try_from(table), u32::try_from(target)) {
            targets.entry(table).or_default().push(target);
        }
    }
    Ok(targets)
}

fn annotate(table: &mut Table, annotation: Annotation) {
    if annotation.column == WHOLE_TABLE {
        if annotation.description.is_some() {
            table.described_over = Some(std::mem::replace(
                &mut table.comment,
                annotation.description,
            ));
        }
        table.synonyms.extend(annotation.synonyms);
        if annotation.is_derived {
            table.derived_by.get_or_insert(DerivedBy::Dbt);
            table.made_of.extend(annotation.made_of);
        }
        return;
    }
    let Some(column) = table
        .columns
        .iter_mut()
        .find(|column| column.number == annotation.column)
    else {
        return;
    };
    if annotation.description.is_some() {
        column.described_over = Some(std::mem::replace(
            &mut column.comment,
            annotation.description,
        ));
    }
    column.synonyms.extend(annotation.synonyms);
    column.is_rarely_useful |= annotation.is_rarely_useful;
    column.value_meanings.extend(
        annotation
            .value_meanings
            .into_iter()
            .flatten()
            .filter_map(|(value, meaning)| Some((value, meaning.as_str()?.to_owned()))),
    );
}

/// Whether the catalog or a curator joins one of the columns.
fn has_join(table: &Table, columns: &[String]) -> bool {
    let mut keys = table.foreign_keys.iter();
    keys.any(|key| key.columns.iter().any(|column| columns.contains(column)))
}

fn join_by(table: &mut Table, join: Join) {
    let is_declared = table.foreign_keys.iter().any(|key| {
        key.target == join.target
            && key.columns == join.columns
            && key.target_columns == join.target_columns
    });
    if is_declared {
        return;
    }
    let key = ForeignKey {
        columns: join.columns,
        target: join.target,
        target_schema: join.target_schema,
        target_name: join.target_name,
        target_columns: join.target_columns,
        is_taught: join.certainty.is_none(),
    };
    match join.certainty {
        None => table.foreign_keys.push(key),
        // Declared since it was inferred.
        Some(_) if has_join(table, &key.columns) => {}
        Some(certainty) => table.likely_joins.push(LikelyJoin {
            key,
            percent: (certainty * 100.0).round().clamp(0.0, 100.0) as u8,
        }),
    }
}
