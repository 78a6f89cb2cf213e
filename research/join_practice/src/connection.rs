//! Connections, and what is read over them.

use std::error::Error;

use postgres::{Client, NoTls};
use text2sql_retrieval::joins::inferred::Pair;

/// A proposal, with its certainty and evidence.
pub(crate) type Proposed = (Pair, f32, String);

/// A connection.
pub(crate) fn connect(database: &str) -> Result<Client, Box<dyn Error>> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let text = format!(
        "host={} port={} user={} dbname={database}",
        variable("PGHOST"),
        variable("PGPORT"),
        variable("PGUSER")
    );
    Ok(Client::connect(&text, NoTls)?)
}
