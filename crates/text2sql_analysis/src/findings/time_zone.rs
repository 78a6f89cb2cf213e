//! Results that depend on the session's time zone.

use sqlparser::ast::{DataType, Expr};
use text2sql_phrases::{say, template};

use super::{Basis, Check, Finding, Severity};
use text2sql_domain::schema::TypeCategory;
use text2sql_sql::tree::Tree;
use text2sql_sql::tree::syntax::{constant_text, is_comparison, read_call};
use text2sql_sql::tree::walk::{expressions, walk};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        let is_zoned = |part: &Expr| tree.has_time_zone(position, part) == Some(true);
        // now() alone is not reported: only stored values with a time zone that are truncated to days.
        let is_stored = |part: &Expr| is_zoned(part) && !tree.columns_in(position, part).is_empty();
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| {
                let reason = match part {
                    Expr::Cast {
                        expr,
                        data_type: DataType::Date,
                        ..
                    } if is_stored(expr) => Some(template!("where a day begins")),
                    Expr::Extract { expr, field, .. }
                        if is_stored(expr) && is_local(&field.to_string()) =>
                    {
                        Some(template!("which day or hour it is"))
                    }
                    Expr::Function(function) => {
                        let call = read_call(function);
                        let value = match (call.name.as_str(), call.arguments.as_slice()) {
                            // A third argument specifies the time zone.
                            ("date_trunc", [_, value]) | ("date_part", [_, value]) => Some(value),
                            ("date", [value]) | ("to_char", [value, _]) => Some(value),
                            _ => None,
                        };
                        value
                            .is_some_and(|value| is_stored(value))
                            .then_some(template!("where a day begins"))
                    }
                    Expr::BinaryOp { left, op, right } if is_comparison(op) => {
                        let zones = (
                            tree.has_time_zone(position, left),
                            tree.has_time_zone(position, right),
                        );
                        if matches!(zones, (Some(true), Some(false)) | (Some(false), Some(true))) {
                            let are_stored = !tree.columns_in(position, left).is_empty()
                                && !tree.columns_in(position, right).is_empty();
                            found.push(mixed(part, are_stored));
                        }
                        let sides = [(left, right), (right, left)];
                        sides
                            .iter()
                            .any(|(value, literal)| {
                                is_stored(value) && is_bare(tree, position, literal)
                            })
                            .then_some(template!("when that moment is"))
                    }
                    Expr::Between {
                        expr, low, high, ..
                    } => (is_stored(expr)
                        && (is_bare(tree, position, low) || is_bare(tree, position, high)))
                    .then_some(template!("when these moments are")),
                    _ => None,
                };
                if let Some(reason) = reason {
                    found.push(
                        Check::TimeZone
                            .note(say!(
                                "The session's time zone decides {reason} in `{part}`: another \
                                 session may get other rows or sums.",
                                reason = say(reason, &[]),
                                part
                            ))
                            .with_fix(say!(
                                "name the zone: (… AT TIME ZONE 'Europe/Berlin'), or SET TimeZone"
                            )),
                    );
                }
            });
        }
    }
}

fn mixed(part: &Expr, are_stored: bool) -> Finding {
    // Against now() the difference is a few hours at most; between two columns any row may be affected.
    let severity = if are_stored {
        Severity::Warning
    } else {
        Severity::Note
    };
    Finding::new(
        Check::TimeZone,
        severity,
        Basis::Proved,
        say!(
            "`{part}` compares a timestamp with time zone with one without: the session's time \
             zone decides the outcome.",
            part
        ),
    )
    .with_fix(say!("bring both to one type: (… AT TIME ZONE 'UTC')"))
}

fn is_local(field: &str) -> bool {
    !field.eq_ignore_ascii_case("epoch")
}

/// A date or timestamp constant without a time zone.
fn is_bare(tree: &Tree<'_>, block: usize, literal: &Expr) -> bool {
    if tree.category(block, literal) == Some(TypeCategory::Date) {
        return true;
    }
    constant_text(literal).is_some_and(|text| {
        let time = text.get(10..).unwrap_or_default();
        text.len() >= 10
            && text.starts_with(|c: char| c.is_ascii_digit())
            && !time.contains(['+', 'Z', 'z'])
            && !time.contains('-')
    })
}
