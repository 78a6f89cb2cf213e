//! The levels of protection.

/// The protection level of a column, a table or a schema, from least to most restrictive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Level {
    /// Open, and its owner consents that its frequent values are sent in every prompt. Only rules have this level: a
    /// column to which one applies is open.
    Sample,
    /// Not protected.
    #[default]
    Open,
    /// Its values are never sent in a prompt.
    Private,
    /// Questions cannot see it.
    Hidden,
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

    /// Its name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::Open => "open",
            Self::Private => "private",
            Self::Hidden => "hidden",
        }
    }
}
