//! Mends a statement that failed because a name in it does not exist, where the keys of the tables prove what was meant.
//!
//! Models that know a schema from one reading give a column to the wrong table (`o.country` for orders), or leave out
//! the table between two others. What they mean is decided by the schema alone: the one table in FROM that has the
//! column, or the one that a key leads to. A table is joined only along keys that have at most one row of it for each
//! row that is there, or where its rows alone are added up, so nothing is counted twice. Where two tables could be
//! meant, nothing is done. Only statements that failed come here, so one that runs is never changed, but for one fault
//! that SQL takes for something else: see `outer`.

mod apply;
mod calls;
mod groups;
mod mended;
mod names;
mod near;
mod outer;
mod routes;
mod uses;

use std::sync::Arc;

use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_sql::tree::read_query;

pub(crate) use self::apply::{Edit, apply};
pub use self::mended::Mended;
pub use self::outer::without_outer_outputs;
pub(crate) use self::uses::address;

/// The statement without what it failed by; `None` if that is not proved by the tables.
pub fn mend(sql: &str, error: &DatabaseError, tables: &[Arc<Table>]) -> Option<Mended> {
    // A function that read a value has raised the others.
    error.position?;
    let query = read_query(sql)?;
    let mended = match error.sqlstate.as_str() {
        // A column, a table, a column of several tables.
        "42703" | "42P01" | "42702" => names::mend(query, error, tables),
        "42883" => calls::mend(query, error, tables),
        "42803" => groups::mend(query, tables),
        _ => None,
    };
    mended.filter(|mended| mended.sql != sql)
}
