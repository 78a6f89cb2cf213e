//! Prompting strategies.
//!
//! Step-by-step reasoning improves results, an example improves the format, and compound questions
//! benefit from decomposition. Candidates from different strategies make different errors, so their
//! agreement is meaningful.

use crate::named_enum;

named_enum! {
    listed:
    /// One prompting strategy. [`Strategy::as_str`] is part of the interface.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Strategy {
        /// Write the query directly.
        Direct = "direct",
        /// Show one worked example first.
        OneShot = "one_shot",
        /// Reason step by step first.
        ChainOfThought = "chain_of_thought",
        /// Decompose into parts, each a common table expression.
        Decompose = "decompose",
        /// Say what is meant, which is compiled.
        Meaning = "meaning",
    }
}

impl Strategy {
    /// Whether the model writes a plan before the query.
    pub fn has_plan(self) -> bool {
        matches!(self, Self::ChainOfThought | Self::Decompose)
    }

    /// The strategy with this name; `None` for `auto` and for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|strategy| strategy.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for strategy in Strategy::ALL {
            assert_eq!(Strategy::named(strategy.as_str()), Some(strategy));
        }
        assert_eq!(Strategy::named("auto"), None);
    }
}
