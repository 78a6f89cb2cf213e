//! Reads the tables, columns and keys that joins are inferred from.

use std::sync::LazyLock;

use pgrx::pg_sys::Oid;
use serde::Deserialize;
use text2sql_domain::error::Error;
use text2sql_retrieval::joins::inferred::{ColumnFacts, Kind, Settled, TableFacts};

use crate::pg::access::objects::catalog_stamp;
use crate::pg::access::protection::{self, Level};
use crate::pg::search::refresh::run::Refresh;
use crate::pg::search::search_index::ROWS_STATE;
use crate::pg::server::spi;

static FACTS: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../../../../sql/queries/join_facts.sql").replace("%ROWS%", ROWS_STATE)
});

/// A table that the reading role can read.
pub(super) struct Table {
    pub(super) facts: TableFacts,
    /// State of its rows; `None` if they must not be read.
    pub(super) rows: Option<String>,
    /// Columns whose values must not be read.
    pub(super) private: Vec<i16>,
}

/// Columns, keys and settled joins of a table, as `join_facts.sql` returns them.
#[derive(Deserialize)]
struct Parts(Vec<Column>, Vec<Vec<i16>>, Vec<(Vec<i16>, u32, bool)>);

#[derive(Deserialize)]
struct Column(i16, String, char, bool);

/// All tables that the reading role can read, without hidden columns.
pub(super) fn read(refresh: &Refresh) -> Result<Vec<Table>, Error> {
    let arguments = [refresh.reader.oid.into(), catalog_stamp().into()];
    let rows = refresh.as_owner(|| {
        spi::execute(&FACTS, &arguments, |row| {
            Ok((
                row.read::<Oid>(1)?.map_or(0, Oid::to_u32),
                row.read::<String>(2)?.unwrap_or_default(),
                row.read::<String>(3)?.unwrap_or_default(),
                row.read::<String>(4)?,
                row.read::<String>(5)?.unwrap_or_default(),
            ))
        })
    })?;
    let protects_nothing = protection::protects_nothing()?;
    let mut tables = Vec::with_capacity(rows.len());
    for (oid, schema, name, rows, parts) in rows {
        let Ok(Parts(columns, mut keys, settled)) = serde_json::from_str(&parts) else {
            continue;
        };
        let (mut hidden, mut private) = (Vec::new(), Vec::new());
        if !protects_nothing {
            let levels = protection::of_relation(oid.into())?;
            for Column(number, ..) in &columns {
                match levels.column(*number) {
                    Level::Hidden => hidden.push(*number),
                    level if level != Level::Open => private.push(*number),
                    _ => {}
                }
            }
        }
        let columns: Vec<ColumnFacts> = columns
            .into_iter()
            .filter(|Column(number, ..)| !hidden.contains(number))
            .map(|Column(number, name, kind, is_distinct)| ColumnFacts {
                number,
                name,
                kind: match kind {
                    'n' => Kind::Number,
                    't' => Kind::Text,
                    'u' => Kind::Uuid,
                    _ => Kind::Other,
                },
                is_distinct: is_distinct && !private.contains(&number),
            })
            .collect();
        let is_known = |number: &i16| columns.iter().any(|column| column.number == *number);
        keys.retain(|key| key.iter().all(is_known));
        let settled = settled
            .into_iter()
            .map(|(columns, target, is_rejected)| Settled {
                columns,
                target,
                is_rejected,
            });
        let facts = TableFacts {
            oid,
            schema,
            name,
            settled: settled.collect(),
            columns,
            keys,
        };
        tables.push(Table {
            facts,
            rows,
            private,
        });
    }
    Ok(tables)
}
