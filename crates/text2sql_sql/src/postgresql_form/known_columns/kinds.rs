//! What an expression holds, as far as its text and the columns say.

use sqlparser::ast::{
    BinaryOperator, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    UnaryOperator, Value,
};

use super::columns::ColumnKind;
use super::writing::Writing;

impl Writing<'_> {
    /// What an expression holds; `None` for a constant text and where it is not known.
    pub(super) fn kind(&self, expr: &Expr) -> Option<ColumnKind> {
        match expr {
            Expr::Identifier(name) => self.scopes.kind(self.columns, None, &name.value),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., source, column] => {
                    self.scopes
                        .kind(self.columns, Some(&source.value), &column.value)
                }
                _ => None,
            },
            Expr::Nested(inner) => self.kind(inner),
            Expr::Value(value) => match &value.value {
                Value::Number(text, _) if text.contains(['.', 'e', 'E']) => {
                    Some(ColumnKind::Number)
                }
                Value::Number(..) => Some(ColumnKind::Integer),
                _ => None,
            },
            Expr::Cast { data_type, .. } => Some(kind_of_type(data_type)),
            Expr::Substring { .. } | Expr::Trim { .. } => Some(ColumnKind::Text),
            Expr::Function(function) => self.kind_of_call(function),
            Expr::BinaryOp { op, left, right } if is_arithmetic(op) => {
                match (self.kind(left), self.kind(right)) {
                    (Some(ColumnKind::Integer), Some(ColumnKind::Integer)) => {
                        Some(ColumnKind::Integer)
                    }
                    _ => Some(ColumnKind::Number),
                }
            }
            Expr::BinaryOp {
                op: BinaryOperator::StringConcat,
                ..
            } => Some(ColumnKind::Text),
            expr if is_condition(expr) => Some(ColumnKind::Boolean),
            _ => None,
        }
    }

    fn kind_of_call(&self, function: &Function) -> Option<ColumnKind> {
        let name = function.name.to_string().to_lowercase();
        match name.as_str() {
            "count" | "length" | "instr" => Some(ColumnKind::Integer),
            "sum" | "avg" | "total" | "round" | "abs" => Some(ColumnKind::Number),
            "substr" | "substring" | "upper" | "lower" | "trim" | "ltrim" | "rtrim" | "replace"
            | "strftime" | "group_concat" => Some(ColumnKind::Text),
            "min" | "max" | "ifnull" | "coalesce" | "nullif" => arguments(function)
                .first()
                .and_then(|first| self.kind(first)),
            _ => None,
        }
    }
}

/// The arguments that are expressions.
pub(super) fn arguments(function: &Function) -> Vec<&Expr> {
    let FunctionArguments::List(list) = &function.args else {
        return Vec::new();
    };
    list.args
        .iter()
        .filter_map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        })
        .collect()
}

/// The first argument of a call.
pub(super) fn first_argument(function: &mut Function) -> Option<&mut Expr> {
    let FunctionArguments::List(list) = &mut function.args else {
        return None;
    };
    match list.args.first_mut()? {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    }
}

pub(super) fn is_arithmetic(operator: &BinaryOperator) -> bool {
    matches!(
        operator,
        BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo
    )
}

pub(super) fn is_comparison(operator: &BinaryOperator) -> bool {
    matches!(
        operator,
        BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
    )
}

/// Whether an expression is true or false, which are numbers in SQLite.
pub(super) fn is_condition(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_condition(inner),
        Expr::BinaryOp { op, .. } => {
            is_comparison(op) || matches!(op, BinaryOperator::And | BinaryOperator::Or)
        }
        Expr::UnaryOp { op, .. } => *op == UnaryOperator::Not,
        Expr::Like { .. }
        | Expr::ILike { .. }
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::Exists { .. } => true,
        _ => false,
    }
}

fn kind_of_type(data_type: &DataType) -> ColumnKind {
    let name = data_type.to_string().to_uppercase();
    let has = |part: &str| name.contains(part);
    if has("INT") {
        ColumnKind::Integer
    } else if has("CHAR") || has("TEXT") || has("CLOB") {
        ColumnKind::Text
    } else if has("REAL") || has("FLOA") || has("DOUB") || has("DEC") || has("NUM") {
        ColumnKind::Number
    } else if has("TIMESTAMP") || has("DATETIME") {
        ColumnKind::Timestamp
    } else if has("DATE") {
        ColumnKind::Date
    } else {
        ColumnKind::Other
    }
}
