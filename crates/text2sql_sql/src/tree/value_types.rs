//! Type categories of expressions. `None` if not certain.

use sqlparser::ast::{BinaryOperator, DataType, Expr, Value};

use super::{Rows, Tree, aggregate};
use crate::tree::syntax::{read_call, type_category};
use text2sql_domain::schema::TypeCategory;

/// Maximum depth of operator chains.
const MAX_DEPTH: usize = 20;

impl Tree<'_> {
    /// The category of an expression's type in a block.
    pub fn category(&self, block: usize, expression: &Expr) -> Option<TypeCategory> {
        self.category_within(block, expression, 0)
    }

    fn category_within(
        &self,
        block: usize,
        expression: &Expr,
        depth: usize,
    ) -> Option<TypeCategory> {
        if depth > MAX_DEPTH {
            return None;
        }
        let inner = |part: &Expr| self.category_within(block, part, depth + 1);
        match expression {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                let reference = self.resolve(block, expression)?;
                match &self.source(&reference)?.rows {
                    Rows::Table(table) => table
                        .column(&reference.column)
                        .map(|column| column.category),
                    Rows::Result(result) => result.output(&reference.column)?.category,
                    _ => None,
                }
            }
            Expr::Nested(part) | Expr::UnaryOp { expr: part, .. } => inner(part),
            Expr::Cast { data_type, .. } => type_category(data_type),
            Expr::TypedString(typed) => type_category(&typed.data_type),
            Expr::Interval(_) => Some(TypeCategory::Interval),
            Expr::Extract { .. } | Expr::Ceil { .. } | Expr::Floor { .. } => {
                Some(TypeCategory::Number)
            }
            Expr::Position { .. } => Some(TypeCategory::Integer),
            Expr::Substring { .. } | Expr::Trim { .. } => Some(TypeCategory::Text),
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) if digits.contains(['.', 'e', 'E']) => {
                    Some(TypeCategory::Number)
                }
                Value::Number(..) => Some(TypeCategory::Integer),
                Value::Boolean(_) => Some(TypeCategory::Boolean),
                _ => None,
            },
            Expr::Case {
                conditions,
                else_result,
                ..
            } => {
                let results = conditions
                    .iter()
                    .map(|when| &when.result)
                    .chain(else_result.as_deref());
                widest(results.map(inner))
            }
            Expr::BinaryOp { left, op, right } => match op {
                BinaryOperator::StringConcat
                | BinaryOperator::LongArrow
                | BinaryOperator::HashLongArrow => Some(TypeCategory::Text),
                BinaryOperator::Plus
                | BinaryOperator::Minus
                | BinaryOperator::Multiply
                | BinaryOperator::Divide
                | BinaryOperator::Modulo => arithmetic(op, inner(left)?, inner(right)?),
                _ => Some(TypeCategory::Boolean),
            },
            Expr::Subquery(query) => self.result_of(query)?.columns.first()?.category,
            Expr::Function(function) => {
                if let Some(found) = aggregate(expression)
                    && found.name == "sum"
                {
                    return match inner(found.argument?)? {
                        // A sum of bigint is numeric, a sum of smaller integers bigint.
                        TypeCategory::Integer => Some(if self.is_bigint(block, found.argument?) {
                            TypeCategory::Number
                        } else {
                            TypeCategory::Integer
                        }),
                        other => Some(other),
                    };
                }
                let call = read_call(function);
                match call.name.as_str() {
                    "count" | "length" | "char_length" | "row_number" | "rank" | "dense_rank"
                    | "ntile" => Some(TypeCategory::Integer),
                    "avg" | "stddev" | "variance" | "date_part" | "percent_rank" | "cume_dist"
                    | "corr" | "random" | "sqrt" | "power" | "percentile_cont" => {
                        Some(TypeCategory::Number)
                    }
                    "round" | "ceil" | "floor" | "trunc" => Some(TypeCategory::Number),
                    "lower" | "upper" | "concat" | "concat_ws" | "string_agg" | "to_char"
                    | "left" | "right" | "replace" | "split_part" | "initcap" | "substr" => {
                        Some(TypeCategory::Text)
                    }
                    "now" | "current_timestamp" | "localtimestamp" | "to_timestamp"
                    | "date_trunc" => Some(TypeCategory::Timestamp),
                    "current_date" | "to_date" | "make_date" => Some(TypeCategory::Date),
                    "coalesce" | "greatest" | "least" => {
                        widest(call.arguments.iter().map(|part| inner(part)))
                    }
                    "min" | "max" | "nullif" | "abs" | "first_value" | "last_value" | "lag"
                    | "lead" | "sum" => inner(call.arguments.first()?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether an integer expression may have the type bigint: a bigint column, a count.
    fn is_bigint(&self, block: usize, expression: &Expr) -> bool {
        let mut is_big = false;
        super::walk(expression, &mut |part| match part {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                is_big |= self
                    .resolve(block, part)
                    .and_then(|reference| self.column(&reference))
                    .is_none_or(|(_, column)| column.type_name == "bigint");
            }
            Expr::Function(_) | Expr::Subquery(_) => is_big = true,
            _ => {}
        });
        is_big
    }

    /// Whether the expression is a timestamp with time zone; `None` if not known.
    pub fn has_time_zone(&self, block: usize, expression: &Expr) -> Option<bool> {
        match expression {
            Expr::Nested(inner) => self.has_time_zone(block, inner),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                let reference = self.resolve(block, expression)?;
                let (_, column) = self.column(&reference)?;
                let base = column.domain_base.as_ref().unwrap_or(&column.type_name);
                (column.category == TypeCategory::Timestamp).then(|| is_zoned(base))
            }
            Expr::Cast { data_type, .. } => type_zone(data_type),
            Expr::TypedString(typed) => type_zone(&typed.data_type),
            Expr::Function(function) => match read_call(function).name.as_str() {
                "now"
                | "current_timestamp"
                | "to_timestamp"
                | "clock_timestamp"
                | "transaction_timestamp"
                | "statement_timestamp" => Some(true),
                "localtimestamp" => Some(false),
                "date_trunc" => {
                    self.has_time_zone(block, read_call(function).arguments.get(1).copied()?)
                }
                _ => None,
            },
            Expr::AtTimeZone { timestamp, .. } => {
                self.has_time_zone(block, timestamp).map(|zoned| !zoned)
            }
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Plus | BinaryOperator::Minus,
                right,
            } if self.category(block, right) == Some(TypeCategory::Interval) => {
                self.has_time_zone(block, left)
            }
            _ => None,
        }
    }
}

