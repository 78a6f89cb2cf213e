//! Words of a question that say a direction or a number of rows, against a query that has another one.

use sqlparser::ast::{BinaryOperator, Expr, LimitClause};
use text2sql_language::say;

use super::{Basis, Check, Finding, Severity};
use text2sql_language::understanding::Understanding;
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::walk::{expressions, walk};
use text2sql_sql::tree::{Place, Tree};

/// Words before a number that the rows are above.
const ABOVE: [&str; 18] = [
    "more than",
    "greater than",
    "higher than",
    "larger than",
    "bigger than",
    "longer than",
    "older than",
    "at least",
    "above",
    "over",
    "exceeding",
    "mehr als",
    "größer als",
    "höher als",
    "mindestens",
    "über",
    "más de",
    "plus de",
];

/// Words before a number that the rows are below.
const BELOW: [&str; 17] = [
    "less than",
    "fewer than",
    "lower than",
    "smaller than",
    "shorter than",
    "younger than",
    "at most",
    "below",
    "under",
    "weniger als",
    "kleiner als",
    "niedriger als",
    "höchstens",
    "unter",
    "menos de",
    "moins de",
    "up to",
];

/// Words that turn a comparison around.
const NEGATIONS: [&str; 12] = [
    "not", "no", "never", "without", "except", "n't", "don", "doesn", "nicht", "kein", "keine",
    "ohne",
];

/// Comparisons in the other direction, and another number of rows.
pub(super) fn find(tree: &Tree<'_>, sql: &str, question: &Understanding) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(limit(tree, question));
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

/// The numbers of the question with the direction that it says.
fn stated(question: &Understanding) -> Vec<(f64, bool, String)> {
    let words = question.words();
    let mut stated = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let Ok(number) = word.parse::<f64>() else {
            continue;
        };
        // "10,000" and "3.5" are split: they are left alone.
        let beside = |at: Option<usize>| {
            at.and_then(|at| words.get(at))
                .is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()))
        };
        if beside(place.checked_sub(1)) || beside(Some(place + 1)) {
            continue;
        }
        let before = words.get(..place).unwrap_or_default().join(" ");
        let ends = |phrases: &[&str]| {
            let is_end =
                |phrase: &&&str| before == **phrase || before.ends_with(&format!(" {phrase}"));
            phrases
                .iter()
                .find(is_end)
                .map(|phrase| (*phrase).to_owned())
        };
        match (ends(&ABOVE), ends(&BELOW)) {
            (Some(phrase), None) => stated.push((number, true, phrase)),
            (None, Some(phrase)) => stated.push((number, false, phrase)),
            _ => {}
        }
    }
    stated
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
                        without_parentheses(side)
                            .to_string()
                            .trim_matches('\'')
                            .parse()
                            == Ok(number)
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
                Finding::new(
                    Check::Direction,
                    Severity::Error,
                    Basis::Proved,
                    say!(
                        "The question says '{phrase} {number}', and the query has `{other}`.",
                        phrase,
                        number,
                        other
                    ),
                )
                .with_fix(say!("turn the comparison around")),
            );
        }
    }
    found
}

/// "Top 3" with another LIMIT.
fn limit(tree: &Tree<'_>, question: &Understanding) -> Option<Finding> {
    let words = question.words();
    let place = words.iter().position(|word| word == "top")?;
    let wanted = number_of(words.get(place + 1)?)?;
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    let Some(LimitClause::LimitOffset {
        limit: Some(Expr::Value(value)),
        ..
    }) = &top.query?.limit_clause
    else {
        return None;
    };
    let kept: u64 = value.to_string().parse().ok()?;
    // In groups, or with a limit inside, it may be counted otherwise.
    let is_only = tree
        .blocks
        .iter()
        .filter(|block| {
            block
                .query
                .is_some_and(|query| query.limit_clause.is_some())
        })
        .count()
        == 1;
    (is_only && kept != wanted).then(|| {
        Finding::new(
            Check::Direction,
            Severity::Error,
            Basis::Proved,
            say!(
                "The question asks for the top {wanted}, and LIMIT keeps {kept}.",
                wanted,
                kept
            ),
        )
        .with_fix(format!("LIMIT {wanted}"))
    })
}

fn number_of(word: &str) -> Option<u64> {
    const WORDS: [&str; 10] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let place = WORDS.iter().position(|known| *known == word);
    place
        .and_then(|place| u64::try_from(place + 1).ok())
        .or_else(|| word.parse().ok())
}
