//! What an administrator decides about generated SQL, for the guard.

/// What an administrator may decide about generated SQL.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GuardPolicy {
    /// Schemas that questions may read; `None` is all of them.
    pub(crate) allowed_schemas: Option<Vec<String>>,
    /// Whether questions may read `pg_catalog` and `information_schema`.
    pub(crate) allow_system_catalogs: bool,
    /// Whether questions may read foreign tables.
    pub(crate) allow_foreign_tables: bool,
    /// Extensions whose functions may be called unless VOLATILE or SECURITY DEFINER.
    pub(crate) trusted_extensions: Vec<String>,
    /// OIDs of further functions that may be called.
    pub(crate) allowed_functions: Vec<u32>,
    /// The caller's `work_mem` counts up to this.
    pub(crate) max_work_mem_kb: i32,
    /// The caller's `max_parallel_workers_per_gather` counts up to this.
    pub(crate) max_parallel_workers: i32,
    /// Maximum temporary disk space.
    pub(crate) max_temp_file_size_kb: i32,
}
