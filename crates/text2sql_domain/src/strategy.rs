//! How a model is told to get from the question to the query.
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

/// Words that join a question to another one, by which `auto` knows one made of several. English
/// and German; in other languages its length tells.
const JOINING_WORDS: [&str; 22] = [
    "than",
    "compared",
    "versus",
    "vs",
    "but",
    "without",
    "never",
    "except",
    "share",
    "percentage",
    "average",
    "ratio",
    "difference",
    "each",
    "als",
    "verglichen",
    "aber",
    "ohne",
    "außer",
    "anteil",
    "prozent",
    "durchschnitt",
];

/// Words above which a question is long, and below which it is short.
const LONG: usize = 22;
const SHORT: usize = 8;

/// The strategies of `count` candidates, the one to trust most first: the one that is set, or the
/// one that fits the question, then the others.
pub fn strategies(set: Option<Strategy>, words: &[String], count: usize) -> Vec<Strategy> {
    let first = set.unwrap_or_else(|| fitting(words));
    // What differs most from the ways already taken comes next.
    let rest = [
        Strategy::ChainOfThought,
        Strategy::OneShot,
        Strategy::Decompose,
        Strategy::Direct,
    ];
    let others = rest.into_iter().filter(|strategy| *strategy != first);
    std::iter::once(first)
        .chain(others)
        .cycle()
        .take(count.max(1))
        .collect()
}

fn fitting(words: &[String]) -> Strategy {
    let joining = words
        .iter()
        .filter(|word| JOINING_WORDS.contains(&word.as_str()))
        .count();
    match (joining, words.len()) {
        (0, ..=SHORT) => Strategy::Direct,
        (0 | 1, ..LONG) => Strategy::ChainOfThought,
        _ => Strategy::Decompose,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    }

    fn fitting_for(text: &str) -> Strategy {
        fitting(&words(text))
    }

    #[test]
    fn auto_takes_the_way_that_fits() {
        assert_eq!(fitting_for("How many orders are there?"), Strategy::Direct);
        assert_eq!(
            fitting_for("Which customers have never placed an order in this year so far?"),
            Strategy::ChainOfThought
        );
        assert_eq!(
            fitting_for(
                "Which regions sold more than the average, and what is each one's share of the total?"
            ),
            Strategy::Decompose
        );
    }

    #[test]
    fn candidates_come_by_different_ways() {
        let ways = strategies(Some(Strategy::OneShot), &words("How many orders?"), 5);
        assert_eq!(ways.first(), Some(&Strategy::OneShot));
        assert_eq!(ways.len(), 5);
        let different: std::collections::HashSet<_> = ways.iter().collect();
        assert_eq!(different.len(), 4, "the fifth begins anew");
    }

    #[test]
    fn names_are_read_back() {
        for strategy in ALL {
            assert_eq!(Strategy::named(strategy.as_str()), Some(strategy));
        }
        assert_eq!(Strategy::named("auto"), None);
    }
}
