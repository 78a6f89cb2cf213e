//! The administrator's settings for generated SQL, for the guard.

/// The administrator's settings for generated SQL.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GuardPolicy {
    /// Schemas that questions may read; `None` means all.
    pub(crate) allowed_schemas: Option<Vec<String>>,
    /// Whether questions may read `pg_catalog` and `information_schema`.
    pub(crate) allow_system_catalogs: bool,
    /// Whether questions may read foreign tables.
    pub(crate) allow_foreign_tables: bool,
    /// Extensions whose functions may be called unless VOLATILE or SECURITY DEFINER.
    pub(crate) trusted_extensions: Vec<String>,
    /// OIDs of further functions that may be called.
    pub(crate) allowed_functions: Vec<u32>,
    /// Maximum `work_mem`; a lower value of the session is kept.
    pub(crate) max_work_mem_kb: i32,
    /// Maximum `max_parallel_workers_per_gather`; a lower value of the session is kept.
    pub(crate) max_parallel_workers: i32,
    /// Maximum temporary disk space.
    pub(crate) max_temp_file_size_kb: i32,
}
