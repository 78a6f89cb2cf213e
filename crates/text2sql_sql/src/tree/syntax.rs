//! Helpers for the parser's expressions, names and calls.

use std::sync::Arc;
use text2sql_domain::words;

use sqlparser::ast::{
    BinaryOperator, DataType, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArguments, Ident, ObjectName, ObjectNamePart, OrderByExpr,
    UnaryOperator, Value,
};

use text2sql_domain::schema::{Table, TypeCategory};

/// The members of a chain of AND or OR, in order. Iterative, because chains can be long.
pub fn flatten<'e>(expression: &'e Expr, operator: &BinaryOperator) -> Vec<&'e Expr> {
    let mut members = Vec::new();
    let mut waiting = vec![expression];
    while let Some(next) = waiting.pop() {
        match without_parentheses(next) {
            Expr::BinaryOp { left, op, right } if op == operator => {
                waiting.push(right);
                waiting.push(left);
            }
            _ => members.push(next),
        }
    }
    members
}

/// An expression without the parentheses and casts around it.
pub fn without_casts(expression: &Expr) -> &Expr {
    match expression {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => without_casts(inner),
        _ => expression,
    }
}

/// An expression without its outer parentheses.
pub fn without_parentheses(expression: &Expr) -> &Expr {
    let mut inner = expression;
    while let Expr::Nested(next) = inner {
        inner = next;
    }
    inner
}

/// The text of a string constant, for any quoting style.
pub fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::SingleQuotedString(text)
        | Value::EscapedStringLiteral(text)
        | Value::UnicodeStringLiteral(text)
        | Value::NationalStringLiteral(text) => Some(text),
        Value::DollarQuotedString(text) => Some(&text.value),
        _ => None,
    }
}

/// The text of an expression that is a string constant, ignoring casts and parentheses.
pub fn constant_text(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Value(value) => text_of(&value.value),
        Expr::TypedString(typed) => text_of(&typed.value.value),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => constant_text(inner),
        _ => None,
    }
}

/// Whether an expression is a constant.
pub fn is_constant(expression: &Expr) -> bool {
    match expression {
        Expr::Value(_) | Expr::TypedString(_) | Expr::Interval(_) => true,
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => is_constant(inner),
        Expr::UnaryOp {
            op: UnaryOperator::Minus | UnaryOperator::Plus,
            expr,
        } => is_constant(expr),
        _ => false,
    }
}

/// Whether an expression does not depend on the row: a constant, today, 30 days ago.
pub fn is_fixed(expression: &Expr) -> bool {
    match expression {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => is_fixed(inner),
        Expr::BinaryOp { left, right, .. } => is_constant(right) && is_fixed(left),
        Expr::Function(function) => matches!(
            function.name.to_string().to_lowercase().as_str(),
            "now" | "current_date" | "current_timestamp" | "localtimestamp"
        ),
        _ => is_constant(expression),
    }
}

/// Whether an expression is the whole number `number`, such as the 1 in `count(1)`.
pub fn is_number(expression: &Expr, number: &str) -> bool {
    matches!(expression, Expr::Value(value)
        if matches!(&value.value, Value::Number(digits, _) if digits == number))
}

/// Whether an expression is NULL.
pub fn is_null(expression: &Expr) -> bool {
    match expression {
        Expr::Value(value) => matches!(value.value, Value::Null),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => is_null(inner),
        _ => false,
    }
}

/// Whether the operator compares two values for equality or order.
pub fn is_comparison(op: &BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
    )
}

/// A name as PostgreSQL reads it: folded to lower case unless quoted.
pub fn fold(name: &Ident) -> String {
    if name.quote_style.is_some() {
        name.value.clone()
    } else {
        name.value.to_lowercase()
    }
}

/// The parts of a qualified name, folded.
pub fn fold_parts(name: &ObjectName) -> Vec<String> {
    name.0
        .iter()
        .filter_map(|part| match part {
            ObjectNamePart::Identifier(identifier) => Some(fold(identifier)),
            ObjectNamePart::Function(_) => None,
        })
        .collect()
}

