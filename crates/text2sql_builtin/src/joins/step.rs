//! One step of a join path.

/// One step along a foreign key, in either direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Columns of `from` and `to` that are equal.
    pub(crate) pairs: Vec<(String, String)>,
    /// A row of `from` meets at most one row of `to`.
    pub(crate) is_to_one: bool,
    /// No foreign key says so, only the names.
    pub(crate) is_assumed: bool,
}

/// Why there is no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoPath {
    /// The tables are not connected.
    Unconnected,
    /// Several paths are as good.
    Several,
}
