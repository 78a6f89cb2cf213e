//! Calls and comparisons that PostgreSQL does not have for these types, or that another database has.

use std::sync::Arc;

use sqlparser::ast::{
    BinaryOperator, DateTimeField, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    Query, Value,
};

use text2sql_domain::schema::{Holds, Table, TypeCategory, quote_literal};
use text2sql_domain::sql_result::DatabaseError;
use text2sql_phrases::say;
use text2sql_sql::postgresql_form::call_of_another_dialect;
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::walk::expressions;
use text2sql_sql::tree::{Tree, walk};

use super::apply::{self, Edit};
use super::mended::Mended;
use super::uses::address;

/// What the error is about.
enum Missing {
    /// `round(x, n)` of a number that is no `numeric`.
    Rounding,
    /// Days of the difference of two days, which is a number of days.
    Days,
    /// A text compared with a number.
    Comparison,
    /// A pattern for what is no text.
    Pattern,
    /// Another function, by its name.
    Function(String),
}

pub(super) fn mend(
    mut query: Box<Query>,
    error: &DatabaseError,
    tables: &[Arc<Table>],
) -> Option<Mended> {
    let missing = Missing::of(&error.message)?;
    let mut changes: Vec<String> = Vec::new();
    let mut edits = Vec::new();
    let tree = Tree::read(&query, tables);
    for (position, block) in tree.blocks.iter().enumerate() {
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| {
                if let Some((at, by, said)) = missing.mended(&tree, position, part) {
                    edits.push(Edit::Replace { at, by });
                    if !changes.contains(&said) {
                        changes.push(said);
                    }
                }
            });
        }
    }
    // A call within another goes with it, so not each edit has a place of its own.
    let _ = apply::apply(&mut query, edits);
    (!changes.is_empty()).then(|| Mended {
        sql: query.to_string(),
        changes,
    })
}

impl Missing {
    /// PostgreSQL writes "function year(date) does not exist"; the words differ with the language of its messages.
    fn of(message: &str) -> Option<Self> {
        if message.contains("pg_catalog.extract(unknown, integer)")
            || message.contains("date_part(unknown, integer)")
        {
            return Some(Self::Days);
        }
        if message.contains("round(double precision, integer)")
            || message.contains("round(real, integer)")
        {
            return Some(Self::Rounding);
        }
        if message.contains("~~ unknown") || message.contains("~~* unknown") {
            return Some(Self::Pattern);
        }
        let types = ["character varying", "text", "character"];
        let is_comparison = |text: &&str| {
            let operators = ["=", "<>", "<", ">", "<=", ">="];
            operators.iter().any(|operator| {
                ["integer", "numeric"]
                    .iter()
                    .any(|number| message.contains(&format!(": {text} {operator} {number}")))
            })
        };
        if types.iter().any(is_comparison) {
            return Some(Self::Comparison);
        }
        let before = message
            .split('(')
            .next()
            .filter(|_| message.contains('('))?;
        let name = before.split_whitespace().last()?;
        Some(Self::Function(name.to_owned()))
    }

