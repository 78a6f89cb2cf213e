//! Comparisons in words: less and greater, before and after, patterns.

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_phrases::{say, template};

use super::category::{category, is_temporal};
use super::literal::quoted;
use super::narrator::Narrator;
use super::scope::Scope;
use text2sql_domain::schema::TypeCategory;
use text2sql_sql::tree::syntax::{
    constant_text, is_constant, is_fixed, is_null, without_parentheses,
};

impl Narrator<'_> {
    /// `x >= a AND x < b` as one range.
    pub(super) fn range(
        &mut self,
        scope: &Scope<'_>,
        first: &Expr,
        second: &Expr,
    ) -> Option<String> {
        let (left, lower_operator, lower) = comparison_parts(first)?;
        let (again, upper_operator, upper) = comparison_parts(second)?;
        let is_range = matches!(lower_operator, BinaryOperator::Gt | BinaryOperator::GtEq)
            && matches!(upper_operator, BinaryOperator::Lt | BinaryOperator::LtEq)
            && left == again;
        if !is_range {
            return None;
        }
        let lower = self.comparison(scope, left, lower_operator, lower, false)?;
        let is_time = category(scope, left)
            .or_else(|| category(scope, upper))
            .is_some_and(is_temporal);
        let (_, value) = self.predicate(scope, left, upper_operator, upper)?;
        Some(match (upper_operator, is_time) {
            (BinaryOperator::Lt, true) => say!("{lower} but before {value}"),
            (BinaryOperator::Lt, false) => say!("{lower} but less than {value}"),
            (_, true) => say!("{lower} but on or before {value}"),
            (_, false) => say!("{lower} but at most {value}"),
        })
    }

    /// A comparison in words; `None` for an unsupported operator.
    pub(super) fn comparison(
        &mut self,
        scope: &Scope<'_>,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
        is_negated: bool,
    ) -> Option<String> {
        let is_turned = is_constant(left) && !is_constant(right);
        let (left, operator, right) = match turned(operator) {
            Some(turned) if is_turned => (right, turned, left),
            _ => (left, operator.clone(), right),
        };
        verb(&operator, false, false)?;
        let (operator, is_negated) = match opposite(&operator) {
            Some(opposite) if is_negated => (opposite, false),
            _ => (operator, is_negated),
        };
        let of = category(scope, right).filter(|_| is_constant(left));
        let subject = self.value_beside(scope, left, of);
        if is_null(right) {
            return Some(match operator {
                BinaryOperator::Eq => {
                    say!("{subject} = NULL, which is never true (IS NULL asks for it)")
                }
                BinaryOperator::NotEq => {
                    say!("{subject} <> NULL, which is never true (IS NOT NULL asks for it)")
                }
                _ => say!("{subject} is compared with NULL, which is never true"),
            });
        }
        let (verb, value) = self.predicate(scope, left, &operator, right)?;
        let words = say!(verb, subject, value);
        Some(if is_negated {
            say!("it is not the case that {words}")
        } else {
            words
        })
    }

    /// The verb and the object of a comparison.
    fn predicate(
        &mut self,
        scope: &Scope<'_>,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
    ) -> Option<(&'static str, String)> {
        let of = category(scope, left).or_else(|| category(scope, right));
        let verb = verb(operator, of.is_some_and(is_temporal), is_fixed(right))?;
        let value = self.value_beside(scope, right, of);
        // A date compared with a timestamp means midnight: mention it where it matters.
        let is_midnight = of == Some(TypeCategory::Timestamp)
            && matches!(operator, BinaryOperator::Gt | BinaryOperator::LtEq)
            && constant_text(right).is_some_and(is_date_only);
        let value = if is_midnight {
            say!("the start of {value}")
        } else {
            value
        };
        Some((verb, value))
    }

    /// LIKE and ILIKE: the common patterns as "starts with", "ends with" and "contains".
    pub(super) fn pattern(
        &mut self,
        scope: &Scope<'_>,
        value: &Expr,
        pattern: &Expr,
        ignores_case: bool,
        is_negated: bool,
    ) -> String {
        let subject = self.operand(scope, value);
        let ending = ending(ignores_case);
        let (does, verb, text) = match constant_text(pattern).map(read_pattern) {
            Some(Some((verb, text))) => (is_negated, verb, quoted(text)),
            Some(None) => {
                let text = self.operand(scope, pattern);
                return match is_negated {
                    false => say!(
                        "{subject} matches the pattern {text} (% stands for any text, _ for any one character){ending}"
                    ),
                    true => say!(
                        "{subject} does not match the pattern {text} (% stands for any text, _ for any one character){ending}"
                    ),
                };
            }
            None => {
                let text = self.operand(scope, pattern);
                return match is_negated {
                    false => say!("{subject} matches the pattern in {text}{ending}"),
                    true => say!("{subject} does not match the pattern in {text}{ending}"),
                };
            }
        };
        let phrase = match (verb, does) {
            (Verb::Starts, false) => template!("{subject} starts with {value}"),
            (Verb::Starts, true) => template!("{subject} does not start with {value}"),
            (Verb::Ends, false) => template!("{subject} ends with {value}"),
            (Verb::Ends, true) => template!("{subject} does not end with {value}"),
            (Verb::Contains, false) => template!("{subject} contains {value}"),
            (Verb::Contains, true) => template!("{subject} does not contain {value}"),
            (Verb::Is, false) => template!("{subject} is {value}"),
            (Verb::Is, true) => template!("{subject} is not {value}"),
        };
        format!("{}{ending}", say!(phrase, subject, value = text))
    }
}

