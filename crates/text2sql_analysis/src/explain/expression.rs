//! Values in words: columns, arithmetic, CASE, casts, date and text functions.

use sqlparser::ast::{
    AccessExpr, BinaryOperator, CaseWhen, DateTimeField, Expr, Subscript, TrimWhereField,
    UnaryOperator,
};

use super::category::{category, is_temporal};
use super::literal::{interval_words, literal};
use super::narrator::{Narrator, snippet, unexplained};
use super::scope::Scope;
use text2sql_domain::schema::TypeCategory;
use text2sql_language::english::join_phrases;
use text2sql_sql::tree::syntax::{constant_text, type_category};

impl Narrator<'_> {
    /// A value in words.
    pub fn value(&mut self, scope: &Scope<'_>, expression: &Expr) -> String {
        self.deeper(expression, |narrator| {
            narrator.value_here(scope, expression)
        })
    }

    /// A value inside a longer phrase: in parentheses if its end would be unclear.
    pub fn operand(&mut self, scope: &Scope<'_>, expression: &Expr) -> String {
        let words = self.value(scope, expression);
        let is_compound = match expression {
            Expr::BinaryOp { op, right, .. } => {
                let is_path = matches!(
                    op,
                    BinaryOperator::Arrow
                        | BinaryOperator::LongArrow
                        | BinaryOperator::HashLongArrow
                );
                // "30 days before today" needs no parentheses.
                !is_path && interval_words(right).is_none() && !words.ends_with(" today")
            }
            Expr::Case { .. } => true,
            _ => false,
        };
        if is_compound {
            format!("({words})")
        } else {
            words
        }
    }

    /// Several values, joined by "and".
    pub fn values(&mut self, scope: &Scope<'_>, expressions: &[Expr]) -> String {
        let words: Vec<String> = expressions
            .iter()
            .map(|expression| self.operand(scope, expression))
            .collect();
        join_phrases(&words, "and")
    }

    /// A value compared with a date or time: constants are not quoted.
    pub fn value_beside(
        &mut self,
        scope: &Scope<'_>,
        expression: &Expr,
        other: Option<TypeCategory>,
    ) -> String {
        match expression {
            Expr::Value(value) => literal(&value.value, other.is_some_and(is_temporal)),
            _ => self.operand(scope, expression),
        }
    }

    fn value_here(&mut self, scope: &Scope<'_>, expression: &Expr) -> String {
        match expression {
            Expr::Identifier(name) => self.column(scope, std::slice::from_ref(name)),
            Expr::CompoundIdentifier(names) => self.column(scope, names),
            Expr::Value(value) => literal(&value.value, false),
            Expr::TypedString(typed) => {
                let is_bare = type_category(&typed.data_type).is_some_and(is_temporal);
                literal(&typed.value.value, is_bare)
            }
            Expr::Interval(_) => {
                interval_words(expression).unwrap_or_else(|| unexplained(expression))
            }
            Expr::Nested(inner) => self.operand(scope, inner),
            Expr::BinaryOp { left, op, right } => {
                self.operation(scope, expression, left, op, right)
            }
            Expr::UnaryOp { op, expr } => match op {
                UnaryOperator::Minus if matches!(**expr, Expr::Value(_)) => {
                    format!("-{}", self.value(scope, expr))
                }
                UnaryOperator::Minus => format!("minus {}", self.operand(scope, expr)),
                UnaryOperator::Plus => self.value(scope, expr),
                UnaryOperator::Not => self.whether(scope, expression),
                UnaryOperator::PGAbs => {
                    format!("the absolute value of {}", self.operand(scope, expr))
                }
                UnaryOperator::PGSquareRoot => {
                    format!("the square root of {}", self.operand(scope, expr))
                }
                _ => unexplained(expression),
            },
            Expr::Cast {
                expr, data_type, ..
            } => {
                if let Some(interval) = interval_words(expression) {
                    return interval;
                }
                let target = type_category(data_type);
                if constant_text(expr).is_some() {
                    return self.value_beside(scope, expr, target);
                }
                match target {
                    Some(TypeCategory::Date) => {
                        format!("the date of {}", self.operand(scope, expr))
                    }
                    // A cast between number types changes precision, but hardly the meaning, except that a cast
                    // to an integer rounds.
                    Some(TypeCategory::Number) => self.operand(scope, expr),
                    _ => format!(
                        "{} (as {})",
                        self.operand(scope, expr),
                        data_type.to_string().to_lowercase()
                    ),
                }
            }
            Expr::Function(function) => self.function(scope, function),
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => self.case(
                scope,
                operand.as_deref(),
                conditions,
                else_result.as_deref(),
            ),
            Expr::Subquery(query) => self.subquery_value(scope, query),
            Expr::Extract { field, expr, .. } => {
                let part = date_part(field);
                format!("{part} of {}", self.operand(scope, expr))
            }
            Expr::Ceil { expr, .. } => format!("{} rounded up", self.operand(scope, expr)),
            Expr::Floor { expr, .. } => format!("{} rounded down", self.operand(scope, expr)),
            Expr::Position { expr, r#in } => format!(
                "the position of {} in {}",
                self.operand(scope, expr),
                self.operand(scope, r#in)
            ),
            Expr::Substring {
                expr,
                substring_from,
                substring_for,
                ..
            } => self.substring(
                scope,
                expr,
                substring_from.as_deref(),
                substring_for.as_deref(),
            ),
            Expr::Trim {
                trim_where,
                trim_what,
                expr,
                ..
            } => {
                let place = match trim_where {
                    Some(TrimWhereField::Leading) => "leading ",
                    Some(TrimWhereField::Trailing) => "trailing ",
                    _ => "surrounding ",
                };
                let what = match trim_what {
                    Some(what) if constant_text(what) != Some(" ") => self.operand(scope, what),
                    _ => "spaces".to_owned(),
                };
                format!("{} without {place}{what}", self.operand(scope, expr))
            }
            Expr::AtTimeZone {
                timestamp,
                time_zone,
            } => format!(
                "{} in the time zone {}",
                self.operand(scope, timestamp),
                self.operand(scope, time_zone)
            ),
            Expr::Collate { expr, collation } => {
                format!(
                    "{} (by the rules of {collation})",
                    self.operand(scope, expr)
                )
            }
            Expr::Array(array) => format!("the list ({})", self.listed(scope, &array.elem)),
            Expr::Tuple(values) => format!("({})", self.listed(scope, values)),
            Expr::CompoundFieldAccess { root, access_chain } => {
                self.field_access(scope, expression, root, access_chain)
            }
            Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotUnknown(_)
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::Between { .. }
            | Expr::Like { .. }
            | Expr::ILike { .. }
            | Expr::SimilarTo { .. }
            | Expr::AnyOp { .. }
            | Expr::AllOp { .. }
            | Expr::Exists { .. } => self.whether(scope, expression),
            _ => unexplained(expression),
        }
    }

    /// A condition used as a value.
    fn whether(&mut self, scope: &Scope<'_>, expression: &Expr) -> String {
        format!("whether {}", self.condition(scope, expression))
    }

    fn listed(&mut self, scope: &Scope<'_>, expressions: &[Expr]) -> String {
        let words: Vec<String> = expressions
            .iter()
            .map(|expression| self.value(scope, expression))
            .collect();
        words.join(", ")
    }

    fn operation(
        &mut self,
        scope: &Scope<'_>,
        whole: &Expr,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
    ) -> String {
        let verb = match operator {
            BinaryOperator::Plus | BinaryOperator::Minus => {
                if let Some(interval) = interval_words(right) {
                    let side = if *operator == BinaryOperator::Plus {
                        "after"
                    } else {
                        "before"
                    };
                    return format!("{interval} {side} {}", self.operand(scope, left));
                }
                if let Some(days) = self.days_from(scope, left, operator, right) {
                    return days;
                }
                if *operator == BinaryOperator::Plus {
                    "plus"
                } else {
                    "minus"
                }
            }
            BinaryOperator::Multiply => "times",
            BinaryOperator::Divide => "divided by",
            BinaryOperator::Modulo => {
                return format!(
                    "the remainder of {} divided by {}",
                    self.operand(scope, left),
                    self.operand(scope, right)
                );
            }
            BinaryOperator::PGExp => "to the power of",
            BinaryOperator::StringConcat => {
                let is_plain = category(scope, left) != Some(TypeCategory::Array);
                if is_plain {
                    "followed by"
                } else {
                    "joined with"
                }
            }
            BinaryOperator::Arrow | BinaryOperator::LongArrow => {
                let key = self.operand(scope, right);
                return format!("field {key} of {}", self.operand(scope, left));
            }
            BinaryOperator::HashArrow | BinaryOperator::HashLongArrow => {
                let path = self.operand(scope, right);
                return format!("the value at {path} in {}", self.operand(scope, left));
            }
            BinaryOperator::LtDashGt => {
                return format!(
                    "the distance between {} and {}",
                    self.operand(scope, left),
                    self.operand(scope, right)
                );
            }
            _ if super::comparison::is_condition(operator) => return self.whether(scope, whole),
            _ => return unexplained(whole),
        };
        // The parser's tree determines the precedence; the words must show it.
        let left = self.side(scope, left, operator, false);
        let right = self.side(scope, right, operator, true);
        format!("{left} {verb} {right}")
    }

    /// One operand of an arithmetic operation, in parentheses unless it has higher precedence.
    fn side(
        &mut self,
        scope: &Scope<'_>,
        expression: &Expr,
        around: &BinaryOperator,
        is_right: bool,
    ) -> String {
        let is_clear = match expression {
            Expr::BinaryOp { op, .. } => {
                let (inner, outer) = (binding(op), binding(around));
                inner.is_some() && (inner > outer || (inner == outer && !is_right))
            }
            _ => false,
        };
        if is_clear {
            self.value(scope, expression)
        } else {
            self.operand(scope, expression)
        }
    }

    /// `current_date - 30`: days before a date.
    fn days_from(
        &mut self,
        scope: &Scope<'_>,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
    ) -> Option<String> {
        let is_count = matches!(right, Expr::Value(_))
            && category(scope, right) == Some(TypeCategory::Number)
            && category(scope, left) == Some(TypeCategory::Date);
        if !is_count {
            return None;
        }
        let count = self.value(scope, right);
        let days = text2sql_language::english::counted(&count, "day", "days");
        let side = if *operator == BinaryOperator::Plus {
            "after"
        } else {
            "before"
        };
        Some(format!("{days} {side} {}", self.operand(scope, left)))
    }

    fn case(
        &mut self,
        scope: &Scope<'_>,
        operand: Option<&Expr>,
        conditions: &[CaseWhen],
        otherwise: Option<&Expr>,
    ) -> String {
        let mut words: Vec<String> = Vec::new();
        let subject = operand.map(|operand| self.operand(scope, operand));
        let of = operand.and_then(|operand| category(scope, operand));
        for when in conditions {
            let result = self.operand(scope, &when.result);
            let condition = match &subject {
                Some(subject) => {
                    let value = self.value_beside(scope, &when.condition, of);
                    format!("{subject} is {value}")
                }
                None => self.condition(scope, &when.condition),
            };
            words.push(format!("{result} if {condition}"));
        }
        let otherwise = match otherwise {
            Some(otherwise) => self.operand(scope, otherwise),
            None => "no value (NULL)".to_owned(),
        };
        words.push(format!("otherwise {otherwise}"));
        words.join(", ")
    }

    fn substring(
        &mut self,
        scope: &Scope<'_>,
        text: &Expr,
        from: Option<&Expr>,
        length: Option<&Expr>,
    ) -> String {
        let text = self.operand(scope, text);
        if let Some(pattern) = from.and_then(constant_text) {
            return format!(
                "the part of {text} that matches {}",
                super::literal::quoted(pattern)
            );
        }
        let from = from.map(|from| self.operand(scope, from));
        let length = length.map(|length| self.operand(scope, length));
        match (from.as_deref(), length) {
            (None | Some("1"), Some(length)) => {
                let characters =
                    text2sql_language::english::counted(&length, "character", "characters");
                format!("the first {characters} of {text}")
            }
            (Some(from), Some(length)) => {
                let characters =
                    text2sql_language::english::counted(&length, "character", "characters");
                format!("{characters} of {text} from position {from} on")
            }
            (Some(from), None) => format!("{text} from position {from} on"),
            (None, None) => text,
        }
    }

    fn field_access(
        &mut self,
        scope: &Scope<'_>,
        whole: &Expr,
        root: &Expr,
        chain: &[AccessExpr],
    ) -> String {
        let mut words = self.operand(scope, root);
        for access in chain {
            words = match access {
                AccessExpr::Subscript(Subscript::Index { index }) => {
                    format!("element {} of {words}", self.operand(scope, index))
                }
                AccessExpr::Subscript(Subscript::Slice {
                    lower_bound: Some(lower),
                    upper_bound: Some(upper),
                    stride: None,
                }) => {
                    let lower = self.operand(scope, lower);
                    let upper = self.operand(scope, upper);
                    format!("elements {lower} to {upper} of {words}")
                }
                AccessExpr::Dot(Expr::Identifier(field)) => {
                    format!("field {} of {words}", snippet(field))
                }
                _ => return unexplained(whole),
            };
        }
        words
    }
}

/// The precedence of an arithmetic operator.
fn binding(operator: &BinaryOperator) -> Option<u8> {
    match operator {
        BinaryOperator::Plus | BinaryOperator::Minus => Some(1),
        BinaryOperator::Multiply | BinaryOperator::Divide => Some(2),
        BinaryOperator::StringConcat => Some(0),
        _ => None,
    }
}

/// The field that `extract` takes from a date.
fn date_part(field: &DateTimeField) -> String {
    part_words(&field.to_string().to_lowercase())
}

/// The words for a field such as `dow`.
pub(super) fn part_words(part: &str) -> String {
    match part {
        "dow" => "the day of the week (0 is Sunday)".to_owned(),
        "isodow" => "the day of the week (1 is Monday)".to_owned(),
        "doy" => "the day of the year".to_owned(),
        "epoch" => "the number of seconds".to_owned(),
        "isoyear" => "the ISO year".to_owned(),
        "week" => "the ISO week number".to_owned(),
        other => format!("the {other}"),
    }
}
