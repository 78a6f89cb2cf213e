//! Quantities with different units or grains: metres and feet, euros and dollars, days and months.

use sqlparser::ast::{BinaryOperator, Expr, SelectItem};
use text2sql_phrases::say;

use super::{Check, Finding};
use text2sql_domain::schema::{Column, Table};
use text2sql_domain::words;
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::syntax::{
    constant_text, fold, is_comparison, read_call, without_parentheses,
};
use text2sql_sql::tree::walk::{expressions, output_of, walk};
use text2sql_sql::tree::{Place, Rows, Tree, aggregate};

/// Units by the last word of a column's name; each line is one kind of
/// quantity.
const UNITS: &[&[(&str, &[&str])]] = &[
    &[
        ("milliseconds", &["ms", "msec", "millis", "milliseconds"]),
        ("seconds", &["sec", "secs", "seconds"]),
        ("minutes", &["min", "mins", "minutes"]),
        ("hours", &["hrs", "hours"]),
        ("days", &["days"]),
    ],
    &[
        ("millimetres", &["mm", "millimeters"]),
        ("centimetres", &["cm", "centimeters"]),
        ("metres", &["meters", "metres"]),
        ("kilometres", &["km", "kilometers"]),
        ("inches", &["inch", "inches"]),
        ("feet", &["ft", "feet"]),
        ("miles", &["mi", "miles"]),
    ],
    &[
        ("grams", &["grams", "gr"]),
        ("kilograms", &["kg", "kilograms"]),
        ("pounds", &["lb", "lbs", "pounds"]),
        ("tonnes", &["tons", "tonnes"]),
    ],
    &[
        ("cents", &["cents", "cent"]),
        ("euros", &["eur", "euro", "euros", "€"]),
        ("dollars", &["usd", "dollars"]),
        ("pounds sterling", &["gbp"]),
        ("yen", &["jpy", "yen"]),
        ("francs", &["chf"]),
    ],
    &[
        ("degrees Celsius", &["celsius"]),
        ("degrees Fahrenheit", &["fahrenheit"]),
    ],
    &[
        ("per cent", &["pct", "percent", "percentage"]),
        ("shares of 1", &["share", "fraction"]),
    ],
];

/// Names of columns that contain the unit of a row's amount.
const UNIT_COLUMNS: &[&str] = words!("currency, currency_code, unit, unit_of_measure, uom");

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        for item in &block.select.projection {
            found.extend(misnamed(tree, position, item));
        }
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| {
                if let Expr::BinaryOp { left, op, right } = part {
                    if mixes(op) {
                        found.extend(different_units(tree, position, left, right, part));
                    }
                    if is_comparison(op) {
                        found.extend(different_grains(tree, position, left, right, part));
                    }
                }
                if let Some(found_aggregate) = aggregate(part)
                    && matches!(found_aggregate.name.as_str(), "sum" | "avg")
                    && let Some(argument) = found_aggregate.argument
                {
                    found.extend(several_units(tree, position, argument, part));
                }
            });
        }
    }
}

fn mixes(op: &BinaryOperator) -> bool {
    matches!(op, BinaryOperator::Plus | BinaryOperator::Minus) || is_comparison(op)
}

