//! Checks that a model's sentence about a statement contains only what the steps contain.
//!
//! Every number, quoted text and name of a table or column must occur in the steps or the statement, and
//! a comparison or negation before it must match the steps (English and German words). A sentence that
//! fails is not repaired, only dropped, because the steps are shown anyway. A wrong verb cannot be
//! detected.

use std::collections::BTreeSet;
use std::sync::Arc;
use text2sql_domain::words;

use text2sql_analysis::explain::Step;
use text2sql_domain::schema::Table;
use text2sql_language::sentences::narration::{same_stem, states_only_numbers_of};

/// Maximum distance of a comparison from its value, in words.
const COMPARISON_REACH: usize = 4;

/// Maximum distance of a negation, which may be larger: "without those whose status is".
const NEGATION_REACH: usize = 8;

/// The maximum distance of both in the steps, which use more words: "is greater than or equal to".
const REACH_IN_STEPS: usize = 9;

const MORE: &[&str] = words!(
    "more, over, above, greater, higher, exceeds, exceed, exceeding, after, since, from, least, \
     later, larger, between, mehr, über, größer, höher, nach, seit, ab, mindestens, zwischen"
);
const LESS: &[&str] = words!(
    "less, fewer, under, below, smaller, lower, before, until, most, earlier, between, weniger, \
     unter, kleiner, niedriger, vor, bis, höchstens, zwischen"
);
const NOT: &[&str] = words!(
    "not, no, none, without, except, excluding, other, different, neither, nor, never, nicht, \
     kein, keine, keinen, keiner, ohne, außer, ausgenommen, weder"
);
const DOWNWARD: &[&str] = words!(
    "descending, highest, largest, biggest, newest, latest, absteigend, höchste, höchsten, \
     größte, größten, neueste, neuesten"
);
const UPWARD: &[&str] = words!(
    "ascending, lowest, smallest, oldest, earliest, aufsteigend, niedrigste, niedrigsten, \
     kleinste, kleinsten, älteste, ältesten"
);

/// What the sentence contains that the steps do not; `None` if nothing was found. `others` are the tables
/// that the sentence might name, including those of the statement.
pub(super) fn problem(
    sentence: &str,
    steps: &[Step],
    sql: &str,
    others: &[Arc<Table>],
    language: &str,
) -> Option<&'static str> {
    let explained: Vec<String> = steps
        .iter()
        .map(|step| format!("{}: {}", step.clause, step.explanation))
        .collect();
    let explained = explained.join("\n");
    let known = format!("{explained}\n{sql}").to_lowercase();
    if !states_only_numbers_of(sentence, &known) {
        return Some("a number that is not in the steps");
    }
    if quoted(sentence).iter().any(|text| !known.contains(text)) {
        return Some("a quoted text that is not in the steps");
    }
    if !capitalizes_nouns(language) && has_unknown_name(sentence, &known) {
        return Some("a name that is not in the steps");
    }
    if names_other_object(sentence, &known, others) {
        return Some("a table or column that is not in the steps");
    }
    if changes_comparison(sentence, &explained.to_lowercase(), &known) {
        return Some("a comparison that is not that of the steps");
    }
    if reverses_order(sentence, steps) {
        return Some("an order that is not that of the steps");
    }
    None
}

/// Texts in quotation marks, in lower case.
fn quoted(sentence: &str) -> Vec<String> {
    const PAIRS: [(char, &str); 7] = [
        ('\'', "'"),
        ('"', "\""),
        ('`', "`"),
        ('“', "”"),
        ('„', "“”\""),
        ('«', "»"),
        ('‘', "’"),
    ];
    let mut found = Vec::new();
    let mut before = ' ';
    let mut rest = sentence;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let pair = PAIRS.iter().find(|(open, _)| *open == c);
        // After a letter it is an apostrophe.
        let opens = pair.filter(|_| !before.is_alphanumeric());
        let inside = opens.and_then(|(_, closing)| {
            let end = after.char_indices().find(|(at, mark)| {
                let next = after.get(at + mark.len_utf8()..).unwrap_or_default();
                closing.contains(*mark) && !next.starts_with(char::is_alphanumeric)
            });
            end.map(|(at, mark)| (at, mark.len_utf8()))
        });
        if let Some((end, mark)) = inside {
            found.push(after.get(..end).unwrap_or_default().trim().to_lowercase());
            rest = after.get(end + mark..).unwrap_or_default();
        } else {
            rest = after;
        }
        before = c;
    }
    found
}