    /// The address of an expression, what it becomes, and the sentence that says so.
    fn mended(&self, tree: &Tree<'_>, block: usize, part: &Expr) -> Option<(usize, Expr, String)> {
        match (self, part) {
            (Self::Rounding, Expr::Function(function)) if is_called(function, "round") => {
                let [first, _] = arguments(function)?.try_into().ok()?;
                if matches!(first, Expr::Cast { .. }) {
                    return None;
                }
                let by = apply::expression(&format!("CAST({first} AS numeric)"))?;
                Some((
                    address(first),
                    by,
                    say!("what is rounded was made numeric, which has decimal places"),
                ))
            }
            (
                Self::Days,
                Expr::Extract {
                    field: DateTimeField::Day | DateTimeField::Days,
                    expr,
                    ..
                },
            ) => days(part, expr),
            (Self::Days, Expr::Function(function)) if is_called(function, "date_part") => {
                let [field, difference] = arguments(function)?.try_into().ok()?;
                let is_day = text2sql_sql::tree::syntax::constant_text(field)
                    .is_some_and(|field| matches!(field.to_lowercase().as_str(), "day" | "days"));
                is_day.then_some(())?;
                days(part, difference)
            }
            (
                Self::Comparison,
                Expr::BinaryOp {
                    left,
                    op: BinaryOperator::Eq | BinaryOperator::NotEq,
                    right,
                },
            ) => text(tree, block, left, right).or_else(|| text(tree, block, right, left)),
            (
                Self::Comparison,
                Expr::BinaryOp {
                    left,
                    op:
                        BinaryOperator::Lt
                        | BinaryOperator::LtEq
                        | BinaryOperator::Gt
                        | BinaryOperator::GtEq,
                    right,
                },
            ) => number(tree, block, left).or_else(|| number(tree, block, right)),
            (Self::Function(name), Expr::Function(function))
                if is_called(function, name) && matches!(name.as_str(), "sum" | "avg") =>
            {
                let [argument] = arguments(function)?.try_into().ok()?;
                number(tree, block, argument)
            }
            (Self::Pattern, Expr::Like { expr, .. } | Expr::ILike { expr, .. }) => {
                let reference = tree.resolve(block, expr)?;
                let (_, column) = tree.column(&reference)?;
                (column.category != TypeCategory::Text).then_some(())?;
                let by = apply::expression(&format!("CAST({expr} AS text)"))?;
                let name = tree.label(&reference);
                Some((
                    address(&**expr),
                    by,
                    say!("{name} was compared as a text, because a pattern is for texts"),
                ))
            }
            (Self::Function(name), Expr::Function(function)) if is_called(function, name) => {
                let (sql, instead) = call_of_another_dialect(function)?;
                let by = apply::expression(&format!("({sql})"))?;
                Some((address(part), by, say!("{name}() was written as {instead}")))
            }
            _ => None,
        }
    }
}

/// The difference of two days itself.
fn days(whole: &Expr, difference: &Expr) -> Option<(usize, Expr, String)> {
    let is_difference = matches!(
        without_parentheses(difference),
        Expr::BinaryOp {
            op: BinaryOperator::Minus,
            ..
        }
    );
    is_difference.then(|| {
        (
            address(whole),
            Expr::Nested(Box::new(without_parentheses(difference).clone())),
            say!("the difference of two dates is a number of days already"),
        )
    })
}

/// A number that is compared with a column of texts, as a text.
fn text(
    tree: &Tree<'_>,
    block: usize,
    column: &Expr,
    number: &Expr,
) -> Option<(usize, Expr, String)> {
    let reference = tree.resolve(block, column)?;
    let (table, known) = tree.column(&reference)?;
    let Expr::Value(value) = number else {
        return None;
    };
    let Value::Number(digits, _) = &value.value else {
        return None;
    };
    (known.category == TypeCategory::Text).then_some(())?;
    let by = apply::expression(&quote_literal(digits))?;
    let name = format!("{}.{}", table.sql_name(), known.name);
    Some((
        address(number),
        by,
        say!("{digits} was compared as a text, because {name} holds texts"),
    ))
}

/// A column of texts that are all numbers, as numbers.
fn number(tree: &Tree<'_>, block: usize, column: &Expr) -> Option<(usize, Expr, String)> {
    let reference = tree.resolve(block, column)?;
    let (table, known) = tree.column(&reference)?;
    let statistics = known.statistics.as_ref()?;
    (known.category == TypeCategory::Text && statistics.holds == Some(Holds::Numbers))
        .then_some(())?;
    let by = apply::expression(&format!("CAST({column} AS numeric)"))?;
    let name = format!("{}.{}", table.sql_name(), known.name);
    Some((
        address(column),
        by,
        say!("{name} was taken as a number, because its texts are numbers"),
    ))
}

fn is_called(function: &Function, name: &str) -> bool {
    function.name.to_string().eq_ignore_ascii_case(name)
}

fn arguments(function: &Function) -> Option<Vec<&Expr>> {
    let FunctionArguments::List(list) = &function.args else {
        return None;
    };
    let arguments = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    arguments.collect()
}