/// Kind of quantity and unit.
pub(super) type Unit = (usize, &'static str);

/// The unit at the end of a column's name.
fn unit_of(column: &str) -> Option<Unit> {
    let lower = column.to_lowercase();
    let last = lower.rsplit('_').next()?;
    // A complete name such as `min` or `share` does not indicate a unit.
    if last == lower {
        return None;
    }
    UNITS.iter().enumerate().find_map(|(kind, units)| {
        units
            .iter()
            .find(|(_, words)| words.contains(&last))
            .map(|(unit, _)| (kind, *unit))
    })
}

/// The unit that a word is.
pub(super) fn unit_of_word(word: &str) -> Option<Unit> {
    let own = word.to_lowercase();
    UNITS.iter().enumerate().find_map(|(kind, units)| {
        units
            .iter()
            .find(|(unit, words)| words.contains(&own.as_str()) || *unit == own)
            .map(|(unit, _)| (kind, *unit))
    })
}

/// The unit of a column: by the comment, which says it in words ("in euro cents"), or else by its name.
pub(super) fn unit_of_column(column: &Column) -> Option<Unit> {
    let comment = column.comment.as_deref().unwrap_or_default().to_lowercase();
    let words: Vec<&str> = comment.split(|c: char| !c.is_alphanumeric()).collect();
    let said = words
        .iter()
        .position(|word| *word == "in")
        .and_then(|place| words.get(place + 1..place + 4).or(words.get(place + 1..)));
    // "in euro cents" are cents.
    let said = said
        .into_iter()
        .flatten()
        .filter_map(|word| unit_of_word(word))
        .next_back();
    let is_small = unit_of(&column.name).is_some_and(|(_, unit)| unit == "cents")
        || column
            .name
            .to_lowercase()
            .split('_')
            .any(|word| word == "cents");
    match (is_small, said) {
        (true, _) => unit_of_word("cents"),
        (false, said) => said.or_else(|| unit_of(&column.name)),
    }
}

/// An output that is called by one unit and holds another: nothing converts it.
fn misnamed(tree: &Tree<'_>, block: usize, item: &SelectItem) -> Option<Finding> {
    let SelectItem::ExprWithAlias { expr, alias } = item else {
        return None;
    };
    let name = fold(alias);
    let named = name.split('_').filter_map(unit_of_word).next_back()?;
    let stored = quantity(tree, block, expr).and_then(unit_of_column)?;
    (named.0 == stored.0 && named.1 != stored.1).then(|| {
        Check::MixedUnits
            .error(say!(
                "`{expr}` holds {unit}, and the result calls it {name}.",
                expr,
                unit = say(stored.1, &[]),
                name
            ))
            .with_fix(say!("convert it, or call it by its unit"))
    })
}

/// Outputs in another unit than the question asks for: "in euros", "how many minutes", which nothing converts.
pub(super) fn asked_in(tree: &Tree<'_>, words: &[String]) -> Option<Finding> {
    let mut asked = words.iter().enumerate().filter_map(|(place, word)| {
        let before = |back: usize| {
            let at = place.checked_sub(back)?;
            words.get(at).map(String::as_str)
        };
        let is_asked = matches!(
            (before(2), before(1)),
            (_, Some("in")) | (Some("how"), Some("many")) | (Some("wie"), Some("viele"))
        );
        // "In min" may be a name.
        let is_whole = word.chars().count() > 3 || ["eur", "usd"].contains(&word.as_str());
        (is_asked && is_whole).then(|| unit_of_word(word).map(|unit| (word, unit)))?
    });
    let (said, (kind, unit)) = asked.next()?;
    if asked.next().is_some() {
        return None;
    }
    let (position, top) = tree
        .blocks
        .iter()
        .enumerate()
        .find(|(_, block)| block.place == Place::Top)?;
    let outputs = top.select.projection.iter().filter_map(|item| {
        let output = output_of(item)?;
        let stored = quantity(tree, position, output).and_then(unit_of_column);
        Some((output, stored))
    });
    let outputs: Vec<(&Expr, Option<Unit>)> = outputs.collect();
    // A computed value may be converted.
    let is_plain = |output: &Expr| {
        tree.resolve(position, output).is_some()
            || aggregate(without_parentheses(output)).is_some_and(|call| {
                call.argument
                    .is_none_or(|argument| tree.resolve(position, argument).is_some())
            })
    };
    let are_plain = outputs.iter().all(|(output, _)| is_plain(output));
    let of_kind = || {
        outputs
            .iter()
            .filter(|(_, stored)| stored.is_some_and(|own| own.0 == kind))
    };
    let is_met = of_kind().any(|(_, stored)| stored.is_some_and(|own| own.1 == unit));
    let (output, stored) = of_kind().next().filter(|_| are_plain && !is_met)?;
    Some(
        Check::MixedUnits
            .error(say!(
                "`{output}` holds {unit}, and the question asks for {said}.",
                output,
                unit = say((*stored)?.1, &[]),
                said
            ))
            .with_fix(say!("convert it to {said}", said)),
    )
}

/// One-letter units, with the kind of quantity: they count if the rest of two names is equal,
/// as in `weight_g` and `weight_kg`.
const SHORT_UNITS: &[(&str, (usize, &str))] = &[
    ("s", (0, "seconds")),
    ("h", (0, "hours")),
    ("d", (0, "days")),
    ("m", (1, "metres")),
    ("g", (2, "grams")),
    ("t", (2, "tonnes")),
];

/// The units of two columns whose names differ only in the unit.
fn short_units(one: &str, other: &str) -> Option<(Unit, Unit)> {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let ((thing, _), (other_thing, _)) = (one.rsplit_once('_')?, other.rsplit_once('_')?);
    if thing != other_thing {
        return None;
    }
    let unit = |name: &str| {
        let last = name.rsplit('_').next()?;
        let short = SHORT_UNITS.iter().find(|(word, _)| *word == last);
        unit_of(name).or(short.map(|(_, unit)| *unit))
    };
    Some((unit(&one)?, unit(&other)?))
}

/// The column that an expression is or aggregates.
fn quantity<'t>(tree: &'t Tree<'_>, block: usize, expression: &Expr) -> Option<&'t Column> {
    let inner = match aggregate(without_parentheses(expression)) {
        Some(found) if found.name != "count" => found.argument?,
        Some(_) => return None,
        None => expression,
    };
    let reference = tree.resolve(block, inner)?;
    tree.column(&reference).map(|(_, column)| column)
}

fn different_units(
    tree: &Tree<'_>,
    block: usize,
    left: &Expr,
    right: &Expr,
    part: &Expr,
) -> Option<Finding> {
    let (one, other) = (quantity(tree, block, left)?, quantity(tree, block, right)?);
    let units = match short_units(&one.name, &other.name) {
        Some(units) => units,
        None => (unit_of(&one.name)?, unit_of(&other.name)?),
    };
    let ((kind, unit), (other_kind, other_unit)) = units;
    (kind == other_kind && unit != other_unit).then(|| {
        Check::MixedUnits
            .doubt(say!(
                "`{part}` puts {unit} and {other_unit} together, by the names of the columns.",
                part,
                unit = say(unit, &[]),
                other_unit = say(other_unit, &[])
            ))
            .with_fix(say!(
                "convert {name} to {unit} first",
                name = other.name,
                unit = say(unit, &[])
            ))
    })
}

/// A sum over a table whose rows have different units, without separating them.
fn several_units(tree: &Tree<'_>, block: usize, argument: &Expr, part: &Expr) -> Option<Finding> {
    let reference = tree
        .columns_in(block, argument)
        .into_iter()
        .find(|reference| {
            tree.column(reference).is_some_and(|(_, column)| {
                matches!(
                    column.category,
                    text2sql_domain::schema::TypeCategory::Number
                        | text2sql_domain::schema::TypeCategory::Integer
                )
            })
        })?;
    let Rows::Table(table) = &tree.source(&reference)?.rows else {
        return None;
    };
    let unit = unit_column(table)?;
    let distinct = unit
        .statistics
        .as_ref()
        .and_then(|facts| facts.distinct_values)?;
    if distinct < 2.0 {
        return None;
    }
    let here = tree.block(block)?;
    // If the unit is used anywhere in the block, it was considered.
    let is_handled = expressions(here.select, here.query)
        .into_iter()
        .any(|expression| {
            tree.columns_in(block, expression)
                .iter()
                .any(|other| other.column == unit.name)
        });
    let is_grouped = match &here.select.group_by {
        sqlparser::ast::GroupByExpr::Expressions(groups, _) => groups.iter().any(|group| {
            tree.resolve(block, meant_by(group, &here.select.projection))
                .is_some_and(|other| other.column == unit.name)
        }),
        _ => false,
    };
    (!is_handled && !is_grouped).then(|| {
        Check::MixedUnits.doubt(say!("`{part}` puts rows of {table} in different units together: {unit} has {distinct} different values.", part, table = table.sql_name(), unit = unit.name, distinct = format!("{distinct:.0}")))
        .with_fix(say!("GROUP BY {unit}, or keep one {unit} in WHERE", unit = unit.name))
    })
}

fn unit_column(table: &Table) -> Option<&Column> {
    table
        .columns
        .iter()
        .find(|column| UNIT_COLUMNS.contains(&column.name.to_lowercase().as_str()))
}

/// The start of a day compared with the start of a month.
fn different_grains(
    tree: &Tree<'_>,
    block: usize,
    left: &Expr,
    right: &Expr,
    part: &Expr,
) -> Option<Finding> {
    let (one, other) = (grain(tree, block, left)?, grain(tree, block, right)?);
    (one != other).then(|| {
        Check::MixedUnits
            .warning(say!(
                "`{part}` compares the start of a {one} with the start of a {other}: they are \
                 equal on few days only.",
                part,
                one = say(&format!("unit^{one}"), &[]),
                other = say(&format!("unit^{other}"), &[])
            ))
            .with_fix(say!("bring both to one grain: date_trunc('{one}', …)", one))
    })
}

/// The unit to which an expression truncates a timestamp.
fn grain(tree: &Tree<'_>, block: usize, expression: &Expr) -> Option<String> {
    match without_parentheses(expression) {
        Expr::Function(function) => {
            let call = read_call(function);
            if call.name != "date_trunc" {
                return None;
            }
            Some(constant_text(call.arguments.first()?)?.to_lowercase())
        }
        Expr::Cast { expr, .. } => grain(tree, block, expr),
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
            let reference = tree.resolve(block, expression)?;
            let Rows::Result(_) = &tree.source(&reference)?.rows else {
                return None;
            };
            tree.grain_of(&reference)
        }
        _ => None,
    }
}