/// Words including the characters used in names, without punctuation at their ends.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .map(|word| word.trim_matches('.').to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether the language capitalizes all nouns, so that a capital letter does not indicate a name.
fn capitalizes_nouns(language: &str) -> bool {
    let lower = language.to_lowercase();
    ["german", "deutsch", "de_", "lux", "lëtz"]
        .iter()
        .any(|name| lower.contains(name))
}

/// Whether a capitalized word inside the sentence does not occur in the steps, such as "Spain".
fn has_unknown_name(sentence: &str, known: &str) -> bool {
    const MONTHS: [&str; 12] = *words!(
        "January, February, March, April, May, June, July, August, September, October, November, \
         December"
    );
    let known: BTreeSet<String> = words(known).into_iter().collect();
    let mut is_first = true;
    sentence.split_whitespace().any(|token| {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        let starts = std::mem::replace(&mut is_first, token.ends_with(['.', '!', '?', ':']));
        let lower = word.to_lowercase();
        let is_known = MONTHS.contains(&word)
            || word == "I"
            || lower
                .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                .all(|part| {
                    known
                        .iter()
                        .any(|known| known == part || same_stem(known, part))
                });
        !starts && word.starts_with(char::is_uppercase) && !is_known
    })
}

fn names_other_object(sentence: &str, known: &str, others: &[Arc<Table>]) -> bool {
    let known_words: BTreeSet<String> = words(known)
        .iter()
        .flat_map(|word| word.split('.').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let is_known = |word: &str| {
        known_words.contains(word) || known_words.iter().any(|known| same_stem(known, word))
    };
    let mut names: BTreeSet<String> = BTreeSet::new();
    for table in others {
        names.insert(table.name.to_lowercase());
        names.extend(
            table
                .columns
                .iter()
                .map(|column| column.name.to_lowercase()),
        );
    }
    words(sentence).iter().any(|word| {
        let has_hump = word
            .chars()
            .zip(word.chars().skip(1))
            .any(|(one, next)| one.is_lowercase() && next.is_uppercase());
        let lower = word.to_lowercase();
        let has_letters = lower.contains(char::is_alphabetic);
        let looks_like_name = has_letters && (lower.contains(['_', '.']) || has_hump);
        let is_abbreviation = lower.split('.').all(|part| part.chars().count() == 1);
        let parts: Vec<&str> = lower.split('.').collect();
        (looks_like_name && !is_abbreviation && !parts.iter().all(|part| is_known(part)))
            || (names.contains(&lower) && !is_known(&lower))
    })
}

/// A value with the comparison and negation before it.
struct ValueContext {
    value: String,
    is_more: bool,
    is_less: bool,
    is_not: bool,
}

/// The values in a text: numbers, and words in quotes. A comparison may be up to `reach` words before its
/// value, a negation up to `negation_reach`.
fn values(text: &str, reach: usize, negation_reach: usize) -> Vec<ValueContext> {
    let lower = text.to_lowercase();
    // A clause ends at punctuation, but not within a number.
    let mut found = Vec::new();
    for clause in lower.split([',', ';', '\n', '(', ')']) {
        let tokens: Vec<&str> = clause.split_whitespace().collect();
        let mut start = 0;
        for (place, token) in tokens.iter().enumerate() {
            let bare = token.trim_matches(|c: char| !c.is_alphanumeric());
            let is_value = bare.starts_with(|c: char| c.is_ascii_digit())
                || token.starts_with(['\'', '"', '`', '“', '„', '«', '‘']);
            if is_value && !bare.is_empty() {
                let has_within = |reach: usize, list: &[&str]| {
                    let from = place.saturating_sub(reach).max(start);
                    let before = tokens.get(from..place).unwrap_or_default();
                    before.iter().any(|word| list.contains(word))
                };
                let has = |list: &[&str]| has_within(reach, list);
                // "no more than 5", "nicht mehr als 5": the negation reverses the comparison.
                let is_not = has_within(negation_reach, NOT);
                let (more, less) = (has(MORE), has(LESS));
                let is_reversed = is_not && more != less;
                found.push(ValueContext {
                    value: bare.to_owned(),
                    is_more: if is_reversed { less } else { more },
                    is_less: if is_reversed { more } else { less },
                    is_not: is_not && !is_reversed,
                });
                start = place + 1;
            }
            if token.ends_with(['.', ':', '!', '?']) {
                start = place + 1;
            }
        }
    }
    found
}

/// Whether a value has a comparison or negation that it has nowhere in the steps.
fn changes_comparison(sentence: &str, explained: &str, known: &str) -> bool {
    let facts = values(explained, REACH_IN_STEPS, REACH_IN_STEPS);
    values(sentence, COMPARISON_REACH, NEGATION_REACH)
        .iter()
        .any(|claim| {
            let same: Vec<&ValueContext> = facts
                .iter()
                .filter(|fact| fact.value == claim.value)
                .collect();
            // A value in another format is left to the other checks.
            if same.is_empty() || !known.contains(&claim.value) {
                return false;
            }
            let differs = |is_claimed: bool, is_fact: fn(&ValueContext) -> bool| {
                is_claimed && !same.iter().any(|fact| is_fact(fact))
            };
            let drops_not = !claim.is_not
                && !claim.is_more
                && !claim.is_less
                && same.iter().all(|fact| fact.is_not);
            differs(claim.is_more && !claim.is_less, |fact| fact.is_more)
                || differs(claim.is_less && !claim.is_more, |fact| fact.is_less)
                || differs(claim.is_not, |fact| fact.is_not)
                || drops_not
        })
}

/// Whether the sentence reverses the sort order.
fn reverses_order(sentence: &str, steps: &[Step]) -> bool {
    let lower = sentence.to_lowercase();
    let sentence_words = words(&lower);
    let says = |list: &[&str]| {
        sentence_words
            .iter()
            .any(|word| list.contains(&word.as_str()))
    };
    let sorted: Vec<String> = steps
        .iter()
        .filter(|step| step.clause.ends_with("ORDER BY"))
        .map(|step| step.explanation.to_lowercase())
        .collect();
    if sorted.is_empty() {
        return false;
    }
    let falls = |text: &String| text.contains("from highest") || text.contains("newest first");
    let rises = |text: &String| text.contains("from lowest") || text.contains("oldest first");
    // The word may describe a maximum or minimum in another step.
    let others: Vec<String> = steps
        .iter()
        .filter(|step| !step.clause.ends_with("ORDER BY"))
        .flat_map(|step| words(&step.explanation.to_lowercase()))
        .collect();
    let elsewhere = |list: &[&str]| others.iter().any(|word| list.contains(&word.as_str()));
    (says(DOWNWARD) && !says(UPWARD) && !elsewhere(DOWNWARD) && sorted.iter().all(rises))
        || (says(UPWARD) && !says(DOWNWARD) && !elsewhere(UPWARD) && sorted.iter().all(falls))
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_analysis::explain::explain;
    use text2sql_domain::schema_fixture::shop;

    const SQL: &str = "SELECT c.name, count(*) AS orders FROM customers c JOIN orders o ON \
        o.customer_id = c.id WHERE o.status <> 'returned' AND o.total > 100 GROUP BY c.name \
        HAVING count(*) >= 3 ORDER BY orders DESC LIMIT 5";

    fn problem_of(sentence: &str) -> Option<&'static str> {
        let steps = explain(SQL, &shop()).unwrap();
        problem(sentence, &steps, SQL, &shop(), "English")
    }

    #[test]
    fn correct_sentences_pass() {
        for sentence in [
            "The five customers with the most orders, counting only orders of more than 100 that are not 'returned' and only customers with at least 3 of them.",
            "It lists customer names with their number of orders, highest first.",
            "Customers whose orders.total exceeds 100, without those whose status is 'returned'.",
        ] {
            assert_eq!(problem_of(sentence), None, "{sentence}");
        }
        let sentence = "Zeigt die fünf Kunden (customers) mit den meisten orders über 100, die nicht „returned“ sind, bei mindestens 3 orders, absteigend sortiert.";
        let steps = explain(SQL, &shop()).unwrap();
        assert_eq!(problem(sentence, &steps, SQL, &shop(), "German"), None);
    }

    #[test]
    fn wrong_sentences_fail() {
        for (sentence, expect) in [
            ("The 7 customers with the most orders.", "a number"),
            ("The top twelve customers.", "a number"),
            ("Customers with orders that are 'settled'.", "a quoted"),
            ("The customers of Spain.", "a name"),
            ("Customers with their payment_method.", "a table or column"),
            ("Customers and their payments.", "a table or column"),
            ("Customers with orders of less than 100.", "a comparison"),
            ("Customers with at most 3 orders.", "a comparison"),
            ("customers mit höchstens 3 orders.", "a comparison"),
            ("Customers with orders that are 'returned'.", "a comparison"),
            ("Customers with not 5 rows.", "a comparison"),
            ("Customers, the lowest number of orders first.", "an order"),
        ] {
            let found = problem_of(sentence);
            assert!(
                found.is_some_and(|problem| problem.starts_with(expect)),
                "{sentence}: {found:?}"
            );
        }
    }

    #[test]
    fn finds_quoted_texts() {
        assert_eq!(
            quoted("The customer's 'New York' and „Köln“, “x”"),
            ["new york", "köln", "x"]
        );
    }
}
