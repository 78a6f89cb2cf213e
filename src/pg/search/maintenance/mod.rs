//! Keeps the search index up to date without a call of `refresh()`.
//!
//! The work is done by a background worker of one database, which connects, does what is due, and ends
//! (`crate::pg::search::maintenance_worker`). It is started
//!
//! - by a session, when a question meets an index that is missing or out of date, and at the commit of DDL or of
//!   knowledge ([`wake`]). This needs no preloaded library. A worker rather than the session does the work, because a
//!   question may run in a read-only transaction, in one that is rolled back, or in one that holds its locks for hours;
//! - by a launcher, regularly, where the library is in `shared_preload_libraries` ([`launcher`]).
//!
//! Definitions and examples are indexed even earlier, by the statement that stores them, where vectors need no endpoint
//! (`crate::pg::search::refresh::index_item`).
//!
//! # As whom it reads
//!
//! Names, comments and knowledge are read as the owner of the extension. Values are read as the role that [`reader`]
//! chooses, never as a superuser and never as whoever asked: starting a worker gives nobody a right. They are read as
//! they are stored (`crate::pg::access::stored_rows`), so that no code of a table's owner runs.

pub(crate) mod launcher;
pub(crate) mod reader;
pub(crate) mod report;
pub(crate) mod schedule;
pub(crate) mod wake;
