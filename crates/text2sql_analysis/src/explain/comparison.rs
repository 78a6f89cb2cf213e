//! Comparisons in words: less and greater, before and after, patterns.

use sqlparser::ast::{BinaryOperator, Expr};

use super::category::{category, is_temporal};
use super::literal::quoted;
use super::narrator::Narrator;
use super::scope::Scope;
use text2sql_domain::schema::TypeCategory;
use text2sql_sql::tree::syntax::{constant_text, is_constant, is_fixed, without_parentheses};

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
        let (verb, upper) = self.predicate(scope, left, upper_operator, upper)?;
        let verb = verb.trim_start_matches("is ");
        Some(format!("{lower} but {verb} {upper}"))
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
        let (verb, value) = self.predicate(scope, left, &operator, right)?;
        let words = format!("{subject} {verb} {value}");
        Some(if is_negated {
            format!("it is not the case that {words}")
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
            format!("the start of {value}")
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
        let ending = if ignores_case {
            ", in upper or lower case"
        } else {
            ""
        };
        let (does, verb, text) = match constant_text(pattern).map(read_pattern) {
            Some(Some((verb, text))) => (is_negated, verb, quoted(text)),
            Some(None) => {
                let text = self.operand(scope, pattern);
                let rule = "(% stands for any text, _ for any one character)";
                return format!(
                    "{subject} {} the pattern {text} {rule}{ending}",
                    matches_or_not(is_negated)
                );
            }
            None => {
                let text = self.operand(scope, pattern);
                return format!(
                    "{subject} {} the pattern in {text}{ending}",
                    matches_or_not(is_negated)
                );
            }
        };
        let phrase = match (verb, does) {
            (Verb::Starts, false) => "starts with",
            (Verb::Starts, true) => "does not start with",
            (Verb::Ends, false) => "ends with",
            (Verb::Ends, true) => "does not end with",
            (Verb::Contains, false) => "contains",
            (Verb::Contains, true) => "does not contain",
            (Verb::Is, false) => "is",
            (Verb::Is, true) => "is not",
        };
        format!("{subject} {phrase} {text}{ending}")
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

pub(super) fn matches_or_not(is_negated: bool) -> &'static str {
    if is_negated {
        "does not match"
    } else {
        "matches"
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

/// The words for an operator; `None` for an unsupported one.
pub(super) fn verb(
    operator: &BinaryOperator,
    is_time: bool,
    is_constant: bool,
) -> Option<&'static str> {
    Some(match (operator, is_time) {
        (BinaryOperator::Eq, _) if is_constant => "is",
        (BinaryOperator::Eq, _) => "equals",
        (BinaryOperator::NotEq, _) if is_constant => "is not",
        (BinaryOperator::NotEq, _) => "differs from",
        (BinaryOperator::Lt, true) => "is before",
        (BinaryOperator::LtEq, true) => "is on or before",
        (BinaryOperator::Gt, true) => "is after",
        (BinaryOperator::GtEq, true) => "is on or after",
        (BinaryOperator::Lt, false) => "is less than",
        (BinaryOperator::LtEq, false) => "is at most",
        (BinaryOperator::Gt, false) => "is greater than",
        (BinaryOperator::GtEq, false) => "is at least",
        (BinaryOperator::PGRegexMatch, _) => "matches the regular expression",
        (BinaryOperator::PGRegexIMatch, _) => {
            "matches, in upper or lower case, the regular expression"
        }
        (BinaryOperator::PGRegexNotMatch, _) => "does not match the regular expression",
        (BinaryOperator::PGRegexNotIMatch, _) => {
            "does not match, in upper or lower case, the regular expression"
        }
        (BinaryOperator::AtArrow, _) => "contains",
        (BinaryOperator::ArrowAt, _) => "is contained in",
        (BinaryOperator::PGOverlap | BinaryOperator::Overlaps, _) => "overlaps with",
        (BinaryOperator::Question, _) => "has the key",
        (BinaryOperator::QuestionPipe, _) => "has at least one of the keys",
        (BinaryOperator::QuestionAnd, _) => "has all of the keys",
        (BinaryOperator::AtAt, _) => "matches the search",
        (BinaryOperator::PGStartsWith, _) => "starts with",
        _ => return None,
    })
}
