//! The schema of another database, as its definitions describe it.

use std::collections::HashSet;
use std::sync::Arc;

use text2sql_domain::dialect::Dialect;
use text2sql_domain::schema::Table;

/// The schema of another database.
#[derive(Debug, Clone)]
pub struct GivenSchema {
    /// The dialect that names are read in.
    pub dialect: Dialect,
    /// Its tables and views.
    pub tables: Vec<Arc<Table>>,
    /// The functions that it defines, as names are compared.
    pub functions: HashSet<String>,
    /// What of the text was not understood.
    pub notes: Vec<String>,
}

impl GivenSchema {
    /// The number that stands for the table at that place: there is no OID.
    pub(crate) fn oid_at(place: usize) -> u32 {
        u32::try_from(place + 1).unwrap_or(u32::MAX)
    }
}
