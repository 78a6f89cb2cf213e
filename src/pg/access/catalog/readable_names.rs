//! The names of the tables that a role can read.

use std::sync::LazyLock;

use pgrx::pg_sys;
use text2sql_domain::error::Error;

use super::column_words::parted;
use crate::pg::server::spi;

/// The one definition of "readable", which most of the queries of the catalog include.
pub(crate) const READABLE: &str = include_str!("../../../../sql/queries/readable_tables.sql");

static LIST_TABLES: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../../../sql/queries/list_tables.sql")
        .replace("%READABLE%", READABLE.trim_end())
});

/// Maximum number of tables that are searched by name: they take 6 MB. A catalog of that size has an index.
const MAX_TABLES: i64 = 50_000;

/// A table that a role can read.
#[derive(Debug)]
pub(super) struct ReadableName {
    pub(super) oid: u32,
    pub(super) name: Box<str>,
    /// The name in lower case, with `_` before it and between its parts: what words are looked for in.
    pub(super) parts: Box<str>,
    pub(super) reads_every_column: bool,
}

/// The tables that the current role can read, by schema and name. Not filtered by scope and protection.
pub(super) fn read() -> Result<Vec<ReadableName>, Error> {
    spi::read_rows(&LIST_TABLES, &[MAX_TABLES.into()], 0, |row| {
        let name: String = row.read(2)?.unwrap_or_default();
        let mut parts = String::with_capacity(name.len() + 1);
        parted(&name, &mut parts);
        Ok(ReadableName {
            oid: row.read::<pg_sys::Oid>(1)?.map_or(0, pg_sys::Oid::to_u32),
            name: name.into(),
            parts: parts.into(),
            reads_every_column: row.read(3)?.unwrap_or_default(),
        })
    })
}
