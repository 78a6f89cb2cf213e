//! Conditions in words: comparisons, ranges, lists, patterns, and their combination with AND, OR and NOT.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};

use super::category::{category, is_temporal};
use super::comparison::{is_condition, is_date_only, matches_or_not, verb};
use super::literal::literal;
use super::narrator::{Narrator, unexplained};
use super::scope::Scope;
use text2sql_domain::schema::TypeCategory;
use text2sql_language::english::join_phrases;
use text2sql_sql::tree::syntax::{constant_text, flatten, is_null, without_parentheses};

/// Maximum number of members of an IN list that are spelled out.
const LISTED: usize = 20;

impl Narrator<'_> {
    /// A condition in words, as a clause that follows "where".
    pub fn condition(&mut self, scope: &Scope<'_>, expression: &Expr) -> String {
        self.clause(scope, expression, false)
    }

    /// A condition or its negation.
    fn clause(&mut self, scope: &Scope<'_>, expression: &Expr, is_negated: bool) -> String {
        self.deeper(expression, |narrator| {
            narrator.clause_here(scope, expression, is_negated)
        })
    }

    /// A nested condition: in parentheses if it combines several.
    fn inner_clause(&mut self, scope: &Scope<'_>, expression: &Expr, is_negated: bool) -> String {
        let words = self.clause(scope, expression, is_negated);
        let joins_several = matches!(
            without_parentheses(expression),
            Expr::BinaryOp {
                op: BinaryOperator::And | BinaryOperator::Or,
                ..
            }
        );
        if joins_several {
            format!("({words})")
        } else {
            words
        }
    }

    fn clause_here(&mut self, scope: &Scope<'_>, expression: &Expr, is_negated: bool) -> String {
        match expression {
            Expr::Nested(inner) => self.clause(scope, inner, is_negated),
            Expr::UnaryOp {
                op: UnaryOperator::Not,
                expr,
            } => self.clause(scope, expr, !is_negated),
            Expr::BinaryOp { left, op, right } => match op {
                BinaryOperator::And => self.all_of(scope, expression, is_negated),
                BinaryOperator::Or => self.any_of(scope, expression, is_negated),
                _ => self
                    .comparison(scope, left, op, right, is_negated)
                    .unwrap_or_else(|| {
                        if is_condition(op) {
                            unexplained(expression)
                        } else {
                            self.truth(scope, expression, is_negated)
                        }
                    }),
            },
            Expr::IsNull(value) | Expr::IsUnknown(value) => self.presence(scope, value, is_negated),
            Expr::IsNotNull(value) | Expr::IsNotUnknown(value) => {
                self.presence(scope, value, !is_negated)
            }
            Expr::IsTrue(value) => self.is_exactly(scope, value, "true", is_negated),
            Expr::IsNotTrue(value) => self.is_exactly(scope, value, "true", !is_negated),
            Expr::IsFalse(value) => self.is_exactly(scope, value, "false", is_negated),
            Expr::IsNotFalse(value) => self.is_exactly(scope, value, "false", !is_negated),
            Expr::IsDistinctFrom(left, right) => self.distinctness(scope, left, right, is_negated),
            Expr::IsNotDistinctFrom(left, right) => {
                self.distinctness(scope, left, right, !is_negated)
            }
            Expr::InList {
                expr,
                list,
                negated,
            } => self.membership(scope, expr, list, *negated != is_negated),
            Expr::InSubquery {
                expr,
                subquery,
                negated,
            } => self.in_subquery(scope, expr, subquery, *negated != is_negated),
            Expr::Between {
                expr,
                negated,
                low,
                high,
            } => self.between(scope, expr, low, high, *negated != is_negated),
            Expr::Like {
                negated,
                expr,
                pattern,
                escape_char: None,
                any: false,
            } => self.pattern(scope, expr, pattern, false, *negated != is_negated),
            Expr::ILike {
                negated,
                expr,
                pattern,
                escape_char: None,
                any: false,
            } => self.pattern(scope, expr, pattern, true, *negated != is_negated),
            Expr::Like {
                negated,
                expr,
                pattern,
                escape_char: Some(escape),
                ..
            }
            | Expr::ILike {
                negated,
                expr,
                pattern,
                escape_char: Some(escape),
                ..
            } => {
                let verb = matches_or_not(*negated != is_negated);
                let ignores_case = matches!(expression, Expr::ILike { .. });
                let ending = if ignores_case {
                    ", in upper or lower case"
                } else {
                    ""
                };
                let pattern = self.operand(scope, pattern);
                let escape = self.operand(scope, escape);
                format!(
                    "{} {verb} the pattern {pattern} (% stands for any text, _ for any one \
                     character, and either for itself after {escape}){ending}",
                    self.operand(scope, expr)
                )
            }
            Expr::SimilarTo {
                negated,
                expr,
                pattern,
                escape_char: None,
            } => {
                let verb = matches_or_not(*negated != is_negated);
                let pattern = self.operand(scope, pattern);
                format!(
                    "{} {verb} the SQL regular expression {pattern}",
                    self.operand(scope, expr)
                )
            }
            Expr::AnyOp {
                left,
                compare_op,
                right,
                ..
            } => self.any_or_all(scope, left, compare_op, right, true, is_negated),
            Expr::AllOp {
                left,
                compare_op,
                right,
            } => self.any_or_all(scope, left, compare_op, right, false, is_negated),
            Expr::Exists { subquery, negated } => {
                let rows = self.subquery_rows(scope, subquery);
                if *negated == is_negated {
                    format!("there is at least one row in {rows}")
                } else {
                    format!("there is no row in {rows}")
                }
            }
            // Any other form of these has no wording; passing it to `value` would recurse forever.
            Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. } if is_negated => {
                format!("it is not the case that {}", unexplained(expression))
            }
            Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. } => {
                unexplained(expression)
            }
            Expr::Value(value) if !is_negated => {
                format!("{} (always the same)", literal(&value.value, false))
            }
            _ => self.truth(scope, expression, is_negated),
        }
    }

    /// A boolean value as a condition: "customers.is_active is true".
    fn truth(&mut self, scope: &Scope<'_>, expression: &Expr, is_negated: bool) -> String {
        let value = self.operand(scope, expression);
        format!("{value} is {}", if is_negated { "false" } else { "true" })
    }

    /// A conjunction; a lower and an upper bound of the same value become one range.
    fn all_of(&mut self, scope: &Scope<'_>, expression: &Expr, is_negated: bool) -> String {
        let parts = flatten(expression, &BinaryOperator::And);
        let mut words: Vec<String> = Vec::new();
        let mut rest = parts.as_slice();
        while let Some((first, following)) = rest.split_first() {
            rest = following;
            let range = following
                .first()
                .and_then(|second| self.range(scope, first, second));
            if let Some(range) = range {
                words.push(range);
                rest = following.split_first().map_or(&[], |(_, rest)| rest);
            } else {
                words.push(self.inner_clause(scope, first, false));
            }
        }
        if is_negated {
            return format!("it is not the case that ({})", join_clauses(&words, "and"));
        }
        join_clauses(&words, "and")
    }

    /// A disjunction.
    fn any_of(&mut self, scope: &Scope<'_>, expression: &Expr, is_negated: bool) -> String {
        let words: Vec<String> = flatten(expression, &BinaryOperator::Or)
            .into_iter()
            .map(|part| self.inner_clause(scope, part, false))
            .collect();
        match (is_negated, words.len()) {
            (false, 2) => format!("either {}", words.join(" or ")),
            (false, _) => format!(
                "at least one of these holds: {}",
                join_clauses(&words, "or")
            ),
            (true, _) => format!("none of these holds: {}", join_clauses(&words, "or")),
        }
    }

    fn presence(&mut self, scope: &Scope<'_>, value: &Expr, is_negated: bool) -> String {
        let value = self.operand(scope, value);
        if is_negated {
            format!("{value} has a value (is not NULL)")
        } else {
            format!("{value} has no value (is NULL)")
        }
    }

    fn is_exactly(
        &mut self,
        scope: &Scope<'_>,
        value: &Expr,
        truth: &str,
        is_negated: bool,
    ) -> String {
        let is_simple = matches!(
            without_parentheses(value),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_)
        );
        let value = if is_simple {
            self.value(scope, value)
        } else {
            format!("({})", self.condition(scope, value))
        };
        if is_negated {
            format!("{value} is not {truth} (it may be unknown)")
        } else {
            format!("{value} is {truth}")
        }
    }

    fn distinctness(
        &mut self,
        scope: &Scope<'_>,
        left: &Expr,
        right: &Expr,
        is_same: bool,
    ) -> String {
        if is_null(right) {
            return self.presence(scope, left, !is_same);
        }
        let of = category(scope, left).or_else(|| category(scope, right));
        let subject = self.operand(scope, left);
        let value = self.value_beside(scope, right, of);
        if is_same {
            format!("{subject} is the same as {value} (two missing values count as the same)")
        } else {
            format!("{subject} differs from {value} (a missing value counts as different)")
        }
    }

    fn membership(
        &mut self,
        scope: &Scope<'_>,
        value: &Expr,
        list: &[Expr],
        is_negated: bool,
    ) -> String {
        let of = category(scope, value);
        let subject = self.operand(scope, value);
        let mut words: Vec<String> = list
            .iter()
            .take(LISTED)
            .map(|member| self.value_beside(scope, member, of))
            .collect();
        if list.len() > LISTED {
            words.push(format!("{} more values", list.len() - LISTED));
        }
        let verb = match (list.len(), is_negated) {
            (1, false) => "is",
            (1, true) => "is not",
            (2, false) => "is either",
            (2, true) => "is neither",
            (_, false) => "is one of",
            (_, true) => "is none of",
        };
        let last_word = match (list.len(), is_negated) {
            (2, true) => "nor",
            (_, false) if list.len() <= LISTED => "or",
            _ => "and",
        };
        format!("{subject} {verb} {}", join_phrases(&words, last_word))
    }

    fn between(
        &mut self,
        scope: &Scope<'_>,
        value: &Expr,
        low: &Expr,
        high: &Expr,
        is_negated: bool,
    ) -> String {
        let of = category(scope, value)
            .or_else(|| category(scope, low))
            .or_else(|| category(scope, high));
        let subject = self.operand(scope, value);
        let low_words = self.value_beside(scope, low, of);
        let high_words = self.value_beside(scope, high, of);
        let is_midnight =
            of == Some(TypeCategory::Timestamp) && constant_text(high).is_some_and(is_date_only);
        let start = if is_midnight { "the start of " } else { "" };
        let verb = if is_negated { "is not" } else { "is" };
        format!("{subject} {verb} between {low_words} and {start}{high_words} (both included)")
    }

    fn any_or_all(
        &mut self,
        scope: &Scope<'_>,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
        is_any: bool,
        is_negated: bool,
    ) -> String {
        let of = category(scope, left);
        let subject = self.operand(scope, left);
        let Some(verb) = verb(operator, of.is_some_and(is_temporal), false) else {
            return unexplained(operator);
        };
        let members = match without_parentheses(right) {
            Expr::Subquery(query) => self.subquery_values(scope, query),
            Expr::Array(array) => {
                let list: Vec<String> = array
                    .elem
                    .iter()
                    .map(|member| self.value_beside(scope, member, of))
                    .collect();
                join_phrases(&list, "and")
            }
            other => format!("the elements of {}", self.operand(scope, other)),
        };
        let words = match (operator, is_any) {
            (BinaryOperator::Eq, true) => format!("{subject} is one of {members}"),
            (BinaryOperator::NotEq, false) => format!("{subject} is none of {members}"),
            (_, true) => format!("{subject} {verb} at least one of {members}"),
            (_, false) => format!("{subject} {verb} each of {members}"),
        };
        if is_negated {
            format!("it is not the case that ({words})")
        } else {
            words
        }
    }
}

/// Joins conditions; three or more are separated by semicolons, because they are long.
fn join_clauses(words: &[String], last_word: &str) -> String {
    match words {
        [_, _, _, ..] => {
            let (last, rest) = match words.split_last() {
                Some(parts) => parts,
                None => return String::new(),
            };
            format!("{}; {last_word} {last}", rest.join("; "))
        }
        _ => words.join(&format!(" {last_word} ")),
    }
}
