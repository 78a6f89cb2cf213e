//! Chooses the strategies of the candidates, starting with the configured one or the one that fits the
//! question.

use text2sql_domain::strategy::Strategy;
use text2sql_domain::words;

/// Words that indicate a question composed of several, for `auto`. English and German only; in other
/// languages the length decides.
const JOINING_WORDS: [&str; 22] = *words!(
    "than, compared, versus, vs, but, without, never, except, share, percentage, average, ratio, \
     difference, each, als, verglichen, aber, ohne, außer, anteil, prozent, durchschnitt"
);

/// Word counts above which a question is long, and below which it is short.
const LONG_QUESTION_WORDS: usize = 22;
const SHORT_QUESTION_WORDS: usize = 8;

/// The strategies for `count` candidates, best first: the configured strategy or the one that fits the
/// question, then the others. Those with a plan are among them only where a model may write one.
pub fn strategies(
    set: Option<Strategy>,
    may_plan: bool,
    words: &[String],
    count: usize,
) -> Vec<Strategy> {
    let is_permitted = |strategy: &Strategy| may_plan || !strategy.has_plan();
    let first = set.unwrap_or_else(|| fitting(words));
    let first = Some(first).filter(is_permitted).unwrap_or(Strategy::Direct);
    // The others are ordered by how much they differ from those before.
    let rest = [
        Strategy::ChainOfThought,
        Strategy::OneShot,
        Strategy::Decompose,
        Strategy::Direct,
    ];
    let others = rest
        .into_iter()
        .filter(|strategy| *strategy != first && is_permitted(strategy));
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
        (0, ..=SHORT_QUESTION_WORDS) => Strategy::Direct,
        (0 | 1, ..LONG_QUESTION_WORDS) => Strategy::ChainOfThought,
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
    fn auto_chooses_the_fitting_strategy() {
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
    fn candidates_use_different_strategies() {
        let words = lower_words("How many orders?");
        let ways = strategies(Some(Strategy::OneShot), true, &words, 5);
        assert_eq!(ways.first(), Some(&Strategy::OneShot));
        assert_eq!(ways.len(), 5);
        let different: std::collections::HashSet<_> = ways.iter().collect();
        assert_eq!(different.len(), 4, "the fifth begins anew");
        let without_plan = strategies(None, false, &lower_words("a share of each"), 3);
        let expected = [Strategy::Direct, Strategy::OneShot, Strategy::Direct];
        assert_eq!(without_plan, expected);
    }
}
