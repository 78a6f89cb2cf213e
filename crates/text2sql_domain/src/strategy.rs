//! How a model is instructed to get from the question to the query.
//!
//! Results gain from thinking in steps, form gains from an example, and questions made of several
//! questions gain from being taken apart; several candidates that come by different ways err in
//! different places, which is what makes their agreement worth something.

/// One way to ask for a query. [`Strategy::as_str`] is part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The query at once.
    Direct,
    /// After one worked example.
    OneShot,
    /// After thinking in steps.
    ChainOfThought,
    /// Part by part, each a common table expression.
    Decompose,
}

const ALL: [Strategy; 4] = [
    Strategy::Direct,
    Strategy::OneShot,
    Strategy::ChainOfThought,
    Strategy::Decompose,
];

impl Strategy {
    /// The word for it in settings and traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::OneShot => "one_shot",
            Self::ChainOfThought => "chain_of_thought",
            Self::Decompose => "decompose",
        }
    }

    /// Whether the model writes a plan before the query.
    pub fn has_plan(self) -> bool {
        matches!(self, Self::ChainOfThought | Self::Decompose)
    }

    /// The strategy of that name; `None` for `auto`, and for a name that is none.
    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|strategy| strategy.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for strategy in ALL {
            assert_eq!(Strategy::named(strategy.as_str()), Some(strategy));
        }
        assert_eq!(Strategy::named("auto"), None);
    }
}
