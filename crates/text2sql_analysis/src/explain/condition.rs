//! Conditions in words: comparisons, ranges, lists, patterns, and their combination with AND, OR and NOT.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};
use text2sql_phrases::{say, template};

use super::category::{category, is_temporal};
use super::comparison::{ending, is_condition, is_date_only, verb};
use super::literal::literal;
use super::narrator::{Narrator, unexplained};
use super::scope::Scope;
use text2sql_domain::schema::TypeCategory;
use text2sql_language::english::join_phrases;
use text2sql_sql::tree::syntax::{constant_text, flatten, is_null, without_parentheses};

/// Maximum number of members of an IN list that are spelled out.
const LISTED: usize = 20;

/// What is compared where a list, a range or a pattern with NULL makes the condition true for no row; `=` and `<` have
/// words of their own.
fn never_true(condition: &Expr, is_negated: bool) -> Option<&Expr> {
    let (value, is_never) = match condition {
        Expr::InList {
            expr,
            list,
            negated,
        } if *negated == is_negated => (expr, list.iter().all(is_null)),
        Expr::InList { expr, list, .. } => (expr, list.iter().any(is_null)),
        // Outside of the other bound, the negation is true.
        Expr::Between {
            expr,
            negated,
            low,
            high,
        } => (
            expr,
            match *negated == is_negated {
                true => is_null(low) || is_null(high),
                false => is_null(low) && is_null(high),
            },
        ),
        Expr::Like { expr, pattern, .. }
        | Expr::ILike { expr, pattern, .. }
        | Expr::SimilarTo { expr, pattern, .. } => (expr, is_null(pattern)),
        _ => return None,
    };
    is_never.then_some(&**value)
}

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
        if let Some(value) = never_true(expression, is_negated) {
            let subject = self.operand(scope, value);
            return say!(
                "{subject} is compared with NULL, which is never true",
                subject
            );
        }
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
            Expr::IsTrue(value) => self.is_exactly(scope, value, true, is_negated),
            Expr::IsNotTrue(value) => self.is_exactly(scope, value, true, !is_negated),
            Expr::IsFalse(value) => self.is_exactly(scope, value, false, is_negated),
            Expr::IsNotFalse(value) => self.is_exactly(scope, value, false, !is_negated),
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
                let ending = ending(matches!(expression, Expr::ILike { .. }));
                let pattern = self.operand(scope, pattern);
                let escape = self.operand(scope, escape);
                let subject = self.operand(scope, expr);
                if *negated == is_negated {
                    say!(
                        "{subject} matches the pattern {pattern} (% stands for any text, _ for any one character, and either for itself after {escape}){ending}"
                    )
                } else {
                    say!(
                        "{subject} does not match the pattern {pattern} (% stands for any text, _ for any one character, and either for itself after {escape}){ending}"
                    )
                }
            }
            Expr::SimilarTo {
                negated,
                expr,
                pattern,
                escape_char: None,
            } => {
                let pattern = self.operand(scope, pattern);
                let subject = self.operand(scope, expr);
                if *negated == is_negated {
                    say!("{subject} matches the SQL regular expression {pattern}")
                } else {
                    say!("{subject} does not match the SQL regular expression {pattern}")
                }
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
                    say!("there is at least one row in {rows}")
                } else {
                    say!("there is no row in {rows}")
                }
            }
            // Any other form of these has no wording; passing it to `value` would recurse forever.
            Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. } if is_negated => {
                say!(
                    "it is not the case that {unexplained}",
                    unexplained = unexplained(expression)
                )
            }
            Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. } => {
                unexplained(expression)
            }
            Expr::Value(value) if !is_negated => {
                say!(
                    "{literal} (always the same)",
                    literal = literal(&value.value, false)
                )
            }
            _ => self.truth(scope, expression, is_negated),
        }
    }

    /// A boolean value as a condition: "customers.is_active is true".
    fn truth(&mut self, scope: &Scope<'_>, expression: &Expr, is_negated: bool) -> String {
        let value = self.operand(scope, expression);
        if is_negated {
            say!("{value} is false")
        } else {
            say!("{value} is true")
        }
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
            return say!(
                "it is not the case that ({join_clauses})",
                join_clauses = join_clauses(&words, "and")
            );
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
            (false, 2) => say!(
                "either {words}",
                words = words.join(&format!(" {} ", say!("either^or")))
            ),
            (false, _) => say!(
                "at least one of these holds: {join_clauses}",
                join_clauses = join_clauses(&words, "or")
            ),
            (true, _) => say!(
                "none of these holds: {join_clauses}",
                join_clauses = join_clauses(&words, "or")
            ),
        }
    }

    fn presence(&mut self, scope: &Scope<'_>, value: &Expr, is_negated: bool) -> String {
        let value = self.operand(scope, value);
        if is_negated {
            say!("{value} has a value (is not NULL)")
        } else {
            say!("{value} has no value (is NULL)")
        }
    }

    fn is_exactly(
        &mut self,
        scope: &Scope<'_>,
        value: &Expr,
        truth: bool,
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
        match (is_negated, truth) {
            (true, true) => say!("{value} is not true (it may be unknown)"),
            (true, false) => say!("{value} is not false (it may be unknown)"),
            (false, true) => say!("{value} is true"),
            (false, false) => say!("{value} is false"),
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
            say!("{subject} is the same as {value} (two missing values count as the same)")
        } else {
            say!("{subject} differs from {value} (a missing value counts as different)")
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
        // A NULL in the list finds nothing.
        let list: Vec<&Expr> = list.iter().filter(|member| !is_null(member)).collect();
        let mut words: Vec<String> = list
            .iter()
            .take(LISTED)
            .map(|member| self.value_beside(scope, member, of))
            .collect();
        if list.len() > LISTED {
            words.push(say!("{list} more values", list = list.len() - LISTED));
        }
        let verb = match (list.len(), is_negated) {
            (1, false) => template!("{subject} is {value}"),
            (1, true) => template!("{subject} is not {value}"),
            (2, false) => template!("{subject} is either {value}"),
            (2, true) => template!("{subject} is neither {value}"),
            (_, false) => template!("{subject} is one of {value}"),
            (_, true) => template!("{subject} is none of {value}"),
        };
        let last_word = match (list.len(), is_negated) {
            (2, true) => "nor",
            (_, false) if list.len() <= LISTED => "or",
            _ => "and",
        };
        say!(verb, subject, value = join_phrases(&words, last_word))
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
        let high_words = if is_midnight {
            say!("the start of {value}", value = high_words)
        } else {
            high_words
        };
        if is_negated {
            say!("{subject} is not between {low_words} and {high_words} (both included)")
        } else {
            say!("{subject} is between {low_words} and {high_words} (both included)")
        }
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
            other => say!(
                "the elements of {operand}",
                operand = self.operand(scope, other)
            ),
        };
        let words = match (operator, is_any) {
            (BinaryOperator::Eq, true) => {
                say!("subquery^{subject} is one of {value}", value = members)
            }
            (BinaryOperator::NotEq, false) => {
                say!("subquery^{subject} is none of {value}", value = members)
            }
            (_, true) => say!(verb, subject, value = say!("at least one of {members}")),
            (_, false) => say!(verb, subject, value = say!("each of {members}")),
        };
        if is_negated {
            say!("it is not the case that ({words})")
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
            let last_word = say(last_word, &[]);
            format!("{}; {last_word} {last}", rest.join("; "))
        }
        _ => words.join(&format!(" {} ", say(last_word, &[]))),
    }
}