fn is_zoned(type_name: &str) -> bool {
    type_name.contains("with time zone") || type_name.starts_with("timestamptz")
}

fn type_zone(data_type: &DataType) -> Option<bool> {
    let name = data_type.to_string().to_lowercase();
    name.starts_with("timestamp").then(|| is_zoned(&name))
}

fn arithmetic(
    operator: &BinaryOperator,
    left: TypeCategory,
    right: TypeCategory,
) -> Option<TypeCategory> {
    use TypeCategory::{Date, Integer, Interval, Number, Timestamp};
    match (left, right) {
        (Integer, Integer) => Some(Integer),
        (Integer | Number, Integer | Number) => Some(Number),
        (Date, Date) => Some(Integer),
        (Date, Integer) => Some(Date),
        (Date | Timestamp, Interval) => Some(Timestamp),
        (Timestamp, Timestamp | Date) if *operator == BinaryOperator::Minus => Some(Interval),
        (Interval, _) | (_, Interval) => Some(Interval),
        _ => None,
    }
}

/// The common type of several values: fractional if one of them is.
fn widest(mut categories: impl Iterator<Item = Option<TypeCategory>>) -> Option<TypeCategory> {
    let first = categories.next()??;
    categories.try_fold(first, |widest, next| match (widest, next) {
        (_, Some(TypeCategory::Number)) if widest == TypeCategory::Integer => {
            Some(TypeCategory::Number)
        }
        (_, Some(_)) => Some(widest),
        // A NULL or a string constant takes the type of the others.
        (_, None) => Some(widest),
    })
}
