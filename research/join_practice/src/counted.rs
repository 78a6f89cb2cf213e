//! Counts the values that two columns share, by queries.

use std::collections::HashMap;
use std::error::Error;

use postgres::Client;
use text2sql_retrieval::joins::inferred::{Candidate, Overlap, Pair};

/// Counts for every candidate.
pub(crate) fn overlaps(
    client: &mut Client,
    candidates: &[Candidate],
) -> Result<HashMap<Pair, Overlap>, Box<dyn Error>> {
    let mut counted = HashMap::new();
    for Candidate { pair, .. } in candidates {
        let (from, columns) = side(client, pair.from, &pair.columns)?;
        let (to, target_columns) = side(client, pair.to, &pair.target_columns)?;
        let row = client.query_one(
            &format!(
                "WITH target AS MATERIALIZED (SELECT ROW({target_columns})::text AS k FROM {to} WHERE ROW({target_columns}) IS NOT NULL),
                      sampled AS (SELECT DISTINCT ROW({columns})::text AS k FROM (SELECT * FROM {from} LIMIT 20000) AS s WHERE ROW({columns}) IS NOT NULL LIMIT 1000)
                 SELECT (SELECT count(*) FROM sampled), (SELECT count(*) FROM sampled WHERE k IN (SELECT k FROM target)),
                        (SELECT count(*) FROM {to}), (SELECT count(*) > count(DISTINCT k) FROM target),
                        EXISTS (SELECT FROM {from}) AND NOT EXISTS (SELECT FROM sampled)"
            ),
            &[],
        )?;
        let number = |place: usize| u32::try_from(row.get::<_, i64>(place)).unwrap_or(u32::MAX);
        let overlap = Overlap {
            sampled: number(0),
            found: number(1),
            target_rows: number(2),
            is_complete: true,
            has_duplicates: row.get(3),
            lacks_values: row.get(4),
        };
        counted.insert(pair.clone(), overlap);
    }
    Ok(counted)
}

fn side(
    client: &mut Client,
    table: u32,
    columns: &[i16],
) -> Result<(String, String), Box<dyn Error>> {
    let row = client.query_one(
        "SELECT $1::oid::regclass::text, (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.place)
             FROM unnest($2::int2[]) WITH ORDINALITY k(n, place) JOIN pg_attribute a ON a.attrelid = $1 AND a.attnum = k.n)",
        &[&table, &columns],
    )?;
    Ok((row.get(0), row.get(1)))
}
