//! The levels of protection.

use text2sql_domain::named_enum;

named_enum! {
    /// The protection level of a column, a table or a schema, from least to most restrictive.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
    pub(crate) enum Level {
        /// Open, and its owner consents that its frequent values are sent in every prompt. Only rules have this level: a
        /// column to which one applies is open.
        Sample = "sample",
        /// Not protected.
        #[default]
        Open = "open",
        /// Its values are never sent in a prompt.
        Private = "private",
        /// Questions cannot see it.
        Hidden = "hidden",
    }
}

impl Level {
    /// The level of that name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name {
            "sample" => Some(Self::Sample),
            "open" => Some(Self::Open),
            "private" => Some(Self::Private),
            "hidden" => Some(Self::Hidden),
            _ => None,
        }
    }
}
