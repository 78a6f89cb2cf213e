//! Words of a question that say the direction of a comparison, against a query that has the other one.

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_domain::words;
use text2sql_phrases::say;

use super::{Check, Finding};
use text2sql_language::numbers::of_folded;
use text2sql_language::terms::fold;
use text2sql_language::understanding::Understanding;
use text2sql_sql::tree::Tree;
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::walk::{expressions, walk};

/// Words before a number that the rows are above.
const ABOVE: &[&str] = words!(
    "greater than or equal to, more than or equal to, more than, greater than, higher than, \
     larger than, bigger than, longer than, older than, at least, above, over, exceeding, \
     mehr als, größer als, höher als, mindestens, über, más de, plus de, after, since, \
     later than, nach"
);

/// Words before a number that the rows are below.
const BELOW: &[&str] = words!(
    "less than or equal to, less than, fewer than, lower than, smaller than, shorter than, \
     younger than, at most, below, under, weniger als, kleiner als, niedriger als, \
     höchstens, unter, menos de, moins de, up to, before, earlier than, prior to"
);

/// Words before the first and the second number of a range.
const BETWEEN: [&str; 4] = ["between", "zwischen", "entre", "tussen"];
const AND: [&str; 5] = ["and", "und", "y", "et", "en"];

/// Words that turn a comparison around.
const NEGATIONS: [&str; 12] = [
    "not", "no", "never", "without", "except", "n't", "don", "doesn", "nicht", "kein", "keine",
    "ohne",
];

/// Comparisons in the other direction.
pub(super) fn find(tree: &Tree<'_>, sql: &str, question: &Understanding) -> Vec<Finding> {
    let mut found = Vec::new();
    let words = question.words();
    let lower = sql.to_lowercase();
    let is_turned = words.iter().any(|word| NEGATIONS.contains(&word.as_str()))
        || ["not ", "not(", "except", "is null"]
            .into_iter()
            .any(|word| lower.contains(word));
    if !is_turned {
        found.extend(comparisons(tree, question));
    }
    found
}

/// Whether a text ends with words before a number that is compared with.
pub(super) fn is_compared(before: &str) -> bool {
    ABOVE.iter().chain(BELOW).chain(&BETWEEN).any(|phrase| {
        let phrase = fold(phrase);
        before == phrase || before.ends_with(&format!(" {phrase}"))
    })
}

/// The numbers of the question with the direction that it says.
fn stated(question: &Understanding) -> Vec<(f64, bool, String)> {
    let folded = question.folded();
    let mut found: Vec<(f64, bool, String)> = Vec::new();
    let mut bound: Option<String> = None;
    for number in question.numbers().iter().filter(|number| number.is_plain()) {
        let before = folded.get(..number.start).unwrap_or_default();
        let before =
            before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '$' | '€' | '£'));
        let ends = |phrases: &[&str]| {
            let is_end = |phrase: &&&str| {
                let phrase = fold(phrase);
                before == phrase || before.ends_with(&format!(" {phrase}"))
            };
            phrases
                .iter()
                .find(is_end)
                .map(|phrase| (*phrase).to_owned())
        };
        // "Between 3 and 5" has its second number after "and".
        let second = bound.take().filter(|_| ends(&AND).is_some());
        let first = ends(&BETWEEN);
        bound = first.clone();
        let Some(value) = value_at(folded.get(number.start..).unwrap_or_default()) else {
            continue;
        };
        match (ends(ABOVE).or(first), ends(BELOW).or(second)) {
            (Some(phrase), None) => found.push((value, true, phrase)),
            (None, Some(phrase)) => found.push((value, false, phrase)),
            _ => {}
        }
    }
    found
}

/// The number that a text begins with, in digits or as a word, where it can be read in one way only: "10.000" cannot.
fn value_at(text: &str) -> Option<f64> {
    let word = text.split(|c: char| !c.is_alphabetic()).next();
    if let Some(number) = word.and_then(of_folded) {
        return Some(number);
    }
    let digits: String = text
        .chars()
        .take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
        .collect();
    let digits = digits.trim_end_matches(['.', ',']);
    let is_thousands = |separator: char| {
        let mut groups = digits.split(separator).skip(1).peekable();
        groups.peek().is_some()
            && groups.all(|group| group.len() == 3 && group.chars().all(|c| c.is_ascii_digit()))
    };
    match (digits.contains(','), digits.contains('.')) {
        (false, false) => digits.parse().ok(),
        (true, _) if is_thousands(',') => digits.replace(',', "").parse().ok(),
        (false, true) if !is_thousands('.') => digits.parse().ok(),
        _ => None,
    }
}

/// A number that the question is above of, and the query below, or the other way round.
fn comparisons(tree: &Tree<'_>, question: &Understanding) -> Vec<Finding> {
    let mut found = Vec::new();
    for (number, is_above, phrase) in stated(question) {
        let mut fitting = 0;
        let mut other: Option<String> = None;
        for block in &tree.blocks {
            for expression in expressions(block.select, block.query)
                .into_iter()
                .chain(&block.select.having)
            {
                walk(expression, &mut |part| {
                    let Expr::BinaryOp { left, op, right } = part else {
                        if matches!(part, Expr::Between { .. }) {
                            fitting += 1;
                        }
                        return;
                    };
                    let is = |side: &Expr| {
                        let text = without_parentheses(side).to_string();
                        let value = text.trim_matches('\'').parse::<f64>();
                        // "More than 3" is 4 or more.
                        let next = match op {
                            BinaryOperator::GtEq | BinaryOperator::LtEq => 1.0,
                            _ => 0.0,
                        };
                        value.is_ok_and(|value| {
                            [number, number - next, number + next].contains(&value)
                        })
                    };
                    let keeps_above = match op {
                        BinaryOperator::Gt | BinaryOperator::GtEq => is(right),
                        BinaryOperator::Lt | BinaryOperator::LtEq => is(left),
                        _ => return,
                    };
                    if !is(left) && !is(right) {
                        return;
                    }
                    match keeps_above == is_above {
                        true => fitting += 1,
                        false => other = Some(part.to_string()),
                    }
                });
            }
        }
        if let (Some(other), 0) = (other, fitting) {
            found.push(
                Check::Direction
                    .error(say!(
                        "The question says '{phrase}', and the query has `{other}`.",
                        phrase,
                        other
                    ))
                    .with_fix(say!("turn the comparison around")),
            );
        }
    }
    found
}
