//! The rewriting of one query: what its parts need to know.

use super::columns::KnownColumns;
use super::leniency::Leniency;
use super::scopes::Scopes;

/// The rewriting of one query.
pub(super) struct Writing<'a> {
    pub(super) columns: &'a KnownColumns,
    pub(super) leniency: Leniency,
    pub(super) scopes: Scopes,
    /// Number of subqueries that were given a name.
    pub(super) derived: usize,
}
