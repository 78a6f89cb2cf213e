//! Indexes the meanings of values set by `describe()`: a phrase of the question may be a meaning.

use pgrx::pg_sys::Oid;
use text2sql_domain::error::Error;

use super::found_values::Found;
use crate::pg::access::protection::{self, Level};
use crate::pg::server::spi;

/// Rows are bound to the catalog at the beginning of a refresh, so OIDs are valid.
const MEANINGS: &str = "SELECT a.column_number, m.key, m.value FROM text2sql._annotations a
     CROSS JOIN LATERAL jsonb_each_text(a.value_meanings) AS m
     WHERE a.object_oid = $1 AND a.column_number > 0 AND a.value_meanings IS NOT NULL
       AND a.catalog = text2sql._catalog_stamp()
     ORDER BY 1, 2";

/// The meaning of a value of a column.
pub(super) struct Meaning {
    pub(super) column: i16,
    pub(super) value: String,
    pub(super) meaning: String,
}

/// The meanings of a table's values, except for protected columns. Runs as the owner of the index.
pub(super) fn of_table(table: Oid) -> Result<Vec<Meaning>, Error> {
    let meanings = spi::read_rows(MEANINGS, &[table.into()], 0, |row| {
        Ok(Meaning {
            column: row.read(1)?.unwrap_or_default(),
            value: row.read(2)?.unwrap_or_default(),
            meaning: row.read(3)?.unwrap_or_default(),
        })
    })?;
    let mut open = Vec::with_capacity(meanings.len());
    for meaning in meanings {
        if protection::of_column(table, meaning.column)? == Level::Open {
            open.push(meaning);
        }
    }
    Ok(open)
}

/// Columns whose values are not read, such as numbers, have at least those with a meaning.
pub(super) fn add_values(found: &mut Vec<Found>, meanings: &[Meaning]) {
    let read: Vec<i16> = found.iter().map(|column| column.column).collect();
    for meaning in meanings
        .iter()
        .filter(|known| !read.contains(&known.column))
    {
        let value = meaning.value.clone();
        match found
            .iter_mut()
            .find(|column| column.column == meaning.column)
        {
            Some(column) => column.values.push(value),
            None => found.push(Found {
                column: meaning.column,
                values: vec![value],
                is_complete: false,
            }),
        }
    }
}
