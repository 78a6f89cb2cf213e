//! Which strategies the candidates of a question take: the one that is set, or the one that fits the question, first.

use text2sql_domain::strategy::Strategy;

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
    use text2sql_language::understanding::lower_words;

    fn fitting_for(text: &str) -> Strategy {
        fitting(&lower_words(text))
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
        let words = lower_words("How many orders?");
        let ways = strategies(Some(Strategy::OneShot), &words, 5);
        assert_eq!(ways.first(), Some(&Strategy::OneShot));
        assert_eq!(ways.len(), 5);
        let different: std::collections::HashSet<_> = ways.iter().collect();
        assert_eq!(different.len(), 4, "the fifth begins anew");
    }
}
