//! Names of the roles, databases and servers that the benchmark makes in the cluster and drops again.

/// The role that asks: an ordinary one, with SELECT on the tables.
pub(crate) const ROLE: &str = "bench_analyst";
/// The foreign server of the double.
pub(crate) const SERVER: &str = "bench";

/// Databases for the cost of the search index, with their number of tables.
pub(crate) const CATALOGS: [(&str, usize); 3] = [
    ("bench_index_100", 100),
    ("bench_index_1000", 1_000),
    ("bench_index_10000", 10_000),
];

/// A database with only the tables that [`FEW_ROLE`] may read.
pub(crate) const ALONE: &str = "bench_index_alone";
/// A role that may read few tables of the largest catalog.
pub(crate) const FEW_ROLE: &str = "bench_few";

/// The database of the warehouse.
pub(crate) const WAREHOUSE: &str = "bench_warehouse";

/// The database of texts.
pub(crate) const TEXTS: &str = "bench_texts";
