//! Date ranges on timestamps: most of the last day is excluded.

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_phrases::say;

use super::{Check, Finding};
use text2sql_domain::schema::TypeCategory;
use text2sql_sql::tree::Tree;
use text2sql_sql::tree::syntax::constant_text;
use text2sql_sql::tree::walk::{expressions, walk};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        let is_timestamp =
            |side: &Expr| tree.category(position, side) == Some(TypeCategory::Timestamp);
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| match part {
                Expr::Between {
                    expr,
                    low,
                    high,
                    negated: false,
                } if is_timestamp(expr) => match last_moment(high) {
                    Some(Moment::Midnight(day)) => found.push(
                        Check::TimestampRange
                            .warning(say!(
                                "`{part}` ends at midnight, when {day} begins: what happened later \
                                 that day is left out.",
                                part,
                                day
                            ))
                            .with_fix(format!("{expr} >= {low} AND {expr} < {high}::date + 1")),
                    ),
                    Some(Moment::LastSecond) => found.push(
                        Check::TimestampRange
                            .note(say!(
                                "`{part}` leaves out the last second of the range.",
                                part
                            ))
                            .with_fix(say!(
                                "{expr} >= {low} AND {expr} < the next midnight",
                                expr,
                                low
                            )),
                    ),
                    None => {}
                },
                Expr::BinaryOp { left, op, right } if is_timestamp(left) => {
                    let Some(Moment::Midnight(day)) = last_moment(right) else {
                        return;
                    };
                    match op {
                        BinaryOperator::LtEq => found.push(
                            Check::TimestampRange
                                .warning(say!(
                                    "`{part}` ends at midnight, when {day} begins: what happened \
                                     later that day is left out.",
                                    part,
                                    day
                                ))
                                .with_fix(format!("{left} < {right}::date + 1")),
                        ),
                        BinaryOperator::Eq if is_plain_column(left) => found.push(
                            Check::TimestampRange
                                .warning(say!(
                                    "`{part}` matches midnight alone, not the whole of {day}.",
                                    part,
                                    day
                                ))
                                .with_fix(format!(
                                    "{left} >= {right}::date AND {left} < {right}::date + 1"
                                )),
                        ),
                        _ => {}
                    }
                }
                _ => {}
            });
        }
    }
}

fn is_plain_column(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::Identifier(_) | Expr::CompoundIdentifier(_)
    )
}

enum Moment<'e> {
    /// A date without a time, which means midnight.
    Midnight(&'e str),
    /// 23:59:59.
    LastSecond,
}

/// The time of day of a constant upper bound.
fn last_moment(end: &Expr) -> Option<Moment<'_>> {
    let text = constant_text(end)?.trim();
    let is_date = text.len() == 10
        && text.char_indices().all(|(place, c)| {
            if place == 4 || place == 7 {
                c == '-'
            } else {
                c.is_ascii_digit()
            }
        });
    if is_date {
        Some(Moment::Midnight(text))
    } else if text.ends_with(" 23:59:59") || text.ends_with("T23:59:59") {
        Some(Moment::LastSecond)
    } else {
        None
    }
}
