//! Values in words: columns, arithmetic, CASE, casts, date and text functions.

use sqlparser::ast::{
    AccessExpr, BinaryOperator, CaseWhen, DateTimeField, Expr, Subscript, TrimWhereField,
    UnaryOperator,
};
use text2sql_phrases::{say, template};

use super::category::{category, is_temporal};
use super::literal::{interval_words, literal};
use super::narrator::{Narrator, snippet, unexplained};
use super::scope::Scope;
use text2sql_domain::schema::TypeCategory;
use text2sql_language::english::join_phrases;
use text2sql_sql::tree::syntax::{constant_text, is_null, type_category};

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
                !is_path
                    && interval_words(right).is_none()
                    && !words.ends_with(&format!(" {}", say!("today")))
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
                UnaryOperator::Minus => {
                    say!("minus {operand}", operand = self.operand(scope, expr))
                }
                UnaryOperator::Plus => self.value(scope, expr),
                UnaryOperator::Not => self.whether(scope, expression),
                UnaryOperator::PGAbs => {
                    say!(
                        "the absolute value of {operand}",
                        operand = self.operand(scope, expr)
                    )
                }
                UnaryOperator::PGSquareRoot => {
                    say!(
                        "the square root of {operand}",
                        operand = self.operand(scope, expr)
                    )
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
                        say!("the date of {operand}", operand = self.operand(scope, expr))
                    }
                    // A cast between number types changes precision, but hardly the meaning, except that a cast
                    // to an integer rounds.
                    Some(TypeCategory::Number) => self.operand(scope, expr),
                    _ => say!(
                        "{operand} (as {data_type})",
                        operand = self.operand(scope, expr),
                        data_type = data_type.to_string().to_lowercase()
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
                say!("{part} of {operand}", operand = self.operand(scope, expr))
            }
            Expr::Ceil { expr, .. } => {
                say!("{operand} rounded up", operand = self.operand(scope, expr))
            }
            Expr::Floor { expr, .. } => say!(
                "{operand} rounded down",
                operand = self.operand(scope, expr)
            ),
            Expr::Position { expr, r#in } => say!(
                "the position of {operand} in {operand_2}",
                operand = self.operand(scope, expr),
                operand_2 = self.operand(scope, r#in)
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
                let template = match trim_where {
                    Some(TrimWhereField::Leading) => template!("{value} without leading {what}"),
                    Some(TrimWhereField::Trailing) => template!("{value} without trailing {what}"),
                    _ => template!("{value} without surrounding {what}"),
                };
                let what = match trim_what {
                    Some(what) if constant_text(what) != Some(" ") => self.operand(scope, what),
                    _ => say!("spaces"),
                };
                say!(template, value = self.operand(scope, expr), what)
            }
            Expr::AtTimeZone {
                timestamp,
                time_zone,
            } => say!(
                "{operand} in the time zone {operand_2}",
                operand = self.operand(scope, timestamp),
                operand_2 = self.operand(scope, time_zone)
            ),
            Expr::Collate { expr, collation } => {
                say!(
                    "{operand} (by the rules of {collation})",
                    operand = self.operand(scope, expr)
                )
            }
            Expr::Array(array) => say!(
                "the list ({listed})",
                listed = self.listed(scope, &array.elem)
            ),
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
        say!(
            "whether {condition}",
            condition = self.condition(scope, expression)
        )
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
                    let value = self.operand(scope, left);
                    return say!(side(operator), distance = interval, value);
                }
                if let Some(days) = self.days_from(scope, left, operator, right) {
                    return days;
                }
                if *operator == BinaryOperator::Plus {
                    template!("{left} plus {right}")
                } else {
                    template!("{left} minus {right}")
                }
            }
            BinaryOperator::Multiply => template!("{left} times {right}"),
            BinaryOperator::Divide => template!("{left} divided by {right}"),
            BinaryOperator::Modulo => {
                return say!(
                    "the remainder of {operand} divided by {operand_2}",
                    operand = self.operand(scope, left),
                    operand_2 = self.operand(scope, right)
                );
            }
            BinaryOperator::PGExp => template!("{left} to the power of {right}"),
            BinaryOperator::StringConcat => {
                let is_plain = category(scope, left) != Some(TypeCategory::Array);
                if is_plain {
                    template!("{left} followed by {right}")
                } else {
                    template!("{left} joined with {right}")
                }
            }
            BinaryOperator::Arrow | BinaryOperator::LongArrow => {
                let key = self.operand(scope, right);
                return say!(
                    "field {key} of {operand}",
                    operand = self.operand(scope, left)
                );
            }
            BinaryOperator::HashArrow | BinaryOperator::HashLongArrow => {
                let path = self.operand(scope, right);
                return say!(
                    "the value at {path} in {operand}",
                    operand = self.operand(scope, left)
                );
            }
            BinaryOperator::LtDashGt => {
                return say!(
                    "the distance between {operand} and {operand_2}",
                    operand = self.operand(scope, left),
                    operand_2 = self.operand(scope, right)
                );
            }
            _ if super::comparison::is_condition(operator) => return self.whether(scope, whole),
            _ => return unexplained(whole),
        };
        // The parser's tree determines the precedence; the words must show it.
        let left = self.side(scope, left, operator, false);
        let right = self.side(scope, right, operator, true);
        say!(verb, left, right)
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
        let value = self.operand(scope, left);
        Some(say!(side(operator), distance = days, value))
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
                Some(subject) if is_null(&when.condition) => say!(
                    "{subject} = NULL, which is never true (IS NULL asks for it)",
                    subject
                ),
                Some(subject) => {
                    let value = self.value_beside(scope, &when.condition, of);
                    say!("{subject} is {value}")
                }
                None => self.condition(scope, &when.condition),
            };
            words.push(say!("{result} if {condition}"));
        }
        let otherwise = match otherwise {
            Some(otherwise) => self.operand(scope, otherwise),
            None => say!("no value (NULL)"),
        };
        words.push(say!("otherwise {otherwise}"));
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
            return say!(
                "the part of {text} that matches {quoted}",
                quoted = super::literal::quoted(pattern)
            );
        }
        let from = from.map(|from| self.operand(scope, from));
        let length = length.map(|length| self.operand(scope, length));
        match (from.as_deref(), length) {
            (None | Some("1"), Some(length)) => {
                let characters =
                    text2sql_language::english::counted(&length, "character", "characters");
                say!("the first {characters} of {text}")
            }
            (Some(from), Some(length)) => {
                let characters =
                    text2sql_language::english::counted(&length, "character", "characters");
                say!("{characters} of {text} from position {from} on")
            }
            (Some(from), None) => say!("{text} from position {from} on"),
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
                    say!(
                        "element {operand} of {words}",
                        operand = self.operand(scope, index)
                    )
                }
                AccessExpr::Subscript(Subscript::Slice {
                    lower_bound: Some(lower),
                    upper_bound: Some(upper),
                    stride: None,
                }) => {
                    let lower = self.operand(scope, lower);
                    let upper = self.operand(scope, upper);
                    say!("elements {lower} to {upper} of {words}")
                }
                AccessExpr::Dot(Expr::Identifier(field)) => {
                    say!("field {snippet} of {words}", snippet = snippet(field))
                }
                _ => return unexplained(whole),
            };
        }
        words
    }
}

/// The words for a distance in time added to a date, or taken from it.
fn side(operator: &BinaryOperator) -> &'static str {
    if *operator == BinaryOperator::Plus {
        template!("{distance} after {value}")
    } else {
        template!("{distance} before {value}")
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
        "dow" => say!("the day of the week (0 is Sunday)"),
        "isodow" => say!("the day of the week (1 is Monday)"),
        "doy" => say!("the day of the year"),
        "epoch" => say!("the number of seconds"),
        "isoyear" => say!("the ISO year"),
        "week" => say!("the ISO week number"),
        "year" => say!("the year"),
        "quarter" => say!("the quarter"),
        "month" => say!("the month"),
        "day" => say!("the day"),
        "hour" => say!("the hour"),
        "minute" => say!("the minute"),
        "second" => say!("the second"),
        other => say!("the {other}"),
    }
}
