//! Comparisons of values of different types: numbers stored as text compare as text, an integer
//! never equals a fraction.

use sqlparser::ast::{BinaryOperator, Expr, OrderByKind, Value};
use text2sql_phrases::say;

use super::orders::is_descending;
use super::{Basis, Check, Finding, Probe, Severity, Verdict};
use text2sql_domain::schema::{Column, TypeCategory, quote_identifier, quote_literal};
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::syntax::{constant_text, type_category, without_parentheses};
use text2sql_sql::tree::walk::{expressions, walk};
use text2sql_sql::tree::{Reference, Tree, aggregate};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| compare(tree, position, part, found));
        }
        let order = block.query.and_then(|query| query.order_by.as_ref());
        if let Some(OrderByKind::Expressions(items)) = order.map(|order| &order.kind) {
            for item in items {
                let meant = meant_by(&item.expr, &block.select.projection);
                let what = format!("ORDER BY {}", item.expr);
                let call = if is_descending(&item.options) {
                    "max"
                } else {
                    "min"
                };
                found.extend(extreme_as_text(tree, position, meant, call, &what));
                if let Some(label) = number_as_text(tree, position, meant) {
                    found.push(as_text(&what, &label));
                }
            }
        }
    }
}

fn compare(tree: &Tree<'_>, block: usize, part: &Expr, found: &mut Vec<Finding>) {
    found.extend(case_lost(tree, block, part));
    if let Some(aggregate) = aggregate(part)
        && matches!(aggregate.name.as_str(), "min" | "max")
        && let Some(extreme) = aggregate.argument.and_then(|argument| {
            extreme_as_text(tree, block, argument, &aggregate.name, &part.to_string())
        })
    {
        found.push(extreme);
        return;
    }
    if let Some(aggregate) = aggregate(part)
        && matches!(aggregate.name.as_str(), "min" | "max")
        && let Some(label) = aggregate
            .argument
            .and_then(|argument| number_as_text(tree, block, argument))
    {
        found.push(as_text(&part.to_string(), &label));
        return;
    }
    let (value, others): (&Expr, Vec<&Expr>) = match part {
        Expr::BinaryOp { left, op, right } => {
            let is_order = matches!(
                op,
                BinaryOperator::Lt
                    | BinaryOperator::LtEq
                    | BinaryOperator::Gt
                    | BinaryOperator::GtEq
            );
            if *op == BinaryOperator::Eq {
                found.extend(never_equal(tree, block, left, right, part));
                found.extend(different_types(tree, block, left, right, part));
                return;
            }
            if !is_order {
                return;
            }
            (left, vec![right])
        }
        Expr::Between {
            expr, low, high, ..
        } => (expr, vec![low, high]),
        _ => return,
    };
    let is_text = tree.category(block, value) == Some(TypeCategory::Text);
    let is_number = |literal: &&Expr| {
        constant_text(literal).is_some_and(|text| {
            // Single digits compare correctly as text, and so do years, which have four digits.
            text.parse::<f64>().is_ok() && text.len() != 4
        })
    };
    if let Some(finding) = numbers_as_text(tree, block, part) {
        found.push(finding);
    } else if is_text && others.iter().any(is_number) {
        found.push(as_text(&part.to_string(), &value.to_string()));
    }
}

/// The column of numbers that an expression casts to text.
fn number_cast(tree: &Tree<'_>, block: usize, expression: &Expr) -> Option<Reference> {
    let Expr::Cast {
        expr, data_type, ..
    } = without_parentheses(expression)
    else {
        return None;
    };
    let reference = tree.resolve(block, expr)?;
    let (_, column) = tree.column(&reference)?;
    let is_number = matches!(
        column.category,
        TypeCategory::Integer | TypeCategory::Number
    );
    let is_text = type_category(data_type) == Some(TypeCategory::Text);
    (is_number && is_text).then_some(reference)
}

/// A column of numbers that is compared with a number letter by letter, and keeps other rows by it.
fn numbers_as_text(tree: &Tree<'_>, block: usize, part: &Expr) -> Option<Finding> {
    let Expr::BinaryOp { left, op, right } = part else {
        return None;
    };
    let constant = constant_text(right).filter(|text| text.parse::<f64>().is_ok())?;
    let reference = number_cast(tree, block, left)?;
    let (table, column) = tree.column(&reference)?;
    let (table, column) = (table.sql_name(), quote_identifier(&column.name));
    let text = quote_literal(constant);
    let sql = format!(
        "SELECT 1 FROM {table} WHERE ({column}::text {op} {text}) <> ({column} {op} {constant}) LIMIT 1"
    );
    Some(Finding::asked_of_data(
        Check::ImplicitCast,
        sql,
        letter_by_letter(&part.to_string(), &tree.label(&reference)),
        format!("{column} {op} {constant}"),
    ))
}

/// The greatest or the least of numbers as texts, which is another one.
fn extreme_as_text(
    tree: &Tree<'_>,
    block: usize,
    expression: &Expr,
    call: &str,
    what: &str,
) -> Option<Finding> {
    let reference = number_cast(tree, block, expression)?;
    let (table, column) = tree.column(&reference)?;
    let (table, column) = (table.sql_name(), quote_identifier(&column.name));
    let sql =
        format!("SELECT 1 FROM {table} HAVING {call}({column}::text) <> {call}({column})::text");
    Some(Finding::asked_of_data(
        Check::ImplicitCast,
        sql,
        letter_by_letter(what, &tree.label(&reference)),
        column,
    ))
}

fn letter_by_letter(what: &str, label: &str) -> String {
    say!(
        "`{what}` compares {label} as text, letter by letter: '10' comes before '9'.",
        what,
        label
    )
}