/// A table's name as one folded text, without the schema `public`.
pub fn table_text(name: &ObjectName) -> String {
    match fold_parts(name).as_slice() {
        [schema, name] if schema == "public" => name.clone(),
        parts => parts.join("."),
    }
}

/// The table that a name in FROM refers to, among those given.
pub fn find_table<'t>(tables: &'t [Arc<Table>], parts: &[String]) -> Option<&'t Arc<Table>> {
    match parts {
        [name] => {
            let mut same_name = tables.iter().filter(|table| &table.name == name);
            let first = same_name.next()?;
            // A name found through search_path takes precedence; otherwise it must be unique.
            if first.is_visible {
                return Some(first);
            }
            match same_name.next() {
                None => Some(first),
                Some(second) if second.is_visible => Some(second),
                Some(_) => same_name.find(|table| table.is_visible),
            }
        }
        [.., schema, name] => tables
            .iter()
            .find(|table| &table.name == name && &table.schema == schema),
        [] => None,
    }
}

/// The parts of a call that are described in words.
pub struct Call<'c> {
    /// The function's name, folded, without its schema.
    pub name: String,
    /// Its plain arguments.
    pub arguments: Vec<&'c Expr>,
    /// Whether the argument is `*`.
    pub is_star: bool,
    /// Whether it has DISTINCT.
    pub is_distinct: bool,
    /// ORDER BY within the call, or WITHIN GROUP.
    pub order: &'c [OrderByExpr],
    /// Whether it has parts that are not covered by the fields above.
    pub has_more: bool,
}

/// Parses a call.
pub fn read_call(function: &Function) -> Call<'_> {
    let mut call = Call {
        name: fold_parts(&function.name).pop().unwrap_or_default(),
        arguments: Vec::new(),
        is_star: false,
        is_distinct: false,
        order: &function.within_group,
        has_more: !matches!(function.parameters, FunctionArguments::None),
    };
    let FunctionArguments::List(list) = &function.args else {
        call.has_more |= matches!(function.args, FunctionArguments::Subquery(_));
        return call;
    };
    call.is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    for argument in &list.args {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expression))
            | FunctionArg::Named {
                arg: FunctionArgExpr::Expr(expression),
                ..
            }
            | FunctionArg::ExprNamed {
                arg: FunctionArgExpr::Expr(expression),
                ..
            } => call.arguments.push(expression),
            FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => call.is_star = true,
            _ => call.has_more = true,
        }
    }
    for clause in &list.clauses {
        match clause {
            FunctionArgumentClause::OrderBy(order) => call.order = order,
            _ => call.has_more = true,
        }
    }
    call
}

/// Whether a function is an aggregate.
pub fn is_aggregate_name(name: &str) -> bool {
    words!(
        "count, sum, avg, min, max, bool_and, bool_or, every, string_agg, array_agg, json_agg, \
         jsonb_agg, json_object_agg, jsonb_object_agg, percentile_cont, percentile_disc, mode, \
         corr, any_value, range_agg"
    )
    .contains(&name)
        || ["stddev", "var_", "variance", "covar_", "regr_", "bit_"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// The category of an SQL type.
pub fn type_category(data_type: &DataType) -> Option<TypeCategory> {
    let name = data_type.to_string().to_lowercase();
    if name.ends_with(']') {
        return Some(TypeCategory::Array);
    }
    let word = name.split(['(', ' ']).next().unwrap_or_default();
    match word {
        "date" => Some(TypeCategory::Date),
        "timestamp" | "timestamptz" => Some(TypeCategory::Timestamp),
        "time" | "timetz" => Some(TypeCategory::Time),
        "interval" => Some(TypeCategory::Interval),
        "integer" | "int" | "bigint" | "smallint" | "int2" | "int4" | "int8" => {
            Some(TypeCategory::Integer)
        }
        "numeric" | "decimal" | "dec" | "real" | "float" | "double" | "float4" | "float8"
        | "money" => Some(TypeCategory::Number),
        "text" | "varchar" | "character" | "char" | "citext" | "name" => Some(TypeCategory::Text),
        "boolean" | "bool" => Some(TypeCategory::Boolean),
        "json" | "jsonb" => Some(TypeCategory::Json),
        "uuid" => Some(TypeCategory::Uuid),
        _ => None,
    }
}
