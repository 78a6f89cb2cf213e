//! The three levels of protection.

/// How a column, a table or a schema is protected, from open to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Level {
    /// Not at all.
    #[default]
    Open,
    /// Its values are never in a prompt.
    Private,
    /// It does not exist for questions.
    Hidden,
}

impl Level {
    /// The level of that name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name {
            "open" => Some(Self::Open),
            "private" => Some(Self::Private),
            "hidden" => Some(Self::Hidden),
            _ => None,
        }
    }

    /// Its name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Private => "private",
            Self::Hidden => "hidden",
        }
    }
}
