//! The collections of a search index, and the unit numbers shared by all items.

/// A collection of the search index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Collection {
    /// Tables with their columns and foreign keys; items are OIDs of `pg_class`.
    Schema,
    /// Definitions; items are their IDs.
    Definitions,
    /// Verified examples; items are their IDs.
    Examples,
}

/// The unit of the item's name and synonyms.
pub const NAME: i16 = 0;

/// The unit of the item's description.
pub const DESCRIPTION: i16 = i16::MIN;
