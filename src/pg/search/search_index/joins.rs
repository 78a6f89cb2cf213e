//! Joins, connecting tables, and families, as visible to the caller.

use pgrx::pg_sys::Oid;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{JoinSource, Joining, Sibling};

use super::readable_tables;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

const JOINS: &str = include_str!("../../../../sql/queries/joins_of.sql");
const BRIDGES: &str = include_str!("../../../../sql/queries/bridges_of.sql");
const SIBLINGS: &str = include_str!("../../../../sql/queries/siblings_of.sql");

/// Joins from or to the tables, without duplicates. `listed` are the tables that the role can read, if they are few.
pub(super) fn joins(
    owner: &EffectiveRole,
    role: &EffectiveRole,
    listed: Option<Vec<Oid>>,
    tables: &[u32],
    per_table: usize,
) -> Result<Vec<Joining>, Error> {
    let unknown: Vec<u32> = readable_tables::remembered_joins(|known| {
        let unknown = tables.iter().filter(|table| !known.contains_key(table));
        unknown.copied().collect()
    });
    if !unknown.is_empty() {
        let arguments = [
            oids(&unknown).into(),
            most(per_table),
            role.oid.into(),
            listed.into(),
        ];
        let rows = with_role(owner, || {
            spi::read_rows(JOINS, &arguments, 0, |row| {
                let join = Joining {
                    from: row.read::<Oid>(2)?.map_or(0, Oid::to_u32),
                    from_columns: row.read(3)?.unwrap_or_default(),
                    to: row.read::<Oid>(4)?.map_or(0, Oid::to_u32),
                    to_columns: row.read(5)?.unwrap_or_default(),
                    source: match row.read::<f32>(6)? {
                        None => JoinSource::ForeignKey,
                        Some(certainty) => JoinSource::Inferred {
                            percent: (certainty * 100.0).round().clamp(0.0, 100.0) as u8,
                        },
                    },
                };
                Ok((row.read::<Oid>(1)?.map_or(0, Oid::to_u32), join))
            })
        })?;
        readable_tables::remembered_joins(|known| {
            let none = unknown.into_iter().map(|table| (table, Vec::new()));
            known.extend(none);
            for (table, join) in rows {
                known.entry(table).or_default().push(join);
            }
        });
    }
    let mut joins: Vec<Joining> = readable_tables::remembered_joins(|known| {
        let found = tables.iter().filter_map(|table| known.get(table));
        found.flatten().cloned().collect()
    });
    // Most are found from both sides.
    joins.sort_unstable_by(|one, other| order(one).cmp(&order(other)));
    joins.dedup();
    Ok(joins)
}

fn order(join: &Joining) -> (u32, u32, &[String], &[String]) {
    (join.from, join.to, &join.from_columns, &join.to_columns)
}

/// Tables that join at least two of the tables, for any role.
pub(super) fn bridges(
    owner: &EffectiveRole,
    tables: &[u32],
    limit: usize,
) -> Result<Vec<u32>, Error> {
    with_role(owner, || {
        spi::read_rows(BRIDGES, &[oids(tables).into(), most(limit)], 0, |row| {
            Ok(row.read::<Oid>(1)?.map_or(0, Oid::to_u32))
        })
    })
}

/// Members of the families of the tables, for any role.
pub(super) fn siblings(
    owner: &EffectiveRole,
    tables: &[u32],
    per_family: usize,
) -> Result<Vec<Sibling>, Error> {
    let arguments = [oids(tables).into(), most(per_family)];
    with_role(owner, || {
        spi::read_rows(SIBLINGS, &arguments, 0, |row| {
            Ok(Sibling {
                of: row.read::<Oid>(1)?.map_or(0, Oid::to_u32),
                key: row.read(2)?.unwrap_or_default(),
                table: row.read::<Oid>(3)?.map_or(0, Oid::to_u32),
                part: row.read(4)?.unwrap_or_default(),
                name: row.read(5)?.unwrap_or_default(),
            })
        })
    })
}

pub(super) fn oids(tables: &[u32]) -> Vec<Oid> {
    tables.iter().map(|table| Oid::from(*table)).collect()
}

pub(super) fn most(count: usize) -> pgrx::datum::DatumWithOid<'static> {
    i64::try_from(count).unwrap_or(i64::MAX).into()
}