#[derive(Clone, Copy)]
enum Verb {
    Starts,
    Ends,
    Contains,
    Is,
}

/// Parses a LIKE pattern whose only wildcards are percent signs at its ends.
fn read_pattern(pattern: &str) -> Option<(Verb, &str)> {
    let start = pattern.strip_prefix('%');
    let end = pattern.strip_suffix('%');
    let (verb, text) = match (start, end) {
        (Some(rest), Some(_)) => (Verb::Contains, rest.strip_suffix('%')?),
        (Some(rest), None) => (Verb::Ends, rest),
        (None, Some(rest)) => (Verb::Starts, rest),
        (None, None) => (Verb::Is, pattern),
    };
    let is_plain = !text.contains(['%', '_', '\\']) && !text.is_empty();
    is_plain.then_some((verb, text))
}

/// What is said of a pattern that ignores case.
pub(super) fn ending(ignores_case: bool) -> String {
    if ignores_case {
        say!(", in upper or lower case")
    } else {
        String::new()
    }
}

fn comparison_parts(expression: &Expr) -> Option<(&Expr, &BinaryOperator, &Expr)> {
    match without_parentheses(expression) {
        Expr::BinaryOp { left, op, right } => Some((left, op, right)),
        _ => None,
    }
}

/// Whether an operator returns a boolean.
pub(super) fn is_condition(operator: &BinaryOperator) -> bool {
    matches!(operator, BinaryOperator::And | BinaryOperator::Or)
        || verb(operator, false, false).is_some()
}

pub(super) fn is_date_only(text: &str) -> bool {
    text.len() == 10 && text.chars().all(|c| c.is_ascii_digit() || c == '-')
}

/// The operator for exchanged operands.
fn turned(operator: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match operator {
        BinaryOperator::Lt => BinaryOperator::Gt,
        BinaryOperator::LtEq => BinaryOperator::GtEq,
        BinaryOperator::Gt => BinaryOperator::Lt,
        BinaryOperator::GtEq => BinaryOperator::LtEq,
        BinaryOperator::Eq | BinaryOperator::NotEq => operator.clone(),
        _ => return None,
    })
}

/// The negated operator.
fn opposite(operator: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match operator {
        BinaryOperator::Lt => BinaryOperator::GtEq,
        BinaryOperator::LtEq => BinaryOperator::Gt,
        BinaryOperator::Gt => BinaryOperator::LtEq,
        BinaryOperator::GtEq => BinaryOperator::Lt,
        BinaryOperator::Eq => BinaryOperator::NotEq,
        BinaryOperator::NotEq => BinaryOperator::Eq,
        BinaryOperator::PGRegexMatch => BinaryOperator::PGRegexNotMatch,
        BinaryOperator::PGRegexIMatch => BinaryOperator::PGRegexNotIMatch,
        BinaryOperator::PGRegexNotMatch => BinaryOperator::PGRegexMatch,
        BinaryOperator::PGRegexNotIMatch => BinaryOperator::PGRegexIMatch,
        _ => return None,
    })
}

/// The sentence for an operator; `None` for an unsupported one.
pub(super) fn verb(
    operator: &BinaryOperator,
    is_time: bool,
    is_constant: bool,
) -> Option<&'static str> {
    Some(match (operator, is_time) {
        (BinaryOperator::Eq, _) if is_constant => template!("{subject} is {value}"),
        (BinaryOperator::Eq, _) => template!("{subject} equals {value}"),
        (BinaryOperator::NotEq, _) if is_constant => template!("{subject} is not {value}"),
        (BinaryOperator::NotEq, _) => template!("{subject} differs from {value}"),
        (BinaryOperator::Lt, true) => template!("{subject} is before {value}"),
        (BinaryOperator::LtEq, true) => template!("{subject} is on or before {value}"),
        (BinaryOperator::Gt, true) => template!("{subject} is after {value}"),
        (BinaryOperator::GtEq, true) => template!("{subject} is on or after {value}"),
        (BinaryOperator::Lt, false) => template!("{subject} is less than {value}"),
        (BinaryOperator::LtEq, false) => template!("{subject} is at most {value}"),
        (BinaryOperator::Gt, false) => template!("{subject} is greater than {value}"),
        (BinaryOperator::GtEq, false) => template!("{subject} is at least {value}"),
        (BinaryOperator::PGRegexMatch, _) => {
            template!("{subject} matches the regular expression {value}")
        }
        (BinaryOperator::PGRegexIMatch, _) => {
            template!("{subject} matches, in upper or lower case, the regular expression {value}")
        }
        (BinaryOperator::PGRegexNotMatch, _) => {
            template!("{subject} does not match the regular expression {value}")
        }
        (BinaryOperator::PGRegexNotIMatch, _) => {
            template!(
                "{subject} does not match, in upper or lower case, the regular expression {value}"
            )
        }
        (BinaryOperator::AtArrow, _) => template!("{subject} contains {value}"),
        (BinaryOperator::ArrowAt, _) => template!("{subject} is contained in {value}"),
        (BinaryOperator::PGOverlap | BinaryOperator::Overlaps, _) => {
            template!("{subject} overlaps with {value}")
        }
        (BinaryOperator::Question, _) => template!("{subject} has the key {value}"),
        (BinaryOperator::QuestionPipe, _) => {
            template!("{subject} has at least one of the keys {value}")
        }
        (BinaryOperator::QuestionAnd, _) => template!("{subject} has all of the keys {value}"),
        (BinaryOperator::AtAt, _) => template!("{subject} matches the search {value}"),
        (BinaryOperator::PGStartsWith, _) => template!("{subject} starts with {value}"),
        _ => return None,
    })
}
