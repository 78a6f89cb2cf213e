//! One step of a join path.

/// One step along a foreign key, in either direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Columns of `from` and `to` that are equal.
    pub(crate) pairs: Vec<(String, String)>,
    /// A row of `from` joins at most one row of `to`.
    pub(crate) is_to_one: bool,
    /// Assumed from column names, not from a foreign key.
    pub(crate) is_assumed: bool,
}

/// Why there is no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoPath {
    /// The tables are not connected.
    Unconnected,
    /// Several paths have the lowest cost.
    Several,
}
