//! Reads tables and foreign keys of a database, and what is proposed for it.

use std::collections::HashMap;
use std::error::Error;

use postgres::Client;
use practice_catalog::garbled_name;
use text2sql_retrieval::joins::inferred::{
    ColumnFacts, Kind, Pair, TableFacts, candidates, propose,
};

use crate::connection::{Proposed, connect};
use crate::options::{Garbled, Options};
use crate::{counted, server};

/// The tables of one schema, its foreign keys, and the proposals.
pub(crate) struct Schema {
    /// Its name.
    pub(crate) name: String,
    /// Names of the columns, by table and number.
    pub(crate) names: HashMap<(u32, i16), String>,
    /// The declared foreign keys.
    pub(crate) declared: Vec<Pair>,
    /// What is proposed, with its certainty.
    pub(crate) proposed: Vec<Proposed>,
}

/// The schemas of a database.
pub(crate) fn read(database: &str, options: Options) -> Result<Vec<Schema>, Box<dyn Error>> {
    let mut client = connect(database)?;
    let mut tables = tables(&mut client, options)?;
    garble(database, &mut tables, options.garbled);
    let names = names(&mut client)?;
    let declared = foreign_keys(&mut client)?;
    let proposed: Vec<Proposed> = if options.server {
        server::proposed(database, &mut client, options)?
    } else {
        let possible = candidates(&tables);
        let overlaps = match options.names_only {
            true => HashMap::new(),
            false => counted::overlaps(&mut client, &possible)?,
        };
        let proposals = propose(&possible, &overlaps);
        proposals
            .into_iter()
            .map(|proposal| (proposal.pair, proposal.certainty, proposal.evidence))
            .collect()
    };
    let mut schemas: Vec<String> = tables.iter().map(|table| table.schema.clone()).collect();
    schemas.sort();
    schemas.dedup();
    Ok(schemas
        .into_iter()
        .map(|name| {
            let is_inside = |oid: u32| {
                tables
                    .iter()
                    .any(|table| table.oid == oid && table.schema == name)
            };
            Schema {
                names: names.clone(),
                declared: declared
                    .iter()
                    .filter(|pair| is_inside(pair.from))
                    .cloned()
                    .collect(),
                proposed: proposed
                    .iter()
                    .filter(|(pair, ..)| is_inside(pair.from))
                    .cloned()
                    .collect(),
                name,
            }
        })
        .collect())
}

/// Makes names hard to read. Those of a database are written in one way.
fn garble(database: &str, tables: &mut [TableFacts], which: Garbled) {
    if which == Garbled::Nothing {
        return;
    }
    for table in tables {
        let key = format!("{database}.{}", table.schema);
        if which == Garbled::Everything {
            table.name = garbled_name(&key, &table.name, true);
        }
        for column in &mut table.columns {
            column.name = garbled_name(&key, &column.name, false);
        }
    }
}

fn names(client: &mut Client) -> Result<HashMap<(u32, i16), String>, Box<dyn Error>> {
    let rows = client.query(
        "SELECT a.attrelid, a.attnum, c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         WHERE a.attnum > 0 AND c.relkind IN ('r', 'p', 'm')",
        &[],
    )?;
    Ok(rows
        .iter()
        .map(|row| ((row.get(0), row.get(1)), row.get(2)))
        .collect())
}

fn foreign_keys(client: &mut Client) -> Result<Vec<Pair>, Box<dyn Error>> {
    let rows = client.query(
        // A key of each partition is one of the partitioned table.
        "SELECT DISTINCT coalesce(pg_partition_root(conrelid)::oid, conrelid), conkey, confrelid, confkey
         FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 ORDER BY 1, 2",
        &[],
    )?;
    let pairs = rows.iter().map(|row| Pair {
        from: row.get(0),
        columns: row.get(1),
        to: row.get(2),
        target_columns: row.get(3),
    });
    Ok(pairs.collect())
}

fn tables(client: &mut Client, options: Options) -> Result<Vec<TableFacts>, Box<dyn Error>> {
    let mut tables = Vec::new();
    for row in client.query(
        "SELECT c.oid, n.nspname::text, c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('r', 'p', 'm') AND NOT c.relispartition AND c.relispopulated
           AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'text2sql', 'text2sql_eval') ORDER BY 2, 3",
        &[],
    )? {
        let oid: u32 = row.get(0);
        let columns = client.query(
            "SELECT a.attnum, a.attname::text, t.typcategory::text, t.typname::text,
                    coalesce((SELECT s.stadistinct = -1 FROM pg_statistic s WHERE s.starelid = a.attrelid AND s.staattnum = a.attnum LIMIT 1), false)
             FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
             WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1",
            &[&oid],
        )?;
        let keys = client.query(
            "SELECT (SELECT array_agg(k.n ORDER BY k.place) FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(n, place)) FROM pg_index i
             WHERE i.indrelid = $1 AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL ORDER BY i.indisprimary DESC, i.indexrelid",
            &[&oid],
        )?;
        tables.push(TableFacts {
            oid,
            schema: row.get(1),
            name: row.get(2),
            columns: columns
                .iter()
                .map(|column| {
                    let (category, name): (String, String) = (column.get(2), column.get(3));
                    ColumnFacts {
                        number: column.get(0),
                        name: column.get(1),
                        kind: match (category.as_str(), name.as_str()) {
                            (_, "uuid") => Kind::Uuid,
                            ("N", _) => Kind::Number,
                            ("S", _) => Kind::Text,
                            _ => Kind::Other,
                        },
                        is_distinct: column.get::<_, bool>(4) && !options.names_only,
                    }
                })
                .collect(),
            keys: match options.no_keys {
                true => Vec::new(),
                false => keys.iter().map(|key| key.get(0)).collect(),
            },
            settled: Vec::new(),
        });
    }
    Ok(tables)
}
