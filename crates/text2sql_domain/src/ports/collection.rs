//! What a search index holds: its collections, and the units that every item has.

/// What is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Collection {
    /// Tables with their columns and foreign keys; items are OIDs of `pg_class`.
    Schema,
    /// Definitions; items are their ids.
    Definitions,
    /// Verified examples; items are their ids.
    Examples,
}

/// The unit of an item's name and synonyms.
pub const NAME: i16 = 0;

/// The unit of an item's description.
pub const DESCRIPTION: i16 = i16::MIN;
