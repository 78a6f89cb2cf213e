//! The line of documents in `text2sql.status()`.

use text2sql_domain::error::Error;

use super::owner::as_owner;
use crate::pg::server::spi;

const COUNTS: &str = "SELECT (SELECT count(*) FROM text2sql._documents), (SELECT count(*) FROM text2sql._text_sources),
     (SELECT count(*) FROM text2sql._passages), (SELECT count(*) FROM text2sql._passages WHERE NOT is_embedded)";

/// How much is searched, and what waits for vectors. Numbers only: they are about the texts of all roles.
pub(crate) fn report() -> Result<Vec<(String, String, Option<String>)>, Error> {
    let rows = as_owner(|| {
        spi::read_rows(COUNTS, &[], 1, |row| {
            let count = |column| Ok::<i64, Error>(row.read::<i64>(column)?.unwrap_or_default());
            Ok((count(1)?, count(2)?, count(3)?, count(4)?))
        })
    })?;
    let Some((documents, columns, passages, waiting)) = rows.into_iter().next() else {
        return Ok(Vec::new());
    };
    if documents + columns == 0 {
        return Ok(Vec::new());
    }
    let note = (waiting > 0).then(|| {
        format!("{waiting} passages wait for vectors and are found by their words: CALL text2sql.refresh(); to an endpoint they are sent only with its option texts 'passages'")
    });
    let value = format!("{documents} documents, {columns} text columns, {passages} passages");
    Ok(vec![("texts".to_owned(), value, note)])
}
