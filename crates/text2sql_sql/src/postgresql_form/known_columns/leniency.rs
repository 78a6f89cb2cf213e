//! How much is written out of what SQLite does silently.

/// What is written out of what SQLite does silently.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Leniency {
    /// Shown columns that are not grouped by are grouped by as well.
    pub grouping: bool,
    /// NULL comes first in ascending order and last in descending order.
    pub null_order: bool,
    /// A division by zero is NULL.
    pub zero_division: bool,
}

impl Leniency {
    /// All that are worth a try, the form nearest to the original first.
    pub const ALL: [Self; 5] = [
        Self::of(false, false, false),
        Self::of(true, false, false),
        Self::of(false, true, false),
        Self::of(true, true, false),
        Self::of(true, true, true),
    ];

    const fn of(grouping: bool, null_order: bool, zero_division: bool) -> Self {
        Self {
            grouping,
            null_order,
            zero_division,
        }
    }
}
