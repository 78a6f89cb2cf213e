//! Type categories of expressions, so that dates are described as dates and texts
//! as sorted from A to Z. `None` if not certain.

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Value,
};

use super::literal::interval_words;
use super::scope::Scope;
use text2sql_domain::schema::TypeCategory;
use text2sql_sql::tree::syntax::{fold, fold_parts, type_category};

/// The category of an expression's type.
pub(super) fn category(scope: &Scope<'_>, expression: &Expr) -> Option<TypeCategory> {
    category_within(scope, expression, 0)
}

/// Maximum depth of operator chains: the type of deeper ones hardly affects the wording.
const MAX_DEPTH: usize = 20;

fn category_within(scope: &Scope<'_>, expression: &Expr, depth: usize) -> Option<TypeCategory> {
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = |expression| category_within(scope, expression, depth + 1);
    match expression {
        Expr::Identifier(name) => {
            let column = fold(name);
            scope.find(None, &column)?.relation.category(&column)?
        }
        Expr::CompoundIdentifier(parts) => {
            let [.., qualifier, column] = parts.as_slice() else {
                return None;
            };
            let column = fold(column);
            let found = scope.find(Some(&fold(qualifier)), &column)?;
            found.relation.category(&column)?
        }
        Expr::Nested(expression) => inner(expression),
        Expr::Cast { data_type, .. } => type_category(data_type),
        Expr::TypedString(typed) => type_category(&typed.data_type),
        Expr::Interval(_) => Some(TypeCategory::Interval),
        Expr::Extract { .. } | Expr::Ceil { .. } | Expr::Floor { .. } | Expr::Position { .. } => {
            Some(TypeCategory::Number)
        }
        Expr::Substring { .. } | Expr::Trim { .. } | Expr::Overlay { .. } => {
            Some(TypeCategory::Text)
        }
        Expr::AtTimeZone { .. } => Some(TypeCategory::Timestamp),
        Expr::Value(value) => match &value.value {
            Value::Number(..) => Some(TypeCategory::Number),
            Value::Boolean(_) => Some(TypeCategory::Boolean),
            _ => None,
        },
        Expr::Case {
            conditions,
            else_result,
            ..
        } => conditions
            .iter()
            .map(|when| &when.result)
            .chain(else_result.as_deref())
            .find_map(inner),
        Expr::BinaryOp { left, op, right } => match op {
            BinaryOperator::StringConcat => Some(TypeCategory::Text),
            BinaryOperator::LongArrow | BinaryOperator::HashLongArrow => Some(TypeCategory::Text),
            BinaryOperator::Plus | BinaryOperator::Minus => {
                if interval_words(right).is_some() {
                    return inner(left).filter(|&category| is_temporal(category));
                }
                let left = inner(left)?;
                matches!(left, TypeCategory::Integer | TypeCategory::Number).then_some(left)
            }
            BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Modulo => {
                Some(TypeCategory::Number)
            }
            _ => None,
        },
        Expr::Function(function) => {
            let name = fold_parts(&function.name);
            match name.last()?.as_str() {
                "count" | "length" | "char_length" | "row_number" | "rank" | "dense_rank"
                | "ntile" => Some(TypeCategory::Integer),
                "sum" | "avg" | "stddev" | "variance" | "round" | "abs" | "date_part"
                | "percent_rank" | "cume_dist" | "corr" => Some(TypeCategory::Number),
                "lower" | "upper" | "concat" | "concat_ws" | "string_agg" | "to_char" | "left"
                | "right" | "replace" | "split_part" | "initcap" => Some(TypeCategory::Text),
                "now" | "current_timestamp" | "localtimestamp" | "to_timestamp" => {
                    Some(TypeCategory::Timestamp)
                }
                "current_date" | "to_date" | "make_date" => Some(TypeCategory::Date),
                "date_trunc" => Some(TypeCategory::Timestamp),
                "min" | "max" | "coalesce" | "nullif" | "greatest" | "least" | "first_value"
                | "last_value" | "lag" | "lead" => inner(first_argument(&function.args)?),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The first plain argument of a call.
pub(super) fn first_argument(arguments: &FunctionArguments) -> Option<&Expr> {
    match arguments {
        FunctionArguments::List(list) => match list.args.first()? {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(expression),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the category is a date or time type.
pub(super) fn is_temporal(category: TypeCategory) -> bool {
    matches!(
        category,
        TypeCategory::Date | TypeCategory::Timestamp | TypeCategory::Time
    )
}