/// A column of citext cast to text: what differs in capitals only is no longer the same.
fn case_lost(tree: &Tree<'_>, block: usize, part: &Expr) -> Option<Finding> {
    let cast_column = |side: &Expr| -> Option<Reference> {
        let Expr::Cast {
            expr, data_type, ..
        } = without_parentheses(side)
        else {
            return None;
        };
        let reference = tree.resolve(block, expr)?;
        let (_, column) = tree.column(&reference)?;
        let is_lost =
            column.type_name == "citext" && data_type.to_string().eq_ignore_ascii_case("text");
        is_lost.then_some(reference)
    };
    let (reference, condition) = match part {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            right,
        } => {
            let (reference, constant) = match (cast_column(left), cast_column(right)) {
                (Some(reference), None) => (reference, constant_text(right)?),
                (None, Some(reference)) => (reference, constant_text(left)?),
                _ => return None,
            };
            let constant = quote_literal(constant);
            (reference, Some(constant))
        }
        Expr::Function(_) => {
            let call = aggregate(part).filter(|call| call.name == "count" && call.is_distinct)?;
            (cast_column(call.argument?)?, None)
        }
        _ => return None,
    };
    let (table, column) = tree.column(&reference)?;
    let (table, column) = (table.sql_name(), quote_identifier(&column.name));
    let evidence = say!(
        "`{part}` tells capitals apart, which {column} of type citext does not, and rows are lost or counted twice by it.",
        part,
        column = tree.label(&reference)
    );
    let sql = match condition {
        Some(constant) => format!(
            "SELECT 1 FROM {table} WHERE {column} = {constant} AND {column}::text <> {constant} LIMIT 1"
        ),
        None => format!(
            "SELECT 1 FROM {table} GROUP BY {column} HAVING count(DISTINCT {column}::text) > 1 LIMIT 1"
        ),
    };
    Some(
        Finding::new(
            Check::ImplicitCast,
            Severity::Note,
            Basis::Possible,
            String::new(),
        )
        .with_fix(column)
        .with_probe(Probe::Rows {
            sql,
            found: Verdict {
                severity: Severity::Error,
                evidence,
            },
            none: None,
        }),
    )
}

/// A text column whose known values are all numbers of different lengths.
fn number_as_text(tree: &Tree<'_>, block: usize, expression: &Expr) -> Option<String> {
    let reference = tree.resolve(block, expression)?;
    let (_, column) = tree.column(&reference)?;
    holds_numbers(column).then(|| tree.label(&reference))
}

fn holds_numbers(column: &Column) -> bool {
    let Some(facts) = &column.statistics else {
        return false;
    };
    let values = &facts.most_common_values;
    let first = values.first().map_or(0, String::len);
    column.category == TypeCategory::Text
        && values.len() >= 3
        && values
            .iter()
            .all(|value| value.trim().parse::<f64>().is_ok())
        && values.iter().any(|value| value.len() != first)
}

fn as_text(what: &str, label: &str) -> Finding {
    Check::ImplicitCast
        .warning(letter_by_letter(what, label))
        .with_fix(format!("{label}::numeric"))
}

/// An integer compared with a fraction.
fn never_equal(
    tree: &Tree<'_>,
    block: usize,
    left: &Expr,
    right: &Expr,
    part: &Expr,
) -> Option<Finding> {
    let is_fraction = |side: &Expr| {
        matches!(without_parentheses(side), Expr::Value(value)
            if matches!(&value.value, Value::Number(digits, _)
                if digits.parse::<f64>().is_ok_and(|number| number.fract() != 0.0)))
    };
    let is_whole = |side: &Expr| {
        tree.resolve(block, side).is_some()
            && tree.category(block, side) == Some(TypeCategory::Integer)
    };
    ((is_whole(left) && is_fraction(right)) || (is_whole(right) && is_fraction(left))).then(|| {
        Check::ImplicitCast
            .error(say!(
                "`{part}` is never true: the column holds whole numbers.",
                part
            ))
            .with_fix(say!("compare with a range, or round the other side"))
    })
}

/// Columns of different types equated by a condition.
fn different_types(
    tree: &Tree<'_>,
    block: usize,
    left: &Expr,
    right: &Expr,
    part: &Expr,
) -> Option<Finding> {
    let (one, other) = (tree.resolve(block, left)?, tree.resolve(block, right)?);
    let (one, other) = (tree.column(&one)?.1, tree.column(&other)?.1);
    let pair = (one.category, other.category);
    let differs = matches!(
        pair,
        (TypeCategory::Integer, TypeCategory::Number)
            | (TypeCategory::Number, TypeCategory::Integer)
            | (TypeCategory::Date, TypeCategory::Timestamp)
            | (TypeCategory::Timestamp, TypeCategory::Date)
    );
    if !differs {
        return None;
    }
    let is_day = matches!(pair.0, TypeCategory::Date | TypeCategory::Timestamp);
    let effect = if is_day {
        say!("a date equals a timestamp at midnight alone")
    } else {
        say!("one side is converted for each row, and its index may not help")
    };
    Some(
        Finding::new(
            Check::ImplicitCast,
            if is_day {
                Severity::Warning
            } else {
                Severity::Note
            },
            Basis::Proved,
            say!(
                "`{part}` compares {type_name} with {type_name_2}: {effect}.",
                part,
                type_name = one.type_name,
                type_name_2 = other.type_name,
                effect
            ),
        )
        .with_fix(if is_day {
            say!("compare days: …::date = …")
        } else {
            say!("give both columns one type")
        }),
    )
}
