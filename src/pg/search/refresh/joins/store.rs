//! Stores counts and proposals. Everything here runs as the owner of the index.

use std::collections::{HashMap, HashSet};

use pgrx::pg_sys::Oid;
use serde_json::{Value, json};
use text2sql_domain::error::Error;
use text2sql_retrieval::joins::inferred::{Candidate, Overlap, Pair, Proposal};

use crate::pg::access::objects::catalog_stamp;
use crate::pg::server::spi;
use crate::pg::server::spi::role::EffectiveRole;

const COUNTS: &str = "SELECT from_table, from_columns, to_table, to_columns, state, sampled, found, target_rows, is_complete, has_duplicates, lacks_values
     FROM text2sql._index_join_counts";
const ADD_COUNTS: &str = include_str!("../../../../../sql/queries/join_counts.sql");
const FORGET_COUNTS: &str = "DELETE FROM text2sql._index_join_counts AS c
     WHERE NOT EXISTS (
         SELECT FROM json_to_recordset($1) AS kept(from_table oid, from_columns int2[], to_table oid, to_columns int2[])
         WHERE kept.from_table = c.from_table AND kept.to_table = c.to_table
           AND kept.from_columns = c.from_columns AND kept.to_columns = c.to_columns)";
const FORGET: &str = include_str!("../../../../../sql/queries/forget_inferred_joins.sql");
const STORE: &str = include_str!("../../../../../sql/queries/store_inferred_joins.sql");
const CLEAR_INDEX: &str = "DELETE FROM text2sql._index_joins WHERE certainty IS NOT NULL";
const FILL_INDEX: &str = include_str!("../../../../../sql/queries/index_inferred_joins.sql");

/// What was counted before, with the state of the rows then.
pub(super) fn counts() -> Result<HashMap<Pair, (String, Overlap)>, Error> {
    let rows = spi::read_rows(COUNTS, &[], 0, |row| {
        let pair = Pair {
            from: row.read::<Oid>(1)?.map_or(0, Oid::to_u32),
            columns: row.read(2)?.unwrap_or_default(),
            to: row.read::<Oid>(3)?.map_or(0, Oid::to_u32),
            target_columns: row.read(4)?.unwrap_or_default(),
        };
        let number = |column| -> Result<u32, Error> {
            let stored = row.read::<i32>(column)?.unwrap_or_default();
            Ok(u32::try_from(stored).unwrap_or_default())
        };
        let overlap = Overlap {
            sampled: number(6)?,
            found: number(7)?,
            target_rows: number(8)?,
            is_complete: row.read(9)?.unwrap_or_default(),
            has_duplicates: row.read(10)?.unwrap_or_default(),
            lacks_values: row.read(11)?.unwrap_or_default(),
        };
        Ok((pair, (row.read(5)?.unwrap_or_default(), overlap)))
    })?;
    Ok(rows.into_iter().collect())
}

/// Stores what was counted, with the state of the rows.
pub(super) fn add_counts(
    wanted: &[(&Candidate, String)],
    counted: &HashMap<Pair, Overlap>,
) -> Result<(), Error> {
    let rows: Vec<Value> = wanted
        .iter()
        .filter_map(|(candidate, state)| {
            let overlap = counted.get(&candidate.pair)?;
            let mut row = pair(&candidate.pair);
            let counts = json!({
                "state": state,
                "sampled": overlap.sampled,
                "found": overlap.found,
                "target_rows": overlap.target_rows,
                "is_complete": overlap.is_complete,
                "has_duplicates": overlap.has_duplicates,
                "lacks_values": overlap.lacks_values,
            });
            if let (Value::Object(row), Value::Object(counts)) = (&mut row, counts) {
                row.extend(counts);
            }
            Some(row)
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    spi::write(ADD_COUNTS, &[as_json(rows)], |_| Ok(())).map(drop)
}

/// Removes the counts of everything else.
pub(super) fn forget_counts(kept: &HashSet<&Pair>) -> Result<(), Error> {
    let kept = kept.iter().map(|kept| pair(kept)).collect();
    spi::write(FORGET_COUNTS, &[as_json(kept)], |_| Ok(())).map(drop)
}

/// Stores the proposals and removes those that are no longer made; whether anything differs.
pub(super) fn proposals(
    proposals: &[Proposal],
    looked_at: impl Iterator<Item = u32>,
    reader: &EffectiveRole,
) -> Result<bool, Error> {
    let rows = proposals
        .iter()
        .map(|proposal| {
            let Pair {
                from,
                columns,
                to,
                target_columns,
            } = &proposal.pair;
            let oids = columns.iter().map(|_| from);
            let oids: Vec<_> = oids.chain(target_columns.iter().map(|_| to)).collect();
            let numbers: Vec<_> = columns.iter().chain(target_columns).collect();
            json!({
                "oids": oids,
                "numbers": numbers,
                "certainty": (f64::from(proposal.certainty) * 100.0).round() / 100.0,
                "evidence": proposal.evidence,
            })
        })
        .collect();
    let rows = Value::Array(rows).to_string();
    let stamp = catalog_stamp();
    let arguments = [
        spi::json(rows.clone()),
        stamp.as_str().into(),
        spi::oid_array(looked_at),
        reader.oid.into(),
    ];
    let forgotten = spi::write(FORGET, &arguments, |_| Ok(()))?;
    let arguments = [spi::json(rows), stamp.as_str().into(), reader.name().into()];
    let stored = spi::write(STORE, &arguments, |_| Ok(()))?;
    let differs = !forgotten.is_empty() || !stored.is_empty();
    if differs {
        spi::write(CLEAR_INDEX, &[], |_| Ok(()))?;
        spi::write(FILL_INDEX, &[stamp.into()], |_| Ok(()))?;
    }
    Ok(differs)
}

fn pair(pair: &Pair) -> Value {
    json!({
        "from_table": pair.from,
        "from_columns": pair.columns,
        "to_table": pair.to,
        "to_columns": pair.target_columns,
    })
}

fn as_json(rows: Vec<Value>) -> pgrx::datum::DatumWithOid<'static> {
    spi::json(Value::Array(rows).to_string())
}
